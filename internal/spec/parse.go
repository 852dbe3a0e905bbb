package spec

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/diag"
)

// The ids of the findings on the form of a file. An id never changes its meaning.
const (
	IDYAML       = "E-yaml"        // the file is not YAML, or has parts of YAML that are not allowed
	IDUnknownKey = "E-unknown-key" // a key that its mapping does not take
	IDMissingKey = "E-missing-key" // a required key is absent
	IDDuplicate  = "E-duplicate"   // a key is duplicated
	IDValue      = "E-value"       // a value that its key does not take
	IDIgnore     = "E-ignore"      // an errgen:ignore comment that does not name a warning
)

// IDs returns the ids of all findings that [Parse] can make.
func IDs() []string {
	return []string{IDYAML, IDUnknownKey, IDMissingKey, IDDuplicate, IDValue, IDIgnore}
}

// maxBytes is the maximum size of a file. Ten thousand codes with rules and examples have less.
const maxBytes = 16 << 20

// Parse reads a taxonomy and reports all faults of its form. The taxonomy is never nil. If there
// are findings, it contains the valid parts. name is the name of the file in findings.
func Parse(name string, src []byte) (*Taxonomy, []diag.Finding) {
	t := &Taxonomy{Source: diag.NewSource(name, src)}
	t.lines = &lines{t.Source}
	d := &decoder{lines: t.lines}
	if root := d.read(src); root != nil {
		d.mapping(reflect.ValueOf(t).Elem(), root, nil, TheLanguage().Root)
		t.Ignores = d.ignores()
		t.nest()
	}
	diag.Sort(d.out)
	return t, d.out
}

// decoder reads YAML into nodes, and nodes into the structs of the language. It reports all that a
// taxonomy cannot contain.
type decoder struct {
	*lines
	out []diag.Finding
	// broken is true if parts of the file could not be read. Missing keys are then not reported,
	// because those parts may contain them.
	broken bool
}

