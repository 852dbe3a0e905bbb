package breaking

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// matchedCodes compares the codes that are still there, but for what their rows say.
func (c *comparison) matchedCodes() {
	for _, o := range c.old.model.Codes {
		n := c.to[o]
		if n == nil {
			continue
		}
		c.aliases(o, n)
		if c.from[n] != o { // merged into another code
			c.retired(o)
			c.freeNumber(o)
			continue
		}
		c.value(o, n)
		c.number(o, n)
		c.codeGoNames(o, n)
		c.factory(o, n)
		c.texts(o, n)
		c.codeGroups(o, n)
		c.sets(o, n)
		c.prevents(o, n)
		c.codeRows(o, n)
	}
}

// removedCodes finds codes that are gone without a trace.
func (c *comparison) removedCodes() {
	for _, o := range c.old.model.Codes {
		if c.to[o] != nil || c.old.byValue[o.Value] != o {
			continue
		}
		if c.new.reserves(o.Value) {
			c.retired(o)
			c.freeNumber(o)
			c.freeAliases(o)
			continue
		}
		c.gone(idCodeRemoved, c.old.codeAt(o), "reserve it, so that nothing else gets its name: "+c.reservation(o)+
			"; or make it an alias of the code that takes its place",
			"code %s is gone, and is not reserved", o.Value)
	}
}

// reservation is what to write to reserve a code with all that it was called.
func (c *comparison) reservation(o *model.Code) string {
	values := []string{o.Value}
	for _, alias := range o.Aliases {
		if !c.new.reserves(alias) && c.new.decodes(alias) == nil {
			values = append(values, alias)
		}
	}
	text := "codes: [" + strings.Join(values, ", ") + "]"
	if o.Number != 0 && !c.new.reservesNumber(o.Number) && c.new.byNumber[o.Number] == nil {
		text = "numbers: [" + strconv.Itoa(o.Number) + "], " + text
	}
	return "reserved: {" + text + "}"
}

// retired tells Go callers of a code that is gone as it should on the wire, unless they were told
// by deprecating it.
func (c *comparison) retired(o *model.Code) {
	if o.Deprecated == "" && c.new.byKey[o.Key] == nil {
		c.gone(idRetired, c.old.codeAt(o),
			"deprecate it for a release first, with \"replaced_by\" where there is something better",
			"code %s is retired without having been deprecated: %s and %s are gone", o.Value, o.Const, o.Factory)
	}
}

func (c *comparison) value(o, n *model.Code) {
	if o.Value == n.Value {
		return
	}
	place := at(c.new.codes[n].Value.Span, c.new.codeAt(n))
	if c.new.decodes(o.Value) != n {
		c.changed(
			idCodeValue, place,
			fmt.Sprintf("keep it with \"value: %s\", or let it still decode with \"aliases: [%s]\"", o.Value, o.Value),
			"code %s is now %s on the wire, and %s does not decode to it", o.Value, n.Value, o.Value)
		return
	}
	c.changed(idRenamed, place, fmt.Sprintf("to rename it in Go only, keep \"value: %s\"", o.Value),
		"code %s is now %s on the wire: programs generated before do not know that", o.Value, n.Value)
}

// aliases finds former values of o that do not decode to it any more.
func (c *comparison) aliases(o, n *model.Code) {
	for _, alias := range o.Aliases {
		now := c.new.decodes(alias)
		switch {
		case c.old.decodes(alias) != o, now == n:
		case now != nil && now.Value == alias:
			c.changed(idAlias, c.new.codeAt(now), "give it back to "+n.Key,
				"%s decoded to %s, and is now a code of its own", alias, o.Value)
		case now != nil:
			c.changed(idAlias, c.new.codeAt(now), "give it back to "+n.Key, "%s decoded to %s, and now decodes to %s",
				alias, o.Value, now.Value)
		case !c.new.reserves(alias):
			c.changed(idAlias, c.new.codeAt(n), fmt.Sprintf("keep \"aliases: [%s]\", or reserve it", alias),
				"%s does not decode to %s any more", alias, o.Value)
		}
	}
}

