package resolve

import (
	"fmt"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

func (b *builder) fallback() {
	d := b.src.Fallback
	if d == nil {
		return
	}
	b.pkg.Fallback = b.codes[d.Code.V]
	if b.pkg.Fallback != nil {
		b.pkg.FallbackSet = assignments(d.Set, b.entries[b.pkg.Fallback.Index].fields)
	}
}

// rows lays the table out: none and permanent, the codes, then the branches that change anything.
func (b *builder) rows() {
	none, permanent := b.addRow(nil, 0, spec.Traits{}), b.addRow(nil, 0, spec.Traits{})
	for _, e := range b.entries {
		e.code.Row = b.addRow(e.code, 0, mergeTraits(e.parent.Traits, e.decl.Traits))
	}
	for _, e := range b.entries {
		e.code.When = branches(e)
		for i, branch := range e.code.When {
			branch.Row = b.branchRow(e, i)
		}
	}
	b.setRow(none, b.noneTraits())
	b.setRow(permanent, b.permanentTraits(b.traits[none.Index]))
}

func (b *builder) addRow(code *model.Code, branch int, t spec.Traits) *model.Row {
	row := &model.Row{Index: len(b.pkg.Rows), Code: code, Branch: branch}
	b.pkg.Rows = append(b.pkg.Rows, row)
	b.traits = append(b.traits, spec.Traits{})
	b.setRow(row, t)
	return row
}

func (b *builder) setRow(row *model.Row, t spec.Traits) {
	b.traits[row.Index] = t
	row.Traits = b.tableTraits(t)
}

func (b *builder) branchRow(e entry, i int) *model.Row {
	own := b.traits[e.code.Row.Index]
	t := mergeTraits(own, e.decl.When[i].Traits)
	if b.sameTraits(own, t) {
		return e.code.Row
	}
	row := b.addRow(e.code, i+1, t)
	row.Const = b.idents.take(fmt.Sprintf("row%sWhen%d", e.code.Go, i+1))
	return row
}

// sameTraits reports whether two combinations come to the same, in the table and in every profile.
// Whether recoverability was said counts: unsaid, it follows a profile's change of the flag.
func (b *builder) sameTraits(x, y spec.Traits) bool {
	return b.tableTraits(x) == b.tableTraits(y) && x.Recoverability.Set == y.Recoverability.Set
}

// noneTraits are those of the fallback as classification would make it: with what its code and it
// set.
func (b *builder) noneTraits() spec.Traits {
	code := b.pkg.Fallback
	if code == nil {
		return spec.Traits{}
	}
	ctx := make(model.Context)
	for _, set := range [][]model.FieldValue{b.pkg.FallbackSet, code.Set} {
		for _, s := range set {
			ctx[s.Field] = s.Value
		}
	}
	return b.traits[code.RowFor(ctx).Index]
}

// permanentTraits are those of an unknown code that must not be retried.
func (b *builder) permanentTraits(t spec.Traits) spec.Traits {
	t.Retryable = spec.Bool{V: false, Set: true}
	t.Recoverability = text("permanent")
	if b.tableTraits(t).Reaction.Retries() {
		t.Reaction = &spec.ReactionRef{Name: text("abort")}
	}
	return t
}

func (b *builder) uncategorized() {
	b.pkg.Uncategorized = b.table.head(choose(b.src.Uncategorized, false), false)
}
