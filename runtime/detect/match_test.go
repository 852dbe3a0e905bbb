package detect_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// TestMatchEqualsLinear holds the index against trying each rule in turn, for rules and evidence
// made at random.
func TestMatchEqualsLinear(t *testing.T) {
	for seed := range seeds(300) {
		g := generator{rand.New(rand.NewPCG(seed, 3))}
		r := &detect.Rules{Is: func(err error, name string) bool { return err.Error() == name }}
		for range g.IntN(40) {
			var rule detect.Rule
			for range 1 + g.IntN(4) {
				rule.Conditions = append(rule.Conditions, g.condition())
			}
			r.Rules = append(r.Rules, rule)
		}
		for i, rank := range g.Perm(len(r.Rules)) {
			r.Rules[i].Derived = uint16(rank)
		}
		for range 30 {
			ev := g.evidence()
			want := detect.NoRule
			for i := range r.Rules {
				better := want == detect.NoRule || ev.StatusDerived && ev.Status != 0 &&
					r.Rules[i].Derived < r.Rules[want].Derived
				if better && detect.Holds(r, i, &ev) {
					want = i
				}
			}
			require.Equal(t, want, r.Match(&ev, nil), "seed %d: %+v\n%s", seed, ev, describe(r))
		}
	}
}

func (g generator) some() []string {
	out := []string{g.pick("a", "b", "c", "a long value", "another long value")}
	if g.IntN(3) == 0 {
		out = append(out, g.pick("a", "d", "e"))
	}
	return out
}

func (g generator) condition() detect.Condition {
	c := detect.Condition{Key: detect.Key(g.IntN(int(detect.Attribute) + 1))}
	switch g.IntN(6) {
	case 0, 1:
		c.Key = detect.Source
	case 2:
		c.Key = detect.Status
	}
	c.Name = g.pick("x", "y", "z")
	numbers := c.Key == detect.Status || c.Key == detect.ExitCode
	switch g.IntN(12) {
	case 0:
		c.Presence = detect.Present
	case 1:
		c.Presence = detect.Absent
	case 2:
		if numbers {
			c.Min, c.Max, c.Bounds = float64(g.IntN(4)), float64(g.IntN(4)), detect.Bounds(1+g.IntN(3))
		} else {
			c.Not = g.some()
		}
	case 3:
		if numbers {
			c.NotNumber = []int{g.IntN(4)}
		} else {
			c.Prefix = []string{g.pick("a", "b", "an")}
		}
	default:
		if numbers {
			c.AnyNumber = []int{g.IntN(4), g.IntN(4)}
		} else {
			c.Any = g.some()
		}
	}
	return c
}

func (g generator) evidence() taxonomy.Evidence {
	value := func() string {
		return g.pick("", "", "a", "b", "c", "d", "a long value", "another long value", "unknown")
	}
	ev := taxonomy.Evidence{
		Source: value(), Op: value(), Type: value(), Code: value(), Signal: value(), Errno: value(),
		Status: g.IntN(5), StatusDerived: g.IntN(3) == 0,
	}
	if g.IntN(2) == 0 {
		return taxonomy.Evidence{Source: ev.Source, Status: ev.Status, Type: g.pick("", "", ev.Type)}
	}
	if g.IntN(2) == 0 {
		ev.ExitCode = taxonomy.Some(g.IntN(4))
	}
	if g.IntN(2) == 0 {
		ev.Err = errors.New(g.pick("a", "b", "e"))
	}
	if g.IntN(2) == 0 {
		ev.Attributes = map[string]string{g.pick("x", "w"): value(), g.pick("y", "v"): value()}
	}
	return ev
}

func TestMatchNothing(t *testing.T) {
	var r detect.Rules
	assert.Equal(t, detect.NoRule, r.Match(nil, nil))
	assert.Equal(t, detect.NoRule, r.Match(&taxonomy.Evidence{Source: "x", Text: "HTTP 404"}, nil))
	everything := &detect.Rules{Rules: []detect.Rule{{}}}
	assert.Equal(t, 0, everything.Match(&taxonomy.Evidence{}, nil))
}

// onText returns rules whose status, or source, or text decides, ranked as they are in a taxonomy.
func onText() *detect.Rules {
	r := textRules(`(?i)slow down`, `boom`)
	limited, text, catchAll := r.Rules[0], r.Rules[1], detect.Rule{Name: "catch-all"}
	limited.Conditions = []detect.Condition{{Key: detect.Source, Any: []string{"api"}}}
	catchAll.Conditions = []detect.Condition{{Key: detect.Source, Any: []string{"api"}}}
	status := detect.Rule{Name: "status", Conditions: []detect.Condition{{Key: detect.Status, AnyNumber: []int{429}}}}
	limited.Name, text.Name = "limited", "text"
	// A status that was read out of the text ranks as text, here behind the other rules on text.
	status.Derived, limited.Derived, text.Derived, catchAll.Derived = 2, 0, 1, 3
	r.Rules = []detect.Rule{status, limited, text, catchAll}
	return r
}

