package resolve

import (
	"fmt"
	"slices"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// fallback sets the codes of evidence that no rule matches, and of errors that clients cannot see.
func (b *builder) fallback() {
	b.pkg.SourceFallbacks = make(map[string]*model.Code)
	for i, s := range b.src.Sources {
		if c := b.codes[s.Fallback.V]; c != nil {
			b.pkg.SourceFallbacks[s.Name.V] = c
			b.pkg.Taxonomy.Sources[i].Fallback = c.Value
		}
	}
	if d := b.src.Public; d != nil && b.codes[d.Code.V] != nil {
		b.pkg.Taxonomy.PublicFallback = b.codes[d.Code.V].Value
	}
	d := b.src.Fallback
	if d == nil {
		return
	}
	b.pkg.Fallback = b.codes[d.Code.V]
	if b.pkg.Fallback != nil {
		b.pkg.Taxonomy.Fallback = b.pkg.Fallback.Value
		b.pkg.FallbackSet = assignments(d.Set, b.entries[b.pkg.Fallback.Index].fields)
	}
}

// rows makes the rows: unknown and permanent, those of the codes, and those of the branches that
// change a trait.
func (b *builder) rows() {
	unknown := b.addRow(&model.Row{At: taxonomy.RowUnknown})
	permanent := b.addRow(&model.Row{At: taxonomy.RowUnknownPermanent})
	for _, e := range b.entries {
		e.code.Row = b.addRow(&model.Row{
			At: taxonomy.At(e.code.Category.Index, uint16(e.code.Ordinal)), Code: e.code,
			Traits: b.traits(e.decl.Traits.Over(e.parent.Traits)),
		})
		e.code.Traits = e.code.Row.Traits
	}
	for _, e := range b.entries {
		e.code.When = branches(e)
		for i, branch := range e.code.When {
			branch.Row = b.branchRow(e, i)
		}
	}
	unknown.Traits = b.unknownTraits()
	permanent.Traits = b.permanentTraits(unknown.Traits)
	b.pkg.Taxonomy.None, b.pkg.Taxonomy.Permanent = unknown.Traits, permanent.Traits
	b.pkg.Taxonomy.Uncategorized = b.reaction(b.src.Uncategorized)
}

func (b *builder) addRow(row *model.Row) *model.Row {
	row.Index = len(b.pkg.Rows)
	b.pkg.Rows = append(b.pkg.Rows, row)
	return row
}

func (b *builder) branchRow(e entry, i int) *model.Row {
	traits := b.traits(e.decl.When[i].Traits.Over(e.decl.Traits).Over(e.parent.Traits))
	if traits == e.code.Row.Traits {
		return e.code.Row
	}
	code := e.code.Code
	code.When = append(code.When, traits)
	return b.addRow(&model.Row{
		At: e.code.Row.At.When(uint8(len(code.When))), Code: e.code, Branch: i + 1, Traits: traits,
	})
}

// unknownTraits are the traits of the fallback with the fields that it and its code set, as for an
// error that classification makes.
func (b *builder) unknownTraits() taxonomy.Traits {
	code := b.pkg.Fallback
	if code == nil {
		return b.traits(spec.Traits{})
	}
	ctx := make(model.Context)
	for _, set := range [][]model.FieldValue{b.pkg.FallbackSet, code.Set} {
		for _, s := range set {
			ctx[s.Field] = s.Value
		}
	}
	return code.RowFor(ctx).Traits
}

// permanentTraits are those of an unknown code that must not be retried.
func (b *builder) permanentTraits(t taxonomy.Traits) taxonomy.Traits {
	t.Retryable, t.Recoverability = false, taxonomy.Permanent
	if t.Reaction.Retries() {
		t.Reaction = b.reaction(nil)
	}
	return t
}

// traits resolves the traits of a row of the table.
func (b *builder) traits(t spec.Traits) taxonomy.Traits {
	out := taxonomy.Traits{
		Reaction: b.reaction(t.Reaction), Retryable: t.Retryable.V,
		Severity: word[taxonomy.Severity](t.Severity), Kind: word[taxonomy.Kind](t.Kind),
		GRPC:           uint8(max(0, slices.Index(grpcWords, t.GRPC.V))),
		Recoverability: word[taxonomy.Recoverability](t.Recoverability),
	}
	if t.HTTP.V >= 100 && t.HTTP.V <= 999 {
		out.HTTP = uint16(t.HTTP.V)
	}
	if t.Retryable.V && !t.Recoverability.Set {
		out.Recoverability = taxonomy.Retryable
	}
	return out
}

// word returns the value with a word of the language, or the zero value if t is unset.
func word[T interface {
	~uint8
	fmt.Stringer
}](t spec.Text) T {
	for v := range T(16) {
		if v.String() == t.V {
			return v
		}
	}
	return 0
}

var grpcWords = taxonomy.GRPCWords()

// GRPCWord returns the word of a number of google.rpc.Code; "" for 0, which is no status, and for a
// number that is not valid.
func GRPCWord(code uint8) string {
	if code == 0 || int(code) >= len(grpcWords) {
		return ""
	}
	return grpcWords[code]
}
