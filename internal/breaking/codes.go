package breaking

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// match finds the new code of each old one: the code with its value, otherwise the one with that
// alias, otherwise the one with that key, unless its value meant something else before.
func (c *comparison) match() {
	c.to, c.from = make(map[*model.Code]*model.Code), make(map[*model.Code]*model.Code)
	for _, find := range []func(o *model.Code) *model.Code{
		func(o *model.Code) *model.Code { return c.new.byValue[o.Value] },
		func(o *model.Code) *model.Code { return c.new.byAlias[o.Value] },
		func(o *model.Code) *model.Code {
			n := c.new.byKey[o.Key]
			if n == nil || c.old.decodes(n.Value) != nil || c.new.reservedCodes[o.Value] {
				return nil
			}
			return n
		},
	} {
		for _, o := range c.old.model.Codes {
			if c.to[o] != nil || c.old.byValue[o.Value] != o {
				continue
			}
			if n := find(o); n != nil {
				c.to[o] = n
				first(c.from, n, o)
			}
		}
	}
}

// continued returns the new code that continues an old one, or nil. A code that was merged into
// another is not continued.
func (c *comparison) continued(o *model.Code) *model.Code {
	if n := c.to[o]; n != nil && c.from[n] == o {
		return n
	}
	return nil
}

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
			c.code(o, n)
		}
	}
}

// removed reports a code that is gone without a reservation. A new code with its number is probably
// the same code.
func (c *comparison) removed(o *model.Code) {
	heir := c.new.byNumber[o.Number]
	if heir == nil || c.from[heir] != nil || c.old.byNumber[o.Number] != o {
		c.gone(idCodeRemoved, c.old.codeAt(o),
			"reserve it: "+c.reservation(o)+"; or make it an alias of the code that replaces it",
			"code %s is removed, and is not reserved", o.Value)
	} else {
		c.gone(idCodeRemoved, c.old.codeAt(o), fmt.Sprintf("if so, add \"aliases: [%s]\" to %s", o.Value, heir.Key),
			"code %s seems to be renamed to %s, which has its number %d, and does not decode to it", o.Value,
			heir.Value,
			o.Number)
	}
	if c.new.byNumber[o.Number] != nil {
		c.freedNumber(o)
	}
}

// code compares the values of a code.
func (c *comparison) code(o, n *model.Code) {
	decl, path := c.new.codes[n], p("codes", n.Key)
	value := func(key, was, is string, span diag.Span) {
		c.value(path+"/"+key, n.Key, was, is, place{at(span, c.new.codeAt(n)), false})
	}
	c.codeValue(o, n)
	if o.Number != 0 && c.old.byNumber[o.Number] == o {
		value("number", number(o.Number), number(n.Number), decl.Number.Span)
	}
	value("go_name", o.Const+" and "+o.Factory, n.Const+" and "+n.Factory, decl.GoName.Span)
	was, is := c.params(o, n)
	value("factory", was, is, diag.Span{})
	if c.renamedPlaceholders(o, n) != n.MessageText {
		value("message", strconv.Quote(o.MessageText), strconv.Quote(n.MessageText), decl.Message.Span)
	}
	value("feedback", c.old.codes[o].Feedback.V, decl.Feedback.V, decl.Feedback.Span)
	value("set", assigned(o.Set), assigned(n.Set), diag.Span{})
	prevent := c.new.codeAt(n)
	if decl.Prevent != nil {
		prevent = at(decl.Prevent.Span, prevent)
	}
	c.differences(path+"/prevent", n.Key, leaves(o.Prevent), leaves(n.Prevent), place{prevent, false})
	before, now := groupNames(o), groupNames(n)
	if left := missing(before, now); len(left) > 0 {
		c.changed(idGroups, c.new.codeAt(n), "", "%s is no longer in %s", n.Key, list(left))
	}
	if joined := missing(now, before); len(joined) > 0 {
		c.changed(idGroups, c.new.codeAt(n), "", "%s is now in %s", n.Key, list(joined))
	}
	c.rows(o, n)
}

