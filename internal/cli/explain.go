package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

func explainCommand() *command {
	return &command{
		name: "explain", args: "ID|KEY|CODE [taxonomy.yaml]", min: 1, max: 2,
		summary: "explain a finding, a key of the language, or a code of the taxonomy",
		details: `
Explain describes a finding and its fix (errgen explain E-unknown-key), a key of the language (errgen explain
reactions.then), or a code of a taxonomy: its meaning, whether it is retryable, and the reaction to it. A code can
be given as the taxonomy writes it, as it is on the wire, by an alias, by its number or by its Go constant. If it
has the name of a key, give the taxonomy too.`,
		flags: func(fs *flag.FlagSet, o *options) {
			o.choice(fs, "print as `FORM`: text or json", diag.FormatText, diag.FormatJSON)
		},
		run: (*session).explain,
	}
}

func (s *session) explain(o *options, args []string) error {
	if isRuleID(args[0]) {
		if len(args) > 1 {
			return usagef("explain: unexpected argument %q: findings are the same in every taxonomy", args[1])
		}
		return s.explainRule(args[0], o.format)
	}
	if doc, err := spec.Explain(args[0]); err == nil && len(args) == 1 {
		if o.format == diag.FormatJSON {
			return s.json(doc)
		}
		return s.write(keyText(doc))
	}
	l, err := s.valid(args[1:])
	if err != nil {
		return err
	}
	code := findCode(l.model, args[0])
	if code == nil {
		hint := diag.DidYouMean(args[0], codeNames(l.model))
		if hint == "" {
			hint = `"errgen list` + argument(l.name) + `" lists the codes`
		}
		return fmt.Errorf("explain: %s has no code %q; %s", l.name, args[0], hint)
	}
	x := explainCodeOf(l.model, code)
	if o.format == diag.FormatJSON {
		return s.json(x)
	}
	return s.write(x.text())
}

// keyText returns the explanation of a key of the language for a terminal.
func keyText(doc *spec.KeyDoc) []byte {
	p := &page{}
	fmt.Fprintf(&p.Buffer, "%s (%s)\n\n  %s\n\n", doc.Key, doc.Mapping, doc.Doc)
	p.line("value", doc.Value)
	p.line("default", doc.Default)
	if doc.Required {
		p.line("required", "yes")
	}
	p.line("actions", strings.Join(doc.Actions, ", "))
	p.line("keys", strings.Join(doc.Keys, ", "))
	return p.Bytes()
}

// json prints v on a line of its own, without anything that controls a terminal.
func (s *session) json(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("%s: %w", s.cmd.name, err)
	}
	return s.write(escapeControls(b.Bytes()))
}

