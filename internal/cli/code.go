package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/errgen/errgen/internal/explain"
)

// page is text in aligned lines under headings. The columns are those of an explanation.
type page struct {
	bytes.Buffer
	width int // of the labels; at least minLabel
}

const minLabel = 12

// line writes a label and a text, or nothing if the text is empty.
func (p *page) line(label, text string) {
	if text != "" {
		fmt.Fprintf(&p.Buffer, "  %-*s  %s\n", max(p.width, minLabel), label, text)
	}
}

// lines writes texts below each other.
func (p *page) lines(label string, texts []string) {
	for _, text := range texts {
		p.line(label, text)
		label = ""
	}
}

func (p *page) heading(format string, args ...any) {
	fmt.Fprintf(&p.Buffer, "\n"+format+"\n", args...)
}

// title writes a title and a sentence below it.
func (p *page) title(name, kind, doc string) {
	fmt.Fprintf(&p.Buffer, "%s (%s)\n", name, kind)
	if doc != "" {
		fmt.Fprintf(&p.Buffer, "\n  %s\n", strings.ReplaceAll(strings.TrimSpace(doc), "\n", "\n  "))
	}
}

// facts writes the facts of a description under their names, except those named. If base is not nil,
// it writes only those that differ from its.
func (p *page) facts(v, base any, except ...string) {
	for _, f := range explain.Facts(v, base) {
		if !slices.Contains(except, f.Name) {
			p.lines(strings.ReplaceAll(f.Name, "_", " "), f.Texts)
		}
	}
}

// codeDoc prints the description of a code.
type codeDoc struct{ *explain.Code }

func (d codeDoc) text() []byte {
	p := &page{}
	p.title(d.Code.Code, d.Category, d.Doc)
	p.WriteByte('\n')
	p.facts(d.Code, nil, "code", "category", "doc", "detect", "examples", "not_examples")
	p.traits(&d.Traits, nil)
	for i, b := range d.When {
		p.heading("when %d: %s", i+1, strings.Join(b.If, " and "))
		p.traits(&b.Traits, &d.Traits)
	}
	for _, pr := range d.Profiles {
		base, branch := d.Usual(pr), ""
		if pr.Branch > 0 {
			branch = fmt.Sprintf(", when %d", pr.Branch)
		}
		p.heading("profile %s%s", pr.Name, branch)
		p.traits(&pr.Traits, &base)
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
	usual := ""
	if t.Recoverability == map[bool]string{true: "retryable", false: "permanent"}[t.Retryable] {
		usual = "recoverability"
	}
	if base == nil {
		p.facts(t, nil, usual)
		base = &explain.Traits{}
	} else {
		p.facts(t, base, usual)
	}
	if !reflect.DeepEqual(t.Reaction, base.Reaction) {
		p.reaction(&t.Reaction)
	}
	if p.Len() == length {
		p.WriteString("  changes nothing\n")
	}
}

// reaction writes a reaction and those that follow it.
func (p *page) reaction(r *explain.Reaction) {
	for label := "reaction"; r != nil; label, r = "then", r.Then {
		p.line(label, cmp.Or(r.Name, r.Action))
		p.lines("", r.Does)
	}
}

// nameDoc prints the explanation of a reaction, an action, a policy, a group or a profile.
type nameDoc struct{ *explain.Name }

func (d nameDoc) text() []byte {
	const shown = 5
	p := &page{}
	p.title(d.Name.Name, d.Kind, d.Doc)
	p.WriteByte('\n')
	p.lines("does", d.Does)
	p.reaction(d.Reaction)
	p.line("policy", d.Policy)
	if d.Codes == nil { // without a taxonomy
		return p.Bytes()
	}
	codes := fmt.Sprintf("%d: %s", len(d.Codes), strings.Join(d.Codes[:min(shown, len(d.Codes))], ", "))
	if len(d.Codes) > shown {
		codes += " and others"
	}
	p.line("codes", strings.TrimSuffix(codes, ": "))
	return p.Bytes()
}

// categoryDoc prints the description of a category.
type categoryDoc struct{ *explain.Category }

func (d categoryDoc) text() []byte {
	p := &page{}
	p.title(d.Category.Category, d.Type, d.Doc)
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

// operationDoc is the explanation of an operation.
type operationDoc struct{ *explain.Operation }

func (d operationDoc) text() []byte {
	p := &page{}
	p.title(d.Operation.Operation, "operation", d.Doc)
	p.WriteByte('\n')
	p.line("http", d.HTTP)
	p.line("rpc", d.RPC)
	p.line("idempotent", d.Idempotent)
	if d.Exhaustive {
		p.line("exhaustive", "yes: no code will be added")
	}
	p.line("Go", d.Const)
	p.heading("Errors")
	rows := [][]string{{"  CODE", "HTTP", "GRPC", "RETRYABLE", "EFFECT"}}
	for _, e := range d.Errors {
		rows = append(rows, []string{"  " + e.Code, cmp.Or(positive(e.HTTP), "-"), cmp.Or(e.GRPC, "-"),
			explain.YesNo(e.Retryable), cmp.Or(e.Effect, "-")})
	}
	p.Write(table(rows))
	return p.Bytes()
}

// table returns rows of cells in aligned columns.
func table(rows [][]string) []byte {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, cells := range rows {
		_, _ = fmt.Fprintln(w, strings.Join(cells, "\t")) // a buffer accepts everything
	}
	_ = w.Flush()
	return b.Bytes()
}