// fail reports a finding. After a finding with IDYAML it ignores missing keys.
func (d *decoder) fail(id string, at diag.Span, hint, format string, args ...any) {
	if d.broken = d.broken || id == IDYAML; d.broken && id == IDMissingKey {
		return
	}
	d.out = append(d.out, diag.Finding{ID: id, Span: at, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// related adds a second place to the last finding.
func (d *decoder) related(at diag.Span, message string) {
	last := &d.out[len(d.out)-1]
	last.Related = append(last.Related, diag.Related{Span: at, Message: message})
}

// read returns the root of the file with the sections of the included files, or nil if the file has
// nothing to decode.
func (d *decoder) read(src []byte) *yaml.Node {
	if len(src) > maxBytes {
		d.fail(IDYAML, diag.Span{Line: 1, Col: 1, Len: 1}, "split the taxonomy",
			"the file has %d bytes, more than %d", len(src), maxBytes)
		return nil
	}
	text := bytes.TrimPrefix(src, []byte("\uFEFF"))
	at := unreadable.FindIndex(text)
	if !utf8.Valid(text) {
		i := bytes.IndexRune(text, utf8.RuneError)
		at = []int{i, i + 1}
	}
	if at != nil {
		start := bytes.LastIndexByte(text[:at[0]], '\n') + 1
		d.fail(IDYAML, d.lines.at(bytes.Count(text[:start], []byte("\n"))+1, utf8.RuneCount(text[start:at[0]])+1, 1),
			`remove it, save the file as UTF-8, or write "\uXXXX" in double quotes`,
			"the file contains %+q, which readers of YAML treat differently", text[at[0]:at[1]])
		return nil
	}
	root, err := d.parse(src)
	switch {
	case err != nil:
		d.syntax(src, err)
	case root == nil && len(d.out) == 0:
		d.fail(IDMissingKey, d.lines.at(1, 1, 1), "errgen init writes a taxonomy to begin with", "the file is empty")
	case root != nil:
		d.clean(root)
	}
	return root
}

// unreadable matches characters that only some readers of YAML accept, or read as the end of a
// line.
var unreadable = regexp.MustCompile(
	`[^\t\n\r -~\x{A0}-\x{2027}\x{202A}-\x{FEFE}\x{FF00}-\x{FFFD}\x{10000}-\x{10FFFF}]|\r(?:[^\n]|$)`)

// documents returns the roots of the documents in a file.
func documents(src []byte) (roots []*yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil { // the library panics on some malformed comments
			roots, err = nil, fmt.Errorf("yaml: %v", p)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(src))
	for {
		var doc yaml.Node
		if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
			return roots, nil
		} else if err != nil {
			return nil, err
		}
		roots = append(roots, doc.Content[0])
	}
}

// parse returns the root of the file with the sections of the included files, or nil if the file is
// empty.
func (d *decoder) parse(src []byte) (*yaml.Node, error) {
	var root, last *yaml.Node
	all, err := documents(src)
	for _, n := range all {
		switch {
		case isEmpty(n):
		case last != nil && d.file(n) == d.file(last):
			line := n.Line
			for line > 1 && !strings.HasPrefix(d.lines.Line(line), "---") {
				line--
			}
			d.fail(IDYAML, d.lines.at(line, 1, 3), "split the file, or remove the line",
				"a second document begins here")
		case root == nil:
			root = n
		default:
			d.merge(root, n)
		}
		last = n
	}
	return root, err
}

// file returns the name of the file that a node is in.
func (d *decoder) file(n *yaml.Node) string {
	name, _ := d.lines.Place(n.Line)
	return name
}

// clean reports and rejects the parts of YAML that the language does not allow. A rejected node has
// no kind.
func (d *decoder) clean(n *yaml.Node) {
	const spellOut = "name a reaction or policy, or write the value out; text that begins with %s needs quotes"
	switch {
	case n.Kind == yaml.AliasNode:
		d.reject(n, fmt.Sprintf(spellOut, "*"), "an alias is not part of the language")
	case n.Anchor != "":
		d.reject(n, fmt.Sprintf(spellOut, "&"), "an anchor is not part of the language")
	case n.Tag == "!!merge":
		d.reject(n, "write the keys out", "a merge key is not part of the language")
	case n.Style&yaml.TaggedStyle != 0:
		d.reject(n, "leave it out; text that begins with ! needs quotes", "a YAML tag is not part of the language")
	default:
		for _, c := range n.Content {
			d.clean(c)
		}
		if n.Kind == yaml.MappingNode {
			d.cleanKeys(n)
		}
	}
}

// reject reports a node and removes its kind.
func (d *decoder) reject(n *yaml.Node, hint, message string) {
	token := d.lines.From(n.Line, n.Column)
	if i := strings.IndexAny(token, " \t,]}"); i >= 0 {
		token = token[:i]
	}
	length := utf8.RuneCountInString(strings.TrimSuffix(token, ":"))
	d.fail(IDYAML, d.lines.at(n.Line, n.Column, length), hint, "%s", message)
	n.Kind = 0
}

// cleanKeys removes invalid and duplicate keys of a mapping, with their values.
func (d *decoder) cleanKeys(n *yaml.Node) {
	first := make(map[string]*yaml.Node, len(n.Content)/2)
	content := n.Content
	n.Content = content[:0:len(content)]
	for i := 0; i+1 < len(content); i += 2 {
		key, value := content[i], content[i+1]
		switch {
		case key.Kind == 0:
			continue
		case key.Kind != yaml.ScalarNode:
			d.fail(IDYAML, d.span(key), "write text as the key", "a key must be text")
			continue
		case n.Style&yaml.FlowStyle != 0 && isEmpty(value) && !d.hasColon(key):
			d.fail(IDYAML, d.span(key), "put text with a comma, a colon or braces in quotes, and a list in [brackets]",
				"%q has no value: inside {…} a comma ends a value", clip(key.Value))
			if len(n.Content) == 0 {
				n.Kind = 0
			}
			continue
		case isNull(key) && key.Value == "":
			d.fail(IDValue, d.span(key), "write a key before the colon", "a value without a key")
			continue
		case literalKind(key) != LitString:
			d.fail(IDValue, d.span(key), "put it in quotes: "+quote(key.Value), "the key %s is %s to YAML",
				clip(key.Value), noun(key))
		case first[key.Value] != nil:
			d.fail(IDDuplicate, d.span(key), "remove one of them", "the key %q is given twice", clip(key.Value))
			d.related(d.span(first[key.Value]), "first declared here")
			continue
		}
		first[key.Value] = key
		n.Content = append(n.Content, key, value)
	}
}

// hasColon reports whether a colon follows a key.
func (d *decoder) hasColon(key *yaml.Node) bool {
	at := d.span(key)
	rest := d.lines.From(at.Line, at.Col+at.Len)
	return strings.HasPrefix(strings.TrimLeft(rest, " \t"), ":") || rest == "" && strings.Contains(key.Value, "\n")
}

func quoted(n *yaml.Node) bool {
	return n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

// quote returns a text in single quotes of YAML.
func quote(s string) string { return "'" + strings.ReplaceAll(clip(s), "'", "''") + "'" }

// clip shortens a text that is quoted in a message.
func clip(s string) string {
	const most = 40
	if s = strings.ToValidUTF8(s[:min(len(s), 4*most)], "\uFFFD"); utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// span returns the place of a node: the token of a scalar, the brackets of a collection if they are
// on one line, otherwise the first token or the rest of the line.
func (l *lines) span(n *yaml.Node) diag.Span {
	text := l.From(n.Line, n.Column)
	length := 0
	switch {
	case n.Kind == yaml.ScalarNode:
		length = tokenLength(n, text)
	case n.Style&yaml.FlowStyle != 0:
		length = bracketLength(text)
	case n.Kind == yaml.MappingNode && len(n.Content) > 0:
		return l.span(n.Content[0])
	case n.Kind == yaml.SequenceNode:
		length = 1
	}
	if length > 0 {
		return l.at(n.Line, n.Column, utf8.RuneCountInString(text[:length]))
	}
	return l.rest(n.Line, n.Column)
}

// bracketLength returns the number of bytes up to the bracket that closes the first one, or 0 if it
// is on another line.
func bracketLength(text string) int {
	open := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			open++
		case '}', ']':
			if open--; open == 0 {
				return i + 1
			}
		case '"', '\'':
			if i > 0 && strings.IndexByte("{[ ,:", text[i-1]) >= 0 {
				i += max(0, quoteEnd(text[i:])-1)
			}
		}
	}
	return 0
}

// tokenLength returns the number of bytes of a scalar's token, or 0 if it continues on another
// line.
func tokenLength(n *yaml.Node, text string) int {
	switch {
	case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		return cmp.Or(quoteEnd(text), len(text))
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return max(strings.IndexAny(text, " \t"), 0)
	case strings.HasPrefix(text, n.Value):
		return len(n.Value)
	}
	return 0
}

// quoteEnd returns the offset after the closing quote of a text that begins with a quote, or 0 if
// it is not closed.
func quoteEnd(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[0] == '"' && text[i] == '\\', text[0] == '\'' && strings.HasPrefix(text[i:], "''"):
			i++
		case text[i] == text[0]:
			return i + 1
		}
	}
	return 0
}

