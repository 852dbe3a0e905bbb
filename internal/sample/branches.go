package sample

import (
	"slices"

	"github.com/errgen/errgen/internal/model"
)

// branches adds, for each branch, a case that it decides, and around it every field at its bounds
// and absent.
func (s *set) branches(code *model.Code) {
	var fields []*model.Field
	conds := map[*model.Field][]model.Cond{}
	for _, b := range code.When {
		for _, c := range b.Conds {
			if conds[c.Field] == nil {
				fields = append(fields, c.Field)
			}
			conds[c.Field] = append(conds[c.Field], c)
		}
	}
	for _, b := range code.When {
		hit, ok := decidedBy(code, b, conds)
		if !ok {
			continue
		}
		s.add(hit)
		for _, f := range fields {
			if !slices.ContainsFunc(b.Conds, func(c model.Cond) bool { return c.Field == f }) {
				continue
			}
			for _, v := range around(f, conds[f]) {
				s.add(hit.With(f, v))
			}
			s.add(hit.Without(f))
		}
	}
}

// maxTries bounds the search for a case that a branch decides.
const maxTries = 4096

// decidedBy returns a case whose row is chosen by branch b: one that meets its conditions and, of
// every earlier branch, not all.
func decidedBy(code *model.Code, b *model.Branch, conds map[*model.Field][]model.Cond) (Case, bool) {
	s := search{code: code, branch: b, conds: conds, left: maxTries}
	return s.meet(Base(code), b.Conds)
}

type search struct {
	code   *model.Code
	branch *model.Branch
	conds  map[*model.Field][]model.Cond
	left   int
}

// meet gives the case values that meet the conditions, one after the other.
func (s *search) meet(c Case, conds []model.Cond) (Case, bool) {
	if len(conds) == 0 {
		return s.avoid(c)
	}
	for _, d := range s.changed(c, conds[0].Field) {
		if conds[0].Holds(d.Context) {
			if found, ok := s.meet(d, conds[1:]); ok {
				return found, true
			}
		}
	}
	return Case{}, false
}

// avoid changes a case for which the branch holds until no earlier one does. Each change must get
// further down the branches, so that the search ends.
func (s *search) avoid(c Case) (Case, bool) {
	at := s.first(c.Context)
	if c.Code.When[at] == s.branch {
		return c, true
	}
	for _, cond := range c.Code.When[at].Conds {
		for _, d := range s.changed(c, cond.Field) {
			if s.left--; s.left < 0 {
				return Case{}, false
			}
			if !s.branch.Holds(d.Context) || s.first(d.Context) <= at {
				continue
			}
			if found, ok := s.avoid(d); ok {
				return found, true
			}
		}
	}
	return Case{}, false
}

// first returns the index of the first branch that holds; the one that is looked for always does.
func (s *search) first(ctx model.Context) int {
	return slices.IndexFunc(s.code.When, func(b *model.Branch) bool { return b.Holds(ctx) })
}

// changed returns the case with values of f that conditions tell apart, and without one.
func (s *search) changed(c Case, f *model.Field) []Case {
	if _, fixed := c.Code.Fixed(f); fixed && f.Required {
		return []Case{c}
	}
	out := []Case{c}
	for _, v := range append(around(f, s.conds[f]), beside(s.conds[f])...) {
		out = append(out, c.With(f, v))
	}
	return append(out, c.Without(f))
}
