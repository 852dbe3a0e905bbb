package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// dispatch is an interface with a method for each name of a list, and the function that calls the
// method of a name.
type dispatch struct {
	methods   []*model.Method
	constants string // their comment
	iface     string
	doc       string
	kind      string
	function  string
	params    []jen.Code // of the methods, after ctx
	args      []jen.Code
}

// strategies makes the file of the strategies by which reactions recover.
func strategies(f *jen.File, m *model.Package) {
	d := dispatch{
		methods: m.Strategies, constants: "The strategies, as reactions name them.", iface: "Strategies",
		doc:  "Strategies has a method for each strategy of the taxonomy, which reactions run to recover.",
		kind: "strategy", function: "Recover",
		params: []jen.Code{jen.Id("failure").Add(runtimeType("RecoveryRequest"))}, args: []jen.Code{jen.Id("failure")},
	}
	named := func() *jen.Statement { return jen.Id("failure").Dot("Reaction").Dot("Strategy") }
	declare(f, d.names(), d.interfaceType(),
		jen.Add(comment("Recover runs the strategy of s that the failure's reaction names.")).
			Add(d.head("s", d.params...)).Block(d.call("s", named)))
}

// checks makes the file of the checks before calls that are likely to fail.
func checks(f *jen.File, m *model.Package) {
	d := dispatch{
		methods: m.Checks, constants: "The checks, as codes name them under prevent.", iface: "Checks",
		doc:  "Checks has a method for each check of the taxonomy, which runs before calls that are likely to fail.",
		kind: "check", function: "Check",
	}
	named := func() *jen.Statement { return jen.Id("name") }
	declare(f, d.names(), d.interfaceType(),
		jen.Add(comment("Check runs the named check of c.")).
			Add(d.head("c", jen.Id("name").String())).Block(d.call("c", named)))
}

func (d dispatch) names() jen.Code {
	return constants(d.constants, each(d.methods, func(x *model.Method) jen.Code {
		return jen.Id(x.Const).Op("=").Lit(x.Name)
	}))
}

func (d dispatch) interfaceType() jen.Code {
	return jen.Add(comment(d.doc)).Type().Id(d.iface).InterfaceFunc(func(g *jen.Group) {
		for _, x := range d.methods {
			g.Add(comment(about(x.Method, x.Doc, " runs the "+d.kind+" "+x.Name+"."))).Id(x.Method).
				Params(append([]jen.Code{jen.Id("ctx").Qual(pkgContext, "Context")}, d.params...)...).Error()
		}
	})
}

func (d dispatch) head(receiver string, params ...jen.Code) jen.Code {
	return jen.Func().Id(d.function).Params(append([]jen.Code{
		jen.Id("ctx").Qual(pkgContext, "Context"), jen.Id(receiver).Id(d.iface),
	}, params...)...).Error()
}

func (d dispatch) call(receiver string, named func() *jen.Statement) jen.Code {
	return jen.Switch(named()).BlockFunc(func(g *jen.Group) {
		for _, x := range d.methods {
			g.Case(jen.Id(x.Const)).Block(jen.Return(
				jen.Id(receiver).Dot(x.Method).Call(append([]jen.Code{jen.Id("ctx")}, d.args...)...)))
		}
		g.Default().Block(jen.Return(jen.Qual(pkgGen, "UnknownName").Call(jen.Lit(d.kind), named())))
	})
}
