package template

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// show prints pieces so that a table can hold them: text in quotes, <name:format>, [group].
func show(pieces []Part[struct{}]) string {
	var b strings.Builder
	for _, p := range pieces {
		switch {
		case p.Group != nil:
			fmt.Fprintf(&b, "[%s]", show(p.Group))
		case p.Name != "":
			fmt.Fprintf(&b, "<%s|%s>", p.Name, p.Format)
		default:
			fmt.Fprintf(&b, "%q", p.Text)
		}
	}
	return b.String()
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"plain", `"plain"`},
		{"no user {id}", `"no user "<id|>`},
		{"{files:count} forbidden: {files}", `<files|count>" forbidden: "<files|>`},
		{"p {provider} API error[ {statusCode}][: {rawError:first_line}]",
			`"p "<provider|>" API error"[" "<statusCode|>][": "<rawError|first_line>]`},
		{"a[ {x}, really]", `"a"[" "<x|>", really"]`},
		{"{{literal}}", `"{literal}"`},
		{"{{{x}}}", `"{"<x|>"}"`},
		{"[[{x}]]", `"["<x|>"]"`},
		{"[a {x}]]]", `["a "<x|>"]"]`},
		{"100% {x}", `"100% "<x|>`},
		{"ümlaut {größe}", `"ümlaut "<größe|>`},
		{"{a.b}", `<a.b|>`},
		{"{a:b:c}", `<a|b:c>`},
	} {
		t.Run(tt.text, func(t *testing.T) {
			got, errs := Parse[struct{}](tt.text)
			assert.Empty(t, errs)
			assert.Equal(t, tt.want, show(got))
		})
	}
}

func TestParseFaults(t *testing.T) {
	for _, tt := range []struct{ text, at, msg, want string }{
		{"a {unclosed", "{", "never closed", `"a {unclosed"`},
		{"a {b {c}", "{", "never closed", `"a {b "<c|>`},
		{"a {b\n}", "{", "never closed", `"a {b\n}"`},
		{"a } b", "}", "without", `"a } b"`},
		{"a {} b", "{}", "without a field", `"a {} b"`},
		{"a {:count}", "{:count}", "without a field", `"a {:count}"`},
		{"a {x:}", "{x:}", "without a format", `"a {x:}"`},
		{"a { x }", "{ x }", "space", `"a { x }"`},
		{"a {x: count}", "{x: count}", "space", `"a {x: count}"`},
		{"a [ {x}", "[", "never closed", `"a ""["" "<x|>`},
		{"a ] b", "]", "without", `"a ] b"`},
		{"a [b [{x}]", "[", "nest", `"a "["b ["<x|>]`},
		{"index [0]", "[0]", "without a placeholder", `"index "["0"]`},
	} {
		t.Run(tt.text, func(t *testing.T) {
			got, errs := Parse[struct{}](tt.text)
			if assert.NotEmpty(t, errs) {
				e := errs[0]
				assert.Equal(t, tt.at, tt.text[e.Offset:e.Offset+e.Len])
				assert.Contains(t, e.Msg, tt.msg)
			}
			assert.Equal(t, tt.want, show(got))
		})
	}
}

func TestParseOffsets(t *testing.T) {
	text := "ü {{ {a}[ {b:count} ]]x]"
	pieces, errs := Parse[struct{}](text)
	assert.Empty(t, errs)
	var spans []string
	var walk func([]Part[struct{}])
	walk = func(ps []Part[struct{}]) {
		for _, p := range ps {
			spans = append(spans, text[p.Offset:p.Offset+p.Len])
			walk(p.Group)
		}
	}
	walk(pieces)
	assert.Equal(t, []string{"ü {{ ", "{a}", "[ {b:count} ]]x]", " ", "{b:count}", " ]]x"}, spans)
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "{x}", "[: {x:quoted}]", "{{}}[[]]", "[{", "{[", "]}", "[[[{a}]]]", "\xff{",
		"{a\nb}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pieces, errs := Parse[struct{}](text)
		for _, e := range errs {
			if e.Offset < 0 || e.Len < 1 || e.Offset+e.Len > len(text) {
				t.Fatalf("fault out of range: %+v", e)
			}
		}
		end := 0
		for _, p := range pieces {
			if p.Offset < end && len(errs) == 0 || p.Offset+p.Len > len(text) {
				t.Fatalf("piece out of place: %+v", p)
			}
			end = p.Offset + p.Len
		}
		if len(errs) == 0 && end != len(text) {
			t.Fatalf("pieces end at %d of %d", end, len(text))
		}
	})
}
