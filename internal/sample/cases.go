package sample

import (
	"slices"

	"github.com/errgen/errgen/internal/model"
)

// Cases returns the cases of a code, without duplicates: the error of its factory, errors that
// change its texts, and errors with odd values of the given fields (see [Hosts]). For the first
// code of a category, and for a code with fields, they include an error with a value for every
// field.
func Cases(code *model.Code, odd []*model.Field) []Case {
	s := set{}
	s.add(Base(code))
	s.texts(code)
	s.variants(code, odd)
	if code.Ordinal == 1 || code.OwnType != nil {
		s.add(Full(code))
	}
	return s.cases
}

// Branches returns cases at and around every bound of a code's `when` branches.
func Branches(code *model.Code) []Case {
	s := set{}
	s.branches(code)
	return s.cases
}

// set collects cases without duplicates.
type set struct{ cases []Case }

func (s *set) add(c Case) {
	if !slices.ContainsFunc(s.cases, c.equal) {
		s.cases = append(s.cases, c)
	}
}

// texts adds a case with a value for every placeholder, and one with all those values empty that
// can be. For each placeholder whose absence removes another value from the text, it adds a case
// without the value.
func (s *set) texts(code *model.Code) {
	shown := placeholders(code)
	full := Base(code)
	for _, p := range shown {
		full = fill(full, p)
	}
	s.add(full)
	empty := full
	for _, p := range shown {
		_, fixed := code.Fixed(p.Field)
		if v, ok := Empty(p.Field); ok && !fixed {
			empty = empty.With(p.Field, v)
		}
	}
	s.add(empty)
	for _, p := range shared(code) {
		_, fixed := code.Fixed(p.Field)
		switch {
		case p.Cause:
			without := full
			without.Caused = false
			s.add(without)
		case !fixed && !p.Field.Required && !code.HasParam(p.Field):
			s.add(full.Without(p.Field))
		}
	}
}

// shared returns the placeholders that share an optional part with another one.
func shared(code *model.Code) []model.Part {
	var out []model.Part
	for _, t := range templates(code) {
		for _, p := range t.Parts {
			if inner := flat(p.Group); len(inner) > 1 {
				out = append(out, inner...)
			}
		}
	}
	return out
}

// fill sets the value of a placeholder. The value has two lines if the placeholder shows only the
// first.
func fill(c Case, p model.Part) Case {
	if p.Cause {
		c.Caused = true
		return c
	}
	if _, fixed := c.Code.Fixed(p.Field); fixed {
		return c
	}
	v := Value(p.Field, slices.Index(c.Code.Fields(), p.Field))
	if p.Format == model.FirstLine && v.Type == model.String {
		v.Str = twoLines(p.Field)
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
	for _, t := range templates(code) {
		add(t.Parts)
	}
	return out
}

// templates returns the texts of a code.
func templates(code *model.Code) []model.Template {
	if code.Feedback == nil {
		return []model.Template{code.Template}
	}
	return []model.Template{code.Template, *code.Feedback}
}

// flat returns the placeholders in parts and in their optional parts.
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

// shows reports whether a text of the code shows f.
func shows(code *model.Code, f *model.Field) bool {
	return slices.ContainsFunc(placeholders(code), func(p model.Part) bool { return p.Field == f })
}
