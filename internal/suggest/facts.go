package suggest

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/errgen/errgen/internal/sysname"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// facts are what rules can ask of evidence exactly. They are comparable; zero values are absent.
type facts struct {
	source string
	status int
	kind   string // the evidence's type
	code   string
	errno  string
	signal string
	// exit and op count only where nothing else tells failures apart: a process that fails exits
	// with 1.
	exit    int
	hasExit bool
	op      string
}

// maxWord bounds the words of a rule, in bytes. A longer one is no name, but text.
const maxWord = 200

// factsOf returns the facts of evidence as a rule may ask for them: secrets masked, and without
// what no taxonomy could hold.
func factsOf(ev *taxonomy.Evidence) facts {
	f := facts{source: name(ev.Source), kind: word(ev.Type), code: word(ev.Code), op: name(ev.Op)}
	if 100 <= ev.Status && ev.Status <= 599 && !ev.StatusDerived {
		f.status = ev.Status
	}
	if errno := detect.CanonicalErrno(ev.Errno); sysname.IsErrno(errno) {
		f.errno = errno
	}
	if signal := detect.CanonicalSignal(ev.Signal); sysname.IsSignal(signal) {
		f.signal = signal
	}
	if exit, ok := ev.ExitCode.Get(); ok && exit >= 0 {
		f.exit, f.hasExit = exit, true
	}
	return f
}

// telling reports whether the facts say by themselves what failed.
func (f facts) telling() bool {
	return f.status != 0 || f.kind != "" || f.code != "" || f.errno != "" || f.signal != ""
}

// exactly leaves out what counts only where nothing else tells.
func (f facts) exactly() facts {
	f.exit, f.hasExit, f.op = 0, false, ""
	return f
}

// word returns s if it can be a value of a rule, and "" otherwise.
func word(s string) string {
	if len(s) > maxWord || strings.TrimSpace(s) == "" || hidesSecret(s) {
		return ""
	}
	return strings.ToValidUTF8(s, "")
}

// name returns s if it can be the name of a source or an operation, and "" otherwise.
func name(s string) string {
	unusable := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) || r == unicode.ReplacementChar }
	if strings.ContainsFunc(s, unusable) {
		return ""
	}
	return word(s)
}

func hidesSecret(s string) bool {
	return strings.Contains(s, taxonomy.Redacted) || taxonomy.Scrub(s) != s
}

// words says the facts that a rule asks for, for a person.
func (f facts) words() []string {
	var out []string
	add := func(key, value string) {
		if value != "" {
			out = append(out, key+" "+value)
		}
	}
	add("source", f.source)
	add("op", f.op)
	add("status", number(f.status))
	add("type", f.kind)
	add("code", f.code)
	if f.hasExit {
		add("exit code", strconv.Itoa(f.exit))
	}
	add("signal", f.signal)
	add("errno", f.errno)
	return out
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// span is from when to when something was seen; both are zero if nobody says.
type span struct{ first, last time.Time }

func (s *span) add(at time.Time) {
	if at.IsZero() {
		return
	}
	if s.first.IsZero() || at.Before(s.first) {
		s.first = at
	}
	if at.After(s.last) {
		s.last = at
	}
}
