package emit

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// table makes the file of static data. All of it is composite literals of constants and addresses,
// which the compiler lays out itself: nothing is built when a program starts.
func table(f *jen.File, m *model.Package) {
	declare(f, tableVar(), definitionVar(m))
	for _, r := range m.Reactions {
		declare(f, reaction(r))
	}
	for _, p := range m.Policies {
		declare(f, policy(p))
	}
}

func tableVar() jen.Code {
	return jen.Add(
		comment(
			"Table answers for the errors of the taxonomy: what their reaction is, and what else is said of them.")).
		Var().Id("Table").Op("=").Add(runtimeType("Table")).Values(jen.Id("Taxonomy").Op(":").Add(definition()))
}

func definitionVar(m *model.Package) jen.Code {
	var c composite
	c.text("Package", m.Name)
	c.text("Domain", m.Domain)
	c.text("Doc", m.Doc)
	c.text("HelpURL", m.HelpURL)
	if m.Fallback != nil {
		c.text("Fallback", m.Fallback.Value)
	}
	c.list("Categories", runtimeType("Category"), categoryDescriptions(m))
	c.list("Codes", runtimeType("Code"), codeDescriptions(m))
	c.add("ByValue", codesByValue(m))
	c.list("Aliases", runtimeType("Alias"), aliases(m))
	c.list("Rows", runtimeType("RowTraits"), rows(m))
	c.address("Uncategorized", m.Uncategorized.Var)
	c.list("Reactions", jen.Op("*").Add(runtimeType("Reaction")), namedReactions(m))
	c.list("Policies", jen.Op("*").Add(runtimeType("Policy")), namedPolicies(m))
	c.list("Profiles", runtimeType("Profile"), profiles(m))
	c.list("Groups", runtimeType("Named"), groupNames(m))
	c.list("Strategies", runtimeType("Named"), strategyNames(m))
	c.list("Checks", runtimeType("Named"), checkNames(m))
	c.list("Sources", runtimeType("Named"), names(m.Sources))
	c.list("Ops", runtimeType("Named"), names(m.Ops))
	c.list("Tiers", runtimeType("Tier"), tiers(m))
	return jen.Var().Id("definition").Op("=").Add(runtimeType("Taxonomy")).Add(multiLine(c))
}

func categoryDescriptions(m *model.Package) []jen.Code {
	return each(m.Categories, func(c *model.Category) jen.Code {
		var d composite
		d.text("Name", c.Name)
		d.text("Type", c.Type)
		d.text("Doc", c.Doc)
		d.list("Fields", runtimeType("Field"), fieldDescriptions(c.Fields))
		d.text("JSONHead", jsonHead(m, c))
		if len(c.Codes) > 0 {
			d.number("First", c.Codes[0].Index)
		}
		d.number("Count", len(c.Codes))
		return d.literal()
	})
}

// jsonHead returns how the JSON of a category's errors begins, up to the code's value.
func jsonHead(m *model.Package, c *model.Category) string {
	head := "{"
	if m.Domain != "" {
		head += `"domain":` + jsonString(m.Domain) + ","
	}
	return head + `"name":` + jsonString(c.Type) + `,"category":` + jsonString(c.Name) + `,"code":"`
}

func jsonString(s string) string {
	b, _ := json.Marshal(s) // a string cannot fail
	return string(b)
}

func fieldDescriptions(fields []*model.Field) []jen.Code {
	return each(fields, func(f *model.Field) jen.Code {
		var d composite
		d.text("Name", f.Wire)
		d.text("Doc", f.Doc)
		d.text("Type", f.Type.String())
		if f.Type == model.EnumType {
			d.add("Enum", words(f.Enum.Words()))
		}
		if f.Type == model.ObjectType {
			d.list("Fields", runtimeType("Field"), fieldDescriptions(f.Object.Fields))
		}
		d.number("MaxLength", f.MaxLength)
		d.flag("Required", f.Required)
		d.flag("Sensitive", f.Sensitive)
		d.flag("Scrub", f.Scrub)
		d.flag("MessageOnly", f.MessageOnly)
		return d.inLine()
	})
}

