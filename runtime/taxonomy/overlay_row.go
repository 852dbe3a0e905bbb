package taxonomy

import (
	"maps"
	"slices"
	"strings"
)

// layer is an override that covers a row.
type layer struct {
	key    string
	at     string // codes.KEY
	traits TraitsOverride
}

// keys finds out what the keys of the codes' overrides mean.
func (v *overlay) keys() {
	t := v.table.Taxonomy
	for _, key := range slices.Sorted(maps.Keys(v.over.Codes)) {
		group, isGroup := strings.CutPrefix(key, "@")
		code := t.code(key)
		switch {
		case key == "*" || isGroup && hasName(t.Groups, group) || !isGroup && code == nil && t.hasCategory(key):
		case isGroup:
			v.unknown("codes", "group", group, names(t.Groups))
		case code == nil:
			v.unknown("codes", "code or category", key, t.codesAndCategories())
		case v.codes[code] != "":
			v.problem("codes", "%s and %s are the same code", v.codes[code], key)
		default:
			v.codes[code] = key
		}
	}
}

// layers returns the overrides that cover a code, the most specific first.
func (v *overlay) layers(code *Code) []layer {
	if code == nil {
		return nil
	}
	var out []layer
	add := func(key string) {
		if traits, ok := v.over.Codes[key]; ok {
			out = append(out, layer{key: key, at: "codes." + key, traits: traits})
		}
	}
	if key := v.codes[code]; key != "" {
		add(key)
	}
	t := v.table.Taxonomy
	if name := t.Categories[code.Category].Name; t.code(name) == nil {
		add(name)
	}
	for i := range t.Groups {
		if code.Groups>>i&1 != 0 {
			add("@" + t.Groups[i].Name)
		}
	}
	add("*")
	return out
}

// row works out what a row says. Rows without a code are covered as the fallback is.
func (v *overlay) row(row Row) RowTraits {
	t := v.table.Taxonomy
	base := *v.table.row(row)
	base.Reaction = v.begins(t.Rows[row].Reaction, base.Reaction, base.Retryable)
	code := t.codeOf(row)
	if code == nil && t.Fallback != "" {
		code = t.code(t.Fallback)
	}
	layers := v.layers(code)
	out := v.traits(base, layers)
	out.Reaction = v.choose(base.Reaction, out.Retryable, layers)
	return out
}

// traits lays everything but the reaction over the row, the least specific layer first. What is not
// retryable stays so. A recoverability that follows from the flag goes on following it.
func (v *overlay) traits(base RowTraits, layers []layer) RowTraits {
	out := base
	follows := base.Recoverability == recoverabilityOf(base.Retryable)
	for i := len(layers) - 1; i >= 0; i-- {
		top := &layers[i].traits
		if top.Retryable != nil {
			at := layers[i].at + ".retryable"
			if *top.Retryable && !base.Retryable {
				v.skipped[at] = true
			} else {
				v.obeyed[at] = true
				out.Retryable = *top.Retryable
			}
		}
		if top.Recoverability != "" {
			follows = false
			out.Recoverability = parsed(v, "", recoverabilityWords[:], top.Recoverability, out.Recoverability)
		}
		out.Severity = parsed(v, "", severityWords[:], top.Severity, out.Severity)
		out.Kind = parsed(v, "", kindWords[:], top.Kind, out.Kind)
		out.GRPC = v.grpc("", top.GRPC, out.GRPC)
		if top.HTTP != nil {
			out.HTTP = uint16(*top.HTTP)
		}
	}
	if follows {
		out.Recoverability = recoverabilityOf(out.Retryable)
	}
	return out
}

func recoverabilityOf(retryable bool) Recoverability {
	if retryable {
		return Retryable
	}
	return Permanent
}

// choose takes the reaction of the most specific layer that may be obeyed, else the row's own under
// the overrides of reactions.
func (v *overlay) choose(base *Reaction, retryable bool, layers []layer) *Reaction {
	for i := range layers {
		at := layers[i].at + ".reaction"
		r := v.pick(&layers[i], retryable, at)
		if r == nil {
			continue
		}
		if allowed(base, r, retryable) {
			v.obeyed[at] = true
			return r
		}
		v.skipped[at] = true
	}
	r := v.head(base, false)
	if allowed(base, r, retryable) {
		return r
	}
	plain := v.head(base, true)
	if plain != r {
		v.skipped["reactions."+v.retrying(r)] = true
	}
	return pastRetries(plain)
}

// pick resolves what a layer says about the reaction; nil is nothing.
func (v *overlay) pick(l *layer, retryable bool, at string) *Reaction {
	ref := l.traits.Reaction
	if ref == nil {
		return nil
	}
	if ref.Retryable == "" && ref.Permanent == "" {
		return v.follow(ref, l.key, at)
	}
	name := ref.Permanent
	if retryable {
		name = ref.Retryable
	}
	if name == "" {
		return nil
	}
	return v.follow(&ReactionRef{Name: name}, l.key, at)
}

// retrying returns the name of the overridden reaction because of which the chain from r calls
// again.
func (v *overlay) retrying(r *Reaction) string {
	for x := r; x != nil; x = x.Then {
		if _, over := v.over.Reactions[x.Name]; over && retries(x) {
			return x.Name
		}
	}
	return r.Name
}

// allowed reports whether a row may have the reaction: one that is not retryable may not be
// retried, at once or later, unless the row leads there already.
func allowed(base, r *Reaction, retryable bool) bool {
	if retryable {
		return true
	}
	if retries(r) {
		return false
	}
	return r == base || !retriesLater(r) || retriesLater(base)
}

// pastRetries returns the first reaction from r on that does not call again.
func pastRetries(r *Reaction) *Reaction {
	for retries(r) && r.Then != nil {
		r = r.Then
	}
	return r
}

func retries(r *Reaction) bool { return r.Action == Retry || r.Action == RetryOperation }

func retriesLater(r *Reaction) bool {
	seen := make(map[*Reaction]bool)
	for ; r != nil && !seen[r]; r = r.Then {
		if retries(r) {
			return true
		}
		seen[r] = true
	}
	return false
}
