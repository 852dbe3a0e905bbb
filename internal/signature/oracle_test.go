package signature

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// plainLoop finds the first rule on text, one expression on the complete text after the other.
type plainLoop struct {
	rules *detect.Rules
	exprs []*regexp.Regexp
}

func newPlainLoop(t testing.TB, rules *detect.Rules) *plainLoop {
	t.Helper()
	l := &plainLoop{rules: rules}
	for _, p := range rules.Patterns {
		expr := p.Expr
		switch {
		case p.Plain != "":
			expr = "(?i)" + regexp.QuoteMeta(p.Plain)
		case p.Lead > 0:
			expr = `(?:\A|\n)(?:` + rules.Leads[p.Lead-1] + `)(?:` + p.Expr + `)`
		}
		re, err := regexp.Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		l.exprs = append(l.exprs, re)
	}
	return l
}

func (l *plainLoop) match(text string) int {
	for i, r := range l.rules.Rules {
		for _, id := range append(append([]uint16{}, r.LikeText...), r.LikeContains...) {
			if l.exprs[id].MatchString(text) {
				return i
			}
		}
	}
	return detect.NoRule
}

// The text engine finds the rule that a plain loop over the same expressions finds, for all
// examples of the library and for random combinations of their lines.
func TestEngineEqualsPlainLoop(t *testing.T) {
	list := library(t)
	m, err := NewMatcher(list)
	if err != nil {
		t.Fatal(err)
	}
	rules := &detect.Rules{Leads: m.Rules.Leads, Patterns: m.Rules.Patterns}
	for _, r := range m.Rules.Rules {
		if len(r.Conditions) == 0 {
			rules.Rules = append(rules.Rules, r)
		}
	}
	plain := newPlainLoop(t, rules)
	var texts, pieces []string
	for _, s := range list {
		for _, x := range append(s.Examples, s.NotExamples...) {
			if x.Text != "" {
				texts = append(texts, x.Text)
				pieces = append(pieces, strings.SplitAfter(x.Text, "\n")...)
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	joints := []string{"", "\n", "\\n", " ", ": ", "\x1b[31m", "\xff", "ſ", "429 ", "Error: ", "- ", `{"message":"`}
	count := 120
	if testing.Short() {
		count = 30
	}
	for range count {
		var b strings.Builder
		for range 1 + random.IntN(4) {
			piece := pieces[random.IntN(len(pieces))]
			from := random.IntN(len(piece) + 1)
			if random.IntN(2) == 0 {
				from = 0
			}
			b.WriteString(joints[random.IntN(len(joints))])
			b.WriteString(piece[from:])
		}
		texts = append(texts, b.String())
	}
	for _, text := range texts {
		got, want := rules.Match(&taxonomy.Evidence{Text: text}, nil), plain.match(text)
		if got != want {
			t.Errorf("%q: engine finds rule %d, plain loop %d", text, got, want)
		}
	}
}

// Hostile texts neither panic nor match a signature by accident.
func TestHostileTexts(t *testing.T) {
	m, err := NewMatcher(library(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range hostileTexts() {
		t.Run(name, func(t *testing.T) { m.Match(&taxonomy.Evidence{Text: text}) })
	}
}

func hostileTexts() map[string]string {
	const size = 16 << 10
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	return map[string]string{
		"one line of phrases": fill("rate limit exceeded x "),
		"lines of phrases":    fill("the connection was not refused, timed out\n"),
		"colons":              fill("error: "),
		"brackets":            fill("[("),
		"stamps":              fill("2026-01-02T03:04:05Z "),
		"json":                strings.Repeat(`{"error":`, size/9),
		"lists":               fill("["),
		"invalid UTF-8":       fill("error: \xff\xfe timed out\xc3 "),
		"escapes":             fill("\x1b[31m"),
		"long s":              fill("ſegmentation fault "),
		"numbers":             fill("429 500 503 "),
		"words":               fill("failed to read status code of error response "),
	}
}

func BenchmarkHostileTexts(b *testing.B) {
	m, err := NewMatcher(library(b))
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range hostileTexts() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				m.Match(&taxonomy.Evidence{Text: text})
			}
		})
	}
}

func BenchmarkExamples(b *testing.B) {
	list := library(b)
	m, err := NewMatcher(list)
	if err != nil {
		b.Fatal(err)
	}
	var texts []string
	for _, s := range list {
		for _, x := range append(s.Examples, s.NotExamples...) {
			texts = append(texts, x.Text)
		}
	}
	i := 0
	for b.Loop() {
		m.Match(&taxonomy.Evidence{Text: texts[i%len(texts)]})
		i++
	}
}
