package resolve

import (
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// overrides are the runtime's form of declarations, and the places of their keys.
type overrides struct {
	taxonomy.Overrides
	registry *registry
	places   map[string]diag.Span // by the path of a [taxonomy.Problem]
}

func newOverrides(r *registry) *overrides {
	return &overrides{registry: r, places: make(map[string]diag.Span)}
}

// decode decodes a mapping at a path. Names replace inline reactions and policies.
func (o *overrides) decode(raw spec.Raw, path string, into any, valueOf func(code string) string) {
	raw = raw.Edit(func(keys []string, at diag.Span, value spec.Raw) string {
		if valueOf != nil && keys[0] == "codes" && len(keys) > 1 {
			keys = append([]string{keys[0], valueOf(keys[1])}, keys[2:]...)
		}
		o.places[path+strings.Join(keys, ".")] = at
		return o.registry.inline[value]
	})
	_ = raw.Decode(into) // package spec checked the form
}

// of adds the overrides of a profile. The keys of codes are the codes' values.
func (o *overrides) of(d *spec.Profile, valueOf func(key string) string) {
	o.decode(d.Raw, "", &o.Overrides, valueOf)
	codes := make(map[string]taxonomy.TraitsOverride)
	for _, c := range d.Codes {
		value := valueOf(c.Key.V)
		codes[value] = o.Codes[c.Key.V]
		o.places["codes."+value] = c.Key.Span
	}
	o.Codes = codes
	o.reactions()
	for _, p := range o.registry.policies {
		putFirst(&o.Policies, p.name, *o.policy(p))
	}
}

func (o *overrides) reactions() {
	o.Reactions = nil
	for _, d := range o.registry.reactions {
		r := taxonomy.ReactionOverride{Action: d.action}
		o.decode(d.raw, "reactions."+d.name+".", &r, nil)
		o.places["reactions."+d.name] = d.at
		putFirst(&o.Reactions, d.name, r)
	}
}

func (o *overrides) policy(d declaration) *taxonomy.PolicyOverride {
	var p taxonomy.PolicyOverride
	o.decode(d.raw, "policies."+d.name+".", &p, nil)
	o.places["policies."+d.name] = d.at
	return &p
}

// place returns the place of a path, or of what contains it.
func (o *overrides) place(path string, otherwise diag.Span) diag.Span {
	for path != "" {
		if at := o.places[path]; at.Valid() {
			return at
		}
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
	return otherwise
}
