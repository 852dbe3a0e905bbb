package breaking

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Taxonomy is one side of a comparison: the resolved taxonomy with its positions. It is safe for
// concurrent use.
type Taxonomy struct {
	tree  *spec.Taxonomy
	model *model.Package

	byValue, byAlias, byKey map[string]*model.Code
	byNumber                map[string]*model.Code // by numberKey
	reserved                map[string]bool        // codes
}

// New returns one side of a comparison. Parts with errors are left out; package check finds them.
func New(tree *spec.Taxonomy) *Taxonomy {
	t := &Taxonomy{
		tree: tree, model: resolve.Build(tree),
		byValue: make(map[string]*model.Code), byAlias: make(map[string]*model.Code),
		byKey: make(map[string]*model.Code), byNumber: make(map[string]*model.Code),
		reserved: make(map[string]bool),
	}
	for _, code := range t.model.Codes {
		first(t.byValue, code.Value, code)
		first(t.byKey, code.Name, code)
		for _, alias := range aliases(code) {
			first(t.byAlias, alias, code)
		}
		if code.Numbered {
			first(t.byNumber, t.numberKey(code), code)
		}
	}
	for _, v := range tree.Reserved.Codes {
		name := v.Name
		t.reserved[name.V] = true
	}
	return t
}

// scope returns a category if numbers are unique in a category only, otherwise "".
func (t *Taxonomy) scope(category string) string {
	if t.tree.Numbers.V == "per_category" {
		return category
	}
	return ""
}

// numberKey returns the number of a code with its scope.
func (t *Taxonomy) numberKey(c *model.Code) string {
	return fmt.Sprint(t.scope(c.Category.Name), " ", c.Number)
}

// withNumberOf returns the code that has the number of c, or nil. c can be of the other taxonomy.
func (t *Taxonomy) withNumberOf(c *model.Code) *model.Code {
	if !c.Numbered {
		return nil
	}
	return t.byNumber[t.numberKey(c)]
}

// decodes returns the code that a value on the wire decodes to, or nil.
func (t *Taxonomy) decodes(value string) *model.Code {
	return cmp.Or(t.byValue[value], t.byAlias[value])
}

// aliases returns the other values that decode to a code.
func aliases(c *model.Code) []string { return slices.Concat(c.Extras().Aliases, c.Extras().Names) }

// first sets a key unless it has a value.
func first[K comparable, V any](m map[K]V, k K, v V) {
	if _, taken := m[k]; !taken {
		m[k] = v
	}
}

// decl is a declaration of a taxonomy with its values.
type decl struct {
	kind    string // as in the paths of rules: code, field, policy
	path    string // equal for matched declarations
	name    string
	within  *decl // the declaration around it; nil for the file
	subject Subject
	field   *model.Field
	goName  string // of a code or a category: what its key "name" or "type" sets
	offWire bool   // whether the wire never contains it: an abstract code, a field in messages only
	label   string // at the beginning of messages
	note    string // its text in release notes if it is new; "" is the label
	pos     diag.Span
	trees   []any // pointers to the mappings that set its values, the most specific first
	facts   []fact
}

// fact is a value of a declaration: a text, a flag, or a struct of package taxonomy.
type fact struct {
	key   string // of the language
	item  string // of the several values under the key: a word of an enum, a group
	value any
	// original is a text that value has with the names of the new taxonomy.
	original string
	trees    []any // if they differ from those of the declaration
}

// name returns the name of the value in messages: the item hung of groups is "group hung".
func (f fact) name() string {
	noun := map[string]string{"enum": "word", "groups": "group", "constants": "constant", "settings": "setting",
		"status": "setting"}[f.key]
	return strings.TrimSpace(cmp.Or(noun, f.key) + " " + f.item)
}

// fact returns a value of a declaration, or the zero fact.
func (d *decl) fact(key, item string) fact {
	i := slices.IndexFunc(d.facts, func(f fact) bool { return f.key == key && f.item == item })
	if i < 0 {
		return fact{}
	}
	return d.facts[i]
}

// effective returns the value of a declaration for f. In a branch that sets none, it is the trait of
// the code.
func (d *decl) effective(f fact) fact {
	value := d.fact(f.key, f.item)
	if value.value == nil && strings.HasPrefix(f.item, "when ") {
		return d.fact(f.key, "")
	}
	return value
}

