package breaking

import (
	"cmp"
	"fmt"
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

// flattener writes one side of a comparison as values. Paths of the old side have the names of the
// new one.
type flattener struct {
	*comparison
	t     *Taxonomy
	isOld bool
	out   *values
}

func (c *comparison) flatten() {
	c.was, c.is = &values{at: make(map[string]int)}, &values{at: make(map[string]int)}
	for _, f := range []*flattener{{c, c.old, true, c.was}, {c, c.new, false, c.is}} {
		f.header()
		f.declarations()
		for i, k := range f.t.model.Categories {
			f.category(k, &f.t.tree.Categories[i])
		}
		for _, k := range f.t.model.Codes {
			if !f.isOld {
				f.code(k, k)
			} else if n := c.continued(k); n != nil {
				f.code(k, n)
			}
		}
		f.profiles()
	}
}

// add adds a value. Slashes in the names of its path are replaced. If the path has a value already,
// that stays.
func (f *flattener) add(v value, names ...string) {
	for i := range names {
		names[i] = strings.ReplaceAll(names[i], "/", "|")
	}
	v.path = strings.Join(names, "/")
	if _, taken := f.out.at[v.path]; !taken {
		f.out.at[v.path] = len(f.out.list)
		f.out.list = append(f.out.list, v)
	}
}

func (f *flattener) header() {
	m, tree := f.t.model, f.t.tree
	for _, h := range []struct {
		key, text string
		at        diag.Span
	}{{"domain", m.Domain, tree.Domain.Span}, {"package", m.Name, tree.Package.Span},
		{"help_url", m.HelpURL, tree.HelpURL.Span}, {"stack", m.Taxonomy.Stack.String(), tree.Stack.Span}} {
		if h.text != "" {
			f.add(value{text: h.text, at: h.at}, h.key)
		}
	}
	if code := m.Fallback; code != nil {
		at := at(tree.Fallback.Code.Span, tree.Fallback.Span)
		f.add(value{text: strings.TrimSpace(f.key(code) + " " + assigned(m.FallbackSet)), at: at}, "fallback")
	}
	for _, s := range tree.Sources {
		if code := m.SourceFallbacks[s.Name.V]; code != nil {
			f.add(value{text: f.key(code), at: s.Details().Fallback.Span}, "sources", s.Name.V, "fallback")
		}
	}
	if tree.Public != nil {
		f.add(value{text: tree.Public.Code.V, at: tree.Public.Code.Span}, "public")
	}
	if tree.Uncategorized != nil {
		f.add(f.reaction("uncategorized", m.Taxonomy.Uncategorized, tree.Uncategorized.Span, true), "uncategorized")
	}
	if len(m.Rules) > 0 || m.Fallback != nil {
		f.add(value{subject: "classification", text: "Classify, ClassifyEvidence and Explain", at: tree.Package.Span},
			"names", "functions", "Classify")
	}
}

// audiencePublic is the audience of codes and fields that clients see; that of others is internal.
const audiencePublic = "public"

// ownFieldsPrefix begins the name, among the categories, that the fields of one code are under.
const ownFieldsPrefix = "code "

// key returns the key of a code in the new taxonomy.
func (f *flattener) key(code *model.Code) string {
	if n := f.continued(code); f.isOld && n != nil {
		return n.Key
	}
	return code.Key
}

// declarations adds the names that become names in Go, and the reactions and policies.
func (f *flattener) declarations() {
	tree := reflect.ValueOf(*f.t.tree)
	for _, list := range []string{"Groups", "Strategies", "Checks", "Tiers", "Profiles", "Sources", "Ops", "Policies",
		"Reactions"} {
		kind := snake(list)
		for i := range tree.FieldByName(list).Len() {
			name := tree.FieldByName(list).Index(i).FieldByName("Name").Interface().(spec.Text)
			f.add(value{subject: kind, text: name.V + " and its name in Go", at: name.Span}, "names", kind, name.V)
			if list == "Strategies" || list == "Checks" {
				f.add(value{}, "methods", list)
				text := "implementations of " + list + " do not compile without it"
				f.add(value{subject: name.V, text: text, at: name.Span}, "methods", list, name.V)
			}
		}
	}
	for _, decl := range f.t.tree.Reactions {
		if r := f.t.model.ReactionByName(decl.Name.V); r != nil {
			v := f.reaction("reaction "+r.Name, r, decl.Name.Span, true)
			v.alias = ""
			f.add(v, "reactions", r.Name)
		}
	}
	for _, decl := range f.t.tree.Policies {
		if p := f.t.model.PolicyByName(decl.Name.V); p != nil {
			f.add(composite("policy "+p.Name, decl.Name.Span, leaves(p, "Name")), "policies", p.Name)
		}
	}
}

// category adds a category and its fields. For an old category without successor, it adds the names
// only.
func (f *flattener) category(k *model.Category, decl *spec.Category) {
	name := k.Name
	names := strings.Join([]string{k.Type, k.CodeType, k.Const, k.Predicate}, ", ")
	if f.isOld {
		if n := f.categories[k]; n != nil {
			name = n.Name
		} else {
			if !f.moved[k] {
				f.add(value{subject: "category " + name, text: names, at: decl.Name.Span}, "names", "categories", name)
			}
			return
		}
	}
	span := at(decl.Type.Span, decl.Name.Span)
	f.add(value{at: decl.Name.Span}, "categories", name)
	if name == k.Name {
		f.add(value{subject: "category " + name, text: names, same: k.Type, at: span}, "categories", name, "go_type")
		f.add(value{subject: "category " + name, text: names, at: span}, "categories", name, "go_names")
	}
	f.fields(name+".", k.Fields, "categories", name)
}

// fields adds the fields of a category or an object.
func (f *flattener) fields(prefix string, list []*model.Field, path ...string) {
	for _, m := range list {
		decl, name := f.t.fields[m], m.Wire
		if f.isOld {
			name = f.name(m)
		}
		label := "field " + prefix + name
		if f.t.global[m] {
			label = "field " + name
		}
		below := func(keys ...string) []string { return append(append(slices.Clip(path), "fields", name), keys...) }
		if _, taken := f.out.at[strings.Join(below(), "/")]; taken {
			continue
		}
		set := func(key, text, same string, spans ...diag.Span) {
			f.add(value{subject: label, text: text, same: same, private: m.MessageOnly,
				at: at(append(spans, decl.Name.Span)...)}, below(key)...)
		}
		if m.Required {
			f.add(value{subject: label, text: "true", at: at(decl.Required.Span, decl.Name.Span)},
				append(slices.Clip(path), "required", name)...)
		}
		f.add(value{subject: label, private: m.MessageOnly, at: decl.Name.Span}, below()...)
		size := m.Type.String()
		set("type", size, strings.TrimSuffix(size, "64"), decl.Type.Span, decl.EnumSpan)
		set("size", size, "", decl.Type.Span)
		set("sensitive", fmt.Sprint(m.Sensitive), "", decl.Sensitive.Span)
		if m.Scrub || m.Sensitive {
			set("masked", "mask", "")
		}
		if !m.MessageOnly {
			set("on_wire", "value on the wire", "", decl.MessageOnly.Span)
		}
		if m.Public {
			set("public", audiencePublic, "", decl.Audience.Span)
		}
		set("from", strings.Join(m.From, ", "), "")
		def := ""
		if m.Default != nil {
			def = valueText(*m.Default)
		}
		set("default", def, "")
		if m.MaxLength > 0 {
			set("max_length", strconv.Itoa(m.MaxLength), "")
		}
		set("keep_tail", fmt.Sprint(m.KeepTail), "")
		if name == m.Wire {
			set("go_name", m.Go, "", decl.GoName.Span)
		}
		if m.Enum != nil {
			words := cmp.Or(decl.EnumSpan, decl.Name.Span)
			f.add(value{at: words}, below("words")...)
			for _, word := range m.Enum.Words() {
				f.add(value{subject: label, text: "word " + word, at: words}, below("words", word)...)
			}
			set("go_type", m.Enum.Type, "")
		}
		if m.Object != nil && m.Object.Type != "" {
			set("go_type", m.Object.Type, "")
			f.fields(strings.TrimPrefix(label, "field ")+".", m.Object.Fields, below()...)
		}
	}
}

// code adds a code under its key in the new taxonomy.
func (f *flattener) code(k, n *model.Code) {
	decl, kind := f.t.codes[k], f.t.categories[k.Category]
	set := func(key string, v value, spans ...diag.Span) {
		v.subject, v.at = cmp.Or(v.subject, n.Key), at(append(spans, decl.Name.Span)...)
		f.add(v, "codes", n.Key, key)
	}
	f.add(value{at: decl.Name.Span}, "codes", n.Key)
	if !f.isOld || k.Numbered && f.t.withNumberOf(k) == k {
		set("number", value{text: number(k)}, decl.Number.Span)
	}
	set("go_name", value{text: k.Const + " and " + k.Factory}, decl.GoName.Span)
	set("factory", f.factory(k, n))
	set("message", value{text: strconv.Quote(f.message(k))}, decl.Message.Span)
	set("feedback", value{text: decl.Feedback.V}, decl.Feedback.Span)
	set("set", value{text: assigned(k.Set)})
	if k.Public {
		set("public", value{text: audiencePublic}, decl.Audience.Span)
	}
	for _, name := range f.uses(k) {
		f.add(value{subject: n.Key, text: "use of field " + name, at: decl.Name.Span}, "codes", n.Key, "uses", name)
	}
	prevent := diag.Span{}
	if decl.Prevent != nil {
		prevent = decl.Prevent.Span
	}
	set("prevent", composite("", prevent, leaves(k.Prevent)), prevent)
	for _, g := range k.Groups {
		f.add(value{subject: n.Key, text: "group " + g.Name, at: decl.Name.Span}, "codes", n.Key, "groups", g.Name)
	}
	span := func(key string) diag.Span {
		return at(spanOf(decl.Traits, key), spanOf(kind.Traits, key), decl.Name.Span)
	}
	for i, v := range k.Constants {
		if v != nil {
			name := f.t.model.Constants[i].Name
			f.add(value{subject: n.Key, text: "constant " + name + " " + v.JSON(), at: decl.Name.Span},
				"codes", n.Key, "constants", name)
		}
	}
	parent := "none"
	if k.Parent != nil {
		parent = k.Parent.Key
	}
	set("parent", value{text: parent})
	own := ownFieldsPrefix + n.Key // its fields are like those of a category
	f.add(value{at: decl.Name.Span}, "categories", own)
	f.fields(n.Key+".", k.OwnFields(), "categories", own)
	f.traits(k.Row.Traits, n.Key, span, "codes", n.Key)
	f.branches(k, n, span)
}

// traits adds the traits of a row. An unset status has the value that clients get.
func (f *flattener) traits(t taxonomy.Traits, subject string, span func(key string) diag.Span, path ...string) {
	all := append(leaves(t, "Reaction", "HTTP", "GRPC"),
		value{path: "http", text: strconv.Itoa(cmp.Or(int(t.HTTP), 500))},
		value{path: "grpc", text: cmp.Or(resolve.GRPCWord(t.GRPC), "UNKNOWN")})
	for _, v := range all {
		v.subject, v.at = subject, span(v.path)
		f.add(v, append(slices.Clip(path), v.path)...)
	}
	declared := path[0] != "profiles" // a profile changes declared reactions
	f.add(f.reaction(subject, t.Reaction, span("reaction"), declared), append(slices.Clip(path), "reaction")...)
}

// branches adds the branches of a code by condition. Old branches whose conditions are gone are
// paired, in order, with the branches whose conditions are new.
func (f *flattener) branches(k, n *model.Code, codeSpan func(key string) diag.Span) {
	texts := branchTexts(k)
	names := texts
	if f.isOld {
		names = slices.Clone(texts)
		is := branchTexts(n)
		added := missing(is, texts)
		for i, text := range texts {
			if !slices.Contains(is, text) && len(added) > 0 {
				names[i], added = added[0], added[1:]
			}
		}
	}
	for i, b := range k.When {
		subject := fmt.Sprintf("%s when %d", n.Key, i+1)
		if f.isOld {
			subject = fmt.Sprintf("%s where %s", n.Key, texts[i])
		}
		decl := f.t.codes[k].When[i]
		span := func(key string) diag.Span { return at(spanOf(decl.Traits, key), codeSpan(key)) }
		path := []string{"codes", n.Key, "when", names[i]}
		f.traits(b.Row.Traits, subject, span, path...)
		v := value{subject: subject, text: texts[i], at: decl.Span}
		if b.Row.HTTP != k.Row.HTTP || b.Row.GRPC != k.Row.GRPC {
			v.rule = "codes/" + n.Key + "/status_condition"
		}
		f.add(v, append(path, "condition")...)
	}
	if other := cmp.Or(f.from[n], k); len(n.When) > 0 {
		if f.isOld {
			other = n
		}
		common := missing(texts, missing(texts, branchTexts(other)))
		f.add(value{subject: n.Key, text: "order of branches: " + strings.Join(common, ", "),
			at: f.new.codes[n].When[0].Span}, "codes", n.Key, "condition")
	}
}

// factory returns the parameters of a factory. If the code moved to another category, they include
// their types. See ownParameters for parameters that are reported as fields.
func (f *flattener) factory(k, n *model.Code) value {
	o := f.from[n]
	same := o == nil || f.categories[o.Category] == n.Category
	v := value{subject: n.Key, factory: n.Factory}
	var names []string
	for _, field := range k.Args {
		name := field.Wire
		if f.isOld {
			name = f.name(field)
		}
		if !same {
			name += " " + field.Type.String()
		}
		names = append(names, name)
		v.parts = append(v.parts, value{path: "categories/" + n.Category.Name + "/fields/" + name, text: name})
	}
	v.text = n.Factory + "(" + strings.Join(names, ", ") + ")"
	return v
}

// uses returns the optional fields that a code reads or sets.
func (f *flattener) uses(k *model.Code) (out []string) {
	for _, field := range used(k) {
		if !field.Required {
			out = append(out, f.name(field))
		}
	}
	return out
}

// message returns the message of a code, with the new names of fields.
func (f *flattener) message(k *model.Code) string {
	text := k.MessageText
	for _, field := range k.Fields() {
		if now := f.names[field]; f.isOld && now != "" {
			text = renamePlaceholder(text, field.Wire, now)
		}
	}
	return text
}

// defaultProfile is the profile that applies if none is chosen.
const defaultProfile = "default"

// profiles adds the settings of profiles, and the rows that they change. If only one side has the
// default profile, the other side gets one without changes.
func (f *flattener) profiles() {
	if f.t.model.ProfileByName(defaultProfile) == nil &&
		cmp.Or(f.old.model.ProfileByName(defaultProfile), f.new.model.ProfileByName(defaultProfile)) != nil {
		f.profile(&model.Profile{Profile: &taxonomy.Profile{
			Name: defaultProfile, Retry: taxonomy.RetryDefaults{Enabled: true},
			Recovery:  taxonomy.Recovery{Enabled: true},
			Reporting: taxonomy.Reporting{Context: true},
			Detection: taxonomy.Detection{Text: true, Severity: true, Recoverability: true},
		}}, diag.Span{})
	}
	for i, p := range f.t.model.Profiles {
		f.profile(p, f.t.tree.Profiles[i].Name.Span)
	}
}

func (f *flattener) profile(p *model.Profile, span diag.Span) {
	f.add(value{at: span}, "profiles", p.Name)
	f.add(composite("profile "+p.Name, span, profileSettings(p)), "profiles", p.Name, "settings")
	if u := f.t.model.Taxonomy.Uncategorized; u != nil {
		if r := p.Head(cmp.Or(p.Uncategorized, u)); r != u {
			f.add(f.reaction("profile "+p.Name, r, span, false), "profiles", p.Name, "uncategorized")
		}
	}
	for _, code := range f.t.model.Codes {
		t := f.t.model.Under(p, code.Row)
		if t == code.Row.Traits || f.isOld && f.continued(code) == nil {
			continue
		}
		key := f.key(code)
		f.traits(t, key+" in profile "+p.Name, func(string) diag.Span { return span }, "profiles", p.Name, "codes", key)
	}
}

func profileSettings(profile *model.Profile) []value {
	out := leaves(profile.Detection)
	for i := range out {
		out[i].path = "detection " + out[i].path
	}
	out = append(out, value{path: "retry_enabled", text: fmt.Sprint(profile.Retry.Enabled)})
	if r := profile.Retry.Policy; r != nil {
		for _, v := range leaves(r, "Name") {
			out = append(out, value{path: "retry " + v.path, text: v.text})
		}
	}
	allowed := "every strategy"
	if profile.Recovery.Allowed != nil {
		allowed = fmt.Sprint(slices.Sorted(slices.Values(profile.Recovery.Allowed)))
	}
	add := func(path string, v any) { out = append(out, value{path: path, text: fmt.Sprint(v)}) }
	add("recovery", profile.Recovery.Enabled)
	add("recovery max_attempts", max(profile.Recovery.MaxAttempts, 0))
	add("recovery allowed", allowed)
	add("reporting stack", profile.Reporting.Stack)
	add("reporting context", profile.Reporting.Context)
	return out
}
