package check

import (
	"maps"
	"reflect"
	"slices"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

// profileView is the reactions and policies as the table has them, or as a profile changes them.
// Names that the table lacks are left out.
type profileView struct {
	profile   *spec.Profile // nil for the table
	reactions map[string]*spec.Reaction
	policies  map[string]*spec.Policy

	all     []*spec.Reaction // every reaction as it applies, also in place
	written []*spec.Reaction // for each of them, the part that is written in the table or profile
}

// viewsOf returns the table's view, then those of the profiles.
func viewsOf(t *spec.Taxonomy) []*profileView {
	table := &profileView{reactions: make(map[string]*spec.Reaction), policies: make(map[string]*spec.Policy)}
	for _, name := range predeclared {
		text := spec.Text{V: name, Set: true}
		table.reactions[name] = &spec.Reaction{Name: text, Action: text}
	}
	for i := range t.Policies {
		table.policies[t.Policies[i].Name.V] = &t.Policies[i]
	}
	for i := range t.Reactions {
		table.reactions[t.Reactions[i].Name.V] = &t.Reactions[i]
		table.add(&t.Reactions[i], &t.Reactions[i])
	}
	table.addInPlace(t.Uncategorized)
	for _, k := range t.Categories {
		table.addInPlace(k.Traits.Reaction)
		for _, code := range k.Codes {
			table.addInPlace(code.Traits.Reaction)
			for _, w := range code.When {
				table.addInPlace(w.Traits.Reaction)
			}
		}
	}
	views := []*profileView{table}
	for i := range t.Profiles {
		views = append(views, table.overlaid(&t.Profiles[i]))
	}
	return views
}

// add lists a reaction, and those that are in place behind it.
func (v *profileView) add(r, written *spec.Reaction) {
	v.all, v.written = append(v.all, r), append(v.written, written)
	v.addInPlace(written.Then)
}

func (v *profileView) addInPlace(ref *spec.ReactionRef) {
	if ref != nil && ref.Inline != nil {
		v.add(ref.Inline, ref.Inline)
	}
}

func (v *profileView) overlaid(p *spec.Profile) *profileView {
	out := &profileView{profile: p, reactions: maps.Clone(v.reactions), policies: maps.Clone(v.policies)}
	for i := range p.Policies {
		if base := v.policies[p.Policies[i].Name.V]; base != nil {
			out.policies[base.Name.V] = merge(base, &p.Policies[i])
		}
	}
	for i := range p.Reactions {
		top := &p.Reactions[i]
		base := v.reactions[top.Name.V]
		if base == nil {
			continue
		}
		kept := *base
		if top.Action.Set && asks(top.Action.V) != asks(base.Action.V) {
			kept.To, kept.Purpose = spec.Text{}, spec.Text{} // of the action that is replaced
		}
		merged := merge(&kept, top)
		out.reactions[top.Name.V] = merged
		out.add(merged, top)
	}
	for _, o := range p.Codes {
		out.addInPlace(o.Traits.Reaction)
	}
	return out
}

// asks returns an action by what `to` means to it.
func asks(action string) string {
	if action == "retry_operation" {
		return "retry"
	}
	return action
}

// merge returns base with what top sets, field by field. A reference is replaced as a whole.
func merge[T any](base, top *T) *T {
	out := *base
	overlay(reflect.ValueOf(&out).Elem(), reflect.ValueOf(top).Elem())
	return &out
}

func overlay(base, top reflect.Value) {
	switch top.Kind() {
	case reflect.Struct:
		switch top.Interface().(type) {
		case spec.Text, spec.Int, spec.Float, spec.Bool, spec.Duration, diag.Span:
			if !top.IsZero() {
				base.Set(top)
			}
			return
		case spec.ReactionRef, spec.PolicyRef:
			base.Set(top)
			return
		}
		for i := range top.NumField() {
			if f := base.Field(i); f.CanSet() {
				overlay(f, top.Field(i))
			}
		}
	case reflect.Pointer:
		if top.IsNil() {
			return
		}
		out := reflect.New(top.Type().Elem())
		if !base.IsNil() {
			out.Elem().Set(base.Elem())
		}
		overlay(out.Elem(), top.Elem())
		base.Set(out)
	default:
		if !top.IsZero() {
			base.Set(top)
		}
	}
}

// then returns the reaction that follows r if it is exhausted, or nil if r ends the chain.
func (v *profileView) then(r *spec.Reaction) *spec.Reaction {
	switch {
	case !slices.Contains([]string{"retry", "retry_operation", "recover", "escalate"}, r.Action.V) || r.Then == nil:
		return nil
	case r.Then.Inline != nil:
		return r.Then.Inline
	}
	return v.reactions[r.Then.Name.V]
}

// refSpan is the token that chooses a reaction.
func refSpan(ref *spec.ReactionRef, retryable bool) diag.Span {
	switch {
	case ref == nil:
		return diag.Span{}
	case ref.ByFlag != nil && retryable:
		return firstSpan(ref.ByFlag.Retryable.Span, ref.Span)
	case ref.ByFlag != nil:
		return firstSpan(ref.ByFlag.Permanent.Span, ref.Span)
	}
	return firstSpan(ref.Name.Span, ref.Span)
}
