package taxonomy_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestOperationByRoute(t *testing.T) {
	tx := &taxonomy.Taxonomy{Operations: []*taxonomy.Operation{
		{Name: "get", HTTP: "GET /orders/{id}"},
		{Name: "place", HTTP: "POST /api/orders"},
		{Name: "file", HTTP: "GET /files/{path...}"},
		{Name: "root", HTTP: "GET /{$}"},
		{Name: "call", RPC: "shop.Orders/Call"},
	}}
	for _, c := range []struct{ name, method, prefix, pattern, want string }{
		{"the pattern itself", "GET", "", "GET /orders/{id}", "get"},
		{"another name of the parameter", "GET", "", "GET /orders/{number}", "get"},
		{"a pattern with a host", "GET", "", "GET shop.example/orders/{id}", "get"},
		{"a host without a method", "GET", "", "shop.example/orders/{id}", "get"},
		{"the method of the request", "GET", "", "/orders/{id}", "get"},
		{"another method", "PUT", "", "/orders/{id}", ""},
		{"HEAD of a GET pattern", "HEAD", "", "GET /orders/{id}", "get"},
		{"a prefix that an outer mux removed", "POST", "/api", "POST /orders", "place"},
		{"without the prefix", "POST", "", "POST /orders", ""},
		{"a wildcard at the end", "GET", "", "GET /files/{rest...}", "file"},
		{"a directory", "GET", "", "GET /files/", "file"},
		{"the root", "GET", "", "GET /{$}", "root"},
		{"no pattern", "GET", "", "", ""},
		{"a longer path", "GET", "", "GET /orders/{id}/items", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := tx.OperationByRoute(c.method, c.prefix, c.pattern)
			if c.want == "" {
				assert.Nil(t, o)
				return
			}
			require.NotNil(t, o)
			assert.Equal(t, c.want, o.Name)
		})
	}
	assert.Equal(t, "call", tx.OperationByRPC("/shop.Orders/Call").Name)
	assert.Equal(t, "call", tx.OperationByRPC("shop.Orders/Call").Name)
	assert.Nil(t, tx.OperationByRPC(""), "operations without a method are not found")
	assert.Nil(t, (*taxonomy.Taxonomy)(nil).OperationByRPC("x"))
	assert.LessOrEqual(t, testing.AllocsPerRun(9, func() { tx.OperationByRoute("GET", "", "GET /orders/{id}") }), 5.0,
		"a look-up does not visit the other operations")
}

func TestUndeclared(t *testing.T) {
	cause := errors.New("taken")
	err := fmt.Errorf("serve: %w", &taxonomy.Undeclared{Operation: "GetRooms", Code: "ROOM_TAKEN", Err: cause})
	assert.ErrorIs(t, err, cause)
	assert.Equal(t, "serve: taken (operation GetRooms does not declare ROOM_TAKEN)", err.Error())
}
