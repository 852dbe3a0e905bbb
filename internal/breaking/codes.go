package breaking

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/model"
)

// codes reports the values, aliases and numbers of old codes that are removed or changed. No error
// has an abstract code, so only Go callers meet its removal.
func (c *comparison) codes() {
	for _, o := range c.old.model.Codes {
		n := c.to[o]
		switch {
		case c.old.byValue[o.Value] != o:
			continue
		case n == nil && !c.new.reserved[o.Value] && !o.Abstract:
			c.removedCode(o)
		case n == nil:
			c.retired(o, "retired")
		case n.Abstract && !o.Abstract:
			lost, hint := o.Factory+" is", `keep it without "abstract": other codes can be below it`
			if c.from[n] != o { // merged into n
				lost, hint = goNames(o)+" are", "keep it, or make it an alias of a code that is not abstract"
			}
			change := c.lostCode(o, c.is.codes[n], fmt.Sprintf(
				"%s: %s removed, and %s decodes to no error, because code %s is abstract", describe(o), lost, o.Value,
				n.Name))
			change.Hint = hint
		case c.from[n] != o:
			c.retired(o, "merged into "+n.Name)
			if !o.Abstract && c.categoryName(o.Category) != n.Category.Name {
				c.change(idCategory, c.is.codes[n], "category", o.Category.Name, n.Category.Name,
					fmt.Sprintf("%s of category %s now decodes to %s of category %s", o.Value, o.Category.Name, n.Value,
						n.Category.Name))
			}
		case o.Value != n.Value && !o.Abstract:
			c.newValue(o, n)
		}
		if !o.Abstract {
			c.lostAliases(o, n)
			c.number(o, n)
		}
	}
}

// removedCode reports a code that is removed and not reserved.
func (c *comparison) removedCode(o *model.Code) {
	change := c.lostCode(o, c.was.codes[o], describe(o)+" is removed, and is not reserved")
	change.codes = []string{o.Value}
	for _, alias := range aliases(o) {
		if !c.new.reserved[alias] && c.new.decodes(alias) == nil {
			change.codes = append(change.codes, alias)
		}
	}
	if o.Numbered && !c.new.tree.Reserved.HasNumber(o.Number) && c.new.withNumberOf(o) == nil {
		change.numbers = []string{strconv.Itoa(o.Number)}
	}
	change.Hint = "reserve it: " + Reservation(change.codes, change.numbers, " ") +
		"; or make it an alias of the code that replaces it"
}

// lostCode reports a code that does not decode any more. If it was deprecated, Go callers expect
// that.
func (c *comparison) lostCode(o *model.Code, d *decl, message string) *Change {
	change := c.change(idCodeRemoved, d, "", o.Value, "", message)
	change.Kind = kindRemoved
	if o.Extras().Deprecated != "" {
		change.Levels = Wire
	}
	return change
}

// retired reports a code that Go callers can no longer name, unless it was deprecated.
func (c *comparison) retired(o *model.Code, how string) {
	change := c.change("", c.was.codes[o], "", o.Value, "", describe(o)+" is "+how)
	change.Kind = kindRemoved
	if o.Extras().Deprecated == "" && c.new.byKey[o.Name] == nil {
		change.setRule(ruleByID(idGoRemoved))
		lost := goNames(o) + " are"
		if o.Abstract {
			lost = o.Const + " is"
		}
		change.Message += " without deprecation: " + lost + " removed"
	}
}

// goNames returns the names in Go that only this code has.
func goNames(c *model.Code) string { return c.Const + " and " + c.Factory }

// newValue reports a code whose value changed.
func (c *comparison) newValue(o, n *model.Code) {
	id, text := idCodeValue, fmt.Sprintf("code %s is now %s on the wire", o.Value, n.Value)
	keep := "\"value: " + strings.Trim(yamlList(o.Value), "[]") + "\""
	former := "\"aliases: " + yamlList(append([]string{o.Value}, o.Extras().Aliases...)...) + "\""
	hint := "keep it with " + keep + ", or let it decode with " + former
	switch {
	case c.new.decodes(o.Value) == n:
		id, hint = idValueAlias, "to rename it in Go only, keep "+keep
		text += ", which older programs do not know; " + o.Value + " still decodes"
	case c.renamed[o] != "":
		id = idCodeRenamed
		hint = fmt.Sprintf("add %s and \"name: %s\" to %s, or reserve %s", former, o.Go, n.Name, o.Value)
		text = fmt.Sprintf("code %s seems to be renamed to %s (%s)", o.Value, n.Value, c.renamed[o])
		if o.Numbered && n.Numbered && o.Number == n.Number {
			hint += " and give " + n.Name + " another number"
		}
	default:
		text += ", and " + o.Value + " does not decode to it"
	}
	change := c.change(id, c.is.codes[n], "value", o.Value, n.Value, text)
	change.Kind, change.Hint = kindRenamed, hint
	if o.Const == n.Const || o.Extras().Deprecated != "" {
		change.Levels = Wire
	}
}