func groupNames(c *model.Code) []string {
	var out []string
	for _, g := range c.Groups {
		out = append(out, g.Name)
	}
	return out
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

// params returns the parameters of the factories. Fields with a change of their own do not count. A
// code in another category has its parameters with their types.
func (c *comparison) params(o, n *model.Code) (was, is string) {
	known := c.fields[pair{o.Category, n.Category}]
	names := func(args []*model.Field) string {
		var out []string
		for _, f := range args {
			switch {
			case known == nil:
				out = append(out, f.Wire+" "+f.Type.String())
			case known.renamed[f] != "":
				out = append(out, known.renamed[f])
			case !known.found[f]:
				out = append(out, f.Wire)
			}
		}
		return n.Factory + "(" + strings.Join(out, ", ") + ")"
	}
	return names(o.Args), names(n.Args)
}

// renamedPlaceholders returns the old message with the new names of its fields.
func (c *comparison) renamedPlaceholders(o, n *model.Code) string {
	var names []string
	if known := c.fields[pair{o.Category, n.Category}]; known != nil {
		for _, f := range o.Category.Fields {
			if now := known.renamed[f]; now != "" {
				names = append(names, "{"+f.Wire+"}", "{"+now+"}")
			}
		}
	}
	return strings.NewReplacer(names...).Replace(o.MessageText)
}

// reservation returns the line that reserves a code with its aliases and its number.
func (c *comparison) reservation(o *model.Code) string {
	values := []string{o.Value}
	for _, alias := range o.Aliases {
		if !c.new.reservedCodes[alias] && c.new.decodes(alias) == nil {
			values = append(values, alias)
		}
	}
	text := "codes: [" + strings.Join(values, ", ") + "]"
	if o.Number != 0 && !c.new.reservedNumbers[o.Number] && c.new.byNumber[o.Number] == nil {
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
	c.freedNumber(o)
}

// freedNumber reports the number of a code that is gone, unless it is reserved.
func (c *comparison) freedNumber(o *model.Code) {
	if o.Number == 0 || c.new.reservedNumbers[o.Number] || c.old.byNumber[o.Number] != o {
		return
	}
	switch now := c.new.byNumber[o.Number]; {
	case now == nil:
		c.gone(idNumber, at(c.old.codes[o].Number.Span, c.old.codeAt(o)),
			fmt.Sprintf("reserved: {numbers: [%d]}", o.Number),
			"number %d of %s is removed, and is not reserved", o.Number, o.Key)
	case now != c.to[o]:
		c.changed(idNumber, at(c.new.codes[now].Number.Span, c.new.codeAt(now)), "use the next free number",
			"number %d was the number of %s, and is now the number of %s", o.Number, o.Key, now.Key)
	}
}

// aliases finds former values of a code that no longer decode to it. n is nil if the code is removed.
func (c *comparison) aliases(o, n *model.Code) {
	for _, alias := range o.Aliases {
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
	for _, v := range c.old.tree.Reserved.Codes {
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
		switch now := c.new.byNumber[v.V]; {
		case now == nil && !c.new.reservedNumbers[v.V]:
			c.gone(idReserved, v.Span, keep, "number %d is no longer reserved", v.V)
		case now != nil && c.old.byNumber[v.V] == nil:
			c.changed(idReserved, at(c.new.codes[now].Number.Span, c.new.codeAt(now)), "use the next free number",
				"number %d was reserved, and is now the number of %s", v.V, now.Key)
		}
	}
}

// p returns a path. Slashes in names are replaced.
func p(parts ...string) string {
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], "/", "|")
	}
	return strings.Join(parts, "/")
}

