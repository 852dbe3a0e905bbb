package check

import (
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

// roleNames are the parts of evidence that the runtime reads out of an error again.
var roleNames = strings.Fields("retry_after reset_at files credential output")

var (
	textTypes   = []model.Type{model.String, model.EnumType}
	codeTypes   = []model.Type{model.Int, model.Int64, model.String}
	scalarTypes = []model.Type{
		model.String, model.EnumType, model.Int, model.Int64, model.Uint64, model.Float64, model.Bool, model.Duration,
		model.Time,
	}
)

// evidence has the types of fields that each part of it can fill.
var evidence = map[string][]model.Type{
	"source": textTypes, "op": textTypes, "type": textTypes, "code": scalarTypes, "status": codeTypes,
	"exit_code": codeTypes, "signal": textTypes, "errno": textTypes, "text": textTypes, "output": textTypes,
	"credential": textTypes, "files": {model.Strings}, "retry_after": {model.Duration}, "reset_at": {model.Time},
}

// maxWords bounds the words of an enum: its Go value is a byte.
const maxWords = 254

// maxGroups is the number of groups of the generated tables: a code's groups are the bits of a
// number.
const maxGroups = 64

// fieldOptions finds options of a field that its type does not take, and declarations that are
// empty or too long for the generated code.
func fieldOptions(c *checker) {
	c.eachField(func(f field) {
		typ := f.model.Type
		switch {
		case f.Enum != nil && len(f.Enum) == 0:
			c.report("E-field-option", f.EnumSpan, fmt.Sprintf("enum %q has no words", f.Name.V),
				"list them, as in [low, high]")
		case len(f.Enum) > maxWords:
			c.report("E-field-option", f.Enum[maxWords].Span, fmt.Sprintf("an enum has at most %d words", maxWords),
				"use type: string")
		case hasFields(f) && len(f.Fields) == 0:
			c.report("E-field-option", f.Type.Span, fmt.Sprintf("object %q has no fields", f.Name.V),
				"list them under fields")
		case f.Type.Set && !hasFields(f) && len(f.Fields) > 0:
			c.report("E-field-option", f.Fields[0].Name.Span,
				fmt.Sprintf("%q is of type %s, and has no fields", f.Name.V, typ), "use type: object, or remove fields")
		case typ.IsObjects() && f.Sensitive.V:
			c.report("E-field-option", f.Sensitive.Span, fmt.Sprintf("%q is a list of objects", f.Name.V),
				"make fields of the objects sensitive")
		}
		for _, inner := range f.Fields {
			if typ == model.Objects && fillable(inner) {
				c.report("E-field-option", inner.Name.Span,
					fmt.Sprintf("evidence cannot fill %q, which is a list of objects", f.Name.V),
					"remove from and default")
			}
		}
		textOnly := func(key string, set bool, at diag.Span) {
			if set && typ != model.String && typ != model.Strings {
				c.report("E-field-option", at, fmt.Sprintf("%s is for texts, and %q is of type %s", key, f.Name.V, typ),
					"remove it, or use type: string")
			}
		}
		textOnly("scrub", f.Scrub.V, f.Scrub.Span)
		textOnly("max_length", f.MaxLength.Set, f.MaxLength.Span)
		if f.Keep.Set && !f.MaxLength.Set {
			c.report("E-field-option", f.Keep.Span,
				"keep needs max_length: it is the end that remains of a longer text", "set max_length, or remove keep")
		}
		for _, inner := range f.Fields {
			if inner.Audience.Set {
				c.report("E-field-option", inner.Audience.Span,
					fmt.Sprintf("%q is part of %q, which has one audience", inner.Name.V, f.Name.V),
					"set the audience of the object, or move the field out of it")
			}
		}
		for _, from := range f.From {
			fits := evidence[from.V]
			if isAttribute(from.V) {
				fits = append([]model.Type{model.JSON}, scalarTypes...)
			}
			if !slices.Contains(fits, typ) {
				c.report("E-field-option", from.Span,
					fmt.Sprintf("%s cannot fill %q of type %s", from.V, f.Name.V, typ),
					"use a field of type "+oneOf(fits))
			}
		}
	})
	limits(c)
}

// hasFields reports whether the type of a field has fields.
func hasFields(f field) bool { return f.Type.V == "object" || f.Type.V == "objects" }

// limits finds categories without codes, and more groups than the generated code can number.
func limits(c *checker) {
	if len(c.t.Groups) > maxGroups {
		c.report("E-value", c.t.Groups[maxGroups].Name.Span, fmt.Sprintf("a taxonomy has at most %d groups", maxGroups),
			"remove groups")
	}
	if len(c.categories) == 0 {
		c.report("E-value", c.t.Version.Span, "the taxonomy has no codes", "declare one under codes")
	}
	for _, k := range c.categories {
		if len(k.Codes) == 0 {
			c.report("E-value", k.Name.Span, fmt.Sprintf("category %q has no codes", k.Name.V),
				"declare one under codes")
		}
	}
}

// args finds required fields that a factory neither takes nor sets, and parameters for what the
// code fixes.
func args(c *checker) {
	for _, k := range c.codes {
		at := k.Name.Span
		if len(k.Args) > 0 {
			at = k.Args[0].Span
		}
		for _, f := range k.fields {
			if k.Args != nil && f.Required.V && !k.takes(f) && !k.sets(f.Name.V) {
				c.report("E-arg", at,
					fmt.Sprintf("%s neither takes nor sets the required field %q", k.model.Factory, f.Name.V),
					"add it to args, or give it a value under set", seeAlso(f.Required.Span, "required here"))
			}
		}
		for i, a := range k.Args {
			if slices.ContainsFunc(k.Args[:i], func(b spec.Text) bool { return a.V == b.V }) {
				c.report("E-arg", a.Span, fmt.Sprintf("%q is a parameter already", a.V), "remove one of them")
			}
			for _, s := range k.Set {
				if s.Field.V == a.V {
					c.report("E-arg", a.Span, fmt.Sprintf("%q is fixed by set, and cannot be a parameter as well", a.V),
						"remove it from args or from set", seeAlso(s.Field.Span, "fixed here"))
				}
			}
		}
	}
}

// unfillableFields finds fields that a code must have and classification cannot fill.
func unfillableFields(c *checker) {
	const hint = "give the field a from or a default, or set it here"
	for _, k := range c.codes {
		for _, f := range k.fields {
			if !f.Required.V && !k.takes(f) || k.sets(f.Name.V) || fillable(*f.Field) {
				continue
			}
			for _, r := range k.Detect {
				if !assigns(r.Set, f.Name.V) {
					c.report("E-unfillable", firstSpan(r.Span, k.Name.Span),
						fmt.Sprintf("nothing gives %s its %q when it is detected", k.Name.V, f.Name.V), hint,
						seeAlso(f.Name.Span, "declared here"))
				}
			}
			for _, s := range c.t.Sources {
				if at := s.Details().Fallback; at.V == k.Name.V {
					c.report("E-unfillable", at.Span,
						fmt.Sprintf("nothing gives %s its %q when it is the fallback of %s", k.Name.V, f.Name.V,
							s.Name.V),
						hint, seeAlso(f.Name.Span, "declared here"))
				}
			}
			if fb := c.t.Fallback; fb != nil && fb.Code.V == k.Name.V && !assigns(fb.Set, f.Name.V) {
				c.report("E-unfillable", fb.Code.Span,
					fmt.Sprintf("nothing gives %s its %q when it is the fallback", k.Name.V, f.Name.V), hint,
					seeAlso(f.Name.Span, "declared here"))
			}
		}
	}
	c.eachField(func(f field) {
		if !slices.ContainsFunc(f.Fields, fillable) {
			return
		}
		for _, inner := range f.Fields {
			if inner.Required.V && !fillable(inner) && inner.Type.V != "object" {
				c.report("E-unfillable", inner.Name.Span,
					fmt.Sprintf("evidence fills %s, but nothing gives it its %q", f.Name.V, inner.Name.V),
					"give the field a from or a default")
			}
		}
	})
}

// fillable reports whether classification can give a field a value: an object if it can give one to
// a field in it.
func fillable(f spec.Field) bool {
	return len(f.From) > 0 || f.Default != nil || slices.ContainsFunc(f.Fields, fillable)
}

// publicFallback finds a code that clients cannot see in place of every internal one.
func publicFallback(c *checker) {
	if c.t.Public == nil {
		return
	}
	k, at := c.codeNamed[c.t.Public.Code.V], c.t.Public.Code.Span
	switch {
	case !k.model.Public:
		c.report("E-public-code", at, k.Name.V+" is internal", "give it audience: public", seeAlso(k.Name.Span, "here"))
	case len(k.model.Args)+len(k.model.Set) > 0:
		c.report("E-public-code", at,
			k.Name.V+" has parameters or set, and the error in whose place it is seen has no values for them",
			"choose a code whose message is fixed", seeAlso(k.Name.Span, "here"))
	}
}
