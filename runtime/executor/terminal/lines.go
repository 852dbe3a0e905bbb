package terminal

import (
	"fmt"
	"log/slog"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/width"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
)

// The colours of lines.
const (
	plain  = ""
	faint  = "\x1b[2m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	red    = "\x1b[31m"
)

// line is a permanent line.
type line struct{ color, indent, text string }

func (o *Observer) paint(color, s string) string {
	if !o.color || color == plain || s == "" {
		return s
	}
	return color + s + "\x1b[0m"
}

// lines returns the permanent lines of an event.
func (o *Observer) lines(e executor.Event) []line {
	s := executor.Describe(e)
	switch e.Kind {
	case executor.RunStarted, executor.IterationStarted:
		return []line{{plain, "", s}}
	case executor.RunEnded:
		return resultLines(e, s)
	case executor.Progressed, executor.IterationEnded:
		return nil
	case executor.CallStarted:
		if o.width != nil {
			return nil
		}
	case executor.Waiting:
		if o.width != nil {
			return nil
		}
		s = fmt.Sprintf("%s, until %s", s, timeOfDay(e.Until, o.clock.Now()))
	case executor.Waited:
		if o.width == nil {
			return nil
		}
	}
	return []line{{colorOf(e), "  ", s}}
}

func colorOf(e executor.Event) string {
	level := executor.Severity(e)
	switch e.Kind {
	case executor.ErrorClassified:
		return red
	case executor.Committed, executor.Pushed, executor.PROpened, executor.Validated, executor.Recovered:
		if e.Err == nil {
			return green
		}
	}
	switch {
	case level >= slog.LevelWarn:
		return yellow
	case level < slog.LevelInfo:
		return faint
	}
	return plain
}

// resultLines returns the lines that end a run.
func resultLines(e executor.Event, s string) []line {
	r := e.Result
	if r == nil {
		return []line{{plain, "", s}}
	}
	color := yellow
	switch r.Status {
	case executor.StatusCompleted:
		color = green
	case executor.StatusFailed:
		color = red
	}
	out := []line{{color, "", s}}
	if r.Err != nil {
		failed := executor.Event{Kind: executor.ErrorClassified, Err: r.Err}
		out = append(out, line{red, "  ", executor.Describe(failed)})
	}
	if r.Question != "" {
		out = append(out, line{yellow, "  ", "question: " + r.Question})
	}
	for _, list := range []struct {
		color, name string
		paths       []string
	}{{yellow, "not committed", r.UncommittedFiles}, {red, "not checked", r.UncheckedFiles}} {
		if n := len(list.paths); n > 0 {
			names := strings.Join(list.paths[:min(n, 5)], ", ")
			if n > 5 {
				names += fmt.Sprintf(" and %d more", n-5)
			}
			names = fmt.Sprintf("%s: %s: %s", list.name, text.Count(n, "file"), names)
			out = append(out, line{list.color, "  ", names})
		}
	}
	return out
}

// cut returns the part of s that fits into columns, with an ellipsis if it was cut.
func cut(s string, columns int) string {
	used, fits := 0, 0 // s[:fits] leaves room for the ellipsis
	for i, r := range s {
		if used < columns {
			fits = i
		}
		if used += columnsOf(r); used > columns {
			if columns < 1 {
				return ""
			}
			return s[:fits] + "…"
		}
	}
	return s
}

// columnsOf returns the columns of a printable character.
func columnsOf(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Printable returns s with a replacement character in place of each character that is not
// printable. Such characters can move the cursor, change colours or the reading direction, or begin
// a line.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// PrintableJSON returns b with a JSON escape in place of each character that is not printable, so
// that no information is lost. Line feeds stay.
func PrintableJSON(b []byte) []byte {
	out := make([]byte, 0, len(b)+1)
	for _, r := range string(b) {
		if r == '\n' || unicode.IsPrint(r) {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}