// header compares the keys of the file.
func (c *comparison) header() {
	o, n := c.old, c.new
	c.value("domain", "", o.model.Domain, n.model.Domain, either(n.tree.Domain.Span, o.tree.Domain.Span))
	c.value("package", "", o.model.Name, n.model.Name, either(n.tree.Package.Span, o.tree.Package.Span))
	c.value("help_url", "", o.model.HelpURL, n.model.HelpURL, either(n.tree.HelpURL.Span, o.tree.HelpURL.Span))
	var was, is string
	var before, now diag.Span
	if code := o.model.Fallback; code != nil {
		before = at(o.tree.Fallback.Code.Span, o.tree.Fallback.Span)
		if to := c.continued(code); to != nil {
			code = to // under its new key
		}
		was = code.Key + " " + assigned(o.model.FallbackSet)
	}
	if code := n.model.Fallback; code != nil {
		now = at(n.tree.Fallback.Code.Span, n.tree.Fallback.Span)
		is = code.Key + " " + assigned(n.model.FallbackSet)
	}
	c.value("fallback", "", strings.TrimSpace(was), strings.TrimSpace(is), either(now, before))
	classifies := func(m *model.Package) bool { return len(m.Rules) > 0 || m.Fallback != nil }
	if classifies(o.model) && !classifies(n.model) {
		c.gone(idGoRemoved, o.tree.Package.Span, "keep a rule or a fallback",
			"Classify, ClassifyEvidence and Explain are removed, because there is neither a rule nor a fallback")
	}
}

// word is a declared name and its Go name.
type word struct {
	name, goName string
	at           diag.Span
}

// vocabulary compares the declared names that have a name in Go, and the order of the tiers.
func (c *comparison) vocabulary() {
	for _, kind := range []struct{ list, goName, iface string }{
		{"Groups", "Predicate", ""}, {"Strategies", "Const", "Strategies"}, {"Checks", "Const", "Checks"},
		{"Tiers", "Const", ""}, {"Profiles", "Const", ""},
	} {
		was, is := words(c.old, kind.list, kind.goName), words(c.new, kind.list, kind.goName)
		for _, w := range was {
			if !hasWord(is, w.name) {
				c.gone(idGoRemoved, w.at, "keep it declared", "%s: %s and %s are removed", snake(kind.list), w.name,
					w.goName)
			}
		}
		for _, w := range is {
			if kind.iface != "" && len(was) > 0 && !hasWord(was, w.name) {
				c.changed(idInterface, w.at, "every implementation needs the method: mention it in the release notes",
					"%s is new: implementations of %s do not compile without it", w.name, kind.iface)
			}
		}
	}
	for _, list := range []string{"Sources", "Ops", "Policies", "Reactions"} {
		is := declarations(c.new, list)
		for _, w := range declarations(c.old, list) {
			if !hasWord(is, w.name) {
				c.gone(idGoRemoved, w.at, "keep it declared",
					"%s: %s and its constant are removed", snake(list), w.name)
			}
		}
	}
	c.ladder()
}

// declarations returns the names of a list of the tree.
func declarations(t *Taxonomy, list string) (out []word) {
	decls := reflect.ValueOf(*t.tree).FieldByName(list)
	for i := range decls.Len() {
		name := decls.Index(i).FieldByName("Name").Interface().(spec.Text)
		out = append(out, word{name: name.V, at: name.Span})
	}
	return out
}

// words returns the names of a list of the taxonomy. The lists of the model and of the tree are
// parallel.
func words(t *Taxonomy, list, goName string) (out []word) {
	models, decls := reflect.ValueOf(*t.model).FieldByName(list), reflect.ValueOf(*t.tree).FieldByName(list)
	for i := range models.Len() {
		m := reflect.Indirect(models.Index(i))
		out = append(out, word{m.FieldByName("Name").String(), m.FieldByName(goName).String(),
			spanOf(decls.Index(i).Interface(), "name")})
	}
	return out
}

func hasWord(words []word, name string) bool {
	return slices.ContainsFunc(words, func(w word) bool { return w.name == name })
}

// ladder compares the order of the tiers and their settings.
func (c *comparison) ladder() {
	texts := func(m *model.Package) (out []string) {
		for _, tier := range m.Tiers {
			text := tier.Name
			if set := diff(leaves(taxonomy.Tier{Classifies: true}), leaves(tier.Tier, "Name", "Doc")); len(set) > 0 {
				text += fmt.Sprintf(" %v", set)
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
	now := words(c.new, "Tiers", "Const")
	removed := slices.ContainsFunc(words(c.old, "Tiers", "Const"), func(w word) bool { return !hasWord(now, w.name) })
	if len(was) == 0 || removed || i == len(is) {
		return
	}
	c.changed(idTiers, now[i].at, "", "%s", differ("the ladder", list(was), list(is)))
}
