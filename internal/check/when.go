package check

import (
	"fmt"
	"math"
	"slices"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

// maxBranches and maxContexts bound the search for a context that reaches a branch. Beyond them it
// counts as reached.
const (
	maxBranches = 100
	maxContexts = 1 << 14
)

// branches finds branches that test what an error does not carry unchanged on the wire, and those
// that no error reaches.
func branches(c *checker) {
	for _, k := range c.m.Codes {
		for i, w := range k.Decl.When {
			for _, cond := range w.If {
				c.secret(fieldOf(k, cond.Field.V), cond)
			}
			if len(k.When) <= maxBranches {
				c.reach(k, i)
			}
		}
	}
}

// secret finds a test of a field that is masked or cut when the error is encoded.
func (c *checker) secret(f *model.Field, cond spec.Condition) {
	why, at := "", diag.Span{}
	d, m := f.Decl, cond.Match
	presence := m.Present.Set && len(m.Values)+len(m.Not)+len(m.Prefix) == 0 && m.Min == nil && m.Max == nil
	switch {
	case d.Sensitive.V:
		why, at = "sensitive", d.Sensitive.Span
	case d.Scrub.V:
		why, at = "scrubbed", d.Scrub.Span
	case d.MessageOnly.V:
		why, at = "not in the context on the wire", d.MessageOnly.Span
	case d.MaxLength.Set && !presence:
		why, at = "cut on the wire", d.MaxLength.Span
	default:
		return
	}
	c.report("E-when-secret", cond.Field.Span,
		fmt.Sprintf("%s is %s, so a decoded error would take another branch", f.Wire, why),
		"test another field", seeAlso(at, "declared here"))
}

// reach reports the branch at an index of a code if no sample of a context reaches it.
func (c *checker) reach(k *model.Code, index int) {
	s := search{code: k, index: index, ctx: make(model.Context)}
	for _, b := range k.When[:index+1] {
		for _, cond := range b.Conds {
			if !slices.Contains(s.fields, cond.Field) {
				s.fields = append(s.fields, cond.Field)
			}
		}
	}
	for _, f := range s.fields {
		left := s.samplesOf(f, k.When[:index+1])
		if len(left) == 0 {
			i := slices.IndexFunc(k.Decl.When[index].If, func(cond spec.Condition) bool { return cond.Field.V == f.Wire })
			message := "this branch never applies: no value of " + f.Wire + " meets its condition"
			if gives(k.Decl.Set, f) {
				message = fmt.Sprintf("this branch never applies: %s sets %s to another value", k.Key, f.Wire)
			}
			c.report("E-when-unreachable", k.Decl.When[index].If[i].Field.Span, message,
				"correct the condition, or remove the branch")
			return
		}
		s.samples = append(s.samples, left)
	}
	if s.reaches(0) {
		return
	}
	c.report("E-when-unreachable", k.Decl.When[index].Span,
		"this branch never applies: an earlier one applies wherever its conditions hold",
		"move it before the other one, or remove it", seeAlso(k.Decl.When[s.blocker].Span, "this branch"))
}

// search looks for a context in which a branch holds and none before it does.
type search struct {
	code    *model.Code
	index   int // of the branch
	fields  []*model.Field
	samples [][]*model.Value // of each field; nil is its absence
	ctx     model.Context
	tried   int
	blocker int // an earlier branch that held in place of the target
}

// reaches reports whether values for the fields from i on complete a context that reaches the
// branch.
func (s *search) reaches(i int) bool {
	if i == len(s.fields) {
		s.tried++
		first := slices.IndexFunc(s.code.When, func(b *model.Branch) bool { return b.Holds(s.ctx) })
		s.blocker = first
		return first == s.index || s.tried > maxContexts
	}
	for _, v := range s.samples[i] {
		delete(s.ctx, s.fields[i])
		if v != nil {
			s.ctx[s.fields[i]] = *v
		}
		if s.reaches(i + 1) {
			return true
		}
	}
	return false
}

// samplesOf returns the samples of a field that meet the target's condition on it, if it has one.
func (s *search) samplesOf(f *model.Field, branches []*model.Branch) []*model.Value {
	var conds []model.Cond
	for _, b := range branches {
		for _, cond := range b.Conds {
			if cond.Field == f {
				conds = append(conds, cond)
			}
		}
	}
	all := samples(f, conds)
	if fixed, ok := s.code.Fixed(f); ok {
		all = []*model.Value{&fixed}
	}
	return slices.DeleteFunc(all, func(v *model.Value) bool {
		ctx := model.Context{}
		if v != nil {
			ctx[f] = *v
		}
		return slices.ContainsFunc(s.code.When[s.index].Conds,
			func(cond model.Cond) bool { return cond.Field == f && !cond.Holds(ctx) })
	})
}

// samples returns values of a field that tell its conditions apart: those that they name, and the
// ones beside them. Nil is the absence of a value, if the field can be absent.
func samples(f *model.Field, conds []model.Cond) []*model.Value {
	var out []*model.Value
	add := func(values ...model.Value) {
		for _, v := range values {
			v.Type = f.Type
			out = append(out, &v)
		}
	}
	if !f.Required {
		out = append(out, nil)
	}
	switch f.Type {
	case model.Bool:
		add(model.Value{}, model.Value{Bool: true})
		return out
	case model.EnumType:
		for i, w := range f.Enum.Words() {
			add(model.Value{Str: w, Index: i + 1})
		}
		return out
	}
	add(model.Value{Str: "~", Strings: []string{}, Object: model.Context{}})
	for _, cond := range conds {
		for _, v := range slices.Concat(cond.Values, cond.Not) {
			add(v)
			add(beside(v)...)
		}
		for _, v := range []*model.Value{cond.Min, cond.Max} {
			if v != nil {
				add(*v)
				add(beside(*v)...)
			}
		}
		for _, p := range cond.Prefix {
			add(model.Value{Str: p}, model.Value{Str: p + "~"})
		}
	}
	return out
}

// beside returns the values next to one that has an order, and a longer text.
func beside(v model.Value) []model.Value {
	below, above := v, v
	switch v.Type {
	case model.Int, model.Int64:
		below.Int, above.Int = max(v.Int, math.MinInt64+1)-1, min(v.Int, math.MaxInt64-1)+1
	case model.Uint64:
		below.Uint, above.Uint = max(v.Uint, 1)-1, min(v.Uint, math.MaxUint64-1)+1
	case model.Float64:
		below.Float, above.Float = math.Nextafter(v.Float, math.Inf(-1)), math.Nextafter(v.Float, math.Inf(1))
	case model.Duration:
		below.Duration, above.Duration = v.Duration-1, v.Duration+1
	case model.Time:
		below.Time, above.Time = v.Time.Add(-1), v.Time.Add(1)
	default:
		above.Str += "~"
	}
	return []model.Value{below, above}
}