// set adds a value, unless it is an empty text or false.
func (d *decl) set(key string, value any) {
	if value != "" && value != false {
		d.facts = append(d.facts, fact{key: key, value: value})
	}
}

// each adds the words of a list.
func (d *decl) each(key string, words ...string) {
	for _, w := range words {
		d.facts = append(d.facts, fact{key: key, item: w, value: w})
	}
}

// declarations lists the declarations of one taxonomy.
type declarations struct {
	*Taxonomy
	m      *matching
	list   []*decl
	at     map[string]*decl // by path
	codes  map[*model.Code]*decl
	fields map[*model.Field]*decl
}

func declare(t *Taxonomy, m *matching) *declarations {
	l := &declarations{Taxonomy: t, m: m, at: make(map[string]*decl), codes: make(map[*model.Code]*decl),
		fields: make(map[*model.Field]*decl)}
	file := l.add(&decl{kind: "file", path: "file", pos: t.tree.Package.Span, trees: []any{t.tree}})
	l.file(file)
	l.names(file)
	l.operations(file)
	for _, c := range t.model.Categories {
		l.category(file, c)
	}
	return l
}

func (l *declarations) add(d *decl) *decl {
	l.list = append(l.list, d)
	first(l.at, d.path, d)
	return d
}

// file adds the settings of the taxonomy.
func (l *declarations) file(d *decl) {
	m := l.model
	d.set("package", m.Name)
	d.set("domain", m.Domain)
	d.set("help_url", m.HelpURL)
	d.set("stack", m.Taxonomy.Stack.String())
	if m.Fallback != nil {
		d.set("fallback", strings.TrimSpace(l.m.key(m.Fallback)+" "+assigned(m.FallbackSet)))
	}
	d.set("public", m.Taxonomy.PublicFallback)
	d.set("uncategorized", m.Taxonomy.Uncategorized)
	d.set("classification", len(m.Rules) > 0 || m.Fallback != nil)
	var tiers []string // without removed ones, which are separate changes
	for _, tier := range m.Tiers {
		if slices.ContainsFunc(l.m.new.model.Tiers, func(n *model.Tier) bool { return n.Name == tier.Name }) {
			tiers = append(tiers, tier.Name)
		}
	}
	d.set("tiers", strings.Join(tiers, ", "))
}

// names adds the declarations that have a name in Go.
func (l *declarations) names(file *decl) {
	hasDefault := false
	for _, names := range [][2]string{{"group", "Groups"}, {"strategy", "Strategies"}, {"check", "Checks"},
		{"tier", "Tiers"}, {"source", "Sources"}, {"op", "Ops"}, {"policy", "Policies"}, {"reaction", "Reactions"},
		{"profile", "Profiles"}} {
		kind, declared := names[0], reflect.ValueOf(*l.tree).FieldByName(names[1])
		for i := range declared.Len() {
			tree := declared.Index(i)
			name := tree.FieldByName("Name").Interface().(spec.Text)
			label := kind + " " + name.V
			d := l.add(&decl{kind: kind, path: label, name: name.V, label: label, within: file, pos: name.Span,
				subject: Subject{Name: label}, trees: []any{tree.Addr().Interface()}})
			switch kind {
			case "tier":
				d.set("", l.model.Tiers[i].Tier)
			case "source":
				if code := l.model.SourceFallbacks[name.V]; code != nil {
					d.set("fallback", l.m.key(code))
				}
			case "policy":
				if p := l.model.PolicyByName(name.V); p != nil {
					d.set("", *p)
				}
			case "reaction":
				if r := l.model.ReactionByName(name.V); r != nil {
					d.set("", *r)
				}
			case "profile":
				hasDefault = hasDefault || name.V == defaultProfile
				l.settings(d, &l.tree.Profiles[i])
			}
		}
	}
	if !hasDefault {
		l.settings(file, &spec.Profile{Name: spec.Text{V: defaultProfile}})
	}
}

// defaultProfile is the profile that applies if none is chosen. Without a declaration it has no
// settings.
const defaultProfile = "default"

