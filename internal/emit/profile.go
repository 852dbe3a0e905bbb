package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// profiles makes the overlays, each with the rows that it changes.
func profiles(m *model.Package) []jen.Code {
	return each(m.Profiles, func(p *model.Profile) jen.Code {
		var c composite
		c.text("Name", p.Name)
		c.text("Doc", p.Doc)
		c.list("Rows", runtimeType("RowOverride"), each(p.Rows, override))
		if p.Uncategorized != nil {
			c.address("Uncategorized", p.Uncategorized.Var)
		}
		c.nested("Detection", detecting(p))
		c.nested("Recovery", recovery(p))
		c.nested("Retry", retryDefaults(p))
		c.nested("Reporting", reporting(p))
		return multiLine(c)
	})
}

// nested adds a struct of the runtime's type that has the field's name, or the given one.
func (c *composite) nested(name string, value composite) {
	typ := name
	if name == "Retry" {
		typ = "RetryDefaults"
	}
	if len(value) > 0 {
		c.add(name, runtimeType(typ).Add(value.inLine()))
	}
}

func override(o model.RowOverride) jen.Code {
	var c composite
	c.add("Row", rowNumber(o.Row))
	c.add("Traits", runtimeType("RowTraits").Add(traits(o.Row, o.Traits).inLine()))
	return jen.Add(rowComment(o.Row)).Add(c.inLine())
}

func rowNumber(r *model.Row) jen.Code {
	if r.Const != "" {
		return jen.Id(r.Const)
	}
	return jen.Lit(r.Index)
}

func detecting(p *model.Profile) composite {
	var c composite
	c.flag("Text", p.Detection.Text)
	c.flag("Severity", p.Detection.Severity)
	c.flag("Recoverability", p.Detection.Recoverability)
	return c
}

func recovery(p *model.Profile) composite {
	var c composite
	c.flag("Enabled", p.Recovery.Enabled)
	c.number("MaxAttempts", p.Recovery.MaxAttempts)
	if p.Recovery.Allowed != nil {
		c.add("Allowed", words(p.Recovery.Allowed))
	}
	return c
}

func retryDefaults(p *model.Profile) composite {
	var c composite
	c.flag("Enabled", p.RetryEnabled)
	if p.RetryPolicy != nil {
		c.address("Policy", p.RetryPolicy.Var)
	}
	return c
}

func reporting(p *model.Profile) composite {
	var c composite
	c.constant("LogLevel", logNames[p.Reporting.LogLevel])
	c.flag("Stack", p.Reporting.Stack)
	c.flag("Context", p.Reporting.Context)
	return c
}
