package planfile

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"github.com/errgen/errgen/runtime/escalate/plan"
)

// Corrected returns the text of the plan with other instructions in place of those of some steps,
// by ID; a step without new ones keeps its own. Nothing else of the plan changes: where new
// instructions would be read as something else, such as criteria or another step, each of their
// lines is quoted.
func (d *Document) Corrected(instructions map[string]string) ([]byte, error) {
	plain := map[string]string{}
	for _, s := range d.Plan.Steps {
		if text := instructions[s.ID]; strings.TrimSpace(text) != "" {
			plain[s.ID] = d.unmistakable(s.ID, text)
		}
	}
	out := d.replaced(plain)
	if !d.sameBut(out, plain) {
		return nil, fmt.Errorf("correct plan %s: the new instructions change more than the instructions", d.name)
	}
	return out, nil
}

// unmistakable returns instructions that are read as such.
func (d *Document) unmistakable(id, text string) string {
	text = strings.Trim(
		strings.ToValidUTF8(strings.ReplaceAll(strings.ReplaceAll(text, "\x00", ""), "\r", "\n"), "\uFFFD"), "\n")
	text = strings.TrimRight(text, " \t\n")
	alone := map[string]string{id: text}
	if d.sameBut(d.replaced(alone), alone) {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("> " + line)
	}
	return b.String()
}

// replaced returns the text with other instructions.
func (d *Document) replaced(instructions map[string]string) []byte {
	var b bytes.Buffer
	from := 0
	for _, s := range d.Plan.Steps {
		text, ok := instructions[s.ID]
		if !ok {
			continue
		}
		at := d.texts[s.ID]
		b.Write(d.source[from:at.from])
		if at.from == at.to {
			b.WriteString("\n")
		}
		b.WriteString(text)
		if at.from == at.to {
			b.WriteString("\n\n")
		}
		from = at.to
	}
	b.Write(d.source[from:])
	return b.Bytes()
}

// sameBut reports whether a text is the same plan but for instructions.
func (d *Document) sameBut(text []byte, instructions map[string]string) bool {
	read, err := Parse(d.name, text)
	if err != nil {
		return false
	}
	want := clone(d.Plan)
	for i, s := range want.Steps {
		if changed, ok := instructions[s.ID]; ok {
			want.Steps[i].Instructions = changed
		}
	}
	return reflect.DeepEqual(want, clone(read.Plan))
}

// clone returns a plan without the lines of its file.
func clone(p plan.Plan) plan.Plan {
	p.Prerequisites = unplaced(p.Prerequisites)
	p.Steps = append([]plan.Step(nil), p.Steps...)
	for i := range p.Steps {
		s := &p.Steps[i]
		s.Line, s.Prerequisites = 0, unplaced(s.Prerequisites)
		s.Criteria = append([]plan.Criterion(nil), s.Criteria...)
		for j := range s.Criteria {
			s.Criteria[j].Line = 0
		}
	}
	return p
}

func unplaced(all []plan.Prerequisite) []plan.Prerequisite {
	all = append([]plan.Prerequisite(nil), all...)
	for i := range all {
		all[i].Line = 0
	}
	return all
}
