package resolve

import (
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

// overlay is what a profile lays over the rows of the table.
type overlay struct {
	b       *builder
	scope   *scope
	profile *model.Profile

	byCode     map[string]*spec.Overlay
	byCategory map[string]*spec.Overlay
	byGroup    map[string]*spec.Overlay
	all        *spec.Overlay
}

func (b *builder) newOverlay(d *spec.Profile, p *model.Profile) *overlay {
	o := &overlay{
		b: b, scope: b.profileScope(d, p), profile: p,
		byCode:     make(map[string]*spec.Overlay),
		byCategory: make(map[string]*spec.Overlay),
		byGroup:    make(map[string]*spec.Overlay),
	}
	for i := range d.Codes {
		o.add(&d.Codes[i])
	}
	return o
}

func (o *overlay) add(d *spec.Overlay) {
	key := d.Key.V
	ident := suffix(key, 0)
	if group, ok := strings.CutPrefix(key, "@"); ok {
		putFirst(o.byGroup, group, d)
		ident = suffix(group, 0)
	} else if key == "*" {
		if o.all == nil {
			o.all = d
		}
		ident = "All"
	} else if code := o.b.codes[key]; code != nil {
		putFirst(o.byCode, key, d)
		ident = code.Go
	} else {
		putFirst(o.byCategory, key, d)
	}
	o.b.reactions.inPlace(d.Traits.Reaction, key, ident)
}

// layers returns the overlays that cover a code, the most specific first.
func (o *overlay) layers(code *model.Code) []*spec.Overlay {
	if code == nil {
		return nil
	}
	layers := []*spec.Overlay{o.byCode[code.Key], o.byCategory[code.Category.Name]}
	if len(o.byGroup) > 0 {
		groups := slices.Clone(code.Groups)
		slices.SortFunc(groups, func(a, b *model.Group) int { return a.Bit - b.Bit })
		for _, g := range groups {
			layers = append(layers, o.byGroup[g.Name])
		}
	}
	layers = append(layers, o.all)
	return slices.DeleteFunc(layers, func(d *spec.Overlay) bool { return d == nil })
}

// row works out what the profile says of a row, and notes it where that differs from the table.
// Rows without a code are covered as the fallback is.
func (o *overlay) row(row *model.Row) {
	code := row.Code
	if code == nil {
		code = o.b.pkg.Fallback
	}
	layers := o.layers(code)
	t := o.traits(row, layers)
	out := plainTraits(t)
	out.Reaction = o.reaction(row, t, layers)
	if out != row.Traits {
		o.profile.Rows = append(o.profile.Rows, model.RowOverride{Row: row, Traits: out})
	}
}

// traits lays everything but the reaction over the row, the least specific layer first. What is not
// retryable stays so.
func (o *overlay) traits(row *model.Row, layers []*spec.Overlay) spec.Traits {
	t := o.b.traits[row.Index]
	retryable := t.Retryable.V
	for _, d := range slices.Backward(layers) {
		top := d.Traits
		top.Reaction = nil
		if top.Retryable.V && !retryable {
			o.skip("codes", d.Key.V, row)
			top.Retryable = spec.Bool{}
		}
		t = mergeTraits(t, top)
	}
	return t
}

// reaction takes the reaction of the most specific layer that may be obeyed, else the table's under
// the profile's reactions.
func (o *overlay) reaction(row *model.Row, t spec.Traits, layers []*spec.Overlay) *model.Reaction {
	retryable := t.Retryable.V
	for _, d := range layers {
		ref := pick(d.Traits.Reaction, retryable)
		if ref == nil {
			continue
		}
		r := o.scope.head(ref, false)
		if o.allowed(row, r, retryable) {
			return r
		}
		o.skip("codes", d.Key.V, row)
	}
	ref := choose(t.Reaction, retryable)
	r := o.scope.head(ref, false)
	if o.allowed(row, r, retryable) {
		return r
	}
	plain := o.scope.head(ref, true)
	if plain != r {
		o.skip("reactions", o.retrying(r), row)
	}
	return pastRetries(plain)
}

// retrying returns the name of the overlaid reaction because of which the chain from r calls again.
func (o *overlay) retrying(r *model.Reaction) string {
	for x := r; x != nil; x = x.Then {
		if x.Retries() && o.scope.reactionOverlay[x.Name] != nil {
			return x.Name
		}
	}
	return r.Name
}

// allowed reports whether a row may have the reaction in this profile: one that is not retryable
// may not be retried, at once or later, unless the table already leads there.
func (o *overlay) allowed(row *model.Row, r *model.Reaction, retryable bool) bool {
	if retryable {
		return true
	}
	if r.Retries() {
		return false
	}
	return r == row.Reaction || !o.scope.retriesLater(r) || o.scope.retriesLater(row.Reaction)
}

// pastRetries returns the first reaction from r on that does not call again, for a code whose flag
// the profile takes away.
func pastRetries(r *model.Reaction) *model.Reaction {
	for r.Retries() && r.Then != nil {
		r = r.Then
	}
	return r
}

func (o *overlay) skip(section, key string, row *model.Row) {
	o.profile.Skipped = append(o.profile.Skipped, model.Skip{Section: section, Key: key, Row: row})
}
