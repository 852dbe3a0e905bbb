package breaking_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/diag"
)

// shop has five public codes; HIDDEN is internal.
const shop = `
groups: {money: About money.}
public: {code: INTERNAL}
categories:
  order: {audience: public, codes: {MISSING: {message: m}, TAKEN: {message: t}, UNPAID: {message: u, groups: [money]}}}
  server: {codes: {INTERNAL: {message: i, audience: public}, BUSY: {message: b, audience: public},
	HIDDEN: {message: h}}}`

func TestOperations(t *testing.T) {
	in := func(operations string) string { return "operations: {" + operations + "}" + shop }
	get := "Get: {http: 'GET /orders/{id}', rpc: shop.Orders/Get, errors: [MISSING]}"
	runRuleTests(t, []ruleTest{
		{"new operation", in(get), in(get + ", Put: {http: PUT /orders, errors: [order]}"), ``},
		{"first operation", shop[1:], in(get), ``},
		{"removed", in(get + ", Put: {errors: [TAKEN]}"), in(get), `9:10 E-break-operation`},
		{"renamed", in(get), in("Read: {http: 'GET /orders/{id}', rpc: shop.Orders/Get, errors: [MISSING]}"),
			`9:10 E-break-operation`},
		{"another path", in(get), in("Get: {http: 'GET /order/{id}', rpc: shop.Orders/Get, errors: [MISSING]}"),
			`1:26 E-break-operation`},
		{"another method", in(get), in("Get: {http: 'PUT /orders/{id}', rpc: shop.Orders/Get, errors: [MISSING]}"),
			`1:26 E-break-operation`},
		{"path removed", in(get), in("Get: {rpc: shop.Orders/Get, errors: [MISSING], idempotent: true}"),
			`1:14 E-break-operation`},
		{"path added", in("Get: {errors: [MISSING]}"), in("Get: {http: POST /get, errors: [MISSING]}"), ``},
		{"another name of the parameter", in(get),
			in("Get: {http: 'GET /orders/{number}', rpc: shop.Orders/Get, errors: [MISSING]}"), ``},
		{"another full method", in(get),
			in("Get: {http: 'GET /orders/{id}', rpc: shop.Orders/Read, errors: [MISSING]}"),
			`1:51 E-break-operation`},
		{"code added", in("Get: {errors: [MISSING]}"), in("Get: {errors: [MISSING, TAKEN]}"),
			`1:14 W-changed-operation`},
		{"code added by a category", in("Get: {errors: [MISSING]}"), in("Get: {errors: [order]}"),
			`1:14 W-changed-operation, 1:14 W-changed-operation`},
		{"code added to all operations", in("A: {}, B: {}"), in("'*': {errors: [BUSY]}, A: {}, B: {}"),
			`1:37 W-changed-operation`},
		{"code added to a group", in("Get: {errors: ['@money']}"),
			in("Get: {errors: ['@money']}") +
				"\n  more: {audience: public, codes: {POOR: {message: p, groups: [money]}}}",
			`1:14 W-changed-operation`},
		{"code added to an exhaustive operation", in("Get: {errors: [MISSING], exhaustive: true}"),
			in("Get: {errors: [MISSING, TAKEN], exhaustive: true}"), `1:14 E-break-exhaustive`},
		{"exhaustive and code added", in("Get: {errors: [MISSING]}"),
			in("Get: {errors: [MISSING, TAKEN], exhaustive: true}"),
			`1:14 W-changed-operation`},
		{"code removed", in("Get: {errors: [MISSING, TAKEN]}"), in("Get: {errors: [MISSING]}"), ``},
		{"the category in place of its codes", in("Get: {errors: [MISSING, TAKEN, UNPAID]}"),
			in("Get: {errors: [order]}"), ``},
		{"exhaustive no longer", in("Get: {errors: [MISSING], exhaustive: true}"), in("Get: {errors: [MISSING]}"),
			`1:14 E-break-operation`},
		{"idempotent no longer", in("Get: {errors: [MISSING], idempotent: true}"), in("Get: {errors: [MISSING]}"),
			`1:14 E-break-operation`},
		{"safe method, not idempotent", in(get),
			in("Get: {http: 'GET /orders/{id}', rpc: shop.Orders/Get, errors: [MISSING], idempotent: false}"),
			`1:99 E-break-operation`},
		{"idempotent now", in("Get: {errors: [MISSING]}"), in("Get: {errors: [MISSING], idempotent: true}"), ``},
		{"not idempotent, then unspecified", in("Get: {errors: [MISSING], idempotent: false}"),
			in("Get: {errors: [MISSING]}"), ``},
		{"another description", in("Get: {doc: One.}"), in("Get: {doc: Two.}"), ``},
	})
}

// One finding about a code lists all operations for which it is new.
func TestOperationsOfACode(t *testing.T) {
	changes := compare(t, "operations: {A: {}, B: {}, C: {errors: [TAKEN]}}"+shop,
		"operations: {'*': {errors: [TAKEN]}, A: {}, B: {}, C: {}}"+shop)
	require.Len(t, changes, 1)
	assert.Equal(t, "TAKEN", changes[0].Subject.Code)
	assert.Equal(t, "A, B", changes[0].New)
	assert.Equal(t, diag.Warning, changes[0].Severity)
}
