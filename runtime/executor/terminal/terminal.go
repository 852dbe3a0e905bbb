// Package terminal shows runs to a person, as one line for each event.
//
// On a terminal, lines are coloured, and the provider's activity is shown. NO_COLOR disables colours;
// so do TERM=dumb and Windows.
//
//	executor.New(executor.Config{Observer: terminal.New(os.Stderr), …})
package terminal

import (
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/describe"
	"github.com/errgen/errgen/runtime/internal/text"
)

// New returns an observer that writes lines for people to w. Several runs may share it. It replaces
// control characters, masks secrets, and ignores errors of the writer.
func New(w io.Writer) executor.Observer {
	f, ok := w.(*os.File)
	interactive := ok && term.IsTerminal(int(f.Fd()))
	color := interactive && runtime.GOOS != "windows" && os.Getenv("TERM") != "dumb" && os.Getenv("NO_COLOR") == ""
	return &observer{w: w, interactive: interactive, color: color, runs: map[string]bool{}}
}

type observer struct {
	w           io.Writer
	interactive bool // whether a person watches
	color       bool

	mu   sync.Mutex
	runs map[string]bool // names of the current runs
}

// Observe writes the lines of e in one call, so that no other output separates them.
func (o *observer) Observe(e executor.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.runs[e.Run] = true
	prefix := ""
	if len(o.runs) > 1 {
		prefix = e.Run + ": "
	}
	if e.Kind == executor.RunEnded {
		delete(o.runs, e.Run)
	}
	var out strings.Builder
	for _, l := range o.lines(e) {
		s := prefix + l.indent + text.OneLine(l.text, maxLine)
		if o.color && l.color != plain {
			s = l.color + s + "\x1b[0m"
		}
		out.WriteString(s + "\n")
	}
	_, _ = io.WriteString(o.w, out.String())
}

// maxLine limits the bytes of a line.
const maxLine = 4 << 10

// The colours of lines.
const (
	plain  = ""
	faint  = "\x1b[2m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	red    = "\x1b[31m"
)

type line struct{ color, indent, text string }

func (o *observer) lines(e executor.Event) []line {
	s := describe.Event(e)
	switch e.Kind {
	case executor.RunStarted, executor.IterationStarted:
		return []line{{plain, "", s}}
	case executor.RunEnded:
		return resultLines(e.Result, s)
	case executor.IterationEnded, executor.Waited:
		return nil
	case executor.Progressed:
		if !o.interactive {
			return nil
		}
	case executor.Waiting:
		s += ", until " + timeOfDay(e.Until, e.At)
	}
	return []line{{colorOf(e), "  ", s}}
}

func colorOf(e executor.Event) string {
	switch e.Kind {
	case executor.ErrorClassified:
		return red
	case executor.Committed, executor.Delivered, executor.Validated, executor.Recovered:
		if e.Err == nil {
			return green
		}
	}
	switch level := describe.Severity(e); {
	case level >= slog.LevelWarn:
		return yellow
	case level < slog.LevelInfo:
		return faint
	}
	return plain
}

// resultLines returns the lines that end a run. The first one is s.
func resultLines(r *executor.Result, s string) []line {
	color := map[executor.Status]string{executor.StatusCompleted: green, executor.StatusFailed: red}[r.Status]
	if color == plain {
		color = yellow
	}
	out := []line{{color, "", s}}
	if r.Err != nil {
		out = append(out, line{red, "  ", describe.Error(r.Err)})
	}
	if r.Question != "" {
		out = append(out, line{yellow, "  ", "question: " + r.Question})
	}
	if len(r.UncommittedFiles) > 0 {
		out = append(out, line{yellow, "  ", "not committed: " + describe.Files(r.UncommittedFiles)})
	}
	if len(r.UncheckedFiles) > 0 {
		out = append(out, line{red, "  ", "not checked: " + describe.Files(r.UncheckedFiles)})
	}
	return out
}

// timeOfDay returns the time of day of t. If t is not today, the date precedes it.
func timeOfDay(t, now time.Time) string {
	if t = t.In(now.Location()); t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04")
}

// Printable returns s with a replacement character in place of each character that is not
// printable. Such characters can move the cursor, change colours or the reading direction, or begin
// a line.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}
