package resolve

import (
	"strconv"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/detect"
)

// detection resolves a code's rules and examples.
func (b *builder) detection(c *model.Code) {
	d := c.Decl
	for i := range d.Detect {
		r := rule(c, &d.Detect[i], i+1)
		r.Like = b.likes(&d.Detect[i])
		c.Rules = append(c.Rules, r)
		b.pkg.Rules = append(b.pkg.Rules, r)
	}
	for i := range d.Examples {
		c.Examples = append(c.Examples, example(c, &d.Examples[i], i+1))
	}
	for i := range d.NotExamples {
		x := example(c, &d.NotExamples[i], i+1)
		x.Not = true
		c.Examples = append(c.Examples, x)
	}
}

func rule(code *model.Code, d *spec.Rule, place int) *model.Rule {
	r := &model.Rule{
		Name: code.Name + "/" + strconv.Itoa(place), Place: place, Code: code, Doc: d.Raw.Flow(),
		Priority: d.Priority.V, Set: assignments(code, d.Set),
		Text: written(d.Text), Contains: written(d.Contains),
	}
	for _, c := range d.Conditions() {
		cond, _ := RuleCondition(c)
		r.Conditions = append(r.Conditions, cond)
	}
	return r
}

func written(texts []spec.Text) []string {
	var out []string
	for _, t := range texts {
		out = append(out, t.V)
	}
	return out
}

var ruleKeys = map[string]detect.Key{
	"source": detect.Source, "op": detect.Op, "status": detect.Status, "type": detect.Type, "code": detect.Code,
	"exit_code": detect.ExitCode, "signal": detect.Signal, "errno": detect.Errno, "is": detect.Is, "as": detect.As,
	"attributes": detect.Attribute,
}

// RuleCondition reads a condition of a detect rule. It reports faulty parts and leaves them out.
// The values of an attribute are the texts as written, even if YAML reads them as another type.
func RuleCondition(c spec.RuleCondition) (detect.Condition, []Fault) {
	f, m := EvidenceField(c), *c.Match
	cond := detect.Condition{Key: ruleKeys[c.Key], Name: c.Attribute.V}
	if m.Present.Set {
		cond.Presence = detect.Absent
		if m.Present.V {
			cond.Presence = detect.Present
		}
	}
	if f.Type != model.Int {
		cond.Any, cond.Not = literalTexts(cond.Key, m.Values), literalTexts(cond.Key, m.Not)
		cond.Prefix = written(m.Prefix)
		m = spec.Matcher{Min: m.Min, Max: m.Max}
	}
	tests, faults := Condition(f, m)
	for _, v := range tests.Values {
		cond.AnyNumber = append(cond.AnyNumber, int(v.Int))
	}
	for _, v := range tests.Not {
		cond.NotNumber = append(cond.NotNumber, int(v.Int))
	}
	if v := tests.Min; v != nil {
		cond.Min, cond.Bounds = v.Float+float64(v.Int), cond.Bounds|detect.HasMin
	}
	if v := tests.Max; v != nil {
		cond.Max, cond.Bounds = v.Float+float64(v.Int), cond.Bounds|detect.HasMax
	}
	return cond, faults
}

// literalTexts returns the texts that a text is compared with. A system error or signal that has
// several names is compared by one of them.
func literalTexts(key detect.Key, lits []spec.Literal) []string {
	var out []string
	for _, lit := range lits {
		switch {
		case !isScalar(lit):
		case key == detect.Errno, key == detect.Signal:
			out = append(out, detect.Canonical(lit.Text))
		default:
			out = append(out, lit.Text)
		}
	}
	return out
}

// EvidenceField returns the field of evidence that a condition of a rule tests. An attribute is a
// number if the condition has bounds, and a text otherwise.
func EvidenceField(c spec.RuleCondition) *model.Field {
	f := &model.Field{Wire: c.Key, Type: model.String}
	switch c.Key {
	case "status", "exit_code":
		f.Type = model.Int
	case "attributes":
		f.Wire += "." + c.Attribute.V
		if c.Match.Min != nil || c.Match.Max != nil {
			f.Type = model.Float64
		}
	}
	return f
}
