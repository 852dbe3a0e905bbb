package resolve

import (
	"reflect"
	"strconv"
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

// of adds the overrides of a profile. The keys of codes are the codes' values.
func (o *overrides) of(d *spec.Profile, valueOf func(key string) string) {
	o.Codes = make(map[string]taxonomy.TraitsOverride)
	for i := range d.Codes {
		var traits taxonomy.TraitsOverride
		key := valueOf(d.Codes[i].Key.V)
		o.fill(&traits, d.Codes[i].Traits, "codes."+key)
		o.places["codes."+key] = d.Codes[i].Key.Span
		putFirst(o.Codes, key, traits)
	}
	o.reactions(o.registry.reactions)
	o.Policies = make(map[string]taxonomy.PolicyOverride)
	for _, p := range o.registry.policies {
		putFirst(o.Policies, o.registry.names[p], *o.policy(p))
	}
	o.Detection, o.Recovery = new(taxonomy.DetectionOverride), new(taxonomy.RecoveryOverride)
	o.Retry, o.Reporting = new(taxonomy.RetryOverride), new(taxonomy.ReportingOverride)
	o.fill(o.Detection, d.Detection, "detection")
	o.fill(o.Recovery, d.Recovery, "recovery")
	if o.Recovery.Allowed == nil && d.Recovery.Allowed != nil {
		o.Recovery.Allowed = taxonomy.AllowedStrategies{}
	}
	o.fill(o.Retry, d.Retry, "retry")
	o.fill(o.Reporting, d.Reporting, "reporting")
}

func (o *overrides) reactions(decls []*spec.Reaction) {
	o.Reactions = make(map[string]taxonomy.ReactionOverride)
	for _, d := range decls {
		var r taxonomy.ReactionOverride
		at := "reactions." + o.registry.names[d]
		o.places[at] = d.Name.Span
		if d.Action.Set {
			o.places[at] = d.Action.Span
		}
		o.fill(&r, *d, at)
		putFirst(o.Reactions, o.registry.names[d], r)
	}
}

func (o *overrides) policy(d *spec.Policy) *taxonomy.PolicyOverride {
	var p taxonomy.PolicyOverride
	at := "policies." + o.registry.names[d]
	o.places[at] = d.Name.Span
	o.fill(&p, *d, at)
	return &p
}

// fill sets the fields of dst, a pointer to an override, for which src has a value. Fields
// correspond by name.
func (o *overrides) fill(dst, src any, at string) {
	d, s := reflect.ValueOf(dst).Elem(), reflect.ValueOf(src)
	for i := range d.NumField() {
		f := d.Type().Field(i)
		if f.Anonymous { // the numbers of a profile's section retry
			o.fill(d.Field(i).Addr().Interface(), s.FieldByName("Policy").Interface(), at)
		} else if value := s.FieldByName(f.Name); value.IsValid() {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			o.set(d.Field(i), value, at+"."+key)
		}
	}
}

// set sets a field of an override to a value as the taxonomy writes it.
func (o *overrides) set(dst, src reflect.Value, at string) {
	switch v := src.Interface().(type) {
	case spec.Text:
		put(o, dst, v, v.V, at)
	case spec.Int:
		put(o, dst, v, v.V, at)
	case spec.Float:
		put(o, dst, v, v.V, at)
	case spec.Bool:
		put(o, dst, v, v.V, at)
	case spec.Duration:
		put(o, dst, v, v.V.String(), at)
	case spec.Jitter:
		put(o, dst, v.Kind, taxonomy.JitterText(v.Kind.V), at)
		put(o, dst, v.Fraction, taxonomy.JitterText(strconv.FormatFloat(v.Fraction.V, 'g', -1, 64)), at)
	case *spec.ReactionRef:
		o.reference(dst, v, at)
	case *spec.PolicyRef:
		if v != nil {
			o.places[at] = v.Span
			dst.SetString(o.registry.policyName(v))
		}
	case []spec.Text:
		for _, name := range v {
			dst.Set(reflect.Append(dst, reflect.ValueOf(name.V)))
		}
	default:
		if !src.IsNil() {
			o.places[at] = src.Elem().FieldByName("Span").Interface().(diag.Span)
			dst.Set(reflect.New(dst.Type().Elem()))
			o.fill(dst.Interface(), src.Elem().Interface(), at)
		}
	}
}

// put sets a field, or a pointer that is a field, if the taxonomy sets v.
func put[T any](o *overrides, dst reflect.Value, v spec.Val[T], value any, at string) {
	if !v.Set {
		return
	}
	o.places[at] = v.Span
	if dst.Kind() == reflect.Pointer {
		dst.Set(reflect.New(dst.Type().Elem()))
		dst = dst.Elem()
	}
	dst.Set(reflect.ValueOf(value))
}

func (o *overrides) reference(dst reflect.Value, ref *spec.ReactionRef, at string) {
	if ref == nil {
		return
	}
	o.places[at] = ref.Span
	name := ""
	if ref.ByFlag == nil {
		name = o.registry.name(ref)
	}
	if dst.Kind() == reflect.String {
		dst.SetString(name)
		return
	}
	out := taxonomy.ReactionRef{Name: name}
	if f := ref.ByFlag; f != nil {
		out.Retryable, out.Permanent = f.Retryable.V, f.Permanent.V
	}
	dst.Set(reflect.ValueOf(&out))
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
