package breaking

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// codes compares the codes.
func (c *comparison) codes() {
	for _, o := range c.old.model.Codes {
		n := c.to[o]
		switch {
		case c.old.byValue[o.Value] != o:
		case n == nil && !c.new.reservedCodes[o.Value]:
			c.removed(o)
		case n == nil:
			c.retired(o)
			c.aliases(o, nil)
		case c.from[n] != o: // merged into another code
			c.aliases(o, n)
			c.retired(o)
		default:
			c.aliases(o, n)
			c.codeValue(o, n)
		}
	}
}

// removed reports a code that is gone without a reservation. A new code with its number is probably
// the same code.
func (c *comparison) removed(o *model.Code) {
	now := c.new.byNumber[o.Number]
	if now == nil || c.from[now] != nil || c.old.byNumber[o.Number] != o {
		c.gone(idCodeRemoved, c.old.codeAt(o),
			"reserve it: "+c.reservation(o)+"; or make it an alias of the code that replaces it",
			"code %s is removed, and is not reserved", o.Value)
		if now != nil {
			c.freedNumber(o, "use the next free number")
		}
		return
	}
	hint := fmt.Sprintf("if it is the same code, add \"aliases: [%s]\" to %s; otherwise reserve %[1]s, and give %[2]s "+
		"another number", o.Value, now.Key)
	c.gone(idCodeRemoved, c.old.codeAt(o), hint,
		"code %s seems to be renamed to %s, which has its number %d, and does not decode to it", o.Value, now.Value,
		o.Number)
	c.freedNumber(o, hint)
}

func (c *comparison) codeValue(o, n *model.Code) {
	if o.Value == n.Value {
		return
	}
	span := at(c.new.codes[n].Value.Span, c.new.codeAt(n))
	if c.new.decodes(o.Value) != n {
		c.changed(idCodeValue, span,
			fmt.Sprintf("keep it with \"value: %s\", or let it decode with \"aliases: [%s]\"", o.Value, o.Value),
			"code %s is now %s on the wire, and %s does not decode to it", o.Value, n.Value, o.Value)
		return
	}
	c.changed(idRenamed, span, fmt.Sprintf("to rename it in Go only, keep \"value: %s\"", o.Value),
		"code %s is now %s on the wire, which older programs do not know", o.Value, n.Value)
}

// reservation returns the line that reserves a code with its aliases and its number.
func (c *comparison) reservation(o *model.Code) string {
	values := []string{o.Value}
	for _, alias := range slices.Concat(o.Aliases, o.Names) {
		if !c.new.reservedCodes[alias] && c.new.decodes(alias) == nil {
			values = append(values, alias)
		}
	}
	text := "codes: [" + strings.Join(values, ", ") + "]"
	if o.Numbered && !c.new.tree.Reserved.HasNumber(o.Number) && c.new.byNumber[o.Number] == nil {
		text = "numbers: [" + strconv.Itoa(o.Number) + "], " + text
	}
	return "reserved: {" + text + "}"
}

// retired reports a code that Go callers can no longer name, unless it was deprecated, and its
// number unless it is reserved.
func (c *comparison) retired(o *model.Code) {
	if o.Deprecated == "" && c.new.byKey[o.Key] == nil {
		c.gone(idRetired, c.old.codeAt(o),
			"deprecate it for a release first, with \"replaced_by\" if there is a successor",
			"code %s is retired without deprecation: %s and %s are removed", o.Value, o.Const, o.Factory)
	}
	c.freedNumber(o, "use the next free number")
}

// freedNumber reports the number of a code that is gone, unless it is reserved. The hint is for a
// number that another code has now.
func (c *comparison) freedNumber(o *model.Code, hint string) {
	if !o.Numbered || c.new.tree.Reserved.HasNumber(o.Number) || c.old.byNumber[o.Number] != o {
		return
	}
	switch now := c.new.byNumber[o.Number]; {
	case now == nil:
		c.gone(idNumber, at(c.old.codes[o].Number.Span, c.old.codeAt(o)),
			fmt.Sprintf("reserved: {numbers: [%d]}", o.Number),
			"number %d of %s is removed, and is not reserved", o.Number, o.Key)
	case now != c.to[o]:
		c.changed(idNumber, at(c.new.codes[now].Number.Span, c.new.codeAt(now)), hint,
			"number %d was the number of %s, and is now the number of %s", o.Number, o.Key, now.Key)
	}
}

