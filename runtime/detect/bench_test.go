package detect_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// BenchmarkText searches texts that no rule matches, and texts that the last rule matches at 80 %
// of their length. It uses the engine and a plain loop over compiled expressions.
func BenchmarkText(b *testing.B) {
	for _, size := range []int{200, 10 << 10} {
		for _, count := range []int{10, 100, 1000} {
			r := textRules(append(patterns(count-1), `(?i)sandbox .* was (?:evicted|preempted)`)...)
			n := newNaive(r)
			for _, c := range []struct{ name, text string }{
				{"miss", log(size)},
				{"hit", withHit(log(size), "error: the Sandbox b-17 was evicted")},
			} {
				ev := taxonomy.Evidence{Source: "x", Text: c.text}
				want := detect.NoRule
				if c.name == "hit" {
					want = count - 1
				}
				for name, match := range map[string]func() int{
					"engine": func() int { return r.Match(&ev, nil) },
					"loop":   func() int { return n.match(&ev) },
				} {
					b.Run(fmt.Sprintf("%s/size=%d/patterns=%d/%s", c.name, size, count, name), func(b *testing.B) {
						match() // expressions are compiled when they are first needed
						b.ReportAllocs()
						for b.Loop() {
							if got := match(); got != want {
								b.Fatalf("rule %d, not %d", got, want)
							}
						}
					})
				}
			}
		}
	}
}

// made is an error about as large as generated ones.
type made struct {
	_    [180]byte
	rule int
	err  error
}

func (m *made) Error() string { return "" }

var sink error

// BenchmarkStructured makes errors of a source and a status among a thousand rules: of one source,
// of a source each, and of a few sources with rules on text, too.
func BenchmarkStructured(b *testing.B) {
	for _, c := range []struct {
		name  string
		rules *detect.Rules
		ev    taxonomy.Evidence
	}{
		{"one_source", statusRules(1000, func(int) string { return "api" }),
			taxonomy.Evidence{Source: "api", Status: 777}},
		{"a_source_each", statusRules(1000, func(i int) string { return "service-" + strconv.Itoa(i) }),
			taxonomy.Evidence{Source: "service-777", Status: 778}},
		{"ten_rules", statusRules(10, func(int) string { return "api" }), taxonomy.Evidence{Source: "api", Status: 7}},
		{"unmatched", statusRules(1000, func(int) string { return "api" }),
			taxonomy.Evidence{Source: "web", Status: 777, Code: "x"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ev := c.ev
				var room taxonomy.Evidence
				rule, as, err := c.rules.Decide(&ev, &room, nil)
				if as != nil {
					err = &made{rule: rule, err: as.Err}
				}
				sink = err
			}
		})
		b.Run(c.name+"/by_hand", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ev := c.ev
				sink = &made{rule: ev.Status, err: ev.Err}
			}
		})
		b.Run(c.name+"/match", func(b *testing.B) {
			for b.Loop() {
				c.rules.Match(&c.ev, nil)
			}
		})
	}
}

func statusRules(n int, source func(i int) string) *detect.Rules {
	r := &detect.Rules{}
	for i := range n {
		r.Rules = append(r.Rules, detect.Rule{Conditions: []detect.Condition{
			{Key: detect.Source, Any: []string{source(i)}},
			{Key: detect.Status, AnyNumber: []int{i + 1}},
		}, Derived: uint16(i)})
	}
	return r
}

// BenchmarkBuild builds the tables of 1 000 rules on texts.
func BenchmarkBuild(b *testing.B) {
	exprs := patterns(1000)
	data := textRules(exprs...)
	for b.Loop() {
		r := detect.Rules{Rules: data.Rules, Patterns: data.Patterns}
		detect.Build(&r)
	}
}
