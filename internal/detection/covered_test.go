package detection_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/stdlib"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestCovered(t *testing.T) {
	for _, tt := range []struct {
		earlier, later string // both of one rank, or the earlier one with a priority
		want           bool
	}{
		{"{status: 429}", "{status: 429}", true},
		{"{status: 429}", "{source: a, status: 429}", true},
		{"{source: a, status: 429}", "{status: 429}", false},
		{"{source: a, status: 429}", "{source: b, status: 429}", false},
		{"{source: [a, b], status: 429}", "{source: b, status: 429}", true},
		{"{source: a, status: 429}", "{source: [a, b], status: 429}", false},
		{"{source: {not: b}, status: 401}", "{source: a, status: 401}", true},
		{"{source: {not: b}, status: 401}", "{source: b, status: 401}", false},
		{"{source: {not: b}, status: 401}", "{status: 401}", false},
		{"{source: {not: b}, status: 401}", "{source: {not: [b, c]}, status: 401}", true},
		{"{source: {not: [b, c]}, status: 401}", "{source: {not: b}, status: 401}", false},
		{"{source: {present: true}, status: 401}", "{source: a, status: 401}", true},
		{"{source: {present: true}, status: 401}", "{source: {present: false}, status: 401}", false},
		{"{source: {present: false}, status: 401}", "{source: {present: false}, status: 401}", true},
		{"{source: {present: false}, status: 401}", "{status: 401}", false},

		{"{status: {min: 400, max: 580}}", "{status: [404, 500]}", true},
		{"{status: {min: 400, max: 580}}", "{status: [404, 599]}", false},
		{"{status: {min: 400, max: 580}}", "{status: {min: 400, max: 600}}", false},
		{"{status: {min: 400, max: 580}}", "{status: {min: 400, max: 581, not: 581}}", true},
		{"{status: {min: 400, max: 580}}", "{status: {min: 500}}", false},
		{"{status: {min: 400}}", "{status: {min: 500}}", true},
		{"{status: {max: 400}}", "{status: {max: 400, not: 7}}", true},
		{"{status: {min: 400, not: 404}}", "{status: {min: 400, not: 405}}", false},
		{"{status: {min: 400, not: 404}}", "{status: {min: 400, max: 403}}", true},
		{"{status: [401, 402, 403]}", "{status: {min: 401, max: 403}}", true},
		{"{status: [401, 403]}", "{status: {min: 401, max: 403, not: 402}}", true},
		{"{status: [401, 403]}", "{status: {min: 401, max: 403}}", false},
		{"{status: [401, 403]}", "{status: {min: 401}}", false},
		{"{status: {present: true}}", "{status: 405}", true},
		{"{exit_code: {not: 0}}", "{exit_code: 1}", true},
		{"{exit_code: {not: 0}}", "{exit_code: {min: 1}}", true},
		{"{exit_code: {not: 0}}", "{exit_code: {min: -1}}", false},
		{"{exit_code: {not: 0}}", "{exit_code: {present: true}}", false},
		{"{exit_code: 0}", "{status: 400}", false},

		{"{type: {prefix: over}}", "{type: overloaded}", true},
		{"{type: {prefix: over}}", "{type: {prefix: [overload, oversized]}}", true},
		{"{type: {prefix: over}}", "{type: {prefix: [overload, under]}}", false},
		{"{type: {prefix: over, not: overt}}", "{type: {prefix: over}}", false},
		{"{type: {prefix: over, not: overt}}", "{type: {prefix: overl}}", true},
		{"{type: {prefix: over}}", "{type: {present: true}}", false},
		{"{type: a}", "{type: {prefix: a}}", false},
		{"{type: x, code: y}", "{code: y, type: x, op: z}", true},

		{"{errno: EAGAIN}", "{errno: EWOULDBLOCK}", true},
		{"{is: io/fs.ErrNotExist}", "{is: os.ErrNotExist}", true},
		{"{is: [io.EOF, io.ErrClosedPipe]}", "{is: io.EOF}", true},
		{"{is: io.EOF}", "{is: [io.EOF, io.ErrClosedPipe]}", false},
		{"{is: {not: io.EOF}}", "{is: io.ErrClosedPipe}", false},
		{"{is: {not: io.EOF}}", "{is: {not: [io.EOF, io.ErrClosedPipe]}}", true},
		{"{is: {present: true}}", "{is: io.EOF}", true},
		{"{as: '*io/fs.PathError'}", "{as: '*os.PathError'}", true},
		{"{as: '*net.OpError'}", "{as: '*net.DNSError'}", false},
		{"{as: {present: true}}", "{is: io.EOF}", false},

		{"{attributes: {a: x}}", "{attributes: {a: x, b: y}}", true},
		{"{attributes: {a: x}}", "{attributes: {b: x}}", false},
		{"{attributes: {a: {min: 1, max: 5}}}", "{attributes: {a: [1, 5.0, 2e0]}}", true},
		{"{attributes: {a: {min: 1, max: 5}}}", "{attributes: {a: ['1', '0x2']}}", false},
		{"{attributes: {a: {min: 1}}}", "{attributes: {a: {min: 2, max: 3}}}", true},
		{"{attributes: {a: {min: 1}}}", "{attributes: {a: {max: 3}}}", false},
		{"{attributes: {a: {min: 1}}}", "{attributes: {a: {present: true}}}", false},
		{"{attributes: {a: '1'}}", "{attributes: {a: {min: 1, max: 1}}}", false},

		{"{text: limit}", "{text: limit}", true},
		{"{text: limit}", "{text: rate limit}", true},
		{"{text: limit}", "{text: Rate Limit}", false},
		{"{text: '(?i)limit'}", "{text: Rate Limit}", true},
		{"{text: limit}", "{text: '(?i)rate limit'}", false},
		{"{text: '429'}", "{text: '(?i)error 429'}", true},
		{"{text: '(?i)LIMIT'}", "{text: '(?i)rate limit'}", true},
		{"{text: rate limit}", "{text: limit}", false},
		{"{text: [quota, limit]}", "{text: [rate limit, quota used]}", true},
		{"{text: [quota, limit]}", "{text: [rate limit, credit]}", false},
		{"{text: 'rate.limit'}", "{text: 'rate.limit'}", true},
		{"{text: 'rate.limit'}", "{text: rate limit}", false},
		{"{text: '(limit)'}", "{text: '(?:rate) limit'}", true},
		{"{text: '\\blimit'}", "{text: limit}", false},
		{"{contains: limit}", "{contains: Rate LIMIT}", true},
		{"{contains: limit}", "{text: Rate Limit}", true},
		{"{text: '(?i)limit'}", "{contains: Rate Limit}", true},
		{"{text: limit}", "{contains: rate limit}", false},
		{"{contains: straße}", "{contains: die STRAẞE}", true},
		{"{contains: sk}", "{text: ſK}", true},
		{"{contains: limit, text: rate}", "{text: rate limit}", true},
		{"{contains: limit, text: rate}", "{contains: rate limit}", false},
		{"{contains: limit}", "{status: 401}", false},
		{"{contains: limit, priority: 1}", "{source: a, status: 401, contains: limit}", true},
		// read out of the text, a status ranks as text
		{"{source: a, status: 429}", "{source: a, status: 429, type: slow}", false},
		{"{source: a, status: 429, priority: 1}", "{source: a, status: 429, type: slow}", true},
		{"{type: slow}", "{status: 429, type: slow}", true},
		{"{source: a, priority: 1}", "{source: a, status: 401, contains: limit}", true},
		{"{source: a}", "{source: a, status: 401}", false},
	} {
		t.Run(tt.earlier+" before "+tt.later, func(t *testing.T) {
			m := withRules(t, tt.earlier, tt.later)
			got := detection.Covered(m)
			if tt.want {
				assert.Equal(t, map[*model.Rule]*model.Rule{m.Rules[1]: m.Rules[0]}, got)
			} else {
				assert.Empty(t, got)
			}
		})
	}
}

