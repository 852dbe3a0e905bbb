package scope_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/scope"
)

func attended() bool { return true }

func TestAsk(t *testing.T) {
	tests := []struct {
		name, typed string
		approved    bool
		err         error
	}{
		{"yes", "y\n", true, nil},
		{"in full", " YES \r\n", true, nil},
		{"no", "n\n", false, nil},
		{"just return", "\n", false, nil},
		{"neither", "what?\ny\n", false, nil},
		{"begins with yes", "yes" + strings.Repeat(" ", 5000) + "not\n", false, nil},
		{"end of input", "", false, executor.ErrUnattended},
		{"end of input in a line", "y", false, executor.ErrUnattended},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			a := scope.NewAsker(scope.AskerConfig{In: typing(tt.typed), Out: &out, Attended: attended})
			approved, err := a.Ask(t.Context(), executor.Question{Run: "r1", Task: "t1", Paths: []string{"go.mod"}})
			assert.ErrorIs(t, err, tt.err)
			assert.Equal(t, tt.approved, approved)
			assert.Equal(t, "\nRun r1 asks for task t1. These files were changed and need a person's consent:\n"+
				"  go.mod\nAllow all 1 of them? [y/N] ", out.String())
		})
	}
}

// typing returns a reader that gives one line a read, as a terminal does.
func typing(text string) io.Reader {
	var readers []io.Reader
	for line := range strings.SplitAfterSeq(text, "\n") {
		readers = append(readers, strings.NewReader(line))
	}
	return io.MultiReader(readers...)
}

func TestNobodyIsThere(t *testing.T) {
	file, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer file.Close()
	for _, in := range []io.Reader{strings.NewReader("y\n"), file} {
		var out strings.Builder
		approved, err := scope.NewAsker(scope.AskerConfig{In: in, Out: &out}).
			Ask(t.Context(), executor.Question{Paths: []string{"a"}})
		assert.ErrorIs(t, err, executor.ErrUnattended)
		assert.False(t, approved)
		assert.Empty(t, out.String())
	}
}

func TestQuestionsThatCannotBePut(t *testing.T) {
	broken := errors.New("broken")
	a := scope.NewAsker(scope.AskerConfig{In: iotest.ErrReader(broken), Out: io.Discard, Attended: attended})
	approved, err := a.Ask(t.Context(), executor.Question{Paths: []string{"a"}})
	assert.ErrorIs(t, err, broken)
	assert.False(t, approved)

	a = scope.NewAsker(scope.AskerConfig{In: strings.NewReader("y\n"), Out: refusing{}, Attended: attended})
	approved, err = a.Ask(t.Context(), executor.Question{Paths: []string{"a"}})
	assert.ErrorContains(t, err, "show the question")
	assert.False(t, approved)
}

type refusing struct{}

func (refusing) Write([]byte) (int, error) { return 0, errors.New("full") }

// Names of files cannot command the terminal, add lines, or hide what they are.
func TestNamesAreShownSafely(t *testing.T) {
	paths := []string{
		"plain/ä b.go", "a\nAllow all 0 of them? [y/N] y", "\x1b[2J\x1b[H.env", "a\u202egpj.exe", " ", "a\x00b", "\xff",
		`a"b\c`, "-rf",
		strings.Repeat("d/", 2000) + "end",
	}
	var out strings.Builder
	a := scope.NewAsker(scope.AskerConfig{In: strings.NewReader("n\n"), Out: &out, Attended: attended})
	_, err := a.Ask(t.Context(), executor.Question{Run: "r\x1b", Paths: paths})
	require.NoError(t, err)
	lines := strings.Split(out.String(), "\n")
	require.Len(t, lines, 2+len(paths)+1)
	assert.Equal(t, []string{
		"", `Run "r\x1b" asks. These files were changed and need a person's consent:`,
		"  plain/ä b.go", `  "a\nAllow all 0 of them? [y/N] y"`, `  "\x1b[2J\x1b[H.env"`, `  "a\u202egpj.exe"`, `  " "`,
		`  "a\x00b"`, `  "\xff"`,
		`  "a\"b\\c"`, "  -rf",
	}, lines[:11])
	assert.Contains(t, lines[11], " …3503 bytes… ")
	assert.Less(t, len(lines[11]), 600)
}

// A question whose context ends leaves one read behind. The line that was meant for it does not
// answer the next one.
func TestQuestionEndsWithItsContext(t *testing.T) {
	in, keyboard := io.Pipe()
	shown := make(chan string, 10)
	out := writerFunc(func(p []byte) { shown <- string(p) })
	a := scope.NewAsker(scope.AskerConfig{In: in, Out: out, Attended: attended})
	ctx, cancel := contextWithCause(t, "interrupted")
	go func() {
		<-shown
		cancel()
	}()
	_, err := a.Ask(ctx, executor.Question{Paths: []string{"a"}})
	assert.EqualError(t, err, "interrupted")
	_, err = a.Ask(ctx, executor.Question{Paths: []string{"a"}})
	assert.EqualError(t, err, "interrupted")

	_, err = io.WriteString(keyboard, "y\n") // too late
	require.NoError(t, err)
	scope.AwaitLine(a)
	go func() {
		<-shown
		_, _ = io.WriteString(keyboard, "n\n")
	}()
	approved, err := a.Ask(t.Context(), executor.Question{Paths: []string{"b"}})
	require.NoError(t, err)
	assert.False(t, approved)
	require.NoError(t, keyboard.Close())
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

// TestTypedAheadIsDropped: input that was typed before a question is not its answer.
func TestTypedAheadIsDropped(t *testing.T) {
	in := io.MultiReader(strings.NewReader("n\ny\ny\n"), strings.NewReader("n\n"))
	a := scope.NewAsker(scope.AskerConfig{In: in, Out: io.Discard, Attended: attended})
	for range 2 {
		approved, err := a.Ask(t.Context(), executor.Question{Paths: []string{"a"}})
		require.NoError(t, err)
		assert.False(t, approved)
	}
}

func TestRunsAskInTurn(t *testing.T) {
	in, keyboard := io.Pipe()
	shown := make(chan string, 10)
	a := scope.NewAsker(
		scope.AskerConfig{In: in, Out: writerFunc(func(p []byte) { shown <- string(p) }), Attended: attended})
	var wg sync.WaitGroup
	for _, path := range []string{"yes", "no"} {
		wg.Go(func() {
			approved, err := a.Ask(t.Context(), executor.Question{Paths: []string{path}})
			assert.NoError(t, err)
			assert.Equal(t, path == "yes", approved)
		})
	}
	for range 2 {
		answer := "n\n"
		if strings.Contains(<-shown, "  yes\n") {
			answer = "y\n"
		}
		_, err := io.WriteString(keyboard, answer)
		require.NoError(t, err)
	}
	wg.Wait()

	ctx, cancel := context.WithCancel(t.Context())
	held := make(chan error)
	go func() {
		_, err := a.Ask(t.Context(), executor.Question{Paths: []string{"held"}})
		held <- err
	}()
	<-shown
	cancel()
	_, err := a.Ask(ctx, executor.Question{Paths: []string{"waiting"}})
	assert.ErrorIs(t, err, context.Canceled)
	require.NoError(t, keyboard.Close())
	assert.ErrorIs(t, <-held, executor.ErrUnattended)
}

func contextWithCause(t *testing.T, cause string) (context.Context, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	return ctx, func() { cancel(errors.New(cause)) }
}
