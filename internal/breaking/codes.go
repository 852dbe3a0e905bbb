package breaking

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/diag"
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
			c.retired(o, "retired")
			c.aliases(o, nil)
		case c.from[n] != o:
			c.aliases(o, n)
			c.retired(o, "merged into "+n.Key)
		default:
			c.aliases(o, n)
			c.codeValue(o, n)
		}
	}
}

// removed reports a removed code that is not reserved.
func (c *comparison) removed(o *model.Code) {
	change := c.removal(idCodeRemoved, o, "", o.Value, "",
		fmt.Sprintf("code %s is removed, and is not reserved", codeName(o)))
	change.codes = []string{o.Value}
	for _, alias := range slices.Concat(o.Extras().Aliases, o.Extras().Names) {
		if !c.new.reservedCodes[alias] && c.new.decodes(alias) == nil {
			change.codes = append(change.codes, alias)
		}
	}
	if o.Numbered && !c.new.tree.Reserved.HasNumber(o.Number) && c.new.withNumberOf(o) == nil {
		change.number = number(o)
	}
	change.Hint = "reserve it: " + reservation([]Change{change}, " ") +
		"; or make it an alias of the code that replaces it"
	c.add(change)
	c.freedNumber(o)
}

// codeName returns the key of a code, with its value if that differs.
func codeName(code *model.Code) string {
	if code.Key == code.Value {
		return code.Key
	}
	return code.Key + " (" + code.Value + ")"
}

// reservation returns the key that reserves the removed codes and numbers, or "". The separator is
// between the two lists.
func reservation(changes []Change, separator string) string {
	var codes, numbers []string
	for _, change := range changes {
		codes = append(codes, change.codes...)
		if change.number != "" {
			numbers = append(numbers, change.number)
		}
	}
	return Reservation(codes, numbers, separator)
}

// Reservation returns the key that reserves codes and numbers, or "" without any.
func Reservation(codes, numbers []string, separator string) string {
	var out []string
	if len(numbers) > 0 {
		out = append(out, "numbers: ["+strings.Join(numbers, ", ")+"]")
	}
	if len(codes) > 0 {
		out = append(out, "codes: "+yamlList(codes...))
	}
	if len(out) == 0 {
		return ""
	}
	return "reserved: {" + strings.Join(out, ","+separator) + "}"
}

// yamlList returns texts as a list on one line.
func yamlList(texts ...string) string {
	b, _ := yaml.Marshal(struct { // texts always encode
		List []string `yaml:"list,flow"`
	}{texts})
	return strings.TrimSpace(strings.TrimPrefix(string(b), "list:"))
}

// codeValue reports a code whose value changed.
func (c *comparison) codeValue(o, n *model.Code) {
	if o.Value != n.Value {
		id, quoted := idCodeValue, strings.Trim(yamlList(o.Value), "[]")
		hint := fmt.Sprintf("keep it with \"value: %s\", or let it decode with \"aliases: %s\"", quoted,
			yamlList(o.Value))
		message := fmt.Sprintf("code %s is now %s on the wire", codeName(o), n.Value)
		switch aliases := yamlList(append([]string{o.Value}, o.Extras().Aliases...)...); {
		case c.new.decodes(o.Value) == n:
			id, hint = idRenamed, fmt.Sprintf("to rename it in Go only, keep \"value: %s\"", quoted)
			message += ", which older programs do not know"
		case c.renamed[o] != "":
			id = idCodeRenamed
			hint = fmt.Sprintf("add \"aliases: %s\" to %s, or reserve %s", aliases, n.Key, o.Value)
			message = fmt.Sprintf("code %s seems to be renamed to %s (%s): add \"aliases: %s\" to it", codeName(o),
				codeName(n), c.renamed[o], aliases)
			if o.Numbered && n.Numbered && o.Number == n.Number {
				hint += " and give " + n.Key + " another number"
				c.reused(o, n)
			}
		default:
			message += fmt.Sprintf(", and %s does not decode to it", o.Value)
		}
		c.changed(id, n, c.new.codes[n].Value.Span, "value", o.Value, n.Value, hint, message)
	}
	if number(o) != number(n) {
		c.freedNumber(o)
	}
}

// retired reports a code that Go callers can no longer name, unless it was deprecated. It also
// reports its number, unless that is reserved.
func (c *comparison) retired(o *model.Code, how string) {
	if o.Extras().Deprecated == "" && c.new.byKey[o.Key] == nil {
		change := c.removal(idRetired, o, "", o.Value,
			"deprecate it for a release first, with \"replaced_by\" if there is a successor",
			fmt.Sprintf("code %s is %s without deprecation: %s and %s are removed", codeName(o), how, o.Const,
				o.Factory))
		c.add(change)
	}
	c.freedNumber(o)
}

// freedNumber reports a number that its code no longer has, unless it is reserved.
func (c *comparison) freedNumber(o *model.Code) {
	if !o.Numbered || c.new.tree.Reserved.HasNumber(o.Number) || c.old.withNumberOf(o) != o {
		return
	}
	now := c.new.withNumberOf(o)
	switch n := c.to[o]; {
	case now != nil && now != n:
		c.reused(o, now)
	case now == nil && (n == nil || c.from[n] != o) && (n != nil || c.new.reservedCodes[o.Value]):
		change := c.removal(idNumber, o, "number", number(o), fmt.Sprintf("reserved: {numbers: [%d]}", o.Number),
			fmt.Sprintf("number %d of %s is removed, and is not reserved", o.Number, o.Key))
		change.number = number(o)
		c.add(change)
	}
}