// number reports a number that another code has now, that its code lost, or that is free.
func (c *comparison) number(o, n *model.Code) {
	if !o.Numbered || c.old.withNumberOf(o) != o {
		return
	}
	number, now := strconv.Itoa(o.Number), c.new.withNumberOf(o)
	guessed := n != nil && c.renamed[o] != "" // n may be another code that reuses the number
	switch continued := c.continued(o) != nil; {
	case now != nil && (now != n || guessed):
		change := c.change(idNumberReused, c.is.codes[now], "number", o.Name, now.Name,
			fmt.Sprintf("number %s was the number of %s, and is now the number of %s", number, o.Name, now.Name))
		if now == n {
			change.Hint = "add the alias first: the number then belongs to the same code"
		}
	case now == n && n != nil: // unchanged
	case continued && c.old.withNumberOf(n) == nil:
		change := c.change(idNumber, c.is.codes[n], "number", number, "", "")
		if n.Numbered {
			change.New = strconv.Itoa(n.Number)
		}
		change.Message = fmt.Sprintf("code %s: number was %s, is %s", n.Name, number, cmp.Or(change.New, none("")))
	case !continued && (n != nil || c.new.reserved[o.Value]) && !c.new.tree.Reserved.HasNumber(o.Number):
		change := c.change(idNumber, c.was.codes[o], "number", number, "",
			fmt.Sprintf("number %s of %s is removed, and is not reserved", number, o.Name))
		change.numbers = []string{number}
		change.Hint = "add " + Reservation(nil, change.numbers, "")
	}
}

// lostAliases reports former values of a code that no longer decode to it. n is nil if the code is
// removed. If the removal or the renaming is reported, that finding includes the aliases.
func (c *comparison) lostAliases(o, n *model.Code) {
	if c.renamed[o] != "" || n == nil && !c.new.reserved[o.Value] {
		return
	}
	for _, alias := range aliases(o) {
		now := c.new.decodes(alias)
		switch {
		case c.old.decodes(alias) != o || now != nil && now == n:
		case now != nil:
			c.change(idAlias, c.is.codes[now], "aliases", alias, "",
				fmt.Sprintf("%s decoded to %s, and now decodes to %s", alias, o.Value, now.Value))
		case !c.new.reserved[alias]:
			change := c.change(idAlias, c.was.codes[o], "aliases", alias, "",
				fmt.Sprintf("%s no longer decodes to %s", alias, o.Value))
			change.codes = []string{alias}
		}
	}
}

// reservations reports reserved names and numbers that are now free or in use.
func (c *comparison) reservations() {
	report := func(name string, now *model.Code, key string) *Change {
		if now == nil {
			change := c.change(idReserved, c.is.at["file"], "reserved", name, "", name+" is no longer reserved")
			change.Subject = Subject{Name: name}
			return change
		}
		change := c.change(idReserved, c.is.codes[now], key, name, "",
			fmt.Sprintf("%s was reserved, and now belongs to code %s", name, now.Name))
		change.Hint = "choose another one: old logs and clients contain this one"
		return change
	}
	for _, r := range c.old.tree.Reserved.Codes {
		v := r.Name
		switch now := c.new.decodes(v.V); {
		case now == nil && !c.new.reserved[v.V]:
			report(v.V, nil, "").codes = []string{v.V}
		case now != nil && c.old.decodes(v.V) == nil:
			report(v.V, now, "value")
		}
	}
	for _, v := range c.old.tree.Reserved.Numbers {
		from, to := v.Bounds()
		ends, used := []int{from}, make(map[int]bool) // the lowest free number is one of the ends
		for _, now := range c.new.model.Codes {
			if n := now.Number; now.Numbered && from <= n && n <= to {
				ends, used[n] = append(ends, n+1), true
				if c.old.withNumberOf(now) == nil {
					report(strconv.Itoa(n), now, "number")
				}
			}
		}
		for _, v := range c.new.tree.Reserved.Numbers {
			_, high := v.Bounds()
			ends = append(ends, high+1)
		}
		slices.Sort(ends)
		free := func(n int) bool {
			return from <= n && n <= to && !used[n] && !c.new.tree.Reserved.HasNumber(n)
		}
		if i := slices.IndexFunc(ends, free); i >= 0 {
			number := strconv.Itoa(ends[i])
			report(number, nil, "").numbers = []string{number}
		}
	}
}

