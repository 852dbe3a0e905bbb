package spec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/spec"
)

// TestFindings shows each fault of form on the smallest input. A wanted finding is its place
// (line:column+length), its id, and a part of its hint.
func TestFindings(t *testing.T) {
	const head = "errgen: 1\npackage: shop\n" // two lines
	const tail = "\ncategories: {user: {codes: {GONE: {message: gone}}}}\n"
	line := func(text string) string { return head + text + tail } // text begins at 3:1
	code := func(keys string) string {
		return head + "categories: {user: {codes: {GONE: {" + keys + "}}}}\n" // keys begin at 3:36
	}
	for _, tt := range []struct {
		name, src string
		want      []string
	}{
		// Keys.
		{"an empty file", "", []string{"1:1+1 E-missing-key errgen init"}},
		{"a comment only", "# nothing yet\n", []string{"1:1+1 E-missing-key errgen init"}},
		{"no categories", "errgen: 1\npackage: a\n", []string{`1:1+6 E-missing-key add "categories"`}},
		{"unknown key", code("message: gone, retriable: true"), []string{`3:51+9 E-unknown-key "retryable"`}},
		{"key of another mapping", code("message: gone, max_attempts: 3"), []string{
			"3:51+12 E-unknown-key a key of a policy"}},
		{"section under a key of a profile", line("recovery: {strategies: {a: b}}"), []string{
			`3:1+8 E-unknown-key a key of a profile ("strategies" is one of the top level)`}},
		{"key without anything near", line("reactions: {r: {action: block, q: 1}}"), []string{
			"3:32+1 E-unknown-key a reaction takes doc, action"}},
		{"x- keys are ignored", line("x-a: [1]\npolicies: {p: {x-b: 2}}"), nil},
		{"x- names are names", line("sources: {x-ai: A provider.}"), nil},
		{"purpose of a code", code("message: gone, purpose: x"), []string{"3:51+7 E-unknown-key a key of a tier"}},
		{"unknown key in an example", code("message: gone, examples: [{exitcode: 1}]"), []string{
			`3:63+8 E-unknown-key "exit_code"`}},
		{"want of a counter-example", code("message: gone, not_examples: [{want: {}}]"), []string{
			"3:67+4 E-unknown-key a key of an example"}},
		{"choice by the flag outside of a profile", code("message: gone, reaction: {retryable: block}"), []string{
			`3:61+18 E-missing-key add "action"`, "3:62+9 E-unknown-key a key of a category"}},
		{"misspelt required key", code("mesage: gone"), []string{`3:36+6 E-unknown-key "message"`}},
		{"duplicate key", code("message: gone, message: away"), []string{"3:51+7 E-duplicate; 3:36+7"}},
		{"duplicate code", head + "categories: {user: {codes: {A: {message: a}, A: {message: b}}}}", []string{
			"3:46+1 E-duplicate; 3:29+1"}},
		{"missing key", code("doc: x"), []string{`3:29+4 E-missing-key add "message": text`}},
		{"neither type nor enum", line("fields: {a: {doc: b}}"), []string{"3:10+1 E-missing-key add \"type\""}},
		{"no prevention", code("message: gone, prevent: {likely: 0.5}"), []string{
			"3:51+7 E-missing-key check, throttle"}},
		{"matcher without a key", code("message: gone, detect: [{source: {}}]"), []string{
			"3:69+2 E-missing-key not, prefix, constant, present"}},
		{"no if", code("message: gone, when: [{retryable: true}]"), []string{`3:58+17 E-missing-key add "if"`}},
		{"reaction in place without an action", code("message: gone, reaction: {extent: run}"), []string{
			`3:61+13 E-missing-key add "action"`}},

		// Values.
		{"no value", code("message: gone, doc: "), []string{"3:51+3 E-value write text"}},
		{"null", code("message: gone, doc: ~"), []string{"3:56+1 E-value write text"}},
		{"no item", code("message: gone, groups: [~]"), []string{"3:60+1 E-value the name of a group"}},
		{"no section", line("sources:"), []string{"3:1+7 E-value write a mapping"}},
		{"empty lists", code("message: gone, detect: [{text: [], contains: [], source: [], op: {not: []}}]"), []string{
			"3:67+2 E-value write text", "3:81+2 E-value write text", "3:93+2 E-value the name of a source",
			"3:107+2 E-value write text"}},
		{"text in place of a mapping",
			line("fallback: UNKNOWN\nreactions: {r: block, s: bolck}\ntiers: {a: b}"), []string{
				"3:11+7 E-value write a mapping (fallback)", "4:16+5 E-value write a mapping (reaction)",
				"4:26+5 E-value",
				"5:12+1 E-value"}},
		{"text in place of a code", head + "categories: {user: {codes: {GONE: 'gone, for good'}}}", []string{
			"3:35+16 E-value write a mapping (code)"}},
		{"a rule in place of a list", code("message: gone, detect: {status: 500}"), []string{
			"3:59+13 E-value write a list"}},
		{"a matcher of signatures", code("message: gone, detect: [{like: {not: timeout}}]"), []string{
			"3:67+14 E-value write the name of a signature"}},
		{"text in place of a list", code("message: gone, groups: network"), []string{"3:59+7 E-value write a list"}},
		{"list in place of a text", code("message: [gone]"), []string{"3:45+6 E-value needs quotes"}},
		{"list in place of a reaction", code("message: gone, reaction: [abort]"), []string{"3:61+7 E-value"}},
		{"list in place of a scalar", code("message: gone, when: [{if: {a: {min: [1]}}}]"), []string{"3:73+3 E-value"}},
		{"number in place of a policy", code("message: gone, reaction: {action: retry, policy: 5}"), []string{
			"3:85+1 E-value"}},
		{"number in quotes", code("message: gone, http: '404'"), []string{"3:57+5 E-value without quotes"}},
		{"bool in quotes", code("message: gone, retryable: 'true'"), []string{"3:62+6 E-value without quotes"}},
		{"class of statuses", code("message: gone, detect: [{status: 4xx}]"), []string{
			"3:69+3 E-value write {min: 400, max: 499}"}},
		{"number of 65 bits", code("message: gone, number: 9223372036854775808"),
			[]string{"3:59+19 E-value smaller number"}},
		{"octal number", code("message: gone, number: 017"), []string{"3:59+3 E-value leading zeros"}},
		{"number of 20 digits", code("message: gone, number: 99999999999999999999"), []string{"3:59+20 E-value"}},
		{"infinity", line("policies: {p: {multiplier: .inf}}"), []string{"3:28+4 E-value"}},
		{"percentage", line("policies: {p: {jitter: 20%, budget: {retries: 20%}}}"), []string{
			"3:24+3 E-value one of none", "3:47+3 E-value a number"}},
		{"near word", code("message: gone, severity: hihg"), []string{`3:61+4 E-value "high"`}},
		{"other word", code("message: gone, severity: bad"), []string{"3:61+3 E-value low, medium, high, critical"}},
		{"bool in place of a word", line("reactions: {r: {action: escalate, purpose: true}}"), []string{
			"3:44+4 E-value diagnosis"}},
		{"version", "errgen: 3\npackage: a" + tail, []string{"1:9+1 E-value"}},
		{"empty names", line("sources: {'': x}\nfields: {a: {enum: ['']}}"), []string{
			"3:11+2 E-value", "4:21+2 E-value"}},
		{"characters of names",
			line(`sources: {a b: x}` + "\n" + `fields: {'a{b': {type: int}}` + "\n" + `ops: {"a\tb": c}`),
			[]string{"3:12+1 E-value", "4:12+1 E-value", "5:7+6 E-value"}},
		{"control characters of texts", line(`doc: "a\x1bb"` + "\nhelp_url: a\u202eb"), []string{
			"3:6+8 E-value remove", "4:12+1 E-value remove"}},
		{"control characters to search for",
			code(`message: gone, detect: [{text: "\x1b"}], examples: [{text: "\x1b"}]`), nil},

		// YAML's traps.
		{"codes like numbers", head + "categories: {sql: {codes: {08006: {message: m}, 1E5: {message: m}, 22E06: " +
			"{message: m}, true: {message: m}}}}", []string{
			"3:28+5 E-value '08006'", "3:49+3 E-value '1E5'", "3:68+5 E-value '22E06'", "3:89+4 E-value 'true'"}},
		{"code in quotes", head + "categories: {sql: {codes: {'08006': {message: m}}}}", nil},
		{"texts like numbers", code("message: 404, since: 1.10, aliases: [08006], detect: [{code: 22E06}]"), []string{
			"3:45+3 E-value '404'", "3:57+4 E-value '1.10'", "3:73+5 E-value '08006'", "3:97+5 E-value '22E06'"}},
		{"date as text", code("message: gone, since: 2024-05-06"), nil},
		{"yes", code("message: gone, retryable: yes"), []string{"3:62+3 E-value write true"}},
		{"Off", code("message: gone, retryable: Off"), []string{"3:62+3 E-value write false"}},
		{"duration without a unit", line("policies: {p: {initial_delay: 5}}"), []string{
			"3:31+1 E-value 5s for seconds"}},
		{"duration in days", line("policies: {p: {max_delay: 2d}}"), []string{"3:27+2 E-value 36h"}},
		{"negative duration", line("policies: {p: {max_delay: -2s}}"), []string{"3:27+3 E-value"}},
		{"comma in text", line("groups: {net: The net, always., auth: x}"), []string{"3:24+7 E-yaml quotes"}},
		{"no space after the colon", line("reactions: {r: {action:retry}, s: {action: retry, purpose:}}"), []string{
			"3:17+12 E-yaml", "3:51+8 E-yaml colon"}},
		{"braces as text", code("message: {id}"), []string{"3:46+2 E-yaml braces in quotes"}},
		{"braces and text", line("doc: {x} gone"), []string{"3:6+1 E-yaml '{x} gone'"}},
		{"brackets and text", line("doc: [x] gone"), []string{"3:6+1 E-yaml '[x] gone'"}},
		{"brackets and text on another line", line("x-a: [b,\n  c] d"), []string{"3:1+8 E-yaml"}},
		{"braces inside braces", line("sources: {a: no {id}}"), []string{"3:14+2 E-yaml quotes"}},
		{"text after quotes", line("doc: 'a' b"), []string{"3:6+1 E-yaml '''a'' b'"}},
		{"quote in quotes", line("doc: 'it isn't'"), []string{"3:6+1 E-yaml 'it isn''t'"}},
		{"merge conflict", line("<<<<<<< HEAD\ndoc: a\n=======\n  doc: b\n>>>>>>> x"),
			[]string{"3:1+7 E-yaml conflict"}},
		{"colon in text", line("doc: a: b"), []string{"3:7+1 E-yaml 'a: b'"}},
		{"colon behind a placeholder", line("doc: a {b}: c"), []string{"3:11+1 E-yaml 'a {b}: c'"}},
		{"indicators", line("doc: @n"), []string{
			"3:6+2 E-yaml '@n'"}},
		{"alias as text", code("message: gone, detect: [{as: *net.OpError}]"), []string{
			"3:65+12 E-yaml '*net.OpError'"}},
		{"escapes", line(`doc: "a \d"`), []string{"3:9+2 E-yaml single quotes"}},
		{"long escapes", line(`doc: "a \u00"`), []string{"3:1+13 E-yaml"}},
		{"tab", line("policies:\n\tp: {}"), []string{"4:1+1 E-yaml spaces"}},
		{"tab in text", line("doc: a\tb"), nil},
		{"bad indent", line("policies:\n    p: {}\n  q: {}"), []string{"5:3+5 E-yaml like line 4"}},
		{"bad indent far from the line of the library", line(
			"policies:\n  p:\n    doc: |\n      a\n\n      b\n   max_attempts: 3\n\n# c\n  q: {}"), []string{
			"9:4+15 E-yaml like line 5"}},
		{"indent of one space", line("x-a:\n  b: c\n d: e"), []string{"5:2+4 E-yaml like line 4"}},
		{"indent below a complete line", line("doc: 'a'\n  domain: b"), []string{"4:3+9 E-yaml like line 3"}},
		{"list item below a complete line", line("x-a: 'b'\n  - c"), []string{"4:3+3 E-yaml like line 3"}},
		{"list item among keys", line("x-a: b\n- c"), []string{"4:1+3 E-yaml indent like the lines above"}},
		{"key among list items", line("x-a:\n  - b\n  c: d"), []string{"5:3+4 E-yaml indent like the lines above"}},
		{"no colon", line("doc"), []string{"3:1+3 E-yaml key: value"}},
		{"open quote", line("doc: 'never closed"), []string{"3:1+18 E-yaml close every quote"}},
		{"open bracket", head + "x-a: [b, c", []string{"3:1+10 E-yaml quotes"}},
		{"wrong bracket", code("message: gone, groups: [a"), []string{"3:1+64 E-yaml close every quote and bracket"}},
		{"stray bracket", line("doc: }"), []string{"3:1+6 E-yaml"}},
		{"fault after quoted keys", line("'x-a': \"b: c\"\n\"x-d\": e: f"), []string{"4:9+1 E-yaml 'e: f'"}},
		{"fault after long texts",
			line("x-a: 'b: c\n  d: e' # f\nx-g: [h,\n  i # j\n  ]\nx-k: l\n  m\ndoc: @n"), []string{
				"10:6+2 E-yaml '@n'"}},
		{"another fault", line("doc: - a"), []string{"3:1+8 E-yaml above"}},

		{"tabs", line("policies:\n\tp: {}\n\tq: {}"), []string{"4:1+1 E-yaml spaces"}},
		{"keys of a code like the code", head + "categories:\n  io:\n    codes:\n      A:\n      message: a",
			[]string{"6:7+1 E-value indented below it", "7:16+1 E-value"}},

		// What a taxonomy does not take from YAML.
		{"anchor and alias", line("x-a: &a b\nx-c: *a"), []string{
			"3:6+2 E-yaml write the value", "4:6+2 E-yaml write"}},
		{"anchor before a key", head + "&a categories: {user: {codes: {GONE: {message: gone}}}}", []string{
			"3:1+2 E-yaml"}},
		{"anchor of a policy", line("policies: {p: &a {}, q: *a}"), []string{"3:15+2 E-yaml", "3:25+2 E-yaml"}},
		{"merge key", line("x-a: {<<: {b: c}}"), []string{"3:7+2 E-yaml write the keys"}},
		{"tag", line("doc: !!str 5"), []string{"3:6+5 E-yaml leave it out"}},
		{"list as a key", line("x-a: {[b]: c}"), []string{"3:7+3 E-yaml"}},
		{"second document", head + tail[1:] + "---\na: b\n", []string{"4:1+3 E-yaml split"}},
		{"one document with its marks", "---\n" + head + tail[1:] + "...\n", nil},
		{"byte order mark", "\uFEFF" + line("docs: x"), []string{`3:1+4 E-unknown-key "doc"`}},
		{"UTF-16", "\xff\xfee\x00", []string{"1:1+1 E-yaml UTF-8"}},
		{"not UTF-8", line("doc: é\xff"), []string{"3:7+1 E-yaml UTF-8"}},
		{"line separator", line("doc: a\u2028b"), []string{"3:7+1 E-yaml double quotes"}},
		{"NUL", line("doc: a\x00b"), []string{"3:7+1 E-yaml double quotes"}},
		{"carriage returns", strings.ReplaceAll(line("docs: x"), "\n", "\r\n"), []string{`3:1+4 E-unknown-key "doc"`}},
		{"lone carriage return", line("doc: a\rb"), []string{"3:7+1 E-yaml"}},
		{"replacement character", line("doc: a\uFFFDb"), nil},
		{"not ASCII", line("doc: «нет»\nops: {é: ü, ñ: {}}"), []string{"4:16+2 E-value"}},

		// Ignored findings.
		{"ignore without an id", "# errgen:ignore -- because\n" + line(""), []string{"1:1+26 E-ignore W-unsorted"}},
		{"ignore with words", line("doc: a # errgen:ignore all"), []string{"3:24+3 E-ignore reason"}},
		{"ignore of an error", line("doc: a # errgen:ignore E-tag"), []string{"3:24+5 E-ignore W-"}},

		{"all at once", line("doc: [a]\nops: {a: b}\nops: {}\nsorces: {}\npolicies: {p: {max_delay: 1}}"), []string{
			"3:6+3 E-value", "5:1+3 E-duplicate; 4:1+3", `6:1+6 E-unknown-key "sources"`, "7:27+1 E-value 1s"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, findings := spec.Parse("taxonomy.yaml", []byte(tt.src))
			var got, want []string
			for i, f := range findings {
				assert.NotEmpty(t, f.Hint, f.Message)
				place := fmt.Sprintf("%d:%d+%d %s", f.Span.Line, f.Span.Col, f.Span.Len, f.ID)
				if i < len(tt.want) {
					if hint, _, _ := strings.Cut(strings.TrimPrefix(tt.want[i], place), ";"); hint != tt.want[i] {
						assert.Contains(t, f.Hint, strings.TrimSpace(hint), f.Message)
						place += hint
					}
				}
				for _, r := range f.Related {
					place += fmt.Sprintf("; %d:%d+%d", r.Span.Line, r.Span.Col, r.Span.Len)
				}
				got = append(got, place)
			}
			want = append(want, tt.want...)
			assert.Equal(t, want, got)
			inRange(t, []byte(tt.src), findings)
		})
	}
}