// freeAliases finds former values of a code that is gone that could be used again.
func (c *comparison) freeAliases(o *model.Code) {
	for _, alias := range o.Aliases {
		now := c.new.decodes(alias)
		switch {
		case c.old.decodes(alias) != o, c.new.reserves(alias):
		case now == nil:
			c.gone(idAlias, c.old.codeAt(o), fmt.Sprintf("reserved: {codes: [%s]}", alias),
				"%s, an alias of %s, is gone, and is not reserved", alias, o.Value)
		case now.Value == alias:
			c.changed(idAlias, c.new.codeAt(now), "choose another name",
				"%s decoded to %s, and is now a code of its own", alias, o.Value)
		}
	}
}

func (c *comparison) number(o, n *model.Code) {
	if o.Number == 0 || o.Number == n.Number || c.old.byNumber[o.Number] != o {
		return
	}
	is := "has none now"
	if n.Number != 0 {
		is = "is " + strconv.Itoa(n.Number) + " now"
	}
	if other := c.new.byNumber[o.Number]; other != nil {
		is += fmt.Sprintf(", and %d is that of %s", o.Number, other.Key)
	}
	c.changed(idNumber, at(c.new.codes[n].Number.Span, c.new.codeAt(n)),
		fmt.Sprintf("numbers are published: keep \"number: %d\"", o.Number), "the number of %s was %d, %s", n.Key,
		o.Number, is)
}

// freeNumber finds the number of a code that is gone where it could mean something else now.
func (c *comparison) freeNumber(o *model.Code) {
	if o.Number == 0 || c.new.reservesNumber(o.Number) || c.old.byNumber[o.Number] != o {
		return
	}
	now := c.new.byNumber[o.Number]
	switch {
	case now == nil:
		c.gone(idNumber, at(c.old.codes[o].Number.Span, c.old.codeAt(o)),
			fmt.Sprintf("reserved: {numbers: [%d]}", o.Number),
			"number %d of %s is gone, and is not reserved", o.Number, o.Key)
	case now != c.to[o]:
		c.changed(idNumber, at(c.new.codes[now].Number.Span, c.new.codeAt(now)), "take the next free number",
			"number %d was that of %s, and is now that of %s", o.Number, o.Key, now.Key)
	}
}

// reserved finds what was reserved and is free or used now.
func (c *comparison) reserved() {
	for _, v := range c.old.tree.Reserved.Codes {
		now := c.new.byValue[v.V]
		switch {
		case now != nil && c.old.decodes(v.V) == nil:
			c.changed(idReserved, at(c.new.codes[now].Value.Span, c.new.codeAt(now)),
				"choose another name: old logs and clients still hold this one",
				"%s was reserved, and is a code now", v.V)
		case now == nil && c.new.byAlias[v.V] != nil && c.old.decodes(v.V) == nil:
			c.changed(idReserved, c.new.codeAt(c.new.byAlias[v.V]),
				"right only if it meant that before, which no comparison can tell: then say -except "+idReserved,
				"%s was reserved, and decodes to %s now", v.V, c.new.byAlias[v.V].Value)
		case now == nil && c.new.byAlias[v.V] == nil && !c.new.reserves(v.V):
			c.gone(idReserved, v.Span, "what is reserved stays so", "%s is not reserved any more", v.V)
		}
	}
	for _, v := range c.old.tree.Reserved.Numbers {
		now := c.new.byNumber[v.V]
		switch {
		case now != nil && c.old.byNumber[v.V] == nil:
			c.changed(idReserved, at(c.new.codes[now].Number.Span, c.new.codeAt(now)), "take the next free number",
				"number %d was reserved, and is now that of %s", v.V, now.Key)
		case now == nil && !c.new.reservesNumber(v.V):
			c.gone(idReserved, v.Span, "what is reserved stays so", "number %d is not reserved any more", v.V)
		}
	}
}

func (c *comparison) codeGoNames(o, n *model.Code) {
	if o.Const != n.Const {
		c.changed(idGoName, at(c.new.codes[n].GoName.Span, c.new.codeAt(n)),
			fmt.Sprintf("\"name: %s\" keeps the names in Go", o.Go),
			"%s and %s are now %s and %s", o.Const, o.Factory, n.Const, n.Factory)
	}
}

