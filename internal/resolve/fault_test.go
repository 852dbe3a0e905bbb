package resolve_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
)

func TestFault(t *testing.T) {
	tree, findings := spec.Parse("taxonomy.yaml", []byte(`
errgen: 1
package: errs
sources: {gateway: The gateway.}
categories:
  api:
    audience: public
    http: 409
    codes:
      TAKEN: {message: taken, detect: [{source: gateway, status: 409}]}
      HIDDEN: {message: hidden, audience: internal}
      OURS: {message: ours, fault: server}
      BROKEN: {message: broken, http: 500}
  gateway:
    fault: client
    codes:
      ALL: {message: all, codes: {ONE: {message: one}}, fault: dependency}
      REST: {message: rest}
  store:
    codes:
      DOWN: {message: down, detect: [{source: gateway}]}
      FULL: {message: full, detect: [{status: 507}]}
`))
	require.Empty(t, findings)
	got := map[string]string{}
	for _, c := range resolve.Build(tree).Codes {
		got[c.Name] = c.Fault.String()
	}
	assert.Equal(t, map[string]string{
		"TAKEN": "client", "HIDDEN": "server", "OURS": "server", "BROKEN": "server", "ALL": "dependency",
		"ONE": "dependency", "REST": "client", "DOWN": "dependency", "FULL": "server",
	}, got)
}
