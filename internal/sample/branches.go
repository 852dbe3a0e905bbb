package sample

import (
	"slices"

	"github.com/errgen/errgen/internal/model"
)

// branches adds a case for each branch that errors can select. It also adds variants of that case
// with each tested field at and around its bounds, and absent.
func (s *set) branches(code *model.Code) {
	conds := conditions(code)
	for _, b := range code.Branches {
		hit, block := decidedBy(code, b, conds)
		if block != nil {
			continue
		}
		s.add(hit)
		for _, f := range tested(b) {
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

// conditions returns the conditions of all branches of a code by field.
func conditions(code *model.Code) map[*model.Field][]model.Cond {
	out := map[*model.Field][]model.Cond{}
	for _, b := range code.Branches {
		for _, c := range b.Conds {
			out[c.Field] = append(out[c.Field], c)
		}
	}
	return out
}

// Block is the reason for which no error selects a branch. It is empty if the search for one
// reached its limit.
type Block struct {
	Field *model.Field  // has no value that meets the branch's conditions on it
	By    *model.Branch // an earlier branch, which matches all errors that meet the conditions
}

// Blocked returns the reason for which no error of a code selects a branch. If an error does, it
// returns nil.
func Blocked(code *model.Code, b *model.Branch) *Block {
	_, block := decidedBy(code, b, conditions(code))
	return block
}

// maxTries bounds the search for a case that selects a branch.
const maxTries = 1 << 14

// decidedBy returns a case that selects branch b: it meets all conditions of b, but not all of any
// earlier branch. Without such a case, decidedBy returns the reason. It tries values of the fields
// that b tests, and then also of the fields that earlier branches test.
func decidedBy(code *model.Code, b *model.Branch, conds map[*model.Field][]model.Cond) (Case, *Block) {
	own, upTo := tested(b), code.Branches[:slices.Index(code.Branches, b)+1]
	fields := tested(append([]*model.Branch{b}, upTo...)...)
	changes := make(map[*model.Field][]change)
	for _, f := range fields {
		changes[f] = changesOf(code, f, conds[f])
	}
	for _, f := range own {
		fits := func(to change) bool { return meets(to(Base(code)), b, f) }
		if !slices.ContainsFunc(changes[f], fits) {
			return Case{}, &Block{Field: f}
		}
	}
	block := &Block{}
	var all []*model.Field
	var try func(c Case, n int) (Case, bool)
	tries := 0
	try = func(c Case, n int) (Case, bool) {
		if n >= len(own) {
			if block.By = first(code, c); block.By == b {
				return c, true
			}
		}
		if tries++; tries > maxTries || n == len(all) {
			return c, false
		}
		for _, to := range changes[all[n]] {
			d := to(c)
			if n < len(own) && !meets(d, b, all[n]) {
				continue
			}
			if found, ok := try(d, n+1); ok {
				return found, true
			}
		}
		return c, false
	}
	for _, all = range [][]*model.Field{own, fields} {
		tries = 0
		if c, ok := try(Base(code), 0); ok {
			return c, nil
		}
	}
	if tries > maxTries {
		return Case{}, &Block{}
	}
	return Case{}, block
}

// meets reports whether a case meets the conditions of a branch on a field.
func meets(c Case, b *model.Branch, f *model.Field) bool {
	return !slices.ContainsFunc(b.Conds, func(cond model.Cond) bool {
		return cond.Field == f && !cond.Holds(c.Context)
	})
}

// first returns the first branch that holds, or nil.
func first(code *model.Code, c Case) *model.Branch {
	i := slices.IndexFunc(code.Branches, func(b *model.Branch) bool { return b.Holds(c.Context) })
	if i < 0 {
		return nil
	}
	return code.Branches[i]
}

// change returns a case with another value of a field.
type change func(Case) Case

// changesOf returns changes that set f to the values that the conditions distinguish, and one that
// removes it. The first one changes nothing.
func changesOf(code *model.Code, f *model.Field, conds []model.Cond) []change {
	out := []change{func(c Case) Case { return c }}
	if _, fixed := code.Fixed(f); fixed {
		return out
	}
	add := func(v model.Value) { out = append(out, func(c Case) Case { return c.With(f, v) }) }
	for _, v := range append(around(f, conds), beside(conds)...) {
		add(v)
	}
	out = append(out, func(c Case) Case { return c.Without(f) })
	for _, cond := range conds {
		for _, v := range cond.Values { // a longer text, for a branch with a prefix
			if f.Type == model.String {
				v.Str += "x"
				add(v)
			}
		}
	}
	return out
}
