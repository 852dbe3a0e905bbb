package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exhaustive is the linter that finds switches which miss a constant of their type.
const exhaustive = "github.com/nishanths/exhaustive/cmd/exhaustive@v0.17.1"

// A code that is added to the taxonomy must show up wherever codes are told apart, so the linter
// has to take the generated types for enumerations.
func TestExhaustiveSeesGeneratedTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the linter")
	}
	for name, tt := range map[string]struct {
		dir     string
		missing []string
	}{
		"switches that miss something": {"./testdata/incomplete", []string{
			"missing cases in expression switch: errs.CodeGitRevertFailed",
			"missing cases in expression switch: errs.ScopeDecisionAskUser",
		}},
		"a switch that misses nothing": {".", nil},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := exec.Command("go", "run", exhaustive, tt.dir).CombinedOutput()
			if tt.missing == nil {
				require.NoError(t, err, "%s", out)
				return
			}
			require.Error(t, err, "the linter found nothing")
			var found []string
			for line := range strings.Lines(string(out)) {
				if at := strings.Index(line, "missing cases"); at >= 0 {
					found = append(found, strings.TrimSpace(line[at:]))
				}
			}
			assert.Equal(t, tt.missing, found, "%s", out)
		})
	}
}
