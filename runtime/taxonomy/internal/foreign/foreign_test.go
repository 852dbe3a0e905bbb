package foreign_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy/internal/foreign"
)

type broken struct{}

func (broken) Error() string { panic("broken") }
func (broken) Unwrap() error { panic("broken") }

type brokenFork struct{}

func (brokenFork) Error() string   { return "fork" }
func (brokenFork) Unwrap() []error { panic("broken") }

func TestText(t *testing.T) {
	assert.Empty(t, foreign.Text(nil))
	assert.Equal(t, "EOF", foreign.Text(io.EOF))
	assert.Equal(t, "(foreign_test.broken panics when asked for its text)", foreign.Text(broken{}))
	assert.Equal(t, "(*fs.PathError panics when asked for its text)", foreign.Text((*os.PathError)(nil)))
	assert.Len(t, foreign.Text(errors.New(strings.Repeat("long ", 1<<20))), 256<<10)
}

func TestBelow(t *testing.T) {
	for _, c := range []struct {
		err      error
		one      error
		branches []error
	}{
		{nil, nil, nil},
		{io.EOF, nil, nil},
		{fmt.Errorf("a: %w", io.EOF), io.EOF, nil},
		{errors.Join(io.EOF, nil, io.ErrNoProgress), nil, []error{io.EOF, io.ErrNoProgress}},
		{broken{}, nil, nil},
		{brokenFork{}, nil, nil},
		{(*os.PathError)(nil), nil, nil},
	} {
		branches, one := foreign.Below(c.err)
		assert.Equal(t, c.one, one)
		assert.Equal(t, c.branches, branches)
	}
}

type cycle struct{ below []error }

func (*cycle) Error() string     { return "cycle" }
func (c *cycle) Unwrap() []error { return c.below }

func TestWithin(t *testing.T) {
	round := &cycle{}
	round.below = []error{round, round}
	deep := error(io.EOF)
	for range 9 {
		deep = fmt.Errorf("deep: %w", deep)
	}
	for _, c := range []struct {
		err          error
		depth, count int
		want         bool
	}{
		{nil, 0, 0, true},
		{deep, 10, 10, true},
		{deep, 9, 10, false},
		{deep, 10, 9, false},
		{errors.Join(deep, deep), 11, 21, true},
		{errors.Join(deep, deep), 11, 20, false},
		{round, 1000, 1000, false},
		{broken{}, 1, 1, true},
	} {
		assert.Equal(t, c.want, foreign.Within(c.err, c.depth, c.count))
	}
}
