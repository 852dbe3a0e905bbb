package cli

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/runtime/detect/triage"
)

// The excerpts are parts of logs that public issues quote. The head of each has the classes that are
// right, the line of the cause and the issue.
func TestTriageExcerpts(t *testing.T) {
	text, err := builtinTaxonomy()
	require.NoError(t, err)
	rules := detection.Rules(loadSource("built-in taxonomy", text).model)
	file, err := os.ReadFile("testdata/triage/excerpts.txt")
	require.NoError(t, err)
	parts := strings.Split("\n"+string(file), "\n=== ")
	require.Greater(t, len(parts), 20)
	for _, part := range parts[1:] {
		head, excerpt, _ := strings.Cut(part, "\n")
		fields := strings.Fields(head)
		require.Len(t, fields, 3, head)
		t.Run(fields[2], func(t *testing.T) {
			r, err := rules.Log(strings.NewReader(excerpt), triage.Unknown, nil)
			require.NoError(t, err)
			require.NotNil(t, r.Cause)
			assert.True(t, slices.Contains(strings.Split(fields[0], "|"), r.Cause.Class.Name), r.Cause.Class.Name)
			line, err := strconv.Atoi(fields[1])
			require.NoError(t, err)
			assert.InDelta(t, line, r.Cause.Line, 3)
		})
	}
}