// The first rule in rank that covers is the one that is named.
func TestCoveredByTheFirst(t *testing.T) {
	m := withRules(t, "{status: 404}", "{status: {min: 1}}", "{status: {min: 2}}", "{status: [405, 404], op: o}")
	covered := detection.Covered(m)
	assert.Equal(t, map[*model.Rule]*model.Rule{m.Rules[2]: m.Rules[1], m.Rules[3]: m.Rules[1]}, covered)
}

var (
	tests = []string{
		"source: a", "source: [a, b]", "source: {not: a}", "source: {present: false}", "op: {prefix: p}", "op: pq",
		"op: {prefix: [pq, x], not: pq}", "status: 404", "status: {min: 400}", "status: {min: 400, max: 405, not: 405}",
		"status: [404, 400]",
		"status: {present: false}", "exit_code: {not: 0}", "exit_code: [0, 1]", "exit_code: {min: 0, max: 1}",
		"attributes: {k: {min: 1}}", "attributes: {k: '1'}", "attributes: {k: {not: '1'}}",
		"attributes: {k: {prefix: '1'}}",
		"is: io.EOF", "is: {not: io.EOF}", "as: '*io/fs.PathError'",
		"type: t", "text: limit", "text: '(?i)limit'", "text: rate limit", "text: 'rate.limit'", "contains: Limit",
		"contains: [rate limit, quota]",
	}
	sources, ops, texts = []string{"", "a", "b", "c"}, []string{"", "p", "pq", "pqr", "x"},
		[]string{"", "limit", "Rate Limit", "rate limit", "quota", "404 Not Found", "400: rate limit"}
	attributes = []string{"", "1", "1.0", "12", "x", "0x1"}
	numbers    = []int{0, 1, 399, 400, 404, 405}
	errorNames = []string{"", "io.EOF", "*os.PathError", "io.ErrClosedPipe"}
)

