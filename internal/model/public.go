package model

import "slices"

// PublicOnly returns the part of the package that clients see: public codes with their public fields,
// without profiles, policies and reactions. It is for documents, not for emitting Go.
func (p *Package) PublicOnly() *Package {
	out := *p
	out.Profiles, out.Policies, out.Reactions = nil, nil, nil
	out.Categories, out.Codes, out.Fields = nil, nil, publicFields(p.Fields)
	copies := make(map[*Code]*Code)
	for _, c := range p.Categories {
		category := *c
		category.Fields, category.Codes = publicFields(c.Fields), nil
		for _, code := range c.Codes {
			if !code.Public {
				continue
			}
			public := *code
			public.Category = &category
			public.Args = publicFields(code.Args)
			public.Set = slices.DeleteFunc(slices.Clone(code.Set), func(s FieldValue) bool { return !s.Field.Public })
			category.Codes = append(category.Codes, &public)
			copies[code] = &public
		}
		if len(category.Codes) > 0 {
			out.Categories = append(out.Categories, &category)
			out.Codes = append(out.Codes, category.Codes...)
		}
	}
	for _, c := range out.Codes {
		c.ReplacedBy = copies[c.ReplacedBy]
	}
	return &out
}

func publicFields(fields []*Field) []*Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f *Field) bool { return !f.Public || f.MessageOnly })
}
