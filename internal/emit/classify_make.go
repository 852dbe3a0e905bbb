package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// outcome is what several rules lead to: an error of one code, with the same fields set.
type outcome struct {
	rules []int // by rank; none for the fallback
	code  *model.Code
	set   []model.FieldValue
}

// outcomes lists what the rules lead to, in the order of the codes.
func (d detectionData) outcomes() []outcome {
	var out []outcome
	for _, c := range d.m.Codes {
		var own []outcome
		for rank, r := range d.ranked {
			if r.Code != c {
				continue
			}
			i := slices.IndexFunc(own, func(o outcome) bool { return slices.EqualFunc(o.set, r.Set, sameAssignment) })
			if i < 0 {
				i = len(own)
				own = append(own, outcome{code: c, set: r.Set})
			}
			own[i].rules = append(own[i].rules, rank)
		}
		out = append(out, own...)
	}
	return out
}

func sameAssignment(a, b model.FieldValue) bool { return a.Field == b.Field && a.Value.Equal(b.Value) }

// makeError makes the function that makes the error of a rule.
func (d detectionData) makeError() jen.Code {
	doc := "makeError returns the error that a rule leads to, or the fallback where no rule matched. What is set " +
		"comes on top of what " +
		"evidence fills."
	if d.m.Fallback == nil {
		doc = "makeError returns the error that a rule leads to; where no rule matched, one without a code. What " +
			"is set comes on top " +
			"of what evidence fills."
	}
	none := d.unmatched()
	outcomes := d.outcomes()
	return jen.Add(comment(doc)).Func().Id("makeError").
		Params(jen.Id("rule").Int(), evidenceParam()).Add(runtimeType("Error")).BlockFunc(func(g *jen.Group) {
		if len(outcomes) == 0 {
			for _, statement := range none {
				g.Add(statement)
			}
			return
		}
		g.Switch(jen.Id("rule")).BlockFunc(func(g *jen.Group) {
			for _, o := range outcomes {
				g.Case(each(o.rules, func(rank int) jen.Code { return jen.Lit(rank) })...).Block(o.statements()...)
			}
			g.Default().Block(none...)
		})
	})
}

func evidenceParam() jen.Code { return jen.Id("ev").Op("*").Add(runtimeType("Evidence")) }

// unmatched makes the statements for what no rule matched.
func (d detectionData) unmatched() []jen.Code {
	if d.m.Fallback == nil {
		return []jen.Code{jen.Return(jen.Qual(pkgDetect, "Unknown").Call(definition(), jen.Id("ev")))}
	}
	return outcome{code: d.m.Fallback, set: d.m.FallbackSet}.statements()
}

// statements make the error. What the code fixes goes before what the rule sets, and both before
// what evidence fills.
func (o outcome) statements() []jen.Code {
	filled := jen.Id(o.code.Const).Dot("from").Call(jen.Id("ev"))
	set := o.assigned()
	if len(set) == 0 {
		return []jen.Code{jen.Return(filled)}
	}
	out := []jen.Code{jen.Id("e").Op(":=").Add(filled)}
	for _, s := range set {
		out = append(out, jen.Id("e").Dot(s.Field.Go).Op("=").Add(fixed(s.Field, s.Value)))
	}
	return append(out, jen.Return(jen.Id("e")))
}

func (o outcome) assigned() []model.FieldValue {
	set := slices.Clone(o.code.Set)
	for _, s := range o.set {
		if _, fixed := o.code.Fixed(s.Field); !fixed {
			set = append(set, s)
		}
	}
	return set
}
