//go:build unix

package claudecli_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/providers/providertest"
)

// TestExamplesOfTheTaxonomy has a process do what each of the taxonomy's own examples is about, and
// expects its code.
func TestExamplesOfTheTaxonomy(t *testing.T) {
	source, err := os.ReadFile("../../../taxonomy.yaml")
	require.NoError(t, err)
	examples, err := providertest.Examples(source)
	require.NoError(t, err)
	played := 0
	for _, x := range examples {
		step, ok := providertest.CLIStepOf(x.Evidence)
		if x.Evidence.Source != "claude-cli" || !ok {
			continue
		}
		played++
		p, _ := scripted(t, claudecli.Options{}, step)
		req := request(t)
		if step.Hang {
			req.Limit = 200 * time.Millisecond
		}
		_, err := p.Call(t.Context(), req)
		if x.Not {
			assert.NotEqual(t, x.Code, code(t, err), "%s: %+v", x.Code, x.Evidence)
		} else {
			assert.Equal(t, x.Code, code(t, err), "%+v", x.Evidence)
		}
	}
	assert.Greater(t, played, 20)
}
