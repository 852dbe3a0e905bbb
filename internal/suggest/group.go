package suggest

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/errgen/errgen/internal/signature"
	"github.com/errgen/errgen/internal/sysname"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/signatures"
)

const (
	// maxLine limits a line of a record. The lines that detect.Record writes are far shorter.
	maxLine = 1 << 20
	// maxGroups limits the groups, and with them the memory. Further entries are only counted.
	maxGroups = 1000
	// maxText limits the texts of a group in bytes.
	maxText = 8 << 10
	// maxWord is the maximum length of a word of a rule in bytes.
	maxWord = 200
	// minLiteral and maxLiteral limit the length of a text that a rule searches for. Shorter ones
	// are found anywhere.
	minLiteral, maxLiteral = 3, 80
)

// Fault is a line of a record that is not an entry.
type Fault struct {
	Line int // 1-based
	Err  error
}

// Read passes the entries of a record to add, and returns the lines that are not entries. A line
// may also contain evidence without the entry around it. The error is one of reading.
func Read(r io.Reader, add func(detect.Entry)) ([]Fault, error) {
	var faults []Fault
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		entry, err := decode(line)
		if err != nil {
			faults = append(faults, Fault{n, err})
			continue
		}
		add(entry)
	}
	return faults, lines.Err()
}

func decode(line []byte) (e detect.Entry, err error) {
	var keys struct {
		Evidence json.RawMessage `json:"evidence"`
	}
	if line[0] != '{' {
		return e, errors.New("the line is not a JSON object")
	}
	if err = json.Unmarshal(line, &keys); err == nil && len(keys.Evidence) > 0 {
		err = json.Unmarshal(line, &e)
	} else if err == nil {
		err = json.Unmarshal(line, &e.Evidence)
	}
	return e, err
}

// Groups are entries by what one rule can match.
type Groups struct {
	byFacts map[facts]*group
	groups  []*group // in the order of their first entries
	entries int
	excess  int // entries without a group because there are too many groups
}

// group has the entries that one rule should match.
type group struct {
	facts
	count       int
	first, last time.Time           // zero if no entry has a time
	texts       []string            // the first ones, normalised
	examples    []taxonomy.Evidence // with these texts
	literals    []string            // that every text contains, the longest first
}

// NewGroups returns an empty set of groups.
func NewGroups() *Groups { return &Groups{byFacts: make(map[facts]*group)} }

// Add adds an entry to its group: by the signature that its most specific fact meets, otherwise by
// its facts if these are specific, by its text, or if it has none by its exit code or operation.
func (g *Groups) Add(e detect.Entry) {
	g.entries++
	ev := e.Evidence
	text := taxonomy.Redact(ev.Text)
	ev.Text = strings.Clone(text[max(0, len(text)-maxText):]) // rules search the end of a text
	ev.Output, ev.Files, ev.Err = "", nil, nil
	normal := detect.Normalize(ev.Text)
	key := factsOf(&ev)
	like := library().Match(key.mostSpecific(ev.Text))
	switch {
	case like != nil:
		key = facts{source: key.source, like: like.Name}
	case key.specific():
		key.exit, key.op = "", ""
	case normal != "":
		key.exit, key.op, key.text = "", "", strings.ToLower(normal)
	case key.exit != "":
		key.op = ""
	}
	in := g.byFacts[key]
	if in == nil {
		if len(g.groups) >= maxGroups {
			g.excess++
			return
		}
		in = &group{facts: key, literals: literals(ev.Text), first: e.Time}
		g.byFacts[key] = in
		g.groups = append(g.groups, in)
	}
	in.add(ev, normal, e.Time)
}