// TestRanges gives numbers at the limits of each key, and the ones outside.
func TestRanges(t *testing.T) {
	policy := func(keys string) string { return "policies: {p: {" + keys + "}}\n" }
	code := func(keys string) string { return "categories: {c: {codes: {A: {message: a, " + keys + "}}}}\n" }
	for _, tt := range []struct {
		src       string // with % for the number
		good, bad []string
	}{
		{policy("max_attempts: %"), []string{"1", "1000000"}, []string{"0", "-1", "1000001"}},
		{policy("multiplier: %"), []string{"1", "99"}, []string{"0.9"}},
		{policy("jitter: %"), []string{"0", "1", "0.5", "full"}, []string{"-0.1", "1.1"}},
		{policy("adapt: {attempts: {min: %}}"), []string{"1", "100"}, []string{"0", "101"}},
		{policy("adapt: {attempts: {max: 4}, target: %}"), []string{"0.01", "0.99"}, []string{"0.009", "1"}},
		{policy("adapt: {attempts: {max: 4}, window: %}"), []string{"10", "1000"}, []string{"9", "1001"}},
		{policy("budget: {retries: %}"), []string{"0", "7.5"}, []string{"-0.1"}},
		{policy("budget: {retries: 1, window: %}"), []string{"1ns"}, []string{"0s"}},
		{policy("budget: {breaker: {failures: %}}"), []string{"1", "1000"}, []string{"0", "1001"}},
		{policy("budget: {breaker: {failures: 1, probe: %}}"), []string{"1ms"}, []string{"0s"}},
		{code("number: %"), []string{"1", "0", "-1"}, nil},
		{code("http: %"), []string{"400", "599"}, []string{"200", "399", "600"}},
		{code("exit: %"), []string{"1", "125"}, []string{"0", "126", "-1"}},
		{code("detect: [{status: [404, %]}]"), []string{"100"}, []string{"600"}},
		{code("detect: [{status: {min: %, max: 999}}]"), []string{"0", "400"}, nil},
		{code("detect: [{exit_code: %}], examples: [{exit_code: 1}]"), []string{"0"}, []string{"-1"}},
		{code("examples: [{status: %}]"), []string{"404"}, []string{"1"}},
		{code("prevent: {concurrency: %}"), []string{"1"}, []string{"0"}},
		{code("prevent: {throttle: 1s, likely: %}"), []string{"0", "0.99"}, []string{"1"}},
		{"fields: {a: {type: string, max_length: %}}\n", []string{"4"}, []string{"3"}},
		{"profiles: {a: {recovery: {max_attempts: %}}}\n", []string{"0"}, []string{"-1"}},
	} {
		for i, n := range append(append([]string(nil), tt.good...), tt.bad...) {
			src := "errgen: 1\npackage: p\n" + strings.Replace(tt.src, "%", n, 1)
			if !strings.Contains(src, "categories") {
				src += "categories: {c: {codes: {A: {message: a}}}}\n"
			}
			_, findings := spec.Parse("taxonomy.yaml", []byte(src))
			if i < len(tt.good) {
				assert.Empty(t, findings, src)
			} else if assert.Len(t, findings, 1, src) {
				assert.Equal(t, spec.IDValue, findings[0].ID, src)
			}
		}
	}
}
