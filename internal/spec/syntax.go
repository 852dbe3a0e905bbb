package spec

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// trap is a frequent mistake in a line. The group "at" is the reported part. If there is a group
// "text", the hint ends with its text in quotes.
type trap struct {
	line          *regexp.Regexp
	message, hint string
}

// traps are tried in order on the line that breaks a file.
var traps = []trap{
	{
		regexp.MustCompile(`^(?P<at><<<<<<<) `),
		"a merge conflict begins here", "resolve the conflict, then run errgen generate",
	},
	{regexp.MustCompile(`^ *(?P<at>\t\s*)`), "a tab indents this line", "indent with spaces"},
	{
		regexp.MustCompile(`"(?:[^"\\]|\\.)*?(?P<at>\\[^0abt\tnvfre "/\\N_LPxuU])`),
		"the escape does not exist in double quotes", "use single quotes, where a backslash has no meaning",
	},
	{
		regexp.MustCompile("(?:[:,{\\[]|- ) *(?P<at>(?P<text>[@`%*][^,{}\\[\\]]*))"),
		"the first character of the text has a meaning in YAML", "put the text in quotes",
	},
	{
		regexp.MustCompile(`: +(?P<text>[^\s'"{\[#][^'"{}\[\],]*?(?P<at>:)(?: [^{}\[\],]*|$))`),
		"a colon before a space ends a key, also in the middle of text", "put the text in quotes",
	},
	{
		regexp.MustCompile(`^[^:{}\[\]]*: +(?P<text>[^\s'"{\[#][^'":]*[}\]][^'":]*(?P<at>:)(?: .*|$))`),
		"a colon before a space ends a key, also in the middle of text", "put the text in quotes",
	},
	{
		regexp.MustCompile(`: +(?P<text>(?P<at>[{\['"])` +
			`(?:[^{}]*\}|[^\[\]]*\]|(?:[^']|'')*'|(?:[^"\\]|\\.)*") *[^ ,}\]#:].*)`),
		"text follows the end of a value that begins with a quote or a bracket", "put the whole text in quotes",
	},
	{
		regexp.MustCompile(`: +(?P<text>(?P<at>[^\s'"{\[#,}\]][^,{}\[\]]*?) *[{\[][^{}\[\]]*[}\]][^,{}\[\]]*)`),
		"text that contains a bracket needs quotes inside of brackets", "put the text in quotes",
	},
	{
		regexp.MustCompile(`^\s*(?P<at>[^-:{}\[\]'"#\s][^:{}\[\]'"#]*)$`),
		"this line has no colon, where a key and its value are expected",
		"write key: value, with a space behind the colon",
	},
}

// syntax reports the first line that makes the file invalid YAML.
func (d *decoder) syntax(src []byte, err error) {
	n := brokenLine(src)
	line := d.lines.Line(n)
	for _, t := range traps {
		m := t.line.FindStringSubmatchIndex(line)
		if m == nil {
			continue
		}
		hint, group := t.hint, 2*t.line.SubexpIndex("at")
		if i := 2 * t.line.SubexpIndex("text"); i > 0 {
			hint += ": " + quote(unquoted(strings.TrimSpace(line[m[i]:m[i+1]])))
		}
		d.fail(IDYAML, d.lines.bytes(n, m[group], m[group+1]), hint, "%s", t.message)
		return
	}
	if like := d.misplaced(n); like > 0 {
		d.fail(IDYAML, d.lines.content(n), fmt.Sprintf("indent it like line %d", like),
			"this line is not indented like any block above it")
		return
	}
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if _, rest, found := strings.Cut(message, ": "); found && strings.HasPrefix(message, "line ") {
		message = rest
	}
	d.fail(IDYAML, d.lines.content(n),
		"close every quote and bracket, put text that begins with one in quotes, and indent like the lines above",
		"this is not YAML: %s", message)
}

// unquoted removes the quotes around a text that also contains some.
func unquoted(s string) string {
	if len(s) > 1 && strings.IndexByte(`'"`, s[0]) >= 0 && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// brokenLine returns the line that makes a file invalid. The file is valid before this line, and
// invalid with it. The library often reports a later line.
func brokenLine(src []byte) int {
	ends := []int{0} // of the lines, from 1
	for i, c := range src {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	ends = append(ends, len(src))
	last := len(ends) - 1
	valid := func(line int) bool {
		_, err := documents(src[:ends[line]])
		return err == nil
	}
	good, bad := 0, last
	for bad-good > 1 {
		if middle := (good + bad) / 2; valid(middle) {
			good = middle
		} else {
			bad = middle
		}
		if bad-good > 1 || !bytes.ContainsAny(src[ends[good]:ends[bad]], `{["'`) {
			continue
		}
		for n := bad + 1; n < min(last, bad+maxOpenLines); n++ {
			if valid(n) { // line n closes the brackets or quotes
				good, bad = n, last
				break
			}
		}
	}
	return bad
}

// maxOpenLines is the maximum number of lines that brackets or quotes are expected to span.
const maxOpenLines = 30

// misplaced returns a line above whose indentation the line probably should have. If the
// indentation is that of a block above, it returns 0.
func (d *decoder) misplaced(line int) (like int) {
	indent, above := indentOf(d.lines.Line(line)), -1
	for n := line - 1; n > 0; n-- {
		text := d.lines.Line(n)
		in := indentOf(text)
		if isBlank(text) || above >= 0 && in >= above {
			continue
		}
		if in == indent || above < 0 && in < indent && strings.HasSuffix(strings.TrimRight(text, " "), ":") {
			return 0
		}
		if above = in; in > indent || like == 0 {
			like = n
		}
	}
	return like
}