func pick[T any](rnd *rand.Rand, list []T) T { return list[rnd.IntN(len(list))] }

func randomRule(rnd *rand.Rand) string {
	keys := make(map[string]string)
	for range 1 + rnd.IntN(3) {
		test := pick(rnd, tests)
		key, _, _ := strings.Cut(test, ":")
		keys[key] = test
	}
	rule := []string{fmt.Sprintf("priority: %d", rnd.IntN(2))}
	for _, test := range tests {
		key, _, _ := strings.Cut(test, ":")
		if keys[key] == test {
			rule = append(rule, test)
		}
	}
	return "{" + strings.Join(rule, ", ") + "}"
}

func randomEvidence(rnd *rand.Rand) taxonomy.Evidence {
	ev := taxonomy.Evidence{Source: pick(rnd, sources), Op: pick(rnd, ops), Text: pick(rnd, texts),
		Status: pick(rnd, numbers)}
	if rnd.IntN(2) == 0 {
		ev.Type = "t"
	}
	if rnd.IntN(2) == 0 {
		ev.ExitCode = taxonomy.Some(pick(rnd, numbers))
	}
	if v := pick(rnd, attributes); v != "" {
		ev.Attributes = map[string]string{"k": v}
	}
	if err, ok := stdlib.Make(pick(rnd, errorNames)); ok {
		ev.Err = err
	}
	return ev
}

// A covered rule never wins, whatever the evidence.
func TestCoveredNeverWin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	covered := 0
	for range 150 {
		rules := make([]string, 40)
		for i := range rules {
			rules[i] = randomRule(rnd)
		}
		m := withRules(t, rules...)
		ranked := detection.Ranked(m)
		by := detection.Covered(m)
		covered += len(by)
		matched := detection.Rules(m)
		for range 400 {
			ev := randomEvidence(rnd)
			if i := matched.Match(&ev, nil); i != detect.NoRule {
				require.Nil(t, by[ranked[i]], "%s is won by %q", ev.Error(), ranked[i].Doc)
			}
		}
	}
	assert.Greater(t, covered, 1000)
}

// many is rules that all ask for the same source: for a type each, for texts of their own, and for
// both.
func many(n int) []string {
	rules := make([]string, n)
	for i := range rules {
		switch i % 4 {
		case 0:
			rules[i] = fmt.Sprintf("{source: api, type: type_%d}", i)
		case 1:
			rules[i] = fmt.Sprintf("{source: api, contains: [failure number %d., or %d again]}", i, i)
		case 2:
			rules[i] = fmt.Sprintf("{source: api, text: '(?i)\\bcause %d\\b', priority: -1}", i)
		default:
			rules[i] = fmt.Sprintf("{source: api, status: %d, code: code_%d}", 400+i%200, i)
		}
	}
	return rules
}

func BenchmarkCovered(b *testing.B) {
	m := withRules(b, many(2000)...)
	b.ReportAllocs()
	for b.Loop() {
		if len(detection.Covered(m)) > 0 {
			b.Fatal("none covers another")
		}
	}
}

func BenchmarkRules(b *testing.B) {
	m := withRules(b, many(2000)...)
	b.ReportAllocs()
	for b.Loop() {
		detection.Rules(m)
	}
}

// TestCoveredAmongManyRanges has so many rules with a range each that comparing all pairs would be
// given up.
func TestCoveredAmongManyRanges(t *testing.T) {
	const n = 20000
	exit := detect.Condition{Key: detect.ExitCode}
	attribute := detect.Condition{Key: detect.Attribute, Name: "a"}
	source := detect.Condition{Key: detect.Source, Any: []string{"s"}}
	for _, tt := range []struct {
		name  string
		of    detect.Condition
		other []detect.Condition
		at    func(i float64) (low, high float64)
	}{
		{"apart", exit, nil, func(i float64) (low, high float64) { return i, i }},
		{"from the same number", exit, nil, func(i float64) (low, high float64) { return 0, i }},
		{"to the same number", exit, nil, func(i float64) (low, high float64) { return -i, 0 }},
		{"each overlapping the others", exit, nil, func(i float64) (low, high float64) { return i, i + n }},
		{"of one source", exit, []detect.Condition{source}, func(i float64) (low, high float64) { return i, i }},
		{"of one attribute", attribute, nil, func(i float64) (low, high float64) { return i, i }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var m model.Package
			for i := range n + 1 {
				c := tt.of
				c.Bounds = detect.HasMin | detect.HasMax
				c.Min, c.Max = tt.at(float64(min(i, n-1)))
				m.Rules = append(m.Rules, &model.Rule{Conditions: append([]detect.Condition{c}, tt.other...)})
			}
			covered := detection.Covered(&m)
			assert.Len(t, covered, 1)
			assert.Same(t, m.Rules[n-1], covered[m.Rules[n]])
		})
	}
}
