package spec_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/spec"
)

// TestFindings gives each finding of form on the smallest input that shows it. What is wanted is
// written LINE:COLUMN+LENGTH ID: MESSAGE | HINT.
func TestFindings(t *testing.T) {
	const head = "errgen: 1\npackage: shop\n" // two lines
	const tail = "\ncategories: {user: {codes: {GONE: {message: gone}}}}\n"
	code := func(keys string) string {
		return head + "categories: {user: {codes: {GONE: {" + keys + "}}}}\n" // keys begin at 3:36
	}
	for _, tt := range []struct {
		name, src string
		want      []string
	}{
		{"no file at all", "",
			[]string{"1:1+1 E-missing-key: the file is empty | errgen init writes a taxonomy to begin with"}},
		{"unknown key, near name", code("message: gone, retriable: true"), []string{
			`3:51+9 E-unknown-key: unknown key "retriable" in a code | did you mean "retryable"?`}},
		{"unknown key, other home", code("message: gone, max_attempts: 3"), []string{
			`3:51+12 E-unknown-key: unknown key "max_attempts" in a code | "max_attempts" is a key of a policy, a ` +
				`recovery, a retry`}},
		{"x- keys are ignored", head + "x-a: [1]\npolicies: {p: {x-b: 2}}" + tail, nil},
		{"x- names are names", head + "sources: {x-ai: A provider.}" + tail, nil},
		{"reserved key", code("message: gone, purpose: x"), []string{
			`3:51+7 E-reserved-key: "purpose" is reserved for a later version of the language | "purpose" is a key ` +
				`of a tier, a reaction, a reaction overlay; here remove it, or begin the key with x- to have it ` +
				`ignored`}},
		{"a text in place of a mapping",
			head + "fallback: UNKNOWN\nreactions: {r: block, s: bolck}\ncategories: {user: {codes: {GONE: 'gone, " +
				"for good'}}}\n", []string{
				`3:11+7 E-wrong-type: fallback: expected a mapping (fallback), found text | write {code: UNKNOWN}`,
				`4:16+5 E-wrong-type: r: expected a mapping (reaction), found text | write {action: block}`,
				`4:26+5 E-wrong-type: s: expected a mapping (reaction), found text | `,
				`5:35+16 E-wrong-type: GONE: expected a mapping (code), found text | write {message: 'gone, for ` +
					`good'}`}},
		{"prevent of the file", head + "prevent: {check: x}" + tail, []string{
			`3:1+7 E-unknown-key: unknown key "prevent" in a taxonomy | "prevent" is a key of a code`}},
		{"prevent of a category", head + "categories: {user: {prevent: {}, codes: {GONE: {message: gone}}}}", []string{
			`3:21+7 E-unknown-key: unknown key "prevent" in a category | "prevent" is a key of a code`}},
		{"adapt that is no mapping", head + "policies: {p: {adapt: true}}" + tail, []string{
			`3:23+4 E-wrong-type: adapt: expected a mapping (adaptation), found true | `}},
		{"adapt in another place", head + "reactions: {r: {action: retry, adapt: {}}}" + tail, []string{
			`3:32+5 E-unknown-key: unknown key "adapt" in a reaction | "adapt" is a key of a policy, a retry`}},
		{"bounds of another form", head + "policies: {p: {adapt: {attempts: 5, delay: {min: 5}}}}" + tail, []string{
			`3:34+1 E-wrong-type: attempts: expected a mapping (range of attempts), found the number 5 | `,
			`3:50+1 E-duration: min: the duration 5 has no unit | write 5s for seconds, or 5ms for milliseconds`}},
		{"duplicate key", code("message: gone, message: away"), []string{
			`3:51+7 E-duplicate-key: the key "message" is given twice | ; 3:36+7 first declared here`}},
		{"missing key", code("doc: x"), []string{
			`3:29+4 E-missing-key: a code needs the key "message" | add "message": text`}},
		{"missing at the top", "errgen: 1\n", []string{
			`1:1+6 E-missing-key: a taxonomy needs the key "categories" | add "categories": a mapping of names`,
			`1:1+6 E-missing-key: a taxonomy needs the key "package" | add "package": text`}},
		{"key conflict", head + "fields: {a: {type: int, enum: [b]}}" + tail, []string{
			`3:25+4 E-key-conflict: a field has a type or an enum, not both | remove one of them; 3:14+4 the type ` +
				`is given here`}},
		{"no value", code("message: gone, doc: "), []string{
			`3:51+3 E-empty: "doc" has no value | write text, or remove the key`}},
		{"no item", code("message: gone, groups: [~]"), []string{
			`3:60+1 E-empty: an empty item | write the name of a group, or remove it`}},
		{"empty lists of a rule",
			code("message: gone, detect: [{text: [], contains: [], source: {not: []}, op: {prefix: []}}]"), []string{
				`3:67+2 E-empty: "text" is an empty list | write text, or remove the key`,
				`3:81+2 E-empty: "contains" is an empty list | write text, or remove the key`,
				`3:99+2 E-empty: "not" is an empty list | write text, or remove the key`,
				`3:117+2 E-empty: "prefix" is an empty list | write text, or remove the key`}},
		{"empty attributes", code("message: gone, detect: [{attributes: {}}], examples: [{attributes: {}}]"), []string{
			`3:73+2 E-empty: "attributes" is empty | write a mapping of names, or remove the key`,
			`3:103+2 E-empty: "attributes" is empty | write a mapping of names, or remove the key`}},
		{"wrong type", code("message: gone, groups: network"), []string{
			`3:59+7 E-wrong-type: groups: expected a list, found text | write [network]`}},
		{"number in quotes", code("message: gone, http: '404'"), []string{
			`3:57+5 E-wrong-type: http: expected a whole number, found text | write it without quotes`}},
		{"octal", code("message: gone, number: 017"), []string{
			`3:59+3 E-wrong-type: number: 017 is not a whole number in plain decimal form | write digits only, ` +
				`without leading zeros`}},
		{"too large a number", code("message: gone, number: 99999999999999999999"), []string{
			`3:59+20 E-wrong-type: number: 99999999999999999999 is not a whole number in plain decimal form | write ` +
				`digits only, without leading zeros`}},
		{"infinity", head + "policies: {p: {multiplier: .inf}}" + tail, []string{
			`3:28+4 E-wrong-type: multiplier: .inf is not a finite decimal number | `}},
		{"bad word", code("message: gone, severity: hihg"), []string{
			`3:61+4 E-bad-value: severity cannot be "hihg" | did you mean "high"?`}},
		{"bad purpose",
			head + "tiers: {low: {purpose: diagnose}}\nreactions: {r: {action: retry, to: low, purpose: none}}" + tail,
			[]string{
				`3:24+8 E-bad-value: purpose cannot be "diagnose" | did you mean "diagnosis"?`,
				`4:50+4 E-bad-value: purpose cannot be "none" | write one of diagnosis, analysis, verification`}},
		{"a word that is no text to YAML", head + "reactions: {r: {action: escalate, purpose: true}}" + tail, []string{
			`3:44+4 E-bad-value: purpose cannot be "true" | write one of diagnosis, analysis, verification`}},
		{"no value, no space",
			head + "reactions: {r: {action: escalate, purpose:, then: block}, s: {action: escalate, purpose:}}" + tail,
			[]string{
				`3:35+8 E-empty: "purpose" has no value | write a space and a value behind the colon, or remove the ` +
					`key`,
				`3:81+8 E-empty: "purpose" has no value | write a space and a value behind the colon, or remove the ` +
					`key`}},
		{"bad word, nothing near", code("message: gone, severity: bad"), []string{
			`3:61+3 E-bad-value: severity cannot be "bad" | write one of low, medium, high, critical`}},
		{"empty name", head + "sources: {'': x}" + tail, []string{`3:11+2 E-bad-value: a name cannot be empty | `}},
		{"version", "errgen: 3\npackage: a" + tail,
			[]string{`1:9+1 E-version: version 3 of the language is unknown | this errgen reads version 1`}},
		{"code like a float",
			head + "categories: {sql: {codes: {08006: {message: m}, 1E5: {message: m}, 22E06: {message: m}}}}",
			[]string{
				`3:28+5 E-number-text: the key 08006 is a number to YAML | put it in quotes: '08006'`,
				`3:49+3 E-number-text: the key 1E5 is a number to YAML | put it in quotes: '1E5'`,
				`3:68+5 E-number-text: the key 22E06 is a number to YAML | put it in quotes: '22E06'`}},
		{"code in quotes", head + "categories: {sql: {codes: {'08006': {message: m}}}}", nil},
		{"since like a float", code("message: gone, since: 1.10"), []string{
			`3:58+4 E-number-text: 1.10 is a number to YAML, and text is expected here | put it in quotes: '1.10'`}},
		{"date as text", code("message: gone, since: 2024-05-06"), nil},
		{"yes", code("message: gone, retryable: yes"), []string{
			`3:62+3 E-bool-word: retryable: yes is a truth value to some YAML readers and text to others | write ` +
				`true`}},
		{"True", code("message: gone, retryable: True"), []string{
			`3:62+4 E-bool-word: retryable: True is a truth value to some YAML readers and text to others | write ` +
				`true`}},
		{"duration without unit", head + "policies: {p: {initial_delay: 5}}" + tail, []string{
			`3:31+1 E-duration: initial_delay: the duration 5 has no unit | write 5s for seconds, or 5ms for ` +
				`milliseconds`}},
		{"duration in days", head + "policies: {p: {max_delay: 2d}}" + tail, []string{
			`3:27+2 E-duration: max_delay: "2d" is not a duration | write numbers with the units h, m, s, ms, us or ` +
				`ns: 1m30s, 500ms, 36h`}},
		{"comma in text", head + "groups: {net: The net, always., auth: x}" + tail, []string{
			`3:24+7 E-flow-comma: a comma ends a value inside {…}, so this became a key without a value | put the ` +
				`text that holds the comma in quotes; 3:15+7 the value was cut here`}},
		{"braces as text", code("message: {id}"), []string{
			`3:45+4 E-unquoted: message: text that begins with { is a mapping to YAML | put the text in quotes: ` +
				`'{id}'`}},
		{"braces and text", head + "doc: {x} gone" + tail, []string{
			`3:6+1 E-unquoted: a value that begins with { is a mapping to YAML, and text follows it | put the whole ` +
				`text in quotes: '{x} gone'`}},
		{"backslash", head + `doc: "a \d"` + tail, []string{
			`3:9+2 E-escape: the escape \d is unknown in double quotes | use single quotes, where a backslash is ` +
				`itself`}},
		{"short escape", head + `doc: "a \u00"` + tail, []string{
			`3:9+2 E-escape: the escape \u takes 4 hexadecimal digits | use single quotes, where a backslash is ` +
				`itself`}},
		{"a pair as JSON writes it", head + `doc: "a \ud83d\ude00 \ud83d"` + tail, []string{
			`3:9+12 E-escape: the escape \ud83d\ude00 is no character to YAML | write the character itself, or ` +
				`\U0001F600`,
			`3:22+6 E-escape: the escape \ud83d is no character to YAML | write the character itself`}},
		{"no code point", head + `doc: "a \U00110000"` + tail, []string{
			`3:9+10 E-escape: the escape \U00110000 is no character to YAML | write the character itself`}},
		{"an anchor before a key", head + "&a categories: {user: {codes: {GONE: {message: gone}}}}", []string{
			"3:1+2 E-anchor: an anchor is not part of the language | name a reaction or policy, or write the value " +
				"out; text that begins with & needs quotes"}},
		{"tab", head + "policies:\n\tp: {}" + tail,
			[]string{`4:1+1 E-tab: a tab indents this line | indent with spaces`}},
		{"tab in text is text", head + "doc: a\tb" + tail, nil},
		{"bad indent", head + "policies:\n    p: {}\n  q: {}" + tail, []string{
			`5:3+1 E-indent: this line is indented by 2 spaces, like no block above it | indent it by 4 spaces, ` +
				`like line 4, or by 0 spaces, like line 3`}},
		{"bad indent far from where the library sees it", head +
			"policies:\n  p:\n    doc: |\n      a\n\n      b\n   max_attempts: 3\n\n# c\n  q: {}" + tail, []string{
			`9:4+12 E-indent: this line is indented by 3 spaces, like no block above it | indent it by 4 spaces, ` +
				`like line 5, or by 2 spaces, like line 4`}},
		{"open quote", head + "doc: 'never closed" + tail,
			[]string{`3:6+1 E-unclosed: this quote is never closed | close it with '`}},
		{"open bracket", head + "x-a: [b, c" + tail,
			[]string{`3:6+1 E-unclosed: this [ is never closed | text that begins with a bracket needs quotes`}},
		{"alias", head + "x-a: &a b\nx-c: *a" + tail, []string{
			"3:6+2 E-anchor: an anchor is not part of the language | name a reaction or policy, or write the value " +
				"out; text that begins with & needs quotes",
			"4:6+2 E-anchor: an alias is not part of the language | name a reaction or policy, or write the value " +
				"out; text that begins with * needs quotes"}},
		{"merge key", head + "x-a: {<<: {b: c}}" + tail,
			[]string{"3:7+2 E-anchor: a merge key is not part of the language | write the keys out"}},
		{"tag", head + "doc: !!str 5" + tail,
			[]string{"3:6+5 E-tag: a YAML tag is not part of the language | leave it out; text that begins with ! " +
				"needs quotes"}},
		{"second document", head + tail[1:] + "---\na: b\n", []string{
			"4:1+3 E-second-document: a second document begins here | a file holds one taxonomy: remove the line " +
				"or split the file"}},
		{"one document with its marks", "---\n" + head + tail[1:] + "...\n", nil},
		{"byte order mark", "\uFEFF" + head + "docs: x" + tail,
			[]string{`3:1+4 E-unknown-key: unknown key "docs" in a taxonomy | did you mean "doc"?`}},
		{"UTF-16", "\xff\xfee\x00", []string{"1:1+1 E-encoding: the file is encoded as UTF-16 | save it as UTF-8"}},
		{"bad byte", head + "doc: é\xff" + tail,
			[]string{"3:7+1 E-encoding: the byte 0xff is not UTF-8 | save the file as UTF-8"}},
		{"line separator", head + "doc: a\u2028b" + tail,
			[]string{`3:7+1 E-encoding: the character U+2028 ends a line for some readers only | write "\u2028" in ` +
				`double quotes if it is meant`}},
		{"NUL", head + "doc: a\x00b" + tail, []string{"3:7+1 E-control: a NUL character | remove it"}},
		{"mapping as a key", head + "x-a: {[b]: c}" + tail,
			[]string{"3:7+3 E-wrong-type: a key must be text, found a list | "}},
		{"ignore without an id", "# errgen:ignore -- because\n" + head + tail[1:], []string{
			"1:1+26 E-ignore: this comment names nothing to ignore | write # errgen:ignore W-unsorted -- and the " +
				"reason"}},
		{"ignore of an error", head + tail[1:len(tail)-1] + " # errgen:ignore E-tag\n", []string{
			"3:70+5 E-ignore: an error cannot be ignored: E-tag | only warnings (W-…) can"}},
		{"not YAML", head + "doc: - a" + tail, []string{
			"3:1+8 E-yaml-syntax: this is not YAML: block sequence entries are not allowed in this context | the " +
				"fault may stand above this line"}},
		{"no colon", head + "doc" + tail, []string{
			"3:1+3 E-yaml-syntax: this line has no colon, where a key and its value are expected | write key: " +
				"value, with a space behind the colon"}},
		{"fault behind quoted keys", head + "'x-a': \"b: c\"\n\"x-d\": e: f" + tail, []string{
			"4:9+1 E-unquoted: a colon before a space ends a key, also in the middle of text | put the text in " +
				"quotes: 'e: f'"}},
		{"fault behind multi-line text",
			head + "x-a: 'b: c\n  d: e' # f\nx-g: [h,\n  i # j\n  ]\nx-k: l\n  m\ndoc: @n" + tail, []string{
				"10:6+2 E-unquoted: text cannot begin with @ | text that begins with @ needs quotes: '@n'"}},
		{"text behind a closing bracket on another line", head + "x-a: [b,\n  c] d" + tail, []string{
			"4:5+1 E-unquoted: text follows the closing bracket | remove it, or put the whole value in quotes"}},
		{"list item under a complete line", head + "x-a: 'b'\n  - c" + tail, []string{
			"4:3+3 E-indent: this line is indented under a line that has its value already | indent it by 0 " +
				"spaces, like line 3; 3:1+8 this line is complete"}},
		{"one space", head + "x-a:\n  b: c\n d: e" + tail, []string{
			"5:2+1 E-indent: this line is indented by 1 space, like no block above it | indent it by 2 spaces, " +
				"like line 4, or by 0 spaces, like line 3"}},
		{"two faults in one text", head + `doc: "a \d" \e` + tail, []string{
			`3:9+2 E-escape: the escape \d is unknown in double quotes | use single quotes, where a backslash is ` +
				`itself`,
			`3:13+2 E-unquoted: text goes on behind its closing quote | a quote inside "…" is written \"`}},
		{"braces in text inside braces", head + "sources: {a: no {id}}" + tail, []string{
			"3:14+2 E-unquoted: text that holds { needs quotes inside of brackets | put the text in quotes"}},
		{"reaction of a wrong form", code("message: gone, reaction: [abort]"), []string{
			"3:61+7 E-wrong-type: reaction: expected the name of a reaction, or a mapping (reaction), found a list " +
				"| "}},
		{"policy of a wrong form", code("message: gone, reaction: {action: retry, policy: 5}"), []string{
			"3:85+1 E-number-text: 5 is a number to YAML, and text is expected here | put it in quotes: '5'"}},
		{"choice by flag outside of a profile", code("message: gone, reaction: {retryable: block}"), []string{
			`3:51+8 E-missing-key: a reaction needs the key "action" | add "action": one of retry, retry_operation, ` +
				`continue, abort, block, escalate, recover`,
			`3:62+9 E-unknown-key: unknown key "retryable" in a reaction | "retryable" is a key of a category, a ` +
				`code, a when branch`}},
		{"unknown key of an example", code("message: gone, examples: [{exitcode: 1}]"), []string{
			`3:63+8 E-unknown-key: unknown key "exitcode" in an example | did you mean "exit_code"?`}},
		{"scalar expected in a matcher", code("message: gone, when: [{if: {a: {min: [1]}}, http: 500}]"), []string{
			"3:73+3 E-wrong-type: min: expected text, a number or a truth value, found a list | "}},
		{"bool in quotes", code("message: gone, retryable: 'true'"), []string{
			"3:62+6 E-wrong-type: retryable: expected true or false, found text | write it without quotes"}},
		{"all at once", head + "doc: {x} gone\nops: {a: b}\nops: {}\nsorces: {}" + tail, []string{
			`3:6+1 E-unquoted: a value that begins with { is a mapping to YAML, and text follows it | put the whole ` +
				`text in quotes: '{x} gone'`,
			`5:1+3 E-duplicate-key: the key "ops" is given twice | ; 4:1+3 first declared here`,
			`6:1+6 E-unknown-key: unknown key "sorces" in a taxonomy | did you mean "sources"?`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, findings := spec.Parse("taxonomy.yaml", []byte(tt.src))
			var got []string
			for _, f := range findings {
				line := fmt.Sprintf("%d:%d+%d %s: %s | %s", f.Span.Line, f.Span.Col, f.Span.Len, f.ID, f.Message,
					f.Hint)
				for _, r := range f.Related {
					line += fmt.Sprintf("; %d:%d+%d %s", r.Span.Line, r.Span.Col, r.Span.Len, r.Message)
				}
				got = append(got, line)
			}
			assert.Equal(t, tt.want, got)
			inRange(t, []byte(tt.src), findings)
		})
	}
}
