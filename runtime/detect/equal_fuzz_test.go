package detect_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/errgen/errgen/internal/prefilter"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// FuzzEngineEqualsNaive holds the engine against the plain loop, with patterns and texts made at
// random and with those of the fuzzer.
func FuzzEngineEqualsNaive(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, "", "")
	}
	f.Add(uint64(1), `(?i)disk\b`, "di\u017f\u212a full")
	f.Add(uint64(2), `error: .*failed$`, "error: a\nerror: b failed\nx")
	f.Add(uint64(3), `(?m)^FAIL\s+\S+`, "ok a\nFAIL\tb\n")
	f.Add(uint64(4), "caf\ufffd", "caf\xff")
	f.Fuzz(func(t *testing.T, seed uint64, expr, text string) {
		if len(expr) > 200 || len(text) > 64<<10 {
			return
		}
		g := generator{rand.New(rand.NewPCG(seed, 7))}
		r := g.rules()
		if expr != "" {
			p, err := prefilter.Pattern(expr)
			if err != nil {
				p = detect.Pattern{Expr: expr}
			}
			r.Patterns = append(r.Patterns, p)
			r.Rules = append(r.Rules, detect.Rule{Text: []uint16{uint16(len(r.Patterns) - 1)}})
		}
		n := newNaive(r)
		for _, text := range []string{text, g.text(), g.text(), g.text()} {
			ev := taxonomy.Evidence{Source: g.pick("", "a", "b"), Status: 404 * g.IntN(2), Text: text}
			if got, want := r.Match(&ev, nil), n.match(&ev); got != want {
				t.Fatalf("rule %d, by the plain loop %d\nsource %q\ntext %q\nrules %s", got, want, ev.Source, text,
					describe(r))
			}
		}
	})
}

// seeds returns how many seeds a test tries: all of them, or a fifth with -short.
func seeds(n uint64) uint64 {
	if testing.Short() {
		return n / 5
	}
	return n
}

// TestEngineEqualsNaive is the fuzz target over more seeds.
func TestEngineEqualsNaive(t *testing.T) {
	for seed := range seeds(500) {
		g := generator{rand.New(rand.NewPCG(seed, 11))}
		r := g.rules()
		n := newNaive(r)
		for range 4 {
			ev := taxonomy.Evidence{Source: g.pick("", "a", "b"), Status: 404 * g.IntN(2), Text: g.text()}
			if got, want := r.Match(&ev, nil), n.match(&ev); got != want {
				t.Fatalf("seed %d: rule %d, by the plain loop %d\nsource %q\ntext %q\nrules %s", seed, got, want,
					ev.Source, ev.Text, describe(r))
			}
		}
	}
}

func describe(r *detect.Rules) string {
	var b strings.Builder
	for i, rule := range r.Rules {
		fmt.Fprintf(&b, "\n%d: %v %v %v", i, rule.Conditions, rule.Text, rule.Contains)
	}
	for i, p := range r.Patterns {
		fmt.Fprintf(&b, "\npattern %d: %q %q %v", i, p.Expr, p.Plain, p.Literals)
	}
	return b.String()
}

// generator makes rules and texts that have something to do with each other.
type generator struct{ *rand.Rand }

func (g generator) pick(of ...string) string { return of[g.IntN(len(of))] }

// word is a part of both patterns and texts.
func (g generator) word() string {
	return g.pick("rate", "limit", "fail", "FAIL", "Error", "disk", "di\u017fk", "\u212aelvin", "kelvin", "task",
		"aaaa", "aaab", "caf\u00e9", "CAF\u00c9",
		"==", "====", "error:", "timed out", "x", "sk", "\u00df", "\u017f", "12:34", "connection", "a b", "\uFFFD",
		"na\u00efve \u65e5\u672c")
}

func (g generator) expr(depth int) string {
	if depth == 0 || g.IntN(4) == 0 {
		return quote(g.word())
	}
	switch g.IntN(16) {
	case 0, 1, 2, 3:
		return g.expr(depth-1) + g.expr(depth-1)
	case 4:
		return "(?:" + g.expr(depth-1) + "|" + g.expr(depth-1) + ")"
	case 5:
		return "(?:" + g.expr(depth-1) + ")" + g.pick("?", "*", "+", "{2}", "{1,3}", "*?")
	case 6:
		return g.expr(depth-1) + g.pick(`.*`, `.`, `.{0,9}`, `.+`, `(?s:.*)`, `(?s:.)`) + g.expr(depth-1)
	case 7:
		return g.expr(depth-1) + g.pick(`\s+`, `\s*`, ` `, `\s`, `[^x]*`, `\n`, `\W`) + g.expr(depth-1)
	case 8:
		return g.pick(`\b`, `\B`, `^`, `(?m:^)`, `\A`) + g.expr(depth-1)
	case 9:
		return g.expr(depth-1) + g.pick(`\b`, `\B`, `$`, `(?m:$)`, `\z`)
	case 10:
		return "(?i:" + g.expr(depth-1) + ")"
	case 11:
		return g.pick(`\d+`, `[a-c]`, `\w`, `[^\n]`, `\S+`, `[sk]`, `\x{FFFD}`) + g.expr(depth-1)
	}
	return "(?i:" + g.expr(depth-1) + ")"
}

func quote(s string) string {
	return strings.NewReplacer(".", `\.`, "\n", `\n`).Replace(s)
}

func (g generator) rules() *detect.Rules {
	var exprs []string
	for range 1 + g.IntN(12) {
		if g.IntN(3) == 0 {
			exprs = append(exprs, "="+g.word()+g.pick("", g.word(), " "+g.word()))
		} else {
			exprs = append(exprs, g.expr(1+g.IntN(4)))
		}
	}
	r := textRules(exprs...)
	for i := range r.Rules {
		rule := &r.Rules[i]
		if g.IntN(4) == 0 {
			rule.Conditions = []detect.Condition{{Key: detect.Source, Any: []string{g.pick("a", "b")}}}
		}
		if g.IntN(4) == 0 {
			rule.Conditions = append(rule.Conditions, detect.Condition{Key: detect.Status, AnyNumber: []int{404}})
		}
		if g.IntN(8) == 0 {
			rule.Text, rule.Contains = nil, nil
			continue
		}
		if g.IntN(5) == 0 {
			rule.Text = append(rule.Text, uint16(g.IntN(len(r.Patterns))))
		}
		if g.IntN(5) == 0 {
			rule.Contains = append(rule.Contains, uint16(g.IntN(len(r.Patterns))))
		}
	}
	return r
}

func (g generator) text() string {
	var b strings.Builder
	for range g.IntN(30) {
		for range 1 + g.IntN(4)*g.IntN(3)*g.IntN(8) {
			w := g.word()
			switch g.IntN(8) {
			case 0:
				w = strings.ToUpper(w)
			case 1:
				w = w[:g.IntN(len(w)+1)]
			}
			b.WriteString(w)
		}
		b.WriteString(
			g.pick(" ", "", "\n", "\t", "\xff", "\xe2\x84", "\xc5", "_", "\r\n", strings.Repeat("z", g.IntN(600)),
				strings.Repeat("z \n", g.IntN(200))))
	}
	return b.String()
}
