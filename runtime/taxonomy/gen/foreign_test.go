package gen_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/internal/sample"
)

type broken struct{}

func (*broken) Error() string { panic("broken") }

type brokenBelow struct{}

func (brokenBelow) Error() string { return "below" }
func (brokenBelow) Unwrap() error { panic("broken") }

type brokenFork struct{}

func (brokenFork) Error() string   { return "fork" }
func (brokenFork) Unwrap() []error { panic("broken") }

// nested is an error whose text is made of that of the error below.
type nested struct{ below error }

func (n *nested) Error() string { return "n" + n.below.Error()[:1] }
func (n *nested) Unwrap() error { return n.below }

type ring struct{ below []error }

func (*ring) Error() string     { return "ring" }
func (r *ring) Unwrap() []error { return r.below }

// shownInEveryWay returns all outputs of an error.
func shownInEveryWay(t *testing.T, err error) []string {
	b, jsonErr := json.Marshal(err)
	require.NoError(t, jsonErr)
	assert.True(t, json.Valid(b))
	return []string{err.Error(), string(b), logged(err), fmt.Sprintf("%+v", err),
		fmt.Sprintf("%v %#v %q", err, err, err)}
}

func TestBrokenCausesAreShown(t *testing.T) {
	var noCode *sample.ProviderError
	for name, c := range map[string]struct {
		cause error
		want  string
	}{
		"nil pointer":            {(*os.PathError)(nil), "*fs.PathError panics when asked for its text"},
		"wrapped nil pointer":    {fmt.Errorf("run: %w", (*os.PathError)(nil)), "run: "},
		"joined nil pointer":     {errors.Join(io.EOF, fmt.Errorf("run: %w", (*os.PathError)(nil))), "run: "},
		"panics":                 {&broken{}, "*gen_test.broken panics when asked for its text"},
		"panics below":           {fmt.Errorf("run: %w", brokenBelow{}), "run: below"},
		"panics at a fork":       {fmt.Errorf("run: %w", brokenFork{}), "run: fork"},
		"nil of a taxonomy":      {noCode, ""},
		"wrapped nil taxonomy":   {fmt.Errorf("run: %w", noCode), "run: "},
		"nil stack":              {fmt.Errorf("run: %w", (*taxonomy.Traced)(nil)), "run: "},
		"nil unknown":            {fmt.Errorf("run: %w", (*taxonomy.Unknown)(nil)), "run: "},
		"below one of the other": {sample.NewGitCommit().WithCause(fmt.Errorf("run: %w", &broken{})), "run: "},
	} {
		t.Run(name, func(t *testing.T) {
			for _, shown := range shownInEveryWay(t, sample.NewGitCommit().WithCause(c.cause)) {
				assert.Contains(t, shown, c.want)
			}
			shownInEveryWay(t, taxonomy.WithStack(sample.NewGitCommit().WithCause(c.cause)))
			shownInEveryWay(
				t, taxonomy.NewUnknown(sample.NewGitCommit().Taxonomy(), taxonomy.Wire{Message: "m", Cause: c.cause}))
		})
	}
}

func TestEndlessCausesAreShown(t *testing.T) {
	self := &ring{}
	self.below = []error{self, self}
	round := &nested{}
	round.below = round
	deep, shared := error(io.EOF), error(io.EOF)
	for range 1_000_000 {
		deep = &nested{deep}
	}
	for range 60 {
		shared = errors.Join(shared, nil)
		shared = &ring{[]error{shared, shared}}
	}
	for name, cause := range map[string]error{"self": self, "round": round, "deep": deep, "shared": shared} {
		t.Run(name, func(t *testing.T) {
			for _, err := range []error{
				sample.NewGitCommit().WithCause(cause),
				sample.NewGitCommit().WithCause(fmt.Errorf("run: %s%w", "", &ring{[]error{cause}})),
				taxonomy.NewUnknown(sample.NewGitCommit().Taxonomy(), taxonomy.Wire{Message: "m", Cause: cause}),
			} {
				for _, shown := range shownInEveryWay(t, err) {
					assert.Less(t, len(shown), 1<<20)
				}
			}
		})
	}
}

func TestLongChainsKeepTheirText(t *testing.T) {
	err := errors.New("first")
	for range 100 {
		err = fmt.Errorf("w: %w", err)
	}
	assert.True(t, strings.HasSuffix(sample.NewGitCommit().WithCause(err).Error(), "w: first"))
}