// settings adds the settings of a profile.
func (l *declarations) settings(within *decl, p *spec.Profile) {
	label := "profile " + p.Name.V
	d := l.add(&decl{kind: "settings", path: "settings of " + p.Name.V, label: label, within: within,
		pos: p.Name.Span, subject: Subject{Name: label}})
	var declared map[string]any
	_ = p.Raw.Decode(&declared) // package spec reports a profile that is not a mapping
	delete(declared, "doc")
	codes, _ := declared["codes"].(map[string]any)
	maps.DeleteFunc(codes, func(key string, _ any) bool { return l.byKey[key] != nil && l.byKey[key].Abstract })
	var add func(path string, value any)
	add = func(path string, value any) {
		m, isMap := value.(map[string]any)
		for key, v := range m {
			add(path+" "+key, v)
		}
		key := "settings"
		if strings.HasSuffix(path, " http") || strings.HasSuffix(path, " grpc") {
			key = "status"
		}
		if !isMap {
			d.facts = append(d.facts, fact{key: key, item: strings.TrimSpace(path), value: fmt.Sprint(value)})
		}
	}
	add("", declared)
	slices.SortFunc(d.facts, func(a, b fact) int { return strings.Compare(a.item, b.item) })
}

// category adds a category with its fields and codes.
func (l *declarations) category(file *decl, c *model.Category) {
	name := l.m.categoryName(c)
	d := l.add(&decl{kind: "category", path: "category " + name, name: c.Name, within: file, label: "category " + name,
		pos: c.Decl.Name.Span, subject: Subject{Category: name}, trees: []any{c.Decl}, goName: c.Type})
	d.set("name", c.Name)
	d.set("type", strings.Join([]string{c.Type, c.CodeType, c.Const, c.Predicate}, ", "))
	l.addFields(d, name+".", c.Fields)
	for _, code := range c.Codes {
		l.code(d, code)
	}
}

// addFields adds the fields of a category, a code or an object. The prefix begins their labels.
func (l *declarations) addFields(owner *decl, prefix string, fields []*model.Field) {
	for _, f := range fields {
		name := l.m.fieldName(f)
		label, subject := prefix+name, Subject{}
		if _, field, ok := strings.Cut(label, "."); ok {
			subject = Subject{Code: owner.subject.Code, Category: owner.subject.Category, Field: field}
		}
		if owner.kind == "category" && l.m.global[name] {
			label, subject = name, Subject{Field: name}
		}
		d := l.add(&decl{kind: "field", path: owner.path + "\nfield " + name, name: name, within: owner, field: f,
			label: "field " + label, pos: f.Decl.Name.Span, subject: subject, trees: []any{f.Decl},
			offWire: f.MessageOnly || owner.offWire})
		l.fields[f] = d
		d.set("type", f.Type.String())
		d.each("enum", f.Enum.Words()...)
		d.set("required", f.Required)
		d.set("sensitive", f.Sensitive)
		d.set("scrub", f.Scrub || f.Sensitive)
		d.set("message_only", f.MessageOnly)
		d.set("audience", audience(f.Public))
		d.set("from", strings.Join(f.From, ", "))
		if f.Default != nil {
			d.set("default", f.Default.JSON())
		}
		d.set("keep", map[bool]string{true: "tail"}[f.KeepTail])
		d.set("max_length", strings.TrimPrefix(strconv.Itoa(f.MaxLength), "0"))
		if l.m.fields[f] == nil || l.m.fields[f].Wire == f.Wire { // a renamed field is a separate change
			d.set("name", f.Go)
		}
		switch {
		case f.Enum != nil:
			d.set("go_type", f.Enum.Type)
		case f.Object != nil && f.Object.Type != "":
			d.set("go_type", f.Object.Type)
			l.addFields(d, label+".", f.Object.Fields)
		}
	}
}

// audience returns the word for public declarations.
func audience(public bool) string { return map[bool]string{true: "public"}[public] }

