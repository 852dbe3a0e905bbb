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
)

// AskerConfig says where a person is asked.
type AskerConfig struct {
	// In is where answers come from; nil is os.Stdin. Nothing else may read from it.
	In io.Reader
	// Out is where questions are shown; nil is os.Stderr.
	Out io.Writer
	// Attended reports whether a person is there. Nil asks the system whether In is a terminal.
	Attended func() bool
}

// Asker asks a person at a terminal. It is an [executor.Asker] for several runs: questions are put
// one after the other.
//
// A question ends with its context, but a read cannot be stopped: one goroutine waits for the next
// line, which is dropped if it comes before another question is shown. Input that was read before a
// question is discarded.
type Asker struct {
	out      io.Writer
	attended func() bool
	buffered *bufio.Reader
	turn     chan struct{} // holds one value while a question is put
	lines    chan answer   // what the goroutine that reads has read
	reading  bool          // whether there is one
}

var _ executor.Asker = (*Asker)(nil)

// answer is a line that was read.
type answer struct {
	text string
	err  error
}

// maxAnswer bounds an answer, in bytes. A longer line is not a valid answer.
const maxAnswer = 1024

// NewAsker returns an asker.
func NewAsker(c AskerConfig) *Asker {
	if c.In == nil {
		c.In = os.Stdin
	}
	if c.Out == nil {
		c.Out = os.Stderr
	}
	if c.Attended == nil {
		c.Attended = func() bool { return isTerminal(c.In) }
	}
	return &Asker{
		out: c.Out, attended: c.Attended,
		buffered: bufio.NewReaderSize(c.In, maxAnswer),
		turn:     make(chan struct{}, 1),
		lines:    make(chan answer, 1),
	}
}

// isTerminal reports whether r is a terminal.
func isTerminal(r io.Reader) (terminal bool) {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	// Not Fd, which would take the deadlines from the file.
	err = conn.Control(func(fd uintptr) { terminal = term.IsTerminal(int(fd)) })
	return err == nil && terminal
}

// Ask shows the files and returns whether the person said yes. It returns [executor.ErrUnattended]
// when In is no terminal or ends, and the cause of ctx when ctx ends. Three answers that are
// neither yes nor no are a no.
func (a *Asker) Ask(ctx context.Context, q executor.Question) (bool, error) {
	if !a.attended() {
		return false, executor.ErrUnattended
	}
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	a.forget()
	ask := questionText(q, false)
	for range 3 {
		if err := a.show(ask); err != nil {
			return false, err
		}
		reply, err := a.line(ctx)
		if err != nil {
			return false, err
		}
		ask = "Please answer y or n: "
		switch strings.ToLower(strings.TrimSpace(reply)) {
		case "y", "yes":
			return true, nil
		case "n", "no", "":
			return false, nil
		case "l":
			ask = questionText(q, true)
		}
	}
	return false, nil
}

func (a *Asker) show(text string) error {
	if _, err := io.WriteString(a.out, text); err != nil {
		return fmt.Errorf("show the question: %w", err)
	}
	return nil
}

// forget drops the input that was typed before the question.
func (a *Asker) forget() {
	select {
	case <-a.lines:
		a.reading = false
	default:
	}
	if !a.reading {
		_, _ = a.buffered.Discard(a.buffered.Buffered())
	}
}

// line returns the next line.
func (a *Asker) line(ctx context.Context) (string, error) {
	if !a.reading {
		a.reading = true
		go func() { a.lines <- a.read() }()
	}
	select {
	case l := <-a.lines:
		a.reading = false
		if errors.Is(l.err, io.EOF) {
			return "", executor.ErrUnattended
		}
		if l.err != nil {
			return "", fmt.Errorf("read the answer: %w", l.err)
		}
		return l.text, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// read reads a line. Of one that is too long it returns something that is no answer.
func (a *Asker) read() answer {
	line, more, err := a.buffered.ReadLine()
	text := string(line)
	for more && err == nil {
		text = "(too long)"
		_, more, err = a.buffered.ReadLine()
	}
	return answer{text, err}
}
