package sample

import (
	"slices"

	"github.com/errgen/errgen/internal/model"
)

// Cases returns the cases of a code, without repetition: as its factory makes it, then what changes
// its texts, then the odd values of the given fields (see [Hosts]).
func Cases(code *model.Code, odd []*model.Field) []Case {
	s := set{}
	s.add(Base(code))
	s.texts(code)
	s.variants(code, odd)
	return s.cases
}

// Texts returns the cases of a code that differ in its texts.
func Texts(code *model.Code) []Case {
	s := set{}
	s.add(Base(code))
	s.texts(code)
	return s.cases
}

// Branches returns cases at and around every bound of a code's `when` rules.
func Branches(code *model.Code) []Case {
	s := set{}
	s.branches(code)
	return s.cases
}

type set struct{ cases []Case }

func (s *set) add(c Case) {
	if !slices.ContainsFunc(s.cases, c.equal) {
		s.cases = append(s.cases, c)
	}
}

// texts adds cases with every value that a text shows: all of them, and each missing or empty in
// turn.
func (s *set) texts(code *model.Code) {
	shown := placeholders(code)
	full := Base(code)
	for _, p := range shown {
		full = fill(full, p)
	}
	s.add(full)
	for _, p := range shown {
		if p.Cause {
			without := full
			without.Caused = false
			s.add(without)
			continue
		}
		if _, fixed := code.Fixed(p.Field); fixed {
			continue
		}
		if !p.Field.Required && !code.Takes(p.Field) {
			s.add(full.Without(p.Field))
		}
		if v, ok := Empty(p.Field); ok {
			s.add(full.With(p.Field, v))
		}
	}
}

// fill gives a case a value for a placeholder, of two lines where one line of it is shown.
func fill(c Case, p model.Part) Case {
	if p.Cause {
		c.Caused = true
		return c
	}
	if _, fixed := c.Code.Fixed(p.Field); fixed {
		return c
	}
	v := Value(p.Field, slices.Index(c.Code.Category.Fields, p.Field))
	if p.Format == model.FirstLine && v.Type == model.String {
		v.Str = TwoLines(p.Field)
	}
	return c.With(p.Field, v)
}

// placeholders returns the placeholders of a code's texts, each field once.
func placeholders(code *model.Code) []model.Part {
	var out []model.Part
	add := func(parts []model.Part) {
		for _, p := range flat(parts) {
			known := slices.IndexFunc(out, func(q model.Part) bool { return q.Field == p.Field && q.Cause == p.Cause })
			switch {
			case known < 0:
				out = append(out, p)
			case p.Format == model.FirstLine:
				out[known] = p
			}
		}
	}
	add(code.Message.Parts)
	if code.Feedback != nil {
		add(code.Feedback.Parts)
	}
	return out
}

func flat(parts []model.Part) []model.Part {
	var out []model.Part
	for _, p := range parts {
		switch {
		case p.Group != nil:
			out = append(out, flat(p.Group)...)
		case p.Field != nil || p.Cause:
			out = append(out, p)
		}
	}
	return out
}

// Shows reports whether a text of the code shows f.
func Shows(code *model.Code, f *model.Field) bool {
	return slices.ContainsFunc(placeholders(code), func(p model.Part) bool { return p.Field == f })
}
