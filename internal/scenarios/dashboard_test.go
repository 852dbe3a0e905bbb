package scenarios

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The dashboard of the shop has what Grafana's schema of dashboards, panels and queries requires, and
// nothing else.
func TestDashboardSchema(t *testing.T) {
	src, err := os.ReadFile("../../examples/shop/slo/dashboard.json")
	require.NoError(t, err)
	mark, rest, _ := strings.Cut(string(src), "\n")
	require.Contains(t, mark, "x-generated") // Grafana ignores it
	text := "{" + rest
	plugins.RegisterDefaultPlugins()
	faults := func(text string) cog.BuildErrors {
		var errs cog.BuildErrors
		//lint:ignore SA1019 errgen writes the schema that all releases of Grafana import
		err := new(dashboard.Dashboard).UnmarshalJSONStrict([]byte(text))
		require.True(t, err == nil || errors.As(err, &errs), "%v", err) // errs can be empty
		return errs
	}
	assert.Empty(t, faults(text))
	for _, edit := range [][2]string{
		{`"refresh":`, `"refreshEvery":`}, {`"gridPos":`, `"grid":`}, {`"expr":`, `"expression":`},
		{`"schemaVersion": 39`, `"schemaVersion": "39"`}, {`"collapsed": false,`, ""},
	} {
		require.Contains(t, text, edit[0])
		assert.NotEmpty(t, faults(strings.ReplaceAll(text, edit[0], edit[1])), edit[1])
	}
}
