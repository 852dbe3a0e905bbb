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
// all fields that branches test, a bounded number of times.
func decidedBy(
	code *model.Code, b *model.Branch, own []*model.Field, conds map[*model.Field][]model.Cond,
) (Case, bool) {
	left, all := 4096, own
	var try func(c Case, n int) (Case, bool)
	try = func(c Case, n int) (Case, bool) {
		if n >= len(own) && first(code, c) == b {
			return c, true
		}
		if left--; left < 0 || n == len(all) {
			return c, false
		}
		for _, d := range changed(c, all[n], conds[all[n]]) {
			if n < len(own) && slices.ContainsFunc(b.Conds, func(cond model.Cond) bool {
				return cond.Field == all[n] && !cond.Holds(d.Context)
			}) {
				continue
			}
			if found, ok := try(d, n+1); ok {
				return found, true
			}
		}
		return c, false
	}
	c, ok := try(Base(code), 0)
	if !ok {
		left, all = 4096, tested(append([]*model.Branch{b}, code.When...)...)
		c, ok = try(Base(code), 0)
	}
	return c, ok
}

// first returns the first branch that holds, or nil.
func first(code *model.Code, c Case) *model.Branch {
	i := slices.IndexFunc(code.When, func(b *model.Branch) bool { return b.Holds(c.Context) })
	if i < 0 {
		return nil
	}
	return code.When[i]
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
