package resolve

import (
	"slices"
	"strconv"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// fallback sets the codes for evidence that no rule matches, and the code that clients see in place
// of an internal one.
func (b *builder) fallback() {
	b.pkg.SourceFallbacks = make(map[string]*model.Code)
	for i, s := range b.src.Sources {
		source := &b.pkg.Taxonomy.Sources[i]
		if source.Fallback = ""; b.codes[s.Fallback.V] != nil { // the value of the code, not its key
			b.pkg.SourceFallbacks[s.Name.V] = b.codes[s.Fallback.V]
			source.Fallback = b.codes[s.Fallback.V].Value
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
		b.pkg.FallbackSet = assignments(b.pkg.Fallback, d.Set)
	}
}

// rows makes the rows: the two without a code, those of the codes, and those of the branches that
// change a trait.
func (b *builder) rows() {
	unknown := b.addRow(model.Row{At: taxonomy.RowUnknown}, spec.Traits{})
	permanent := b.addRow(model.Row{At: taxonomy.RowUnknownPermanent}, spec.Traits{})
	for _, c := range b.pkg.Codes {
		own, shared := c.Decl.Traits, c.Category.Decl.Traits
		b.reaction(shared.Reaction, c.Category.Name, c.Category.Const[len("Category"):])
		b.reaction(own.Reaction, c.Name, c.Go)
		at := taxonomy.At(c.Category.Index, uint16(c.Ordinal))
		c.Row = b.addRow(model.Row{At: at, Code: c}, spec.Overlaid(shared, &own))
		c.Traits = c.Row.Traits
		c.Code.Fault = fault(c)
	}
	for _, c := range b.pkg.Codes {
		c.Branches = branches(c)
		for i, branch := range c.Branches {
			branch.Row = b.branchRow(c, i)
		}
	}
	b.unknownRows(unknown, permanent)
}

// fault returns the declared fault of a code, or the default.
func fault(c *model.Code) taxonomy.Fault {
	withSource := func(r spec.Rule) bool {
		return slices.ContainsFunc(r.Conditions(), func(c spec.RuleCondition) bool { return c.Key == "source" })
	}
	switch d := c.Decl; {
	case d.Fault.Set:
		return word[taxonomy.Fault](d.Fault)
	case c.Category.Decl.Fault.Set:
		return word[taxonomy.Fault](c.Category.Decl.Fault)
	case c.Public && c.Row.HTTP/100 == 4:
		return taxonomy.FaultClient
	case slices.ContainsFunc(d.Detect, withSource):
		return taxonomy.FaultDependency
	}
	return taxonomy.FaultServer
}

// addRow adds a row with the traits that the taxonomy declares.
func (b *builder) addRow(row model.Row, declared spec.Traits) *model.Row {
	row.Index, row.Traits = len(b.pkg.Rows), b.traits(declared)
	b.pkg.Rows = append(b.pkg.Rows, &row)
	return &row
}

// branchRow returns the row of branch i of a code: the code's row if the branch changes no trait.
func (b *builder) branchRow(c *model.Code, i int) *model.Row {
	own, nth := c.Decl.When[i].Traits, strconv.Itoa(i+1)
	b.reaction(own.Reaction, c.Name+".when"+nth, c.Go+"When"+nth)
	declared := spec.Overlaid(spec.Overlaid(c.Category.Decl.Traits, &c.Decl.Traits), &own)
	traits := b.traits(declared)
	if traits == c.Row.Traits {
		return c.Row
	}
	c.Code.When = append(c.Code.When, traits)
	return b.addRow(model.Row{At: c.Row.At.When(uint8(len(c.Code.When))), Code: c, Branch: i + 1}, declared)
}

// unknownRows gives the rows without a code the traits of the fallback with the fields that it and
// its code set, as for an error that classification makes.
func (b *builder) unknownRows(unknown, permanent *model.Row) {
	if code := b.pkg.Fallback; code != nil {
		ctx := make(model.Context)
		for _, set := range [][]model.FieldValue{b.pkg.FallbackSet, code.Sets} {
			for _, s := range set {
				ctx[s.Field] = s.Value
			}
		}
		unknown.Traits = code.RowFor(ctx).Traits
	}
	unknown.Effect = taxonomy.EffectUnspecified // an error without a code declares nothing
	permanent.Traits = unknown.Traits
	permanent.Retryable, permanent.Recoverability = false, taxonomy.Permanent
	if unknown.Reaction.Retries() {
		permanent.Reaction = b.named(taxonomy.Abort.String())
	}
	b.pkg.Taxonomy.None, b.pkg.Taxonomy.Permanent = unknown.Traits, permanent.Traits
}

// traits returns the values of declared traits.
func (b *builder) traits(t spec.Traits) taxonomy.Traits {
	return changedTraits(taxonomy.Traits{Reaction: b.reaction(t.Reaction, "", "")}, t)
}

// changedTraits returns traits with the declared ones, except the reaction. If only the flag is
// declared, the recoverability follows it.
func changedTraits(t taxonomy.Traits, d spec.Traits) taxonomy.Traits {
	follows := t.Recoverability == taxonomy.Permanent || t.Recoverability == taxonomy.Retryable
	if d.Retryable.Set && follows {
		t.Recoverability = map[bool]taxonomy.Recoverability{true: taxonomy.Retryable}[d.Retryable.V]
	}
	setKeys(&t, &d)
	if d.GRPC.Set {
		t.GRPC = uint8(max(0, slices.Index(grpcWords, d.GRPC.V)))
	}
	return t
}

var grpcWords = taxonomy.GRPCWords()

// GRPCWord returns the word of a number of google.rpc.Code. It is "" for 0, which means unset, and
// for a number that is not valid.
func GRPCWord(code uint8) string {
	if code == 0 || int(code) >= len(grpcWords) {
		return ""
	}
	return grpcWords[code]
}
