package model

import "slices"

// PublicOnly returns the package with its public codes and their public fields only, for documents
// for clients. It has no profiles, policies and reactions. Other properties of the codes are
// complete, with those in Extras: each document leaves out the ones that clients must not see.
func (p *Package) PublicOnly() *Package {
	out := *p
	out.Profiles, out.Policies, out.Reactions = nil, nil, nil
	out.Categories, out.Codes, out.Fields = nil, nil, publicFields(p.Fields)
	copies := make(map[*Code]*Code)
	for _, c := range p.Categories {
		category := *c
		category.Fields, category.Codes = publicFields(c.Fields), nil
		if c.Decl.Audience.Or(p.Decl.Audience.V) != "public" {
			category.Doc = "" // for the team
		}
		for _, code := range c.Codes {
			if !code.Public {
				continue
			}
			public := *code
			public.Category = &category
			public.Args = publicFields(code.Args)
			if code.OwnType != nil {
				own := *code.OwnType
				own.Fields, own.Codes = publicFields(own.Fields), []*Code{&public}
				public.OwnType = &own
			}
			public.Constants = nil
			public.Sets = slices.DeleteFunc(slices.Clone(code.Sets), func(s FieldValue) bool { return !s.Field.Public })
			category.Codes = append(category.Codes, &public)
			copies[code] = &public
		}
		if len(category.Codes) > 0 {
			out.Categories = append(out.Categories, &category)
			out.Codes = append(out.Codes, category.Codes...)
		}
	}
	for _, c := range out.Codes {
		c.ReplacedBy, c.Above = copies[c.ReplacedBy], copies[c.Above]
	}
	out.Operations = nil
	for _, o := range p.Operations {
		public := *o
		public.Codes = nil
		for _, c := range o.Codes {
			public.Codes = append(public.Codes, copies[c])
		}
		out.Operations = append(out.Operations, &public)
	}
	return &out
}

// ErrorTypes returns the types of errors with their codes. For each category, these are the type of
// the codes without fields, and then the types of codes with fields. Abstract codes have no errors.
func (p *Package) ErrorTypes() []*Category {
	var types []*Category
	for _, c := range p.Categories {
		shared := *c
		shared.Codes = slices.DeleteFunc(slices.Clone(c.Codes), func(c *Code) bool {
			return c.Abstract || c.OwnType != nil
		})
		if len(shared.Codes) > 0 {
			types = append(types, &shared)
		}
		for _, code := range c.Codes {
			if code.OwnType != nil && !code.Abstract {
				types = append(types, code.OwnType)
			}
		}
	}
	return types
}

// publicFields returns the fields that clients see on the wire.
func publicFields(fields []*Field) []*Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f *Field) bool { return !f.Public || f.MessageOnly })
}
