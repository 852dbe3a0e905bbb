package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

// attributePrefix begins the name of an attribute of the evidence.
const attributePrefix = "attributes."

func isAttribute(from string) bool {
	return strings.HasPrefix(from, attributePrefix) && from != attributePrefix
}

// roleNames are the parts of evidence that the runtime reads from fields of errors.
var roleNames = strings.Fields("retry_after reset_at files credential output")

var (
	textTypes   = []model.Type{model.String, model.EnumType}
	codeTypes   = []model.Type{model.Int, model.Int64, model.String}
	scalarTypes = []model.Type{
		model.String, model.EnumType, model.Int, model.Int64, model.Uint64, model.Float64, model.Bool, model.Duration,
		model.Time,
	}
)

// filledTypes has the types of fields that each part of evidence can fill.
var filledTypes = map[string][]model.Type{
	"source": textTypes, "op": textTypes, "type": textTypes, "code": scalarTypes, "status": codeTypes,
	"exit_code": codeTypes, "signal": textTypes, "errno": textTypes, "text": textTypes, "output": textTypes,
	"credential": textTypes, "files": {model.Strings}, "retry_after": {model.Duration}, "reset_at": {model.Time},
}

// maxWords is the maximum number of words of an enum, whose Go value is a byte.
const maxWords = 254

// maxGroups is the maximum number of groups, because the groups of a code are the bits of a uint64.
const maxGroups = 64

// fieldOptions finds options that the type of a field does not take, and enums, objects, groups and
// categories that are empty or too long.
func fieldOptions(c *checker) {
	c.eachField(func(f *model.Field) {
		d, typ := f.Decl, f.Type
		hasFields := typ == model.ObjectType || typ == model.Objects
		wrong := func(is bool, at diag.Span, message, hint string) {
			if is {
				c.report("E-field-option", at, message, hint)
			}
		}
		if d.Type.Set && d.Enum != nil {
			c.report("E-value", d.EnumSpan, fmt.Sprintf("%q has a type and an enum", f.Wire), "remove one of them",
				seeAlso(d.Type.Span, "its type"))
		}
		wrong(d.Enum != nil && len(d.Enum) == 0, d.EnumSpan, fmt.Sprintf("enum %q has no words", f.Wire),
			"list them, as in [low, high]")
		if len(d.Enum) > maxWords {
			wrong(true, d.Enum[maxWords].Span, fmt.Sprintf("an enum has at most %d words", maxWords),
				"use type: string")
		}
		wrong(hasFields && len(d.Fields) == 0, d.Type.Span, fmt.Sprintf("object %q has no fields", f.Wire),
			"list them under fields")
		wrong(typ.IsObjects() && d.Sensitive.V, d.Sensitive.Span, fmt.Sprintf("%q is a list of objects", f.Wire),
			"make fields of the objects sensitive")
		for _, inner := range d.Fields {
			wrong(!hasFields, inner.Name.Span, fmt.Sprintf("%q is of type %s, and has no fields", f.Wire, typ),
				"use type: object, or remove fields")
			wrong(typ == model.Objects && fillable(&inner), inner.Name.Span,
				fmt.Sprintf("evidence cannot fill %q, which is a list of objects", f.Wire), "remove from and default")
			wrong(inner.Audience.Set, inner.Audience.Span,
				fmt.Sprintf("%q is part of %q, which has one audience", inner.Name.V, f.Wire),
				"set the audience of the object, or move the field out of it")
		}
		notText := fmt.Sprintf("scrub and max_length are for texts, and %q is of type %s", f.Wire, typ)
		isText := typ == model.String || typ == model.Strings
		wrong(d.Scrub.V && !isText, d.Scrub.Span, notText, "remove it, or use type: string")
		wrong(d.MaxLength.Set && !isText, d.MaxLength.Span, notText, "remove it, or use type: string")
		wrong(d.Keep.Set && !d.MaxLength.Set, d.Keep.Span,
			"keep needs max_length: it is the end that remains of a longer text", "set max_length, or remove keep")
		for _, from := range d.From {
			fits := filledTypes[from.V]
			if isAttribute(from.V) {
				fits = append([]model.Type{model.JSON}, scalarTypes...)
			}
			wrong(!slices.Contains(fits, typ), from.Span,
				fmt.Sprintf("%s cannot fill %q of type %s", from.V, f.Wire, typ), "use a field of type "+oneOf(fits))
		}
	})
	if len(c.t.Groups) > maxGroups {
		c.report("E-value", c.t.Groups[maxGroups].Name.Span, fmt.Sprintf("a taxonomy has at most %d groups", maxGroups),
			fmt.Sprintf("remove %d of them", len(c.t.Groups)-maxGroups))
	}
	if len(c.m.Categories) == 0 {
		c.report("E-value", c.t.Version.Span, "the taxonomy has no codes", "declare one under codes")
	}
	for _, k := range c.m.Categories {
		if len(k.Codes) == 0 {
			c.report("E-value", k.Decl.Name.Span, fmt.Sprintf("category %q has no codes", k.Name),
				"declare one under codes")
		}
	}
}

