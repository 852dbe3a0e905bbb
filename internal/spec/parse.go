package spec

import (
	"fmt"
	"slices"

	"github.com/errgen/errgen/internal/diag"
)

// Parse reads a taxonomy and reports every fault of its form. The taxonomy is never nil; where
// there are findings it holds what could be read. name is how findings call the file.
func Parse(name string, src []byte) (*Taxonomy, []diag.Finding) {
	r := &reader{}
	root := r.read(src)
	t := &Taxonomy{Source: diag.NewSource(name, src), lines: r.lines}
	d := &decoder{lang: TheLanguage(), out: r.out}
	if root != nil && root.kind != badNode {
		d.taxonomy(root, t)
		t.Ignores = d.ignores(r.lines, root)
	} else if len(d.out) == 0 {
		d.fail(IDMissingKey, r.lines.span(1, 1, 1), "the file is empty", "errgen init writes a taxonomy to begin with")
	}
	return t, r.finish(d.out)
}

// finish brings the findings into order and bounds, and drops what would drown the reader.
func (r *reader) finish(out []diag.Finding) []diag.Finding {
	diag.Sort(out)
	out = slices.CompactFunc(
		out, func(a, b diag.Finding) bool { return a.ID == b.ID && a.Span == b.Span && a.Message == b.Message })
	return Bound(out)
}

// Bound leaves out what stands behind the first thousand errors of sorted findings, and says so.
func Bound(out []diag.Finding) []diag.Finding {
	errs := 0
	for i, f := range out {
		if f.Severity != diag.Error || f.ID == IDTooMany {
			continue
		}
		if errs++; errs > maxFinds {
			kept := slices.DeleteFunc(slices.Clone(out[:i]), func(f diag.Finding) bool { return f.ID == IDTooMany })
			return append(kept, diag.Finding{
				ID: IDTooMany, Span: f.Span, Message: fmt.Sprintf(
					"more than %d findings; the rest are left out", maxFinds),
				Hint: "mend the first ones and look again: one cause often has many findings",
			})
		}
	}
	return out
}

func (d *decoder) taxonomy(n *node, t *Taxonomy) {
	d.keys(n, nil, d.lang.Root, func(key string) any {
		switch key {
		case "errgen":
			return func(n, key *node, ty *Type) { t.Version = d.version(n, key, ty) }
		case "package":
			return &t.Package
		case "domain":
			return &t.Domain
		case "doc":
			return &t.Doc
		case "help_url":
			return &t.HelpURL
		case "sources":
			return d.docs(&t.Sources)
		case "ops":
			return d.docs(&t.Ops)
		case "groups":
			return d.docs(&t.Groups)
		case "strategies":
			return d.docs(&t.Strategies)
		case "checks":
			return d.docs(&t.Checks)
		case "tiers":
			return declared(d, &t.Tiers, d.tier)
		case "policies":
			return declared(d, &t.Policies, d.policy)
		case "reactions":
			return declared(
				d, &t.Reactions, func(n, name *node) Reaction { return d.reaction(n, name, d.lang.reaction) })
		case "fallback":
			return func(n, key *node, _ *Type) { t.Fallback = d.fallback(n, key) }
		case "uncategorized":
			return d.reactionRef(&t.Uncategorized)
		case "fields":
			return declared(d, &t.Fields, d.field)
		case "categories":
			return declared(d, &t.Categories, d.category)
		case "reserved":
			return func(n, key *node, _ *Type) { d.reserved(n, key, &t.Reserved) }
		case "profiles":
			return declared(d, &t.Profiles, d.profile)
		}
		return nil
	})
}

func (d *decoder) version(n, key *node, t *Type) Int {
	v := d.integer(n, key, t)
	if v.Set && v.V != Version {
		d.fail(IDVersion, n.span, fmt.Sprintf("version %d of the language is unknown", v.V),
			fmt.Sprintf("this errgen reads version %d", Version))
	}
	return v
}

// declared returns a destination that decodes a mapping of names with one.
func declared[T any](d *decoder, dst *[]T, one func(n, name *node) T) func(n, key *node, t *Type) {
	return func(n, key *node, t *Type) {
		if n.kind == mappingNode {
			*dst = make([]T, 0, len(n.entries))
		}
		d.named(n, key, t, func(name, value *node) { *dst = append(*dst, one(value, name)) })
	}
}

// listed returns a destination that decodes a list of mappings with one.
func listed[T any](d *decoder, dst *[]T, one func(n *node) T) func(n, key *node, t *Type) {
	return func(n, key *node, t *Type) {
		d.items(n, key, t, func(item *node) { *dst = append(*dst, one(item)) })
	}
}

// docs returns a destination for names with a sentence each.
func (d *decoder) docs(dst *[]Named) func(n, key *node, t *Type) {
	return func(n, key *node, t *Type) {
		d.named(n, key, t, func(name, value *node) {
			*dst = append(*dst, Named{Name: name.text(), Doc: d.text(value, name, t.Elem)})
		})
	}
}

func (d *decoder) tier(n, name *node) Tier {
	t := Tier{Name: name.text()}
	d.keys(n, name, d.lang.tier, func(key string) any {
		switch key {
		case "doc":
			return &t.Doc
		case "classifies":
			return &t.Classifies
		case "person":
			return &t.Person
		case "purpose":
			return &t.Purpose
		}
		return nil
	})
	return t
}

func (d *decoder) fallback(n, key *node) *Fallback {
	f := &Fallback{Span: key.span}
	d.keys(n, key, d.lang.fallback, func(key string) any {
		switch key {
		case "code":
			return &f.Code
		case "set":
			return &f.Set
		}
		return nil
	})
	return f
}

func (d *decoder) reserved(n, key *node, r *Reserved) {
	d.keys(n, key, d.lang.reserved, func(key string) any {
		switch key {
		case "numbers":
			return &r.Numbers
		case "codes":
			return &r.Codes
		}
		return nil
	})
}
