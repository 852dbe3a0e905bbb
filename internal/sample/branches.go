package sample

import (
	"slices"

	"github.com/errgen/errgen/internal/model"
)

// branches adds, for each branch, a case that it decides, and around it every field at its bounds
// and absent.
func (s *set) branches(code *model.Code) {
	conds := map[*model.Field][]model.Cond{}
	for _, b := range code.When {
		for _, c := range b.Conds {
			conds[c.Field] = append(conds[c.Field], c)
		}
	}
	for _, b := range code.When {
		own := tested(b)
		hit, ok := decidedBy(code, b, own, conds)
		if !ok {
			continue
		}
		s.add(hit)
		for _, f := range own {
			for _, v := range around(f, conds[f]) {
				s.add(hit.With(f, v))
			}
			s.add(hit.Without(f))
		}
	}
}

// tested returns the fields that branches test, each once.
func tested(branches ...*model.Branch) []*model.Field {
	var fields []*model.Field
	for _, b := range branches {
		for _, c := range b.Conds {
			if !slices.Contains(fields, c.Field) {
				fields = append(fields, c.Field)
			}
		}
	}
	return fields
}

// decidedBy returns a case whose row is chosen by branch b: one that meets its conditions and, of
// every earlier branch, not all. It tries the values of the branch's own fields, and then those of
// the fields of earlier branches, a bounded number of times.
func decidedBy(
	code *model.Code, b *model.Branch, own []*model.Field, conds map[*model.Field][]model.Cond,
) (Case, bool) {
	left := 4096
	all := tested(append([]*model.Branch{b}, code.When...)...)
	var try func(c Case, n int) (Case, bool)
	try = func(c Case, n int) (Case, bool) {
		if left--; left < 0 || n >= len(own) && !b.Holds(c.Context) {
			return c, false
		}
		if n >= len(own) && slices.IndexFunc(code.When, func(b *model.Branch) bool { return b.Holds(c.Context) }) ==
			slices.Index(code.When, b) {
			return c, true
		}
		if n == len(all) {
			return c, false
		}
		for _, d := range changed(c, all[n], conds[all[n]]) {
			if found, ok := try(d, n+1); ok {
				return found, true
			}
		}
		return c, false
	}
	return try(Base(code), 0)
}

// changed returns the case with values of f that conditions tell apart, and without one.
func changed(c Case, f *model.Field, conds []model.Cond) []Case {
	out := []Case{c}
	if _, fixed := c.Code.Fixed(f); fixed && f.Required {
		return out
	}
	for _, v := range append(around(f, conds), beside(conds)...) {
		out = append(out, c.With(f, v))
	}
	return append(out, c.Without(f))
}