func (g *group) add(ev taxonomy.Evidence, normal string, at time.Time) {
	g.count++
	if !at.IsZero() && (g.first.IsZero() || at.Before(g.first)) {
		g.first = at
	}
	if at.After(g.last) {
		g.last = at
	}
	text := strings.ToLower(ev.Text)
	g.literals = slices.DeleteFunc(g.literals, func(s string) bool {
		return !strings.Contains(text, strings.ToLower(s))
	})
	if len(g.texts) < maxExamples && !slices.Contains(g.texts, normal) {
		g.texts, g.examples = append(g.texts, normal), append(g.examples, ev)
	}
}

// graphic returns a character, or a question mark in place of one that could control a terminal or
// is not valid.
func graphic(r rune) rune {
	if r == unicode.ReplacementChar || !unicode.IsGraphic(r) && r != '\n' {
		return '?'
	}
	return r
}

// literals returns the parts of a text that do not change from one failure to the next, and their
// words, the longest first.
func literals(text string) []string {
	all := detect.Literals(text)
	for _, literal := range slices.Clone(all) {
		all = append(all, strings.Fields(literal)...)
		if len(literal) > maxLiteral {
			all = append(all, literal[:max(strings.LastIndexByte(literal[:maxLiteral], ' '), 0)])
		}
	}
	all = slices.DeleteFunc(all, func(s string) bool {
		return len(s) < minLiteral || len(s) > maxLiteral || hidesSecret(s) || strings.Map(graphic, s) != s
	})
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return all
}

// library returns the matcher of errgen's signatures.
var library = sync.OnceValue(func() *signature.Matcher {
	list, err := signatures.Library()
	if err != nil {
		panic(err) // of files that are part of errgen; their tests load them
	}
	m, err := signature.NewMatcher(list)
	if err != nil {
		panic(err)
	}
	return m
})

// facts are the parts of evidence that a rule can test exactly, and the signature or the text of a
// group without specific ones. They are comparable; zero values are absent.
type facts struct {
	source, op, kind, code, errno, signal string
	status                                int
	exit                                  string // the exit code as a decimal number
	like, text                            string
}

// factsOf returns the facts of evidence, without values that a taxonomy cannot contain.
func factsOf(ev *taxonomy.Evidence) facts {
	f := facts{source: name(ev.Source), kind: word(ev.Type), code: word(ev.Code), op: name(ev.Op)}
	if 100 <= ev.Status && ev.Status <= 599 && !ev.StatusDerived {
		f.status = ev.Status
	}
	if errno := detect.Canonical(ev.Errno); sysname.IsErrno(errno) {
		f.errno = errno
	}
	if signal := detect.Canonical(ev.Signal); sysname.IsSignal(signal) {
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

func (f facts) withoutStatus() facts {
	f.status = 0
	return f
}

// mostSpecific returns the evidence that a signature must match to be proposed in place of the
// facts: a code, otherwise a system error or a signal, otherwise a type. Without any of them it is
// the status, the exit code and the text.
func (f facts) mostSpecific(text string) *taxonomy.Evidence {
	switch {
	case f.code != "":
		return &taxonomy.Evidence{Code: f.code}
	case f.errno != "" || f.signal != "":
		return &taxonomy.Evidence{Errno: f.errno, Signal: f.signal}
	case f.kind != "":
		return &taxonomy.Evidence{Type: f.kind}
	}
	ev := &taxonomy.Evidence{Status: f.status, Text: text}
	if exit, err := strconv.Atoi(f.exit); err == nil {
		ev.ExitCode = taxonomy.Some(exit)
	}
	return ev
}

// word returns s if it can be a value of a rule, and "" otherwise.
func word(s string) string {
	if len(s) > maxWord || strings.TrimSpace(s) == "" || strings.Contains(s, "\n") || strings.Map(graphic, s) != s ||
		hidesSecret(s) {
		return ""
	}
	return s
}

// name returns s if it can be the name of a source or an operation, and "" otherwise.
func name(s string) string {
	if strings.ContainsFunc(s, unicode.IsSpace) {
		return ""
	}
	return word(s)
}

func hidesSecret(s string) bool {
	return strings.Contains(s, taxonomy.Redacted) || taxonomy.Redact(s) != s
}
