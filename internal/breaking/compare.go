package breaking

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// comparison is one run of Compare.
type comparison struct {
	*matching
	was, is *declarations
	out     []*Change
	// byField has the changes of fields that can change factories, by the path of the field.
	byField map[string]*Change
}

func (c *comparison) run() {
	c.was, c.is = declare(c.old, c.matching), declare(c.new, c.matching)
	c.byField = make(map[string]*Change)
	for _, n := range c.is.list {
		if o := c.was.at[n.path]; o != nil {
			c.values(o, n)
		} else {
			c.declared(n, added)
		}
	}
	for _, o := range c.was.list {
		if c.is.at[o.path] == nil {
			c.declared(o, removed)
		}
	}
	c.reportRenamed()
	c.codes()
	c.splits()
	c.reservations()
	c.factories()
	c.operationCodes()
}

// change adds a change of a declaration. If the id is empty, the change breaks nothing.
func (c *comparison) change(id string, d *decl, key, old, new, message string) *Change {
	change := &Change{Kind: kindChanged, Subject: d.subject, Key: key, Old: old, New: new,
		Finding: diag.Finding{Span: c.place(d, d.trees, key), Message: message}}
	change.setRule(ruleByID(id))
	if change.Subject == (Subject{}) {
		change.Subject.Name = key
	}
	c.out = append(c.out, change)
	return change
}

func (c *Change) setRule(r rule) {
	c.ID, c.Severity, c.Levels, c.Hint = r.id, diag.SeverityOf(r.id), r.levels, r.hint
}

// place returns the position of a key in the new taxonomy. If it does not have the key, place
// returns the position of the declaration, or of the nearest one around it that exists there.
func (c *comparison) place(d *decl, trees []any, key string) diag.Span {
	if key != "" && c.is.at[d.path] == d {
		for _, tree := range trees {
			if at := keySpan(reflect.ValueOf(tree).Elem(), key); at.Valid() {
				return at
			}
		}
	}
	for ; d != nil; d = d.within {
		if n := c.is.at[d.path]; n != nil && n.pos.Valid() {
			return n.pos
		}
	}
	return c.new.tree.Package.Span
}

// keySpan returns the position of the value of a key in a mapping of package spec.
func keySpan(mapping reflect.Value, key string) diag.Span {
	for i := range mapping.NumField() {
		switch mapping.Type().Field(i).Tag.Get("key") {
		case ",inline":
			if at := keySpan(mapping.Field(i), key); at.Valid() {
				return at
			}
		case key:
			return firstSpan(mapping.Field(i))
		}
	}
	return diag.Span{}
}

// firstSpan returns the first position in a value of package spec.
func firstSpan(v reflect.Value) (at diag.Span) {
	switch at, ok := v.Interface().(diag.Span); {
	case ok:
		return at
	case v.Kind() == reflect.Pointer && !v.IsNil():
		return firstSpan(v.Elem())
	case v.Kind() == reflect.Slice && v.Len() > 0:
		return firstSpan(v.Index(0))
	case v.Kind() == reflect.Struct:
		for i := 0; i < v.NumField() && !at.Valid(); i++ {
			if v.Type().Field(i).IsExported() {
				at = firstSpan(v.Field(i))
			}
		}
		return at
	}
	return diag.Span{}
}

// declared adds a change for a declaration that only one of the taxonomies has. Declarations inside
// it are part of that change, except codes. Removed codes are reported in codes.go.
func (c *comparison) declared(d *decl, on when) {
	inBoth := c.was.at[d.within.path] != nil && c.is.at[d.within.path] != nil
	if d.kind == "settings" || d.kind == "code" && on == removed || d.kind != "code" && !inBoth {
		return
	}
	r, breaks := ruleOf(d.kind, on)
	change := c.change("", d, "", "", d.name, cmp.Or(d.note, d.label))
	change.Kind = kindAdded
	if breaks || on == removed {
		change.Message = d.label + " is new"
	}
	if on == removed {
		change.Kind, change.Message, change.Old, change.New = kindRemoved, d.label+" is removed", d.name, ""
	}
	first := !slices.ContainsFunc(c.was.list, func(o *decl) bool { return o.kind == d.kind })
	if on == removed || !first { // nothing implements the interface of the first strategy yet
		change.setRule(r)
	}
	if d.kind == "field" {
		c.byField[d.path] = change
		if on == removed {
			c.removedField(d, change)
		}
	}
	if on == added && !c.movedFromAll(d.field) {
		c.values(&decl{}, d)
	}
}