// aliases finds former values of a code that no longer decode to it. n is nil if the code is removed.
func (c *comparison) aliases(o, n *model.Code) {
	for _, alias := range slices.Concat(o.Aliases, o.Names) {
		now, hint := c.new.decodes(alias), fmt.Sprintf("keep \"aliases: [%s]\", or reserve it", alias)
		switch {
		case c.old.decodes(alias) != o, now != nil && now == n:
		case now != nil:
			c.changed(idAlias, c.new.codeAt(now), "choose another name, or make it an alias of the old code again",
				"%s decoded to %s, and now decodes to %s", alias, o.Value, now.Value)
		case c.new.reservedCodes[alias]:
		case n == nil:
			c.gone(idAlias, c.old.codeAt(o), hint, "%s, an alias of %s, is removed, and is not reserved", alias,
				o.Value)
		default:
			c.changed(idAlias, c.new.codeAt(n), hint, "%s no longer decodes to %s", alias, o.Value)
		}
	}
}

// reserved finds reserved names and numbers that are free or used now.
func (c *comparison) reserved() {
	const keep = "keep reservations for ever"
	for _, r := range c.old.tree.Reserved.Codes {
		v, _ := r.Name()
		code, decoded := c.new.byValue[v.V], c.new.decodes(v.V)
		switch {
		case decoded == nil && !c.new.reservedCodes[v.V]:
			c.gone(idReserved, v.Span, keep, "%s is no longer reserved", v.V)
		case decoded == nil || c.old.decodes(v.V) != nil:
		case code != nil:
			c.changed(idReserved, at(c.new.codes[code].Value.Span, c.new.codeAt(code)),
				"choose another name: old logs and clients contain this one", "%s was reserved, and is now a code", v.V)
		default:
			c.changed(idReserved, c.new.codeAt(decoded), "if it meant that before, use -except "+idReserved,
				"%s was reserved, and now decodes to %s", v.V, decoded.Value)
		}
	}
	for _, v := range c.old.tree.Reserved.Numbers {
		from, to, _ := v.Bounds()
		if !c.new.tree.Reserved.HasNumber(from) && c.new.byNumber[from] == nil {
			c.gone(idReserved, v.Span, keep, "number %d is no longer reserved", from)
		}
		for _, now := range c.new.model.Codes {
			if n := now.Number; now.Numbered && from <= n && n <= to && c.old.byNumber[n] == nil {
				c.changed(idReserved, at(c.new.codes[now].Number.Span, c.new.codeAt(now)), "use the next free number",
					"number %d was reserved, and is now the number of %s", n, now.Key)
			}
		}
	}
}

// ladder compares the order of the tiers and their settings. A removed tier is reported as a name.
func (c *comparison) ladder() {
	texts := func(m *model.Package) (out []string) {
		for _, tier := range m.Tiers {
			text := tier.Name
			if set := describe(leaves(taxonomy.Tier{Classifies: true}), leaves(tier.Tier, "Name", "Doc")); set != "" {
				text += " (" + set + ")"
			}
			out = append(out, text)
		}
		return out
	}
	was, is := texts(c.old.model), texts(c.new.model)
	i := 0
	for i < min(len(was), len(is)) && was[i] == is[i] {
		i++
	}
	removed := slices.ContainsFunc(c.old.model.Tiers, func(o *model.Tier) bool {
		return !slices.ContainsFunc(c.new.model.Tiers, func(n *model.Tier) bool { return n.Name == o.Name })
	})
	if len(was) > 0 && !removed && i < len(is) {
		c.changed(idTiers, c.new.tree.Tiers[i].Name.Span, "", "%s", differ("the ladder", list(was), list(is)))
	}
}
