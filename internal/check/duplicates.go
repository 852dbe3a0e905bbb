package check

import (
	"slices"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

func duplicateCodes(p *pass) {
	for _, c := range p.codes {
		if earlier := p.codeNamed[c.Name.V]; earlier != c {
			p.report(c.Name.Span, "code %s is declared twice", c.Name.V).
				related(earlier.Name.Span, "first declared here")
		}
	}
}

func duplicateNumbers(p *pass) {
	seen := make(map[int]spec.Int)
	for _, c := range p.codes {
		if !c.Number.Set {
			continue
		}
		if earlier, taken := seen[c.Number.V]; taken {
			p.report(c.Number.Span, "number %d is taken", c.Number.V).related(earlier.Span, "first used here")
			continue
		}
		seen[c.Number.V] = c.Number
	}
}

func badNumbers(p *pass) {
	for _, c := range p.codes {
		if c.Number.Set && c.Number.V < 1 {
			p.report(c.Number.Span, "a number is at least 1, not %d", c.Number.V)
		}
	}
}

// duplicateValues also covers aliases: both are looked up when an error is decoded. Equal keys are
// another rule's.
func duplicateValues(p *pass) {
	values := make(map[string]spec.Text)
	for _, c := range p.codes {
		v := wireValue(c)
		if earlier, taken := values[v.V]; !taken {
			values[v.V] = v
		} else if c.Value.Set || p.codeNamed[c.Name.V] == c {
			p.report(v.Span, "value %q is taken", v.V).related(earlier.Span, "first used here")
		}
	}
	aliases := make(map[string]spec.Text)
	for _, c := range p.codes {
		for _, a := range c.Aliases {
			if earlier, taken := values[a.V]; taken {
				p.report(a.Span, "alias %q is the value of a code", a.V).related(earlier.Span, "used here")
			} else if earlier, taken := aliases[a.V]; taken {
				p.report(a.Span, "alias %q is taken", a.V).related(earlier.Span, "first used here")
			} else {
				aliases[a.V] = a
			}
		}
	}
}

// wireValue is the code on the wire: its key unless it says otherwise.
func wireValue(c *code) spec.Text {
	if c.Value.Set {
		return c.Value
	}
	return c.Name
}

func duplicateFields(p *pass) {
	for _, c := range p.categories {
		for _, f := range c.fields {
			if earlier := c.byName[f.Name.V]; earlier.Field != f.Field {
				p.report(f.Name.Span, "every category has a field %q already", f.Name.V).
					related(earlier.Name.Span, "declared here")
			}
		}
	}
}

func reservedUsed(p *pass) {
	numbers := make(map[int]diag.Span)
	for _, n := range slices.Backward(p.t.Reserved.Numbers) {
		numbers[n.V] = n.Span
	}
	codes := make(map[string]diag.Span)
	for _, c := range slices.Backward(p.t.Reserved.Codes) {
		codes[c.V] = c.Span
	}
	reserved := func(what string, name spec.Text) {
		if at, ok := codes[name.V]; ok && name.Set {
			p.report(name.Span, "%s %q is reserved", what, name.V).related(at, "reserved here")
		}
	}
	for _, c := range p.codes {
		if at, ok := numbers[c.Number.V]; ok && c.Number.Set {
			p.report(c.Number.Span, "number %d is reserved", c.Number.V).related(at, "reserved here")
		}
		reserved("code", c.Name)
		reserved("value", c.Value)
		for _, a := range c.Aliases {
			reserved("alias", a)
		}
	}
}

// listedTwice covers the lists of names in which a repetition is a slip of the pen.
func listedTwice(p *pass) {
	p.once(p.t.Reserved.Codes)
	for _, c := range p.codes {
		p.once(c.Groups)
		p.once(c.Args)
	}
	for i := range p.t.Profiles {
		p.once(p.t.Profiles[i].Recovery.Allowed)
	}
	p.eachField(func(f field, _ *category) {
		p.once(f.Enum)
		p.once(f.From)
	})
	numbers := make(map[int]diag.Span)
	for _, n := range p.t.Reserved.Numbers {
		if at, taken := numbers[n.V]; taken {
			p.report(n.Span, "%d is listed twice", n.V).related(at, "first listed here")
			continue
		}
		numbers[n.V] = n.Span
	}
}

func (p *pass) once(list []spec.Text) {
	seen := make(map[string]diag.Span)
	for _, t := range list {
		if at, taken := seen[t.V]; taken {
			p.report(t.Span, "%q is listed twice", t.V).related(at, "first listed here")
			continue
		}
		seen[t.V] = t.Span
	}
}