// factory compares the parameters of the factories. Fields whose change is found already do not
// count.
func (c *comparison) factory(o, n *model.Code) {
	var known *fieldsKnown
	if c.heirs[o.Category] == n.Category {
		known = c.fieldsKnown(o.Category)
	}
	was, is := known.params(o.Args), known.params(n.Args)
	if slices.Equal(was, is) {
		return
	}
	c.changed(idFactory, c.new.codeAt(n), "say \"args\" as they were, or give what is new to a code of its own",
		"%s had the parameters (%s), and has (%s)", n.Factory, strings.Join(was, ", "), strings.Join(is, ", "))
}

// params are the names of a factory's parameters. With nothing known of their fields, because the
// code moved to another category, the types are said too.
func (k *fieldsKnown) params(args []*model.Field) []string {
	var out []string
	for _, f := range args {
		name := f.Wire
		if k == nil {
			name += " " + f.Type.String()
		} else if now, ok := k.renamed[f]; ok {
			name = now
		} else if k.told[f] {
			continue
		}
		out = append(out, name)
	}
	return out
}

func (c *comparison) texts(o, n *model.Code) {
	decl := c.new.codes[n]
	if o.MessageText != n.MessageText && c.placeholders(o) != n.MessageText {
		c.changed(idMessage, at(decl.Message.Span, c.new.codeAt(n)), "", "the message of %s was %q", n.Key,
			o.MessageText)
	}
	was := c.old.codes[o].Feedback.V
	if is := decl.Feedback.V; was != is {
		c.changed(idMessage, at(decl.Feedback.Span, c.new.codeAt(n)), "", "the feedback of %s was %s", n.Key,
			quoted(was))
	}
}

// placeholders is the message of a code with the keys that its fields have now.
func (c *comparison) placeholders(o *model.Code) string {
	var keys []string
	for _, f := range o.Category.Fields {
		if now, ok := c.fieldsKnown(o.Category).renamed[f]; ok {
			keys = append(keys, "{"+f.Wire+"}", "{"+now+"}")
		}
	}
	return strings.NewReplacer(keys...).Replace(o.MessageText)
}

// quoted is a text in quotes; of none it says so.
func quoted(s string) string {
	if s == "" {
		return "none"
	}
	return strconv.Quote(s)
}

func (c *comparison) codeGroups(o, n *model.Code) {
	was, is := groupNames(o), groupNames(n)
	if left := missing(was, is); len(left) > 0 {
		c.changed(idGroups, c.new.codeAt(n), "", "%s is not in %s any more", n.Key, list(left))
	}
	if joined := missing(is, was); len(joined) > 0 {
		c.changed(idGroups, c.new.codeAt(n), "", "%s is in %s now", n.Key, list(joined))
	}
}

func groupNames(c *model.Code) []string {
	var out []string
	for _, g := range c.Groups {
		out = append(out, g.Name)
	}
	return out
}

func (c *comparison) sets(o, n *model.Code) {
	was, is := assigned(o.Set), assigned(n.Set)
	if !slices.Equal(was, is) {
		c.changed(idSet, c.new.codeAt(n), "", "%s set {%s}, and sets {%s}", n.Key, strings.Join(was, ", "),
			strings.Join(is, ", "))
	}
}

// assigned returns values as text, sorted: their order means nothing.
func assigned(set []model.FieldValue) []string {
	out := make([]string, 0, len(set))
	for _, s := range set {
		out = append(out, s.Field.Wire+": "+valueText(s.Value))
	}
	slices.Sort(out)
	return out
}

func (c *comparison) prevents(o, n *model.Code) {
	was, is := o.Prevent, n.Prevent
	if (was == nil) == (is == nil) && (was == nil || *was == *is) {
		return
	}
	place := c.new.codeAt(n)
	if decl := c.new.codes[n].Prevent; decl != nil {
		place = at(decl.Span, place)
	}
	c.changed(idPrevent, place, "", "what is done before %s: %s", n.Key, strings.Join(preventParts(was, is), "; "))
}

func preventParts(o, n *taxonomy.Prevention) []string {
	o, n = cmp.Or(o, &taxonomy.Prevention{}), cmp.Or(n, &taxonomy.Prevention{})
	var d diffs
	d.text("check", o.Check, n.Check)
	d.time("throttle", o.Throttle, n.Throttle)
	d.text("concurrency", numberText(o.Concurrency), numberText(n.Concurrency))
	d.number("likely", o.Likely, n.Likely)
	return d
}
