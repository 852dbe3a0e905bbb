package errtree_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/internal/errtree"
)

// itself wraps itself.
type itself struct{}

func (itself) Error() string   { return "itself" }
func (i itself) Unwrap() error { return i }

// forking wraps ever more of itself.
type forking struct{ n int }

func (forking) Error() string     { return "forking" }
func (f forking) Unwrap() []error { return []error{forking{f.n + 1}, forking{f.n + 1}} }

// rude panics in every method.
type rude struct{}

func (rude) Error() string   { panic("Error") }
func (rude) Is(error) bool   { panic("Is") }
func (rude) As(any) bool     { panic("As") }
func (rude) Unwrap() []error { panic("Unwrap") }

// listing cannot be compared.
type listing []error

func (listing) Error() string     { return "listing" }
func (l listing) Unwrap() []error { return l }

// holder can be compared, but not with all that it may hold.
type holder struct{ held any }

func (holder) Error() string { return "holder" }

// alias says what it is.
type alias struct{}

func (alias) Error() string        { return "alias" }
func (alias) Is(target error) bool { return target == io.EOF }
func (alias) As(target any) bool {
	p, ok := target.(**fs.PathError)
	if ok {
		*p = &fs.PathError{Op: "alias"}
	}
	return ok
}

// deep is a chain of a length.
func deep(n int, err error) error {
	for range n {
		err = fmt.Errorf("%w", err)
	}
	return err
}

func TestAsTheStandardLibrary(t *testing.T) {
	path := &fs.PathError{Op: "open", Err: io.EOF}
	held := holder{[]int{1}}
	for name, err := range map[string]error{
		"nil": nil, "itself alone": io.EOF, "chain": fmt.Errorf("a: %w", path),
		"joined": errors.Join(context.Canceled, fmt.Errorf("b: %w", path)),
		"list":   listing{nil, context.Canceled, listing{path}}, "alias": deep(3, alias{}), "none": errors.New("x"),
		"deep": deep(900, path),
	} {
		for _, target := range []error{nil, io.EOF, context.Canceled, path, io.ErrClosedPipe, listing{io.EOF}} {
			assert.Equal(t, errors.Is(err, target), errtree.Is(err, target), "%s %v", name, target)
		}
		var want *fs.PathError
		ok := errors.As(err, &want)
		got, found := errtree.As[*fs.PathError](err)
		assert.Equal(t, ok, found, name)
		assert.Equal(t, want, got, name)
		assert.True(t, errtree.Ends(err), name)
	}
	assert.False(t, errtree.Is(held, held), "errors.Is panics")
}

func TestTreesThatDoNotEnd(t *testing.T) {
	for name, err := range map[string]error{
		"itself": itself{}, "forking": forking{}, "below": fmt.Errorf("a: %w", itself{}),
		"joined": errors.Join(itself{}, forking{}), "deep": deep(5000, io.EOF),
	} {
		assert.False(t, errtree.Is(err, io.EOF), name)
		_, found := errtree.As[*fs.PathError](err)
		assert.False(t, found, name)
		assert.False(t, errtree.Ends(err), name)
	}
}

func TestErrorsThatPanic(t *testing.T) {
	assert.False(t, errtree.Is(rude{}, io.EOF))
	_, found := errtree.As[*fs.PathError](listing{rude{}, (*nilPointer)(nil), io.EOF})
	assert.False(t, found)
	assert.True(t, errtree.Ends(rude{}))
}

// nilPointer panics when it is nil and asked.
type nilPointer struct{ err error }

func (n *nilPointer) Error() string { return n.err.Error() }
func (n *nilPointer) Unwrap() error { return n.err }

func TestWalk(t *testing.T) {
	path := &fs.PathError{Op: "open", Err: io.EOF}
	both := errors.Join(path, context.Canceled)
	assert.Equal(t, []error{both, path, io.EOF, context.Canceled}, slices.Collect(errtree.Walk(both)))
	for err := range errtree.Walk(itself{}) {
		assert.Equal(t, itself{}, err)
		break
	}
	assert.Empty(t, slices.Collect(errtree.Walk(nil)))
}

type broken struct{}

func (broken) Error() string { panic("broken") }
func (broken) Unwrap() error { panic("broken") }

type brokenFork struct{}

func (brokenFork) Error() string   { return "fork" }
func (brokenFork) Unwrap() []error { panic("broken") }

func TestText(t *testing.T) {
	assert.Empty(t, errtree.Text(nil))
	assert.Equal(t, "EOF", errtree.Text(io.EOF))
	assert.Equal(t, "(errtree_test.broken panics when asked for its text)", errtree.Text(broken{}))
	assert.Equal(t, "(*fs.PathError panics when asked for its text)", errtree.Text((*os.PathError)(nil)))
	assert.Len(t, errtree.Text(errors.New(strings.Repeat("long ", 1<<20))), 256<<10)
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
		branches, one := errtree.Below(c.err)
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
		assert.Equal(t, c.want, errtree.Within(c.err, c.depth, c.count))
	}
}