// factories compares the factories of continued codes: their parameters and the type of the result,
// which changes with the first field of a code. A difference whose field changed does not count,
// because the change of the field lists the code. Codes that moved to another category are left
// out, because the move is reported.
func (c *comparison) factories() {
	for _, n := range c.new.model.Codes {
		o := c.from[n]
		if o == nil || o.Abstract || n.Abstract || c.categories[o.Category] != n.Category {
			continue
		}
		was, is := c.was.parameters(o), c.is.parameters(n)
		listed := func(d *decl) bool {
			change := c.byField[d.path]
			if change == nil || change.Levels&Source == 0 {
				return false
			}
			change.Factories = append(change.Factories, missing([]string{n.Name}, change.Factories)...)
			return true
		}
		explained := func(p *decl) bool {
			change := c.byField[p.path]
			return (change != nil && change.ID == idFieldType || !hasName(was, p) || !hasName(is, p)) && listed(p)
		}
		restWas := slices.DeleteFunc(slices.Clone(was), explained)
		restIs := slices.DeleteFunc(slices.Clone(is), explained)
		same := slices.EqualFunc(restWas, restIs, func(a, b *decl) bool { return a.name == b.name })
		oldType, newType := "", ""
		if (o.OwnType == nil) != (n.OwnType == nil) && !slices.ContainsFunc(slices.Concat(o.OwnFields(), n.OwnFields()),
			func(f *model.Field) bool { return listed(cmp.Or(c.was.fields[f], c.is.fields[f])) }) {
			oldType, newType = " *"+o.ErrorType().Type, " *"+n.ErrorType().Type
		}
		if same && newType == "" {
			continue
		}
		change := c.change(idFactory, c.is.codes[n], "factory", signature(n, was)+oldType, signature(n, is)+newType, "")
		change.Message = fmt.Sprintf("code %s: factory was %s, is %s", n.Name, change.Old, change.New)
		if newType != "" {
			change.Hint = "add the field to the category, or to a new code"
		}
	}
}

// parameters returns the fields that the factory of a code takes.
func (l *declarations) parameters(c *model.Code) (out []*decl) {
	for _, f := range c.Args {
		field := "\nfield " + l.m.fieldName(f)
		out = append(out, cmp.Or(l.at["category "+l.m.categoryName(c.Category)+field], l.at[l.m.codePath(c)+field]))
	}
	return out
}

func hasName(list []*decl, d *decl) bool {
	return slices.ContainsFunc(list, func(other *decl) bool { return other.name == d.name })
}

func signature(c *model.Code, parameters []*decl) string {
	var names []string
	for _, p := range parameters {
		names = append(names, p.name)
	}
	return c.Factory + "(" + strings.Join(names, ", ") + ")"
}

// reportRenamed reports the fields that seem to be renamed.
func (c *comparison) reportRenamed() {
	for _, n := range c.renamedFields {
		o, d := c.fields[n], c.is.fields[n]
		former := strings.TrimSuffix(d.label, n.Wire) + o.Wire
		change := c.change(idFieldRenamed, d, "", o.Wire, n.Wire, former+" seems to be renamed to "+n.Wire)
		change.Kind, change.Subject.Was = kindRenamed, o.Wire
		if c.was.fields[o].offWire {
			change.Levels &^= Wire
		} else {
			change.Message += ": values under the old key are lost"
		}
		if o.Go == n.Go {
			change.Levels &^= Source
		}
		if change.Levels == 0 {
			change.setRule(rule{})
			continue
		}
		change.Hint = fmt.Sprintf("keep the key %s, and add \"name: %s\"", o.Wire, n.Go)
	}
}

// Reservation returns the key that reserves codes and numbers, or "" if both are empty.
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
