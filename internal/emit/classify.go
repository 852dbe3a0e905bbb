package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// classifies reports whether m's package classifies: without a rule and a fallback there is nothing
// to find.
func classifies(m *model.Package) bool { return len(m.Rules) > 0 || m.Fallback != nil }

// classification makes the file that finds the error which evidence becomes: the functions, the
// rules as static data, and what fills the errors.
func classification(f *jen.File, m *model.Package) {
	d := detectionOf(m)
	for path, name := range importNames(m) {
		if isImplied(path, name) {
			f.ImportName(path, name)
		} else {
			f.ImportAlias(path, name)
		}
	}
	declare(f, classifyFunc(), classifyEvidenceFunc(), explainFunc(), d.rules(), d.makeError())
	declare(f, d.fills()...)
	declare(f, ruleIs(m))
}

func classifyFunc() jen.Code {
	return jen.Add(comment(
		"Classify returns the error of this taxonomy that raw is evidence of, its fields filled from it. What raw "+
			"can be, "+
			"and what is read from it, is said at [detect.Of]; a [taxonomy.Evidence] is taken as it is.",
		"Nil stays nil. A cancelled context, and an error that is or wraps one of this taxonomy, are returned as "+
			"they are.",
	)).Func().Id("Classify").Params(jen.Id("raw").Any(), options()).Error().
		Add(returning(jen.Id("detection").Dot("Classify").Call(jen.Id("raw"), jen.Id("opts"))))
}

func classifyEvidenceFunc() jen.Code {
	return jen.Add(comment(
		"ClassifyEvidence is [Classify] for what is evidence already. It neither keeps nor changes ev, and "+
			"allocates nothing "+
			"but the error and the lists in it.",
	)).Func().Id("ClassifyEvidence").Params(jen.Id("ev").Op("*").Add(runtimeType("Evidence")), options()).Error().Block(
		jen.Var().Id("room").Add(runtimeType("Evidence")),
		jen.List(jen.Id("rule"), jen.Id("as"), jen.Err()).Op(":=").Id("detection").Dot("Decide").
			Call(jen.Id("ev"), jen.Op("&").Id("room"), jen.Id("opts")),
		jen.If(jen.Id("as").Op("==").Nil()).Block(jen.Return(jen.Err())),
		jen.Return(
			jen.Qual(pkgDetect, "Traced").Call(jen.Id("makeError").Call(jen.Id("rule"), jen.Id("as")), jen.Id("opts"))),
	)
}

func explainFunc() jen.Code {
	return jen.Add(
		comment(
			"Explain returns what [Classify] makes of raw, and why: the rule that won, others that matched, and "+
				"what evidence did not fill.")).
		Func().Id("Explain").Params(jen.Id("raw").Any(), options()).Qual(pkgDetect, "Explanation").
		Add(returning(jen.Id("detection").Dot("Explain").Call(jen.Id("raw"), jen.Id("opts"))))
}

func options() jen.Code { return jen.Id("opts").Op("...").Qual(pkgDetect, "Option") }