// escapeControls escapes what encoding/json leaves of the characters that control a terminal or
// turn the direction of writing. They stand within strings only.
func escapeControls(text []byte) []byte {
	var b bytes.Buffer
	for i, r := range string(text) {
		switch {
		case r == utf8.RuneError:
			_, size := utf8.DecodeRune(text[i:])
			b.Write(text[i : i+size])
		case 0x7f <= r && r < 0xa0, r < 0x10000 && unicode.Is(unicode.Cf, r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}

func findCode(m *model.Package, name string) *model.Code {
	number, err := strconv.Atoi(name)
	for _, c := range m.Codes {
		if c.Key == name || c.Value == name || c.Const == name || m.Name+"."+c.Const == name || err == nil &&
			number != 0 && c.Number == number {
			return c
		}
	}
	for _, c := range m.Codes {
		for _, alias := range c.Aliases {
			if alias == name {
				return c
			}
		}
	}
	return nil
}

func codeNames(m *model.Package) []string {
	var names []string
	for _, c := range m.Codes {
		names = append(names, c.Key)
		if c.Value != c.Key {
			names = append(names, c.Value)
		}
	}
	for _, c := range m.Codes {
		names = append(names, c.Aliases...)
	}
	return names
}

// page is text in aligned lines under headings.
type page struct{ bytes.Buffer }

// line writes a label and what belongs to it, nothing if that is empty.
func (p *page) line(label, text string) {
	if text != "" {
		fmt.Fprintf(&p.Buffer, "  %-14s %s\n", label, text)
	}
}

func (p *page) heading(format string, args ...any) {
	fmt.Fprintf(&p.Buffer, "\n"+format+"\n", args...)
}

func (x *explanation) text() []byte {
	p := &page{}
	fmt.Fprintf(&p.Buffer, "%s (%s)\n", x.Code, x.Category)
	if x.Doc != "" {
		fmt.Fprintf(&p.Buffer, "\n  %s\n", strings.ReplaceAll(strings.TrimSpace(x.Doc), "\n", "\n  "))
	}
	p.WriteByte('\n')
	if x.Number != 0 {
		p.line("number", strconv.Itoa(x.Number))
	}
	p.line("key", x.Key)
	p.line("message", strconv.Quote(x.Message))
	p.line("resolution", oneLine(x.Resolution))
	p.line("help", x.HelpURL)
	p.line("groups", strings.Join(x.Groups, ", "))
	p.line("aliases", strings.Join(x.Aliases, ", "))
	p.line("since", x.Since)
	p.line("deprecated", oneLine(x.Deprecated))
	p.line("replaced by", x.ReplacedBy)
	p.line("go", x.Const)
	p.line("", x.Factory)
	label := "prevented"
	for _, is := range x.Prevent {
		p.line(label, is)
		label = ""
	}
	x.Traits.text(p, nil)
	for i, b := range x.When {
		p.heading("when %d: %s", i+1, strings.Join(b.If, " and "))
		b.Traits.text(p, &x.Traits)
	}
	for _, pr := range x.Profiles {
		base := &x.Traits
		if pr.Branch > 0 {
			p.heading("profile %s, when %d", pr.Name, pr.Branch)
			base = &x.When[pr.Branch-1].Traits
		} else {
			p.heading("profile %s", pr.Name)
		}
		pr.Traits.text(p, base)
	}
	if len(x.Context) > 0 {
		p.heading("context")
	}
	for _, f := range x.Context {
		p.line(f.Name, f.text())
	}
	return p.Bytes()
}

// text writes the traits, or those of them that are other than base's.
func (t *traits) text(p *page, base *traits) {
	length := p.Len()
	if base == nil || t.Retryable != base.Retryable || t.Recoverability != base.Recoverability {
		p.line("retryable", t.retryable())
	}
	if base == nil || t.Severity != base.Severity {
		p.line("severity", t.Severity)
	}
	if base == nil || t.Kind != base.Kind {
		p.line("kind", t.Kind)
	}
	if t.HTTP != 0 && (base == nil || t.HTTP != base.HTTP) {
		p.line("http", strconv.Itoa(t.HTTP))
	}
	if base == nil || t.GRPC != base.GRPC {
		p.line("grpc", t.GRPC)
	}
	if base == nil || !reflect.DeepEqual(t.Reaction, base.Reaction) {
		t.Reaction.text(p)
	}
	if p.Len() == length {
		p.WriteString("  changes nothing\n")
	}
}

func (t *traits) retryable() string {
	plain := "permanent"
	if t.Retryable {
		plain = "retryable"
	}
	if t.Recoverability == plain {
		return yesNo(t.Retryable)
	}
	return yesNo(t.Retryable) + " (" + t.Recoverability + ")"
}

func (r *reaction) text(p *page) {
	label := "reaction"
	for ; r != nil; r = r.Then {
		p.line(label, cmp.Or(r.Name, r.Action))
		for _, does := range r.Does {
			p.line("", does)
		}
		label = "then"
	}
}

func (f *fieldDoc) text() string {
	is := []string{f.Type}
	if len(f.Enum) > 0 {
		is[0] = strings.Join(f.Enum, " | ")
	}
	if f.Required {
		is = append(is, "required")
	}
	text := strings.Join(append(is, f.Notes...), ", ")
	if f.Doc == "" {
		return text
	}
	return text + ". " + oneLine(f.Doc)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
