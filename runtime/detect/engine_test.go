package detect_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestText(t *testing.T) {
	long := strings.Repeat("x", 3000)
	for _, c := range []struct {
		name, expr string
		yes, no    []string
	}{
		{"plain, in any case", `=usage limit reached`,
			[]string{"Claude USAGE limit Reached", "u\u017fage limit reached"},
			[]string{"usage limits reached", "usage  limit reached"}},
		{"plain with letters beyond ASCII", `=größe überschritten`, []string{"GRÖSSE", "Größe Überschritten"}[1:],
			[]string{"grosse uberschritten"}},
		{"two letters", `=ko`, []string{"KO", "\u212ao"}, []string{"k.o."}},
		{"a short literal", `FAIL`, []string{"FAIL", "xFAIL", "xxFAILx", "FAILURE"}, []string{"fail", "FAI", "AIL"}},
		{"a very short literal", `(?i)eof`, []string{"EOF", "x eof", "xx eof", "unexpected EOF"}, []string{"eo", "of"}},
		{"bounds of words", `(?i)\bfail\b`, []string{"FAIL", "did fail.", "é fail é"},
			[]string{"failed", "FAILURE", "failover", "x_fail"}},
		{"bounds of words in one long word", `(?i)\bfail\b`, nil, []string{long + "fail" + long}},
		{"a kelvin sign", `(?i)disk full`, []string{"DISK FULL", "dis\u212a full", "di\u017f\u212a full"},
			[]string{"dis\u212afull"}},
		{"a letter that folds only where case does not count", `disk`, []string{"disk"}, []string{"dis\u212a", "DISK"}},
		{"lines", `(?m)^FAIL: `, []string{"FAIL: x", "ok\nFAIL: x"}, []string{"no FAIL: x"}},
		{"the beginning", `^FAIL: `, []string{"FAIL: x"}, []string{"ok\nFAIL: x"}},
		{"the end", `failed$`, []string{"it failed", "failed\nfailed"}, []string{"it failed\n", "failed\nagain"}},
		{"any text between", `error: .* denied`, []string{"error: was denied", "error: denied\nerror: x denied"},
			[]string{"error: was\n denied", "error: denied"}},
		{"any text between, over lines", `(?s)BEGIN.*END`, []string{"BEGIN" + long + "\nEND"},
			[]string{"END" + long + "BEGIN"}},
		{"white space of any length", `type\s+mismatch`, []string{"type" + strings.Repeat("\n", 2000) + "mismatch"},
			[]string{"type" + strings.Repeat("\n", 2000) + "x mismatch"}},
		{"an alternative without a literal", `abcdef|\d{5}`, []string{"abcdef", "x12345"}, []string{"abcde", "1234"}},
		{"bytes that are no UTF-8", `caf\x{FFFD}`, []string{"caf\xff", "caf\xc3"}, []string{"café"}},
		{"after bytes that are no UTF-8", `(?i).{3}denied`, []string{"\xff\xfe\xfddenied", "日本語DENIED"},
			[]string{"\xffdenied", "日denied"}},
		{"an expression that does not compile", `(denied`, nil, []string{"(denied", "denied"}},
		{"an empty expression", `x*`, []string{"anything"}, []string{""}},
	} {
		r := textRules(c.expr)
		n := newNaive(r)
		for want, texts := range map[int][]string{0: c.yes, detect.NoRule: c.no} {
			for _, text := range texts {
				for _, before := range []string{"", "-", "--", long + "\n", long[1:] + " "} {
					if before != "" && strings.HasPrefix(c.expr, "^") {
						continue
					}
					ev := taxonomy.Evidence{Text: before + text}
					if before == "" {
						assert.Equal(t, want, r.Match(&ev, nil), "%s: %q", c.name, text)
					}
					assert.Equal(t, n.match(&ev), r.Match(&ev, nil), "%s: %q", c.name, ev.Text)
				}
			}
		}
	}
}

func TestTextAndContains(t *testing.T) {
	r := textRules(`=limit`, `exceeded`, `reached`)
	r.Rules = []detect.Rule{{Text: []uint16{1, 2}, Contains: []uint16{0}}}
	for text, want := range map[string]int{
		"limit exceeded": 0, "LIMIT reached": 0, "limit": detect.NoRule, "exceeded": detect.NoRule, "": detect.NoRule,
	} {
		assert.Equal(t, want, r.Match(&taxonomy.Evidence{Text: text}, nil), text)
	}
	r = &detect.Rules{Rules: []detect.Rule{{Text: []uint16{7}}}}
	assert.Equal(t, detect.NoRule, r.Match(&taxonomy.Evidence{Text: "a pattern that does not exist"}, nil))
}