// args finds required fields that a factory neither takes nor sets, duplicate parameters, and
// parameters for fields that the code sets.
func args(c *checker) {
	for _, k := range c.m.Codes {
		d, at := k.Decl, k.Decl.Name.Span
		if len(d.Args) > 0 {
			at = d.Args[0].Span
		}
		for _, f := range k.Fields() {
			if d.Args != nil && f.Required && !k.HasParam(f) && !gives(d.Set, f) {
				c.report("E-arg", at,
					fmt.Sprintf("%s neither takes nor sets the required field %q", k.Factory, f.Wire),
					"add it to args, or give it a value under set", seeAlso(f.Decl.Required.Span, "required here"))
			}
		}
		for i, a := range d.Args {
			if slices.ContainsFunc(d.Args[:i], func(b spec.Text) bool { return a.V == b.V }) {
				c.report("E-arg", a.Span, fmt.Sprintf("%q is a parameter already", a.V), "remove one of them")
			}
			for _, s := range d.Set {
				if s.Field.V == a.V {
					c.report("E-arg", a.Span, fmt.Sprintf("%q is under set, so it cannot be a parameter", a.V),
						"remove it from args or from set", seeAlso(s.Field.Span, "set here"))
				}
			}
		}
	}
}

// unfillableFields finds fields that a code must have and classification cannot fill.
func unfillableFields(c *checker) {
	for _, k := range c.m.Codes {
		for _, f := range k.Fields() {
			if !f.Required && !k.HasParam(f) || gives(k.Decl.Set, f) || fillable(f.Decl) {
				continue
			}
			report := func(at diag.Span, when string) {
				c.report("E-unfillable", at, fmt.Sprintf("nothing gives %s its %q when it is %s", k.Name, f.Wire, when),
					"give the field a from or a default, or set it here", seeAlso(f.Decl.Name.Span, "declared here"))
			}
			for _, r := range k.Decl.Detect {
				if !gives(r.Set, f) {
					report(cmp.Or(r.Span, k.Decl.Name.Span), "detected")
				}
			}
			for _, s := range c.t.Sources {
				if c.m.SourceFallbacks[s.Name.V] == k {
					report(s.Fallback.Span, "the fallback of "+s.Name.V)
				}
			}
			if c.m.Fallback == k && !gives(c.t.Fallback.Set, f) {
				report(c.t.Fallback.Code.Span, "the fallback")
			}
		}
	}
	c.eachField(func(f *model.Field) {
		if !slices.ContainsFunc(f.Decl.Fields, func(d spec.Field) bool { return fillable(&d) }) {
			return
		}
		for i := range f.Decl.Fields {
			if d := &f.Decl.Fields[i]; d.Required.V && !fillable(d) && d.Type.V != "object" {
				c.report("E-unfillable", d.Name.Span,
					fmt.Sprintf("evidence fills %s, but nothing gives it its %q", f.Wire, d.Name.V),
					"give the field a from or a default")
			}
		}
	})
}

// fillable reports whether classification can give a value to a field, or to a field in it.
func fillable(d *spec.Field) bool {
	return len(d.From) > 0 || d.Default != nil ||
		slices.ContainsFunc(d.Fields, func(inner spec.Field) bool { return fillable(&inner) })
}

// publicFallback checks that the code which clients see in place of internal ones is public, and
// has the same values in each error.
func publicFallback(c *checker) {
	if c.t.Public == nil {
		return
	}
	k, at := c.m.CodeByKey(c.t.Public.Code.V), c.t.Public.Code.Span
	here := seeAlso(k.Decl.Name.Span, "here")
	switch {
	case !k.Public:
		c.report("E-public-code", at, k.Name+" is internal", "give it audience: public", here)
	case len(k.Args)+len(k.Sets) > 0:
		c.report("E-public-code", at,
			k.Name+" has parameters or set, but clients see it in place of errors without these values",
			"choose a code whose message is fixed", here)
	}
}

// publicTexts warns of fields with the text of another program that clients see unmasked, or that
// only their owner makes public.
func publicTexts(c *checker) {
	chosen := make(map[*spec.Field]bool) // fields of objects with an audience
	c.eachField(func(f *model.Field) {
		d := f.Decl
		for i := range d.Fields {
			chosen[&d.Fields[i]] = d.Audience.Set || chosen[d]
		}
		masked := f.Scrub || f.Sensitive
		i := slices.IndexFunc(d.From, func(from spec.Text) bool { return from.V == "text" || from.V == "output" })
		if i < 0 || !f.Public || masked && (d.Audience.Set || chosen[d]) {
			return
		}
		message := fmt.Sprintf("clients see %q, the %s of another program", f.Wire, d.From[i].V)
		if !masked {
			message += ", with its secrets"
		}
		c.report("W-public-text", d.From[i].Span, message,
			"add \"audience: internal\"; or, if clients may read it, \"audience: public, scrub: true\"")
	})
}
