package infer_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/vet/internal/infer"
	"github.com/errgen/errgen/vet/internal/program"
)

// load infers the errors of the functions in a directory of testdata.
func load(t *testing.T, dir string) *program.Program {
	t.Helper()
	options := program.Options{Dir: filepath.Join("testdata", dir), Patterns: []string{"./..."}}
	p, err := program.Load(t.Context(), options)
	require.NoError(t, err)
	assert.False(t, p.Open)
	return p
}

// The comment `want:` of each function has the errors that it returns. Those after `over:` are
// inferred, too, because the analysis is not exact there.
func TestFlows(t *testing.T) {
	functions, inexact := 0, 0
	for _, dir := range []string{"flows", "more", "objects", "edges", "pgxedges", "documented", "forms", "rpcedges"} {
		p := load(t, dir)
		t.Logf("%s: %d rounds", dir, p.Rounds)
		for _, fn := range p.Funcs {
			decl := program.Declaration(fn)
			if decl == nil || decl.Doc == nil {
				continue
			}
			_, text, ok := strings.Cut(decl.Doc.Text(), "want:")
			if !ok {
				continue
			}
			functions++
			text, over, _ := strings.Cut(text, "over:")
			want := strings.Fields(text + over)
			slices.Sort(want)
			if over != "" {
				inexact++
			}
			s, ok := p.Result(fn)
			require.True(t, ok, fn.Name())
			got := p.Words(s, fn)
			for i := range got {
				got[i] = strings.ReplaceAll(got[i], " ", "_")
			}
			assert.Equal(t, strings.Join(want, " "), strings.Join(slices.Compact(got), " "), fn.Name())
		}
	}
	t.Logf("%d functions, %d of them inexact", functions, inexact)
	assert.GreaterOrEqual(t, functions, 160)
	assert.LessOrEqual(t, inexact, functions/10)
}

var _ = infer.Code