func codeDescriptions(m *model.Package) []jen.Code {
	return each(m.Codes, func(c *model.Code) jen.Code {
		var d composite
		d.text("Value", c.Value)
		d.text("Doc", c.Doc)
		d.text("Resolution", c.Resolution)
		d.text("Message", c.MessageText)
		d.text("Since", c.Since)
		d.text("Deprecated", c.Deprecated)
		if c.ReplacedBy != nil {
			d.text("ReplacedBy", c.ReplacedBy.Value)
		}
		if len(c.Groups) > 0 {
			d.add("Groups", groupBits(c))
		}
		d.number("Number", c.Number)
		d.number("Row", c.Row.Index)
		if rows := branchRows(c); len(rows) > 0 {
			d.number("Branches", rows[0].Index)
		}
		d.number("Category", c.Category.Index)
		d.pointed("Prevent", "Prevention", prevention(c.Prevent))
		return multiLine(d)
	})
}

func groupBits(c *model.Code) jen.Code {
	return joined("|", each(c.Groups, func(g *model.Group) jen.Code { return jen.Lit(1).Op("<<").Lit(g.Bit) }))
}

// codesByValue makes the index of codes that looking one up by its value searches.
func codesByValue(m *model.Package) jen.Code {
	codes := slices.SortedFunc(
		slices.Values(m.Codes), func(a, b *model.Code) int { return strings.Compare(a.Value, b.Value) })
	return jen.Index().Uint16().Values(each(codes, func(c *model.Code) jen.Code { return jen.Lit(c.Index) })...)
}

func aliases(m *model.Package) []jen.Code {
	type alias struct {
		value string
		code  int
	}
	var all []alias
	for _, c := range m.Codes {
		for _, value := range c.Aliases {
			all = append(all, alias{value, c.Index})
		}
	}
	slices.SortFunc(all, func(a, b alias) int { return strings.Compare(a.value, b.value) })
	return each(all, func(a alias) jen.Code {
		var d composite
		d.text("Value", a.value)
		d.number("Code", a.code)
		return d.inLine()
	})
}

func rows(m *model.Package) []jen.Code {
	return each(m.Rows, func(r *model.Row) jen.Code {
		return jen.Add(rowComment(r)).Add(traits(r, r.Traits).inLine())
	})
}

// rowComment says which row an element is about.
func rowComment(r *model.Row) jen.Code {
	switch {
	case r.Code == nil && r.Index == 0:
		return note("an error without a code")
	case r.Code == nil:
		return note("an unknown code that must not be retried")
	case r.Branch > 0:
		return comment(r.Code.Value + ", when " + strconv.Itoa(r.Branch))
	default:
		return comment(r.Code.Value)
	}
}

// traits makes what a row says.
func traits(r *model.Row, t model.Traits) composite {
	var c composite
	c.address("Reaction", t.Reaction.Var)
	c.number("HTTP", t.HTTP)
	if r.Code != nil {
		c.number("Code", r.Code.Index+1)
	}
	c.number("GRPC", t.GRPC)
	c.flag("Retryable", t.Retryable)
	c.constant("Recoverability", recoverabilityNames[t.Recoverability])
	c.constant("Severity", severityNames[t.Severity])
	c.constant("Kind", kindNames[t.Kind])
	return c
}

func groupNames(m *model.Package) []jen.Code {
	return each(m.Groups, func(g *model.Group) jen.Code { return named(g.Name, g.Doc) })
}

func strategyNames(m *model.Package) []jen.Code {
	return each(m.Strategies, func(s *model.Strategy) jen.Code { return named(s.Name, s.Doc) })
}

func checkNames(m *model.Package) []jen.Code {
	return each(m.Checks, func(c *model.Check) jen.Code { return named(c.Name, c.Doc) })
}

func names(list []model.Named) []jen.Code {
	return each(list, func(n model.Named) jen.Code { return named(n.Name, n.Doc) })
}

func named(name, doc string) jen.Code {
	var c composite
	c.text("Name", name)
	c.text("Doc", doc)
	return c.inLine()
}

func tiers(m *model.Package) []jen.Code {
	return each(m.Tiers, func(t *model.Tier) jen.Code {
		var c composite
		c.text("Name", t.Name)
		c.text("Doc", t.Doc)
		c.flag("Classifies", t.Classifies)
		c.flag("Person", t.Person)
		c.constant("Purpose", purposeNames[t.Purpose])
		return c.inLine()
	})
}

func each[T any](list []T, element func(T) jen.Code) []jen.Code {
	out := make([]jen.Code, len(list))
	for i, item := range list {
		out[i] = element(item)
	}
	return out
}