// removedField limits the change of a removed field to Go if the wire stays the same: the field was
// in messages only, or is now a field of the category.
func (c *comparison) removedField(d *decl, change *Change) {
	if d.offWire {
		change.Levels, change.Hint = Source, "keep it as optional"
	}
	if n := c.is.fields[c.fields[d.field]]; n != nil { // every other matched field has a path of both taxonomies
		c.values(d, n)
		change.Kind, change.Levels, change.Span, change.New = kindChanged, Source, n.pos, n.name
		change.Message = d.label + " is now " + n.label + ": the wire is unchanged, but not its Go type"
		change.Hint = "keep it in the code if Go callers name the type"
	}
}

// values compares the values of two matched declarations. If n is new, o is empty. All differences
// of a declaration with the same id are one change.
func (c *comparison) values(o, n *decl) {
	isNew, keys := o.kind == "", slices.Clone(n.facts)
	offWire := n.offWire && (isNew || o.offWire)
	if n.kind == "field" && !isNew && o.facts[0].value != n.facts[0].value {
		keys, o = keys[:1], &decl{facts: o.facts[:1]} // another type is the only difference
	}
	for _, f := range o.facts {
		if n.fact(f.key, f.item).value == nil {
			keys = append(keys, f)
		}
	}
	changes, found := make(map[string]*Change), make(map[string][]difference)
	for _, f := range keys {
		was, is := o.effective(f), n.effective(f)
		on := changed
		switch {
		case isNew:
			on = fresh
		case was.value == nil:
			on = added
		case is.value == nil:
			on = removed
		}
		differences := c.differ(f.name(), reflect.ValueOf(was.value), reflect.ValueOf(is.value))
		if len(differences) == 0 {
			continue
		}
		path := strings.TrimSuffix(n.kind+"."+f.key, ".")
		r, ok := ruleOf(fmt.Sprint(path, "=", was.value), on)
		if !ok {
			r, ok = ruleOf(path, on)
		}
		if offWire && (r.id != idMasking || on != removed) { // a message on the wire can contain a secret
			r.levels &^= Wire
		}
		if !ok || r.id != "" && r.levels == 0 {
			continue
		}
		r.hint = strings.ReplaceAll(r.hint, "NAME", cmp.Or(o.goName, fmt.Sprint(was.value)))
		if was.original != "" {
			differences[0].old = was.original
		}
		found[r.id] = append(found[r.id], differences...)
		change := changes[r.id]
		if change == nil {
			change = c.change("", n, f.key, "", "", "")
			if is.trees != nil {
				change.Span = c.place(n, is.trees, f.key)
			}
			change.setRule(r)
			changes[r.id] = change
		}
		change.Levels |= r.levels
		switch n.kind + "." + f.key {
		case "field.type", "field.required":
			c.byField[n.path] = change
		case "code.deprecated":
			change.Kind = kindDeprecated
		case "category.name":
			change.Kind, change.Subject.Was = kindRenamed, o.name
		}
	}
	for id, change := range changes {
		change.describe(n.label, found[id])
		if isNew && n.kind == "field" {
			change.Message = n.label + " is new and required"
		}
	}
}

// describe sets the values and the message of a change.
func (c *Change) describe(label string, list []difference) {
	var texts, old, new []string
	list = slices.DeleteFunc(slices.Clone(list), func(d difference) bool { return d.derived(list) })
	for _, d := range list {
		if c.Kind == kindDeprecated {
			texts = append(texts, d.new)
			continue
		}
		texts = append(texts, d.String())
		if d.old != "" {
			old = append(old, d.key+": "+d.old)
		}
		if d.new != "" {
			new = append(new, d.key+": "+d.new)
		}
	}
	c.Message = strings.TrimPrefix(label+": "+strings.Join(texts, "; "), ": ")
	c.Old, c.New = strings.Join(old, ", "), strings.Join(new, ", ")
	if len(list) == 1 {
		c.Old, c.New = list[0].old, list[0].new
		if !list[0].isItem() {
			c.Key = list[0].key
		}
	}
}

// difference is a scalar that differs. An empty text is an absent value.
type difference struct{ key, old, new string }

// isItem reports whether an item of a list is added or removed, such as a word of an enum.
func (d difference) isItem() bool {
	_, item, ok := strings.Cut(d.key, " ")
	return ok && (d.old == "" || d.new == "") && d.old+d.new == item
}