func TestMatchRanks(t *testing.T) {
	r := onText()
	for _, c := range []struct {
		ev   taxonomy.Evidence
		opts []detect.Option
		want string
	}{
		{ev: taxonomy.Evidence{Source: "api", Status: 429, Text: "slow down"}, want: "status"},
		{ev: taxonomy.Evidence{Source: "api", Text: "429: slow down"}, want: "limited"},
		{ev: taxonomy.Evidence{Source: "api", Status: 429, StatusDerived: true, Text: "slow down"}, want: "limited"},
		{ev: taxonomy.Evidence{Source: "api", Text: "429 Too Many Requests: hurry"}, want: "status"},
		{ev: taxonomy.Evidence{Source: "api", Status: 500, Text: "429: boom"}, want: "text"},
		{ev: taxonomy.Evidence{Text: "slow down"}, want: ""},
		{ev: taxonomy.Evidence{Text: "429 slow down, boom"}, want: "text"},
		{ev: taxonomy.Evidence{Source: "api", Output: "boom"}, want: "catch-all"},
		{ev: taxonomy.Evidence{Text: "slow down"},
			opts: []detect.Option{detect.WithSource(taxonomy.SourceName("api"))}, want: "limited"},
		{ev: taxonomy.Evidence{Source: "web", Text: "slow down"},
			opts: []detect.Option{detect.WithSource(taxonomy.SourceName("api"))}, want: ""},
		{ev: taxonomy.Evidence{Source: "api", Text: "boom" + strings.Repeat(" ", detect.DefaultTextLimit)},
			want: "catch-all"},
		{ev: taxonomy.Evidence{Source: "api", Text: "429: boom"}, opts: []detect.Option{noText()}, want: "catch-all"},
		{ev: taxonomy.Evidence{Source: "api", Text: "boom"}, opts: []detect.Option{detect.WithTable(taxonomy.Table{})},
			want: "text"},
	} {
		got := ""
		if i := r.Match(&c.ev, c.opts); i != detect.NoRule {
			got = r.Rules[i].Name
		}
		assert.Equal(t, c.want, got, "%+v", c.ev)
	}
}

func noText() detect.Option {
	return detect.WithTable(taxonomy.Table{Overlay: &taxonomy.Profile{Detection: taxonomy.Detection{Severity: true}}})
}

func TestDecideChangesACopy(t *testing.T) {
	r := onText()
	long := "boom " + strings.Repeat("x", 20<<10) + "é"
	wait := taxonomy.Some(time.Second)
	for _, c := range []struct {
		name string
		ev   taxonomy.Evidence
		opts []detect.Option
		want taxonomy.Evidence
	}{
		{"source and operation", taxonomy.Evidence{Type: "t"},
			[]detect.Option{detect.WithSource(taxonomy.SourceName("api")), detect.WithOp(taxonomy.OpName("call"))},
			taxonomy.Evidence{Source: "api", Op: "call", Type: "t"}},
		{"a status", taxonomy.Evidence{Text: "HTTP 429"}, nil,
			taxonomy.Evidence{Text: "HTTP 429", Status: 429, StatusDerived: true}},
		{"a long text", taxonomy.Evidence{Text: long}, nil, taxonomy.Evidence{Text: long[len(long)-16<<10:]}},
		{"a long text, without text", taxonomy.Evidence{Text: long}, []detect.Option{noText()},
			taxonomy.Evidence{Text: long[len(long)-16<<10:]}},
		{"a wait in a text that is not searched",
			taxonomy.Evidence{Text: "x", RetryAfter: wait, RetryAfterDerived: true}, []detect.Option{noText()},
			taxonomy.Evidence{Text: "x"}},
	} {
		before := c.ev
		var room taxonomy.Evidence
		_, as, err := r.Decide(&c.ev, &room, c.opts)
		require.NoError(t, err, c.name)
		assert.Same(t, &room, as, c.name)
		assert.Equal(t, c.want, *as, c.name)
		assert.Equal(t, before, c.ev, c.name)
	}
	for _, ev := range []taxonomy.Evidence{
		{Source: "api", Op: "call", Text: "boom"},
		{Status: 404, Text: "HTTP 429"},
		{Status: 404, StatusDerived: true},
	} {
		var room taxonomy.Evidence
		_, as, _ := r.Decide(&ev, &room, nil)
		assert.Same(t, &ev, as)
	}
}

func TestMatchConcurrently(t *testing.T) {
	r := textRules(patterns(100)...)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i, text := range []string{"No space left on device", "HTTP 404", "signal: killed", log(3000)} {
				ev := taxonomy.Evidence{Text: text}
				want := []string{"=No space left on device", "", "signal: killed", ""}[i]
				got := ""
				if rule := r.Match(&ev, nil); rule != detect.NoRule {
					got = r.Rules[rule].Name
				}
				assert.Equal(t, want, got)
			}
		})
	}
	wg.Wait()
}

func TestLead(t *testing.T) {
	rules := &detect.Rules{
		Leads:    []string{`(?:[a-z]+: )+`},
		Patterns: []detect.Pattern{{Expr: `disk full\b`, Lead: 1, Literals: []detect.Literal{{Text: "disk full"}}}},
		Rules:    []detect.Rule{{Name: "FULL/1", Text: []uint16{0}}},
	}
	for _, test := range []struct {
		name, text string
		want       int
	}{
		{"lead begins the text", "cp: error: disk full", 0},
		{"lead begins a line", "copying\ncp: disk full", 0},
		{"second match", "the disk full of dust\ncp: disk full", 0},
		{"without lead", "disk full", detect.NoRule},
		{"other lead", "The tool says cp: disk full", detect.NoRule},
		{"lead in another line", "cp: \ndisk full", detect.NoRule},
		{"invalid UTF-8", "\xffdisk full\ncp: disk full\xff", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := rules.Match(&taxonomy.Evidence{Text: test.text}, nil); got != test.want {
				t.Errorf("%q: rule %d, want %d", test.text, got, test.want)
			}
		})
	}
}