// code adds a code.
func (l *declarations) code(owner *decl, c *model.Code) {
	key, tree := l.m.key(c), c.Decl
	d := l.add(&decl{kind: "code", path: l.m.codePath(c), name: c.Value, within: owner, label: "code " + key,
		pos: tree.Name.Span, subject: l.m.subject(c), trees: []any{tree, c.Category.Decl}, goName: c.Go,
		offWire: c.Abstract || cmp.Or(l.m.from[c], l.m.to[c], c).Abstract})
	l.codes[c], d.note = d, describe(c)
	if !c.Abstract {
		d.note += ": " + c.Code.Message
	}
	d.set("category", l.m.categoryName(c.Category))
	switch {
	case d.offWire:
		d.set("name", c.Const)
	case l.m.renamed[c] == "":
		d.set("name", goNames(c))
	}
	if c.ReplacedBy != nil {
		d.set("deprecated", c.Extras().Deprecated+"; use "+c.ReplacedBy.Name)
	} else {
		d.set("deprecated", c.Extras().Deprecated)
	}
	for above := c.Above; above != nil; above = above.Above {
		d.each("parent", l.m.key(above))
	}
	l.addFields(d, key+".", c.OwnFields())
	if d.offWire { // only errors have the others
		return
	}
	for i, v := range c.Constants {
		if v != nil {
			d.facts = append(d.facts, fact{key: "constants", item: l.model.Constants[i].Name, value: v.JSON()})
		}
	}
	d.set("audience", audience(c.Public))
	d.facts = append(d.facts, fact{key: "message", value: l.m.message(c), original: c.Code.Message})
	d.set("feedback", tree.Feedback.V)
	d.set("set", assigned(c.Sets))
	d.set("prevent", c.Extras().Prevent)
	for _, g := range c.InGroups {
		d.each("groups", g.Name)
	}
	d.set("fault", c.Code.Fault.String())
	own := traits(c.Row.Traits)
	d.facts = append(d.facts, own...)
	conditions := branchTexts(c)
	d.set("when", strings.Join(conditions, ", then "))
	for i, condition := range conditions {
		for j, f := range traits(c.Branches[i].Row.Traits) {
			if f.value != own[j].value {
				f.item, f.trees = "when "+condition, append([]any{&tree.When[i]}, d.trees...)
				d.facts = append(d.facts, f)
			}
		}
	}
}

// traits returns the traits of a row. A status that is not set has the value that clients get.
func traits(t taxonomy.Traits) []fact {
	return []fact{
		{key: "retryable", value: strconv.FormatBool(t.Retryable)},
		{key: "recoverability", value: t.Recoverability.String()},
		{key: "severity", value: t.Severity.String()},
		{key: "effect", value: t.Effect.String()},
		{key: "http", value: strconv.Itoa(cmp.Or(int(t.HTTP), 500))},
		{key: "grpc", value: cmp.Or(resolve.GRPCWord(t.GRPC), "UNKNOWN")},
		{key: "exit", value: strconv.Itoa(cmp.Or(int(t.Exit), 1))},
		{key: "reaction", value: t.Reaction},
	}
}

// describe returns a code with its category and its number.
func describe(c *model.Code) string {
	if c.Numbered {
		return fmt.Sprintf("code %s (%s, number %d)", c.Name, c.Category.Name, c.Number)
	}
	return fmt.Sprintf("code %s (%s)", c.Name, c.Category.Name)
}

// branchTexts returns the conditions of each branch as a unique text. The order of conditions and
// of their values has no meaning.
func branchTexts(c *model.Code) (out []string) {
	byText := func(a, b model.Value) int { return strings.Compare(a.JSON(), b.JSON()) }
	for _, b := range c.Branches {
		var conds []string
		for _, cond := range b.Conds {
			cond.Values = slices.SortedFunc(slices.Values(cond.Values), byText)
			cond.Not = slices.SortedFunc(slices.Values(cond.Not), byText)
			cond.Prefix = slices.Sorted(slices.Values(cond.Prefix))
			conds = append(conds, cond.String())
		}
		slices.Sort(conds)
		text := strings.Join(conds, " and ")
		for i := 2; slices.Contains(out, text); i++ {
			text = fmt.Sprintf("%s (%d)", strings.Join(conds, " and "), i)
		}
		out = append(out, text)
	}
	return out
}

// assigned returns values as text, sorted, because their order has no meaning.
func assigned(set []model.FieldValue) string {
	var out []string
	for _, s := range set {
		out = append(out, s.Field.Wire+": "+s.Value.JSON())
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