// derived reports whether another difference has the value from which d follows by default.
func (d difference) derived(list []difference) bool {
	return slices.ContainsFunc(list, func(source difference) bool {
		switch {
		case strings.Replace(d.key, "recoverability", "retryable", 1) == source.key:
			follows := map[string]string{"true": "retryable", "false": "permanent"}
			return d.old == follows[source.old] && d.new == follows[source.new]
		case d.key == "scrub" && source.key == "sensitive",
			strings.HasSuffix(d.key, "max_retry_after") &&
				strings.Replace(d.key, "retry_after", "delay", 1) == source.key:
			return d.old == source.old && d.new == source.new
		}
		return false
	})
}

func (d difference) String() string {
	switch {
	case d.isItem() && d.old == "":
		return d.key + " is new"
	case d.isItem():
		return d.key + " is removed"
	case d.key == "message" && d.old != "" && d.new != "":
		return d.key + " " + wordDiff(d.old, d.new)
	}
	return fmt.Sprintf("%s was %s, is %s", d.key, cmp.Or(d.old, none(d.new)), cmp.Or(d.new, none(d.old)))
}

// none returns the text for an absent value, by the value that the other taxonomy has.
func none(other string) string {
	return cmp.Or(map[string]string{"true": "false", "public": "internal", "tail": "head"}[other], "none")
}

// wordDiff returns the new text with removed words as [-…-] and added words as {+…+}.
func wordDiff(old, new string) string {
	was, is := strings.Fields(old), strings.Fields(new)
	if slices.Equal(was, is) { // only spaces and line breaks differ
		return fmt.Sprintf("was %q, is %q", old, new)
	}
	n := 0
	for n < min(len(was), len(is)) && was[n] == is[n] {
		n++
	}
	m := 0
	for m < min(len(was), len(is))-n && was[len(was)-1-m] == is[len(is)-1-m] {
		m++
	}
	out := slices.Clone(is[:n])
	if w := was[n : len(was)-m]; len(w) > 0 {
		out = append(out, "[-"+strings.Join(w, " ")+"-]")
	}
	if w := is[n : len(is)-m]; len(w) > 0 {
		out = append(out, "{+"+strings.Join(w, " ")+"+}")
	}
	return `"` + strings.Join(append(out, is[len(is)-m:]...), " ") + `"`
}

// differ compares two values of one type, down to the scalars in structs. Either can be missing. If
// two reactions have different actions, differ returns only that difference.
func (c *comparison) differ(key string, o, n reflect.Value) (out []difference) {
	some := n
	if !n.IsValid() {
		some = o
	}
	switch {
	case !some.IsValid() || c.sameDeclared(o, n):
		return nil
	case some.Kind() == reflect.Pointer:
		return c.differ(key, part(o, reflect.Value.Elem), part(n, reflect.Value.Elem))
	case some.Kind() == reflect.Struct:
		for i := range some.NumField() {
			field := func(v reflect.Value) reflect.Value { return v.Field(i) }
			name := some.Type().Field(i).Name
			word, _ := naming.Snake(name)
			differences := c.differ(strings.TrimSpace(key+" "+word), part(o, field), part(n, field))
			switch {
			case name == "Name" || name == "Doc":
			case name == "Likely" && len(out) > 0 && o.IsValid() != n.IsValid(): // the default of a new prevention
			case name == "Action" && len(differences) > 0:
				return differences
			default:
				out = append(out, differences...)
			}
		}
		return out
	}
	if was, is := scalar(o), scalar(n); was != is {
		return []difference{{key, was, is}}
	}
	return nil
}

// part returns a part of a value. If the value is missing, so is the part.
func part(v reflect.Value, of func(reflect.Value) reflect.Value) reflect.Value {
	if !v.IsValid() {
		return v
	}
	return of(v)
}

// sameDeclared reports whether two reactions or policies are declared under the same name. Then the
// declarations are compared once, and not at each use.
func (c *comparison) sameDeclared(o, n reflect.Value) bool {
	return o.IsValid() && n.IsValid() && o.Kind() == reflect.Pointer && !o.IsNil() && !n.IsNil() &&
		c.old.model.Declared[o.Interface()] && c.new.model.Declared[n.Interface()] &&
		o.Elem().FieldByName("Name").String() == n.Elem().FieldByName("Name").String()
}

// scalar returns a value as text, or "" if it is missing or not set. An action is always set: its
// zero value is abort.
func scalar(v reflect.Value) string {
	if !v.IsValid() {
		return ""
	}
	if _, isAction := v.Interface().(taxonomy.Action); v.IsZero() && v.Kind() != reflect.Bool && !isAction {
		return ""
	}
	return fmt.Sprint(v.Interface())
}
