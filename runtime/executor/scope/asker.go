package scope

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
)

// AskerConfig configures an [Asker].
type AskerConfig struct {
	// In is the source of answers; nil is os.Stdin. Nothing else may read from it.
	In io.Reader
	// Out shows the questions; nil is os.Stderr.
	Out io.Writer
	// Attended reports whether a person can answer. Nil checks whether In is a terminal.
	Attended func() bool
}

// Asker asks a person at a terminal. It is an [executor.Asker] for several runs: it shows one
// question after the other.
//
// A question ends with its context, but a read cannot be stopped. One goroutine continues to wait
// for the next line, which is dropped if it comes before another question is shown. Input that was
// typed before a question is discarded.
type Asker struct {
	AskerConfig
	buffered *bufio.Reader
	turn     chan struct{} // contains a value while a question is shown
	lines    chan answer   // from the goroutine that reads
	reading  bool          // whether that goroutine runs
}

var _ executor.Asker = (*Asker)(nil)

// answer is a line that was read.
type answer struct {
	text string
	err  error
}

// NewAsker returns an asker.
func NewAsker(c AskerConfig) *Asker {
	if c.In == nil {
		c.In = os.Stdin
	}
	if c.Out == nil {
		c.Out = os.Stderr
	}
	if c.Attended == nil {
		c.Attended = func() bool {
			f, ok := c.In.(*os.File)
			return ok && term.IsTerminal(int(f.Fd()))
		}
	}
	return &Asker{AskerConfig: c, buffered: bufio.NewReader(c.In), turn: make(chan struct{}, 1),
		lines: make(chan answer, 1)}
}

// Ask shows the files and reports whether the answer is y or yes. The error is
// [executor.ErrUnattended] if no person can answer or In ends, and the cause of ctx if ctx ends.
func (a *Asker) Ask(ctx context.Context, q executor.Question) (bool, error) {
	if !a.Attended() {
		return false, executor.ErrUnattended
	}
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	a.discardInput()
	if _, err := io.WriteString(a.Out, questionText(q)); err != nil {
		return false, fmt.Errorf("show the question: %w", err)
	}
	if !a.reading {
		a.reading = true
		go func() {
			line, err := a.buffered.ReadString('\n')
			a.lines <- answer{line, err}
		}()
	}
	select {
	case l := <-a.lines:
		a.reading = false
		if errors.Is(l.err, io.EOF) {
			return false, executor.ErrUnattended
		}
		reply := strings.ToLower(strings.TrimSpace(l.text))
		return l.err == nil && (reply == "y" || reply == "yes"), l.err
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// discardInput drops the input that was typed before the question.
func (a *Asker) discardInput() {
	select {
	case <-a.lines:
		a.reading = false
	default:
	}
	if !a.reading {
		_, _ = a.buffered.Discard(a.buffered.Buffered())
	}
}

// maxShownPath limits a path in a question, in bytes.
const maxShownPath = 500

// questionText returns the question. Its names are untrusted, so they are shown in a form that
// cannot control the terminal or imitate another line.
func questionText(q executor.Question) string {
	var b strings.Builder
	about := ""
	if q.Task != "" {
		about = " for task " + shownName(q.Task)
	}
	fmt.Fprintf(&b, "\nRun %s asks%s. These files were changed and need a person's consent:\n", shownName(q.Run), about)
	for _, path := range q.Paths {
		fmt.Fprintf(&b, "  %s\n", shownName(path))
	}
	fmt.Fprintf(&b, "Allow all %d of them? [y/N] ", len(q.Paths))
	return b.String()
}

// shownName returns a plain name unchanged, and any other name in quotes. A long name is shortened
// to its beginning and its end.
func shownName(name string) string {
	if len(name) > maxShownPath {
		half := maxShownPath / 2
		left := fmt.Sprintf(" …%d bytes… ", len(name)-2*half)
		return shownName(name[:half]) + left + shownName(name[len(name)-half:])
	}
	return text.Name(name)
}