// reused reports a number that belongs to another code now.
func (c *comparison) reused(o, now *model.Code) {
	c.changed(idNumberReused, now, c.new.codes[now].Number.Span, "number", o.Key, now.Key, "use the next free number",
		fmt.Sprintf("number %d was the number of %s, and is now the number of %s", o.Number, o.Key, now.Key))
}

// aliases finds former values of a code that no longer decode to it. n is nil if the code is
// removed.
func (c *comparison) aliases(o, n *model.Code) {
	for _, alias := range slices.Concat(o.Extras().Aliases, o.Extras().Names) {
		now, hint := c.new.decodes(alias), fmt.Sprintf("keep \"aliases: [%s]\", or reserve it", alias)
		switch {
		case c.old.decodes(alias) != o, now != nil && now == n:
		case now != nil:
			c.changed(idAlias, now, diag.Span{}, "aliases", alias, "",
				"choose another name, or make it an alias of the old code again",
				fmt.Sprintf("%s decoded to %s, and now decodes to %s", alias, o.Value, now.Value))
		case c.new.reservedCodes[alias]:
		case n == nil:
			change := c.removal(idAlias, o, "aliases", alias, hint,
				fmt.Sprintf("%s, an alias of %s, is removed, and is not reserved", alias, o.Value))
			change.codes = []string{alias}
			c.add(change)
		default:
			c.changed(idAlias, n, diag.Span{}, "aliases", alias, "", hint,
				fmt.Sprintf("%s no longer decodes to %s", alias, o.Value))
		}
	}
}

// reserved finds reserved names and numbers that are free or used now.
func (c *comparison) reserved() {
	const keep = "never remove a reservation"
	released := func(name, message string) Change {
		return Change{Subject: Subject{Name: name}, Key: "reserved", Old: name, Finding: diag.Finding{
			ID: idReserved, Span: c.new.tree.Package.Span, Hint: keep, Message: message}}
	}
	for _, r := range c.old.tree.Reserved.Codes {
		v := r.Name
		code, decoded := c.new.byValue[v.V], c.new.decodes(v.V)
		switch {
		case decoded == nil && !c.new.reservedCodes[v.V]:
			change := released(v.V, v.V+" is no longer reserved")
			change.codes = []string{v.V}
			c.add(change)
		case decoded == nil || c.old.decodes(v.V) != nil:
		case code != nil:
			c.changed(idReserved, code, c.new.codes[code].Value.Span, "reserved", v.V, "",
				"choose another name: old logs and clients contain this one", v.V+" was reserved, and is now a code")
		default:
			c.changed(idReserved, decoded, diag.Span{}, "reserved", v.V, "",
				"if it meant that before, accept it in "+AcceptFile,
				v.V+" was reserved, and now decodes to "+decoded.Value)
		}
	}
	for _, v := range c.old.tree.Reserved.Numbers {
		from, to := v.Bounds()
		if free, ok := c.unreserved(from, to); ok {
			change := released(strconv.Itoa(free), fmt.Sprintf("number %d is no longer reserved", free))
			change.number = strconv.Itoa(free)
			c.add(change)
		}
		for _, now := range c.new.model.Codes {
			if n := now.Number; now.Numbered && from <= n && n <= to && c.old.withNumberOf(now) == nil {
				c.changed(idReserved, now, c.new.codes[now].Number.Span, "reserved", strconv.Itoa(n), "",
					"use the next free number",
					fmt.Sprintf("number %d was reserved, and is now the number of %s", n, now.Key))
			}
		}
	}
}

// unreserved returns the first number of a range that is neither reserved nor the number of a code.
func (c *comparison) unreserved(from, to int) (int, bool) {
	used := make(map[int]bool)
	for _, code := range c.new.model.Codes {
		used[code.Number] = used[code.Number] || code.Numbered
	}
	for from <= to {
		next := from
		for _, v := range c.new.tree.Reserved.Numbers {
			if low, high := v.Bounds(); low <= next && next <= high {
				next = high + 1
			}
		}
		if next == from {
			if !used[from] {
				return from, true
			}
			next++
		}
		from = next
	}
	return 0, false
}

// ladder compares the order of the tiers and their settings. A removed tier is reported as a name.
func (c *comparison) ladder() {
	texts := func(m *model.Package) (out []string) {
		for _, tier := range m.Tiers {
			text := tier.Name
			for i, v := range leaves(tier.Tier, "Name", "Doc") {
				if usual := leaves(taxonomy.Tier{Classifies: true}, "Name", "Doc")[i]; v != usual {
					text += fmt.Sprintf(" (%s was %s, is %s)", v.key, usual.text, v.text)
				}
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
		c.report(Subject{Name: "tiers"}, "", fact{id: idTiers, key: "tiers", old: strings.Join(was, ", "),
			new: strings.Join(is, ", "), at: c.new.tree.Tiers[i].Name.Span})
	}
}
