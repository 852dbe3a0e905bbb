package spec

import "github.com/errgen/errgen/internal/diag"

// trait returns the destination of a key that categories, codes, branches and overlays share.
func (d *decoder) trait(key string, t *Traits) any {
	switch key {
	case "kind":
		return &t.Kind
	case "severity":
		return &t.Severity
	case "retryable":
		return &t.Retryable
	case "recoverability":
		return &t.Recoverability
	case "reaction":
		return d.reactionRef(&t.Reaction)
	case "http":
		return &t.HTTP
	case "grpc":
		return &t.GRPC
	}
	return nil
}

func (d *decoder) field(n, name *node) Field {
	f := Field{Name: name.text(), Span: name.span}
	var typ, enum *node
	d.keys(n, name, d.lang.field, func(key string) any {
		switch key {
		case "name":
			return &f.GoName
		case "doc":
			return &f.Doc
		case "type":
			return func(n, key *node, t *Type) { typ, f.Type = key, d.text(n, key, t) }
		case "enum":
			return func(n, key *node, t *Type) {
				enum, f.EnumSpan = key, n.span
				d.texts(n, key, t, &f.Enum)
			}
		case "required":
			return &f.Required
		case "from":
			return &f.From
		case "default":
			return &f.Default
		case "sensitive":
			return &f.Sensitive
		case "scrub":
			return &f.Scrub
		case "max_length":
			return &f.MaxLength
		case "keep":
			return &f.Keep
		case "message_only":
			return &f.MessageOnly
		case "fields":
			return declared(d, &f.Fields, d.field)
		}
		return nil
	})
	switch {
	case n.kind != mappingNode:
	case typ != nil && enum != nil:
		d.out = add(d.out, diag.Finding{
			ID: IDKeyConflict, Span: enum.span, Message: "a field has a type or an enum, not both",
			Hint:    "remove one of them",
			Related: []diag.Related{{Span: typ.span, Message: "the type is given here"}},
		})
	case n.key("type") == nil && n.key("enum") == nil:
		d.fail(IDMissingKey, name.span, `a field needs the key "type" or "enum"`, "write type: string, or enum: [A, B]")
	}
	return f
}

func (d *decoder) category(n, name *node) Category {
	c := Category{Name: name.text()}
	d.keys(n, name, d.lang.category, func(key string) any {
		switch key {
		case "type":
			return &c.Type
		case "doc":
			return &c.Doc
		case "fields":
			return declared(d, &c.Fields, d.field)
		case "codes":
			return declared(d, &c.Codes, d.code)
		}
		return d.trait(key, &c.Traits)
	})
	return c
}

func (d *decoder) code(n, name *node) Code {
	c := Code{Name: name.text(), Span: name.span}
	d.keys(n, name, d.lang.code, func(key string) any {
		if dst := d.codeText(key, &c); dst != nil {
			return dst
		}
		switch key {
		case "number":
			return &c.Number
		case "aliases":
			return &c.Aliases
		case "groups":
			return &c.Groups
		case "args":
			return func(n, key *node, t *Type) {
				c.ArgsSet = true
				d.texts(n, key, t, &c.Args)
			}
		case "set":
			return &c.Set
		case "prevent":
			return func(n, key *node, _ *Type) { c.Prevent = d.prevention(n, key) }
		case "when":
			return listed(d, &c.When, d.when)
		case "detect":
			return listed(d, &c.Detect, d.rule)
		case "examples":
			return listed(d, &c.Examples, d.example)
		case "not_examples":
			return listed(d, &c.NotExamples, d.notExample)
		}
		return d.trait(key, &c.Traits)
	})
	return c
}

// codeText returns the destination of a key of a code that holds one text.
func (d *decoder) codeText(key string, c *Code) any {
	switch key {
	case "name":
		return &c.GoName
	case "value":
		return &c.Value
	case "doc":
		return &c.Doc
	case "resolution":
		return &c.Resolution
	case "message":
		return &c.Message
	case "feedback":
		return &c.Feedback
	case "since":
		return &c.Since
	case "deprecated":
		return &c.Deprecated
	case "replaced_by":
		return &c.ReplacedBy
	}
	return nil
}

func (d *decoder) when(n *node) When {
	w := When{Span: n.span}
	d.keys(n, nil, d.lang.when, func(key string) any {
		if key == "if" {
			return &w.If
		}
		return d.trait(key, &w.Traits)
	})
	return w
}