// lines finds places in a source by line and column. Columns count characters.
type lines struct{ *diag.Source }

// at returns a span. A part outside of the file is cut off.
func (l *lines) at(line, col, length int) diag.Span {
	line = min(max(line, 1), l.Lines())
	col = max(col, 1)
	width := 0
	for range l.From(line, col) {
		if width++; width >= length {
			break
		}
	}
	return diag.Span{Line: line, Col: col, Len: max(width, 1)}
}

// rest returns the span from a column to the end of the line, without a comment.
func (l *lines) rest(line, col int) diag.Span {
	text, _, _ := strings.Cut(l.From(line, col), " #")
	return l.at(line, col, utf8.RuneCountInString(strings.TrimRight(text, " \t")))
}

// content returns the span of a line without its indentation and comment.
func (l *lines) content(line int) diag.Span { return l.rest(line, indentOf(l.Line(line))+1) }

func indentOf(text string) int { return len(text) - len(strings.TrimLeft(text, " \t")) }

// Locate returns the place of length bytes at an offset of a text. If they have another form in the
// source, it returns the place of the whole text.
func (t *Taxonomy) Locate(text Text, offset, length int) diag.Span {
	if t.lines == nil || !text.Span.Valid() || offset < 0 || length < 0 || offset+length > len(text.V) {
		return text.Span
	}
	return t.lines.locate(text, offset, length)
}

// locate searches the source for the part. If the text contains the part n times before the offset,
// it skips as many in the source.
func (l *lines) locate(text Text, offset, length int) diag.Span {
	part := text.V[offset : offset+length]
	nth := strings.Count(text.V[:offset], part)
	for line, col := text.Span.Line, text.Span.Col; part != "" && line <= l.Lines(); line, col = line+1, 1 {
		for rest := l.From(line, col); ; nth-- {
			i := strings.Index(rest, part)
			if i < 0 {
				break
			}
			col += utf8.RuneCountInString(rest[:i])
			if nth == 0 {
				return l.at(line, col, utf8.RuneCountInString(part))
			}
			col += utf8.RuneCountInString(part)
			rest = rest[i+len(part):]
		}
	}
	return text.Span
}