// TestHostileTexts bounds the work for slow texts: the number of expressions that run, and the
// bytes that they read. The plain loop runs each expression over the 16 KiB.
func TestHostileTexts(t *testing.T) {
	const limit = detect.DefaultTextLimit
	near := []string{`(?i)rate limit .{0,20}exceeded`, `(?i)\brate limit\s+was hit`, `rate limit (?:hit|reached)$`,
		`rate limit .* over`, `(?s)rate limit.*quota`}
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprintf(`rate limit [a-z]{0,40} of %d`, i))
	}
	for _, c := range []struct {
		name  string
		exprs []string
		text  string
		runs  int
		bytes int
	}{
		{"100 MB", near, strings.Repeat("no rate limits were found here. ", int(seeds(100<<20))/32), 0, 0},
		{"10 000 near misses", near, strings.Repeat("rate limit ", 10_000), 1, limit},
		{"10 000 near misses that are nearer", near, strings.Repeat("rate limit was exceedet by quota over ", 10_000),
			700, 4 * limit},
		{"near misses of 1 000 patterns", many, strings.Repeat("rate limit abc of none ", 10_000), 0, 0},
		{"nearer misses of 1 000 patterns", many, strings.Repeat("rate limit 0 of 999 ", 10_000), 112, 112 * limit},
		{"one line without end", near, "rate limit " + strings.Repeat("x", 10<<20), 0, 0},
		{"one word without end", []string{`\brate limit\b`, `(?m)^rate limit$`}, strings.Repeat("rate limit", 10_000),
			3, 3 * limit},
		{"no UTF-8", near, strings.Repeat("rate limit \xff\xfe\x80\xe2\x84", 10_000), 1, limit},
		{"letters that fold to ASCII", near, strings.Repeat("rate limit di\u017f\u212a ", 10_000), len(near),
			len(near) * limit},
	} {
		r := textRules(c.exprs...)
		ev := taxonomy.Evidence{Text: c.text}
		var work detect.Work
		detect.Watch(r, func(w detect.Work) { work = w })
		assert.Equal(t, newNaive(r).match(&ev), r.Match(&ev, nil), c.name)
		assert.LessOrEqual(t, work.Runs, c.runs, c.name)
		assert.LessOrEqual(t, work.Bytes, c.bytes, c.name)
	}
}

// TestTextRunsLittle checks that an ordinary text runs few expressions, compared to the plain loop.
func TestTextRunsLittle(t *testing.T) {
	r := textRules(patterns(1000)...)
	var work detect.Work
	detect.Watch(r, func(w detect.Work) { work = w })
	assert.Equal(t, detect.NoRule, r.Match(&taxonomy.Evidence{Text: log(10 << 10)}, nil))
	assert.Zero(t, work)
	ev := taxonomy.Evidence{Text: withHit(log(10<<10), "E0042: SyntaxError: missing )")}
	assert.Equal(t, "SyntaxError: .*", r.Rules[r.Match(&ev, nil)].Name)
	assert.LessOrEqual(t, work.Runs, 2)
	assert.LessOrEqual(t, work.Bytes, 200)
}

// TestTextsThatCannotMatter are not searched: a better rule matched already, or no rule on texts is
// for the source.
func TestTextsThatCannotMatter(t *testing.T) {
	r := textRules(`x*`, `x*`)
	r.Rules[0].Conditions = []detect.Condition{{Key: detect.Source, Any: []string{"a"}}}
	r.Rules[1].Conditions = []detect.Condition{{Key: detect.Source, Any: []string{"a"}}}
	r.Rules = append([]detect.Rule{{Conditions: []detect.Condition{{Key: detect.Status, AnyNumber: []int{500}}}}},
		r.Rules...)
	searched := 0
	detect.Watch(r, func(detect.Work) { searched++ })
	assert.Equal(t, 0, r.Match(&taxonomy.Evidence{Source: "a", Status: 500, Text: "x"}, nil))
	assert.Equal(t, detect.NoRule, r.Match(&taxonomy.Evidence{Source: "b", Text: "x"}, nil))
	assert.Zero(t, searched)
	assert.Equal(t, 1, r.Match(&taxonomy.Evidence{Source: "a", Text: "x"}, nil))
	assert.Equal(t, 1, searched)
}

func TestManyShortLiterals(t *testing.T) {
	for _, size := range []int{3, 4} {
		var exprs []string
		for i := range 60 {
			literal := string([]byte{byte('a' + i%7), byte('A' + i%5), byte('a' + i%3), byte('a' + i%2)})[:size]
			exprs = append(exprs, []string{literal, "(?i)" + literal, "=" + literal}[i%3])
		}
		r := textRules(append(exprs, "a much longer literal")...)
		n := newNaive(r)
		g := generator{rand.New(rand.NewPCG(uint64(size), 5))}
		for range 2000 {
			text := make([]byte, g.IntN(24))
			for i := range text {
				text[i] = "abcdefgABCDEFG \n"[g.IntN(16)]
			}
			ev := taxonomy.Evidence{Text: string(text)}
			require.Equal(t, n.match(&ev), r.Match(&ev, nil), "%q", text)
		}
	}
}
