package taxonomy_test

import (
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/internal/sample"
)

type link struct{ err error }

func (*link) Error() string   { return "link" }
func (l *link) Unwrap() error { return l.err }

type fork []error

func (fork) Error() string     { return "fork" }
func (f fork) Unwrap() []error { return f }

func chain(n int, end error) error {
	for range n {
		end = &link{end}
	}
	return end
}

func TestFirst(t *testing.T) {
	crash := sample.NewProviderCrash("p")
	circle := &link{}
	circle.err = circle
	otherCircle := &coded{row: 2}
	otherCircle.cause = fork{io.EOF, otherCircle}
	shared := error(fork{io.EOF, io.EOF})
	for range 60 {
		shared = fork{shared, shared}
	}
	own := sample.Table.Taxonomy
	for _, c := range []struct {
		name string
		err  error
		t    *taxonomy.Taxonomy
		want error
	}{
		{"nil", nil, nil, nil},
		{"itself", crash, nil, crash},
		{"of the taxonomy", crash, own, crash},
		{"of another", crash, &other, nil},
		{"63 links", chain(63, crash), own, crash},
		{"64 links", chain(64, crash), own, nil},
		{"circle", circle, nil, nil},
		{"circle through another taxonomy", otherCircle, own, nil},
		{"first branch wins", fork{nil, fork{}, chain(3, crash), sample.CodeGitCommit}, nil, crash},
		{"links, then branches", chain(3, fork{io.EOF, crash}), own, crash},
		{"behind another taxonomy", &coded{cause: fork{&coded{row: 1}, &coded{cause: crash}}}, own, crash},
		{"too deep in branches", fork{chain(70, crash)}, own, nil},
		{"shared branches", shared, nil, nil},
		{"a nil in the chain", &link{}, nil, nil},
	} {
		got, ok := taxonomy.First(c.err, c.t)
		assert.Equal(t, c.want != nil, ok, c.name)
		if ok {
			assert.Same(t, c.want, got, c.name)
		}
	}
	assert.Equal(t, 0.0, testing.AllocsPerRun(10, func() { taxonomy.First(fork{io.EOF, crash}[1], own) }))
	joined := errors.Join(io.EOF, chain(3, crash))
	assert.Equal(t, 0.0, testing.AllocsPerRun(10, func() { taxonomy.First(joined, own) }))
}

func TestReactionChain(t *testing.T) {
	last := &taxonomy.Reaction{Name: "last"}
	first := &taxonomy.Reaction{Name: "first", Then: last}
	circle := &taxonomy.Reaction{}
	circle.Then = circle
	for _, c := range []struct {
		name string
		head *taxonomy.Reaction
		want []*taxonomy.Reaction
	}{
		{"nil", nil, nil},
		{"two", first, []*taxonomy.Reaction{first, last}},
		{"a circle", circle, slices.Repeat([]*taxonomy.Reaction{circle}, taxonomy.MaxChain)},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, slices.Collect(c.head.Chain()))
			assert.Equal(t, c.want, slices.Collect(c.head.Chain()), "again")
		})
	}
}
