package cli

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/explain"
)

// codeDoc prints the description of a code.
type codeDoc struct{ *explain.Code }

func (d codeDoc) text() []byte {
	p := &page{}
	fmt.Fprintf(&p.Buffer, "%s (%s)\n", d.Code.Code, d.Category)
	p.doc(d.Doc)
	p.WriteByte('\n')
	if d.Number != nil {
		p.line("number", strconv.Itoa(*d.Number))
	}
	p.line("key", d.Key)
	p.line("message", strconv.Quote(d.Message))
	p.line("resolution", oneLine(d.Resolution))
	p.line("help", d.HelpURL)
	p.line("groups", strings.Join(d.Groups, ", "))
	p.line("aliases", strings.Join(d.Aliases, ", "))
	p.line("names", strings.Join(d.Names, ", "))
	p.line("since", d.Since)
	p.line("deprecated", oneLine(d.Deprecated))
	p.line("replaced by", d.ReplacedBy)
	p.line("audience", d.Audience)
	p.line("below", d.Parent)
	p.lines("constants", d.Constants)
	p.lines("go", slices.DeleteFunc([]string{d.Const, d.Factory}, func(s string) bool { return s == "" }))
	p.lines("prevented", d.Prevent)
	p.traits(&d.Traits, nil)
	for i, b := range d.When {
		p.heading("when %d: %s", i+1, strings.Join(b.If, " and "))
		p.traits(&b.Traits, &d.Traits)
	}
	for _, pr := range d.Profiles {
		base, branch := &d.Traits, ""
		if pr.Branch > 0 {
			base, branch = &d.When[pr.Branch-1].Traits, fmt.Sprintf(", when %d", pr.Branch)
		}
		p.heading("profile %s%s", pr.Name, branch)
		p.traits(&pr.Traits, base)
	}
	p.fields(d.Context)
	if len(d.Detect)+len(d.Examples)+len(d.Not) > 0 {
		p.heading("detection")
	}
	p.lines("detect", d.Detect)
	p.lines("examples", d.Examples)
	p.lines("not examples", d.Not)
	return p.Bytes()
}

func (p *page) fields(fields []explain.Field) {
	if len(fields) > 0 {
		p.heading("context")
	}
	for _, f := range fields {
		is := []string{cmp.Or(strings.Join(f.Enum, " | "), f.Type)}
		if f.Required {
			is = append(is, "required")
		}
		text := strings.Join(append(is, f.Notes...), ", ")
		if f.Doc != "" {
			text += ". " + oneLine(f.Doc)
		}
		p.line(f.Name, text)
	}
}

// traits writes the traits, or if base is not nil the traits that differ from it.
func (p *page) traits(t, base *explain.Traits) {
	length := p.Len()
	if base == nil {
		base = &explain.Traits{Recoverability: "-"}
	}
	if t.Retryable != base.Retryable || t.Recoverability != base.Recoverability {
		text := yesNo(t.Retryable)
		if t.Recoverability != map[bool]string{true: "retryable", false: "permanent"}[t.Retryable] {
			text += " (" + t.Recoverability + ")"
		}
		p.line("retryable", text)
	}
	line := func(label, text, before string) {
		if text != before {
			p.line(label, text)
		}
	}
	line("severity", t.Severity, base.Severity)
	line("kind", t.Kind, base.Kind)
	line("http", positive(t.HTTP), positive(base.HTTP))
	line("grpc", t.GRPC, base.GRPC)
	line("most calls", t.MostCalls, base.MostCalls)
	if !reflect.DeepEqual(t.Reaction, base.Reaction) {
		label := "reaction"
		for r := &t.Reaction; r != nil; r = r.Then {
			p.line(label, cmp.Or(r.Name, r.Action))
			p.lines("", r.Does)
			label = "then"
		}
	}
	if p.Len() == length {
		p.WriteString("  changes nothing\n")
	}
}

// categoryDoc prints the description of a category.
type categoryDoc struct{ *explain.Category }

func (d categoryDoc) text() []byte {
	p := &page{}
	fmt.Fprintf(&p.Buffer, "%s (%s)\n", d.Category.Category, d.Type)
	p.doc(d.Doc)
	p.heading("codes")
	for _, c := range d.Codes {
		p.width = max(p.width, len(c.Code))
	}
	for _, c := range d.Codes {
		retryable := "not retryable"
		if c.Retryable {
			retryable = "retryable"
		}
		p.line(c.Code, strings.TrimSuffix(retryable+", "+c.Reaction+". "+oneLine(c.Doc), ". "))
	}
	p.fields(d.Context)
	return p.Bytes()
}

func count(n int, one, many string) string { return explain.Count(n, one, many) }
