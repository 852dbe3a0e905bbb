package suggest

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/errgen/errgen/internal/sysname"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// facts are the parts of evidence that a rule can test exactly. They are comparable; zero values
// are absent.
type facts struct {
	source, op, kind, code, errno, signal string
	status                                int
	exit                                  string // the exit code as a decimal number
}

// maxWord is the maximum length of a word of a rule in bytes.
const maxWord = 200

// factsOf returns the facts of evidence, without values that a taxonomy cannot contain.
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
		f.exit = strconv.Itoa(exit)
	}
	return f
}

// specific reports whether the facts identify a failure without its text. An exit code or an
// operation does not.
func (f facts) specific() bool {
	return f.status != 0 || f.kind != "" || f.code != "" || f.errno != "" || f.signal != ""
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
	return strings.Contains(s, taxonomy.Redacted) || taxonomy.Redact(s) != s
}

// pair is a key of a rule or an example and its value. A number needs no quotes.
type pair struct {
	key, value string
	number     bool
}

func (f facts) pairs() []pair {
	status := ""
	if f.status != 0 {
		status = strconv.Itoa(f.status)
	}
	var out []pair
	for _, p := range []pair{
		{"source", f.source, false}, {"op", f.op, false}, {"status", status, true}, {"type", f.kind, false},
		{"code", f.code, false}, {"exit_code", f.exit, true}, {"signal", f.signal, false}, {"errno", f.errno, false},
	} {
		if p.value != "" {
			out = append(out, p)
		}
	}
	return out
}

// words returns the facts for a person: "status 529".
func (f facts) words() []string {
	var out []string
	for _, p := range f.pairs() {
		out = append(out, strings.ReplaceAll(p.key, "_", " ")+" "+p.value)
	}
	return out
}

// flow writes a YAML mapping on one line.
func flow(pairs []pair) string {
	parts := make([]string, len(pairs))
	for i, p := range pairs {
		value := p.value
		if !p.number {
			value = scalar(value)
		}
		parts[i] = p.key + ": " + value
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// scalar writes a text as YAML, without quotes if it is a word that YAML does not read as something
// else.
func scalar(s string) string {
	if isPlain(s) {
		return s
	}
	return quote(s)
}

// quote writes a text in double quotes. The escapes of Go are those of YAML.
func quote(s string) string { return strconv.Quote(strings.ToValidUTF8(s, "\uFFFD")) }

// isPlain reports whether s needs no quotes: words of letters, digits, hyphens and underscores that
// begin with a letter.
func isPlain(s string) bool {
	if s == "" || !isLetter(s[0]) || s[len(s)-1] == ' ' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && (c < '0' || c > '9') && c != '_' && c != '-' && (c != ' ' || s[i-1] == ' ') {
			return false
		}
	}
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		return false
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
