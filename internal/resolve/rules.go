package resolve

import (
	"strconv"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/detect"
)

// detection resolves a code's rules and examples.
func (b *builder) detection(e entry) {
	for i := range e.decl.Detect {
		r := rule(e, &e.decl.Detect[i], i+1)
		r.Like = b.likes(&e.decl.Detect[i])
		e.code.Rules = append(e.code.Rules, r)
		b.pkg.Rules = append(b.pkg.Rules, r)
	}
	for i := range e.decl.Examples {
		e.code.Examples = append(e.code.Examples, example(e, &e.decl.Examples[i], i+1))
	}
	for i := range e.decl.NotExamples {
		x := example(e, &e.decl.NotExamples[i], i+1)
		x.Not = true
		e.code.Examples = append(e.code.Examples, x)
	}
}

func rule(e entry, d *spec.Rule, place int) *model.Rule {
	r := &model.Rule{
		Name: e.code.Key + "/" + strconv.Itoa(place), Place: place, Code: e.code, Doc: d.Raw.Flow(),
		Priority: d.Priority.V, Set: assignments(d.Set, e.fields),
		Text: written(d.Text), Contains: written(d.Contains),
	}
	for _, c := range d.Conditions() {
		if cond, _, ok := RuleCondition(c); ok {
			r.Conditions = append(r.Conditions, cond)
		}
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

// RuleCondition reads a condition of a detect rule. It reports faulty parts and leaves them out. If
// the key is not a condition, ok is false. The values of an attribute are the texts as written,
// even if YAML reads them as another type.
func RuleCondition(c spec.RuleCondition) (cond detect.Condition, faults []Fault, ok bool) {
	key, ok := ruleKeys[c.Key]
	if !ok {
		return detect.Condition{}, nil, false
	}
	cond = detect.Condition{Key: key, Name: c.Attribute.V, Presence: presence(c.Match.Present)}
	if key == detect.Status || key == detect.ExitCode {
		faults = numbers(&cond, c)
		return cond, faults, true
	}
	cond.Any = literalTexts(key, c.Match.Values)
	cond.Not = literalTexts(key, c.Match.Not)
	cond.Prefix = written(c.Match.Prefix)
	bounds, faults := Condition(EvidenceField(c), spec.Matcher{Min: c.Match.Min, Max: c.Match.Max})
	setBounds(&cond, bounds)
	return cond, faults, true
}

func presence(present spec.Bool) detect.Presence {
	switch {
	case !present.Set:
		return detect.AnyPresence
	case present.V:
		return detect.Present
	}
	return detect.Absent
}

func numbers(cond *detect.Condition, c spec.RuleCondition) []Fault {
	tests, faults := Condition(EvidenceField(c), *c.Match)
	for _, v := range tests.Values {
		cond.AnyNumber = append(cond.AnyNumber, int(v.Int))
	}
	for _, v := range tests.Not {
		cond.NotNumber = append(cond.NotNumber, int(v.Int))
	}
	setBounds(cond, tests)
	return faults
}

func setBounds(cond *detect.Condition, tests model.Cond) {
	if tests.Min != nil {
		cond.Min, cond.Bounds = boundOf(*tests.Min), cond.Bounds|detect.HasMin
	}
	if tests.Max != nil {
		cond.Max, cond.Bounds = boundOf(*tests.Max), cond.Bounds|detect.HasMax
	}
}

func boundOf(v model.Value) float64 {
	if v.Type == model.Float64 {
		return v.Float
	}
	return float64(v.Int)
}

// literalTexts reads what a text is compared with. A system error or signal that has several names
// is compared by one of them.
func literalTexts(key detect.Key, lits []spec.Literal) []string {
	var out []string
	for _, lit := range lits {
		if isScalar(lit) {
			out = append(out, canonical(key, lit.Text))
		}
	}
	return out
}

func canonical(key detect.Key, name string) string {
	switch key {
	case detect.Errno:
		return detect.CanonicalErrno(name)
	case detect.Signal:
		return detect.CanonicalSignal(name)
	}
	return name
}

// EvidenceField is what a condition of a rule tests, as if it were a field. Attributes are texts;
// between bounds they are read as numbers.
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
