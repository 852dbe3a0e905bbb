package breaking

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
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
				c.change(idMoved, c.is.codes[n], "category", o.Category.Name, n.Category.Name,
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

// splits reports old codes with new codes below them. A code below an abstract code is no split,
// because no error had the abstract code.
func (c *comparison) splits() {
	below, hidden := make(map[*model.Code][]string), make(map[*model.Code][]string)
	for _, n := range c.new.model.Codes {
		if c.from[n] != nil {
			continue
		}
		above := n.Above
		for above != nil && c.from[above] == nil {
			above = above.Above
		}
		switch {
		case above == nil || above.Abstract:
		case above.Public && !n.Public && !n.Abstract:
			hidden[above] = append(hidden[above], n.Name)
		default:
			below[above] = append(below[above], n.Name)
		}
	}
	for _, n := range c.new.model.Codes {
		if codes := below[n]; codes != nil {
			c.change(idSplit, c.is.codes[n], "codes", "", strings.Join(codes, ", "),
				fmt.Sprintf("%s has new codes below it: %s", describe(n), strings.Join(codes, ", ")))
		}
		if codes := hidden[n]; codes != nil {
			c.change(idSplit, c.is.codes[n], "codes", "", strings.Join(codes, ", "),
				fmt.Sprintf("%s has new internal codes below it: %s", describe(n), strings.Join(codes, ", "))).Hint =
				"clients get the taxonomy's public code in their place, and lose the code above: make them public"
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
	if o.Numbered && !c.isReserved(o) && c.withNumberOf(o) == nil {
		change.numbers = c.reservedNumber(o.Number, c.categoryName(o.Category))
	}
	change.Hint = "reserve it: " + Reservation(&spec.Reserved{}, change.codes, change.numbers, " ") +
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
		text += ", and " + o.Value + " still decodes: programs that do not read the member \"is\" lose the code"
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

// withNumberOf returns the new code that has the number of an old one, or nil.
func (c *comparison) withNumberOf(o *model.Code) *model.Code {
	return c.new.byNumber[fmt.Sprint(c.new.scope(c.categoryName(o.Category)), " ", o.Number)]
}

// hadNumberOf reports whether an old code had the number of a new one where it is unique now. A code
// that keeps its number in its category, and shares it since, is no such code.
func (c *comparison) hadNumberOf(n *model.Code) bool {
	o := c.old.withNumberOf(n)
	return o != nil && c.withNumberOf(o) == n
}

// isReserved reports whether the number of an old code is reserved.
func (c *comparison) isReserved(o *model.Code) bool {
	return c.new.tree.Reserved.HasNumber(o.Number, c.categoryName(o.Category))
}

// reservedNumber returns the entry that reserves a number of a category.
func (c *comparison) reservedNumber(number int, category string) []ReservedNumber {
	return []ReservedNumber{{From: number, Category: c.new.scope(category)}}
}

// number reports a number that another code has now, that its code lost or gained, or that is free.
func (c *comparison) number(o, n *model.Code) {
	continued := c.continued(o) != nil
	if continued && !o.Numbered && n.Numbered && !c.hadNumberOf(n) &&
		!c.old.tree.Reserved.HasNumber(n.Number, n.Category.Name) {
		is := strconv.Itoa(n.Number)
		c.change(idIdentifier, c.is.codes[n], "number", "", is,
			fmt.Sprintf("code %s: number was none, is %s", n.Name, is))
	}
	if !o.Numbered || c.old.withNumberOf(o) != o {
		return
	}
	number, now := strconv.Itoa(o.Number), c.withNumberOf(o)
	guessed := n != nil && c.renamed[o] != "" // n may be another code that reuses the number
	if now != nil && (now != n || guessed) {
		change := c.change(idNumberReused, c.is.codes[now], "number", o.Name, now.Name,
			fmt.Sprintf("number %s was the number of %s, and is now the number of %s", number, o.Name, now.Name))
		if now == n {
			change.Hint = "add the alias first: the number then belongs to the same code"
		}
	}
	isNew := continued && !(n.Numbered && n.Number == o.Number) && !c.hadNumberOf(n)
	switch {
	case isNew:
		change := c.change(idNumber, c.is.codes[n], "number", number, "", "")
		if n.Numbered {
			change.New = strconv.Itoa(n.Number)
		}
		change.Message = fmt.Sprintf("code %s: number was %s, is %s", n.Name, number, cmp.Or(change.New, none("")))
	case now == nil && !continued && (n != nil || c.new.reserved[o.Value]) && !c.isReserved(o):
		change := c.change(idNumber, c.was.codes[o], "number", number, "",
			fmt.Sprintf("number %s of %s is removed, and is not reserved", number, o.Name))
		change.numbers = c.reservedNumber(o.Number, c.categoryName(o.Category))
		change.Hint = "add " + Reservation(&spec.Reserved{}, nil, change.numbers, "")
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
		change.Hint = "old logs and clients contain this one: choose another one, unless the same error returns; " +
			"then accept the change"
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
			if n := now.Number; now.Numbered && v.Has(n, now.Category.Name) {
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
			return from <= n && n <= to && !used[n] && !c.new.tree.Reserved.HasNumber(n, v.Category.V)
		}
		if i := slices.IndexFunc(ends, free); i >= 0 {
			number := strconv.Itoa(ends[i])
			report(number, nil, "").numbers = []ReservedNumber{{From: ends[i], Category: v.Category.V}}
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

// ReservedNumber is an entry of the reserved numbers, with the keys of the language.
type ReservedNumber struct {
	From     int    `yaml:"from"`
	To       *int   `yaml:"to,omitempty"`
	Category string `yaml:"category,omitempty"`
	Reason   string `yaml:"reason,omitempty"`
}

// MarshalYAML returns the shortest form.
func (n ReservedNumber) MarshalYAML() (any, error) {
	if n == (ReservedNumber{From: n.From}) {
		return n.From, nil
	}
	type plain ReservedNumber
	return plain(n), nil
}

// Reservation returns the key that reserves codes and numbers, or "" if there are none. It contains
// what the taxonomy reserves already, because a file has one key `reserved`.
func Reservation(present *spec.Reserved, codes []string, numbers []ReservedNumber, separator string) string {
	if len(codes)+len(numbers) == 0 {
		return ""
	}
	var allNumbers, allCodes []any
	for _, n := range present.Numbers {
		item := ReservedNumber{From: n.From.V, Category: n.Category.V, Reason: n.Reason.V}
		if n.To.Set {
			item.To = &n.To.V
		}
		allNumbers = append(allNumbers, item)
	}
	for _, n := range numbers {
		if !slices.Contains(allNumbers, any(n)) {
			allNumbers = append(allNumbers, n)
		}
	}
	for _, code := range present.Codes {
		if code.Reason.V == "" {
			allCodes = append(allCodes, code.Name.V)
			continue
		}
		allCodes = append(allCodes, struct{ Name, Reason string }{code.Name.V, code.Reason.V})
	}
	for _, code := range codes {
		allCodes = append(allCodes, code)
	}
	var out []string
	if len(allNumbers) > 0 {
		out = append(out, "numbers: "+yamlList(allNumbers...))
	}
	if len(allCodes) > 0 {
		out = append(out, "codes: "+yamlList(allCodes...))
	}
	return "reserved: {" + strings.Join(out, ","+separator) + "}"
}

// yamlList returns values as a list on one line.
func yamlList[T any](values ...T) string {
	b, _ := yaml.Marshal(struct { // such values always encode
		List []T `yaml:"list,flow"`
	}{values})
	return strings.TrimSpace(strings.TrimPrefix(string(b), "list:"))
}
