package breaking

import (
	"cmp"
	pathlib "path"
	"slices"
	"strings"
)

// item is a change of one value. Items with the same text of several subjects, and with several
// texts of one subject, become one change.
type item struct {
	rule     *rule
	level    Level
	at       place
	subjects []string // "PROVIDER_CRASH", "policy provider"
	texts    []string // "http was 502, is 503"
}

// diff reports the differences between the values of both taxonomies.
func (c *comparison) diff() {
	var items []item
	profile := false // whether the default profile differs
	visit := func(path string) {
		if it, differs := c.compare(path); differs {
			items = append(items, it)
			profile = profile || strings.HasPrefix(path, "profiles/"+defaultProfile+"/")
		}
	}
	for _, v := range c.is.list {
		visit(v.path)
	}
	for _, v := range c.was.list {
		if _, both := c.is.get(v.path); !both {
			visit(v.path)
		}
	}
	c.report(items)
	o, _ := c.was.get("profiles/" + defaultProfile)
	n, _ := c.is.get("profiles/" + defaultProfile)
	switch {
	case profile && !o.at.Valid():
		c.changed(idProfile, n.at, "", "profile %s is new, and applies if none is chosen", defaultProfile)
	case profile && !n.at.Valid():
		c.gone(idProfile, o.at, "", "profile %s is removed: if none is chosen, the table applies", defaultProfile)
	}
}

// basePath returns the path of the value that holds where a branch or a profile has none, or "".
func basePath(path string) string {
	parts := strings.Split(path, "/")
	switch {
	case len(parts) == 5 && parts[2] == "when" && parts[4] != "condition":
		return strings.Join([]string{"codes", parts[1], parts[4]}, "/")
	case len(parts) == 5 && parts[2] == "codes":
		return strings.Join(parts[2:], "/")
	case len(parts) == 3 && parts[2] == "uncategorized":
		return "uncategorized"
	}
	return ""
}

// compare compares the values of a path.
func (c *comparison) compare(path string) (item, bool) {
	o, inOld := c.was.get(path)
	n, inNew := c.is.get(path)
	at, subject := place{n.at, false}, cmp.Or(n.subject, o.subject)
	if base := basePath(path); base != "" {
		was, _ := c.was.get(base)
		is, _ := c.is.get(base)
		if !inOld {
			o = was
		}
		if !inNew {
			n, at = is, place{is.at, false}
		}
		if path[0] == 'p' && !inNew {
			p, _ := c.is.get(strings.Join(strings.Split(path, "/")[:2], "/"))
			at.Span = p.at
		}
		if path[0] == 'p' && was.meaning() != is.meaning() ||
			was.meaning() == o.meaning() && is.meaning() == n.meaning() {
			return item{}, false // the code itself has the difference
		}
		inOld, inNew = true, true
	}
	// The place of a part that is gone is what it was a part of.
	part := pathlib.Base(pathlib.Dir(path)) != "fields"
	for above := path; part && !at.Valid() && above != "."; above = pathlib.Dir(above) {
		v, _ := c.is.get(strings.Replace(above, "/required/", "/fields/", 1))
		at.Span = v.at
	}
	if !at.Valid() {
		at = place{o.at, true}
	}
	sign, key := "~", path[strings.LastIndexByte(path, '/')+1:]
	switch {
	case !inOld:
		sign = "+"
	case !inNew:
		sign = "-"
	}
	if key == "factory" {
		o, n = c.ownParameters(o), c.ownParameters(n)
	}
	r := ruleOf(sign, cmp.Or(n.rule, path))
	if r == nil || sign == "~" && o.equal(n) || c.hidden(path, r, sign) {
		return item{}, false
	}
	text := ""
	switch flag := cmp.Or(o.text, n.text) == "true"; {
	case sign == "~" && o.parts != nil && n.parts != nil && key != "factory":
		text = describe(o.parts, n.parts)
	case sign == "~" || !strings.Contains(path, "/"):
		text = differ(key, o.text, n.text)
	case flag && sign == "+":
		text = "required was false, is true"
	case flag:
		text = "required was true, is false"
	case sign == "+":
		text = strings.TrimSpace(n.text + " is new")
	default:
		text = strings.TrimSpace(o.text + " is removed")
	}
	level := r.level
	if sign == "-" && o.private {
		level &^= Wire
	}
	return item{r, level, at, []string{subject}, []string{text}}, text != ""
}

// hidden reports whether another difference says the same as the one of a path: one of the key that
// the rule names, of a value around it, or of the type of the field.
func (c *comparison) hidden(path string, r *rule, sign string) bool {
	differs := func(path string) bool {
		o, inOld := c.was.get(path)
		n, inNew := c.is.get(path)
		return inOld != inNew || o.meaning() != n.meaning()
	}
	parts := strings.Split(path, "/")
	if r.unless != "" && differs(strings.Join(append(slices.Clip(parts[:len(parts)-1]), r.unless), "/")) {
		return true
	}
	if parts[0] == "categories" && parts[len(parts)-1] == "go_type" && len(parts) > 3 &&
		(differs("categories/"+parts[1]+"/go_type") || c.was.at["categories/"+parts[1]+"/go_type"] == 0) {
		return true
	}
	if i := strings.LastIndex(path, "/required/"); i >= 0 && parts[0] == "categories" {
		field := path[:i] + "/fields/" + path[i+len("/required/"):]
		_, exists := c.is.get(field)
		if sign == "-" && !exists || exists && c.typeChanged(field) {
			return true
		}
	}
	for i := range parts {
		above := strings.Join(parts[:i], "/")
		_, inOld := c.was.get(above)
		_, inNew := c.is.get(above)
		if inOld != inNew || path != above+"/type" && path != above+"/size" && c.typeChanged(above) {
			return true
		}
	}
	return false
}

// typeChanged reports whether the field at a path has another type.
func (c *comparison) typeChanged(field string) bool {
	o, inOld := c.was.get(field + "/size")
	n, inNew := c.is.get(field + "/size")
	return inOld && inNew && o.text != n.text
}

// ownParameters leaves out the parameters whose fields have a change of their own.
func (c *comparison) ownParameters(v value) value {
	var names []string
	for _, p := range v.parts {
		_, inOld := c.was.get(p.path)
		_, inNew := c.is.get(p.path)
		required := strings.Replace(p.path, "/fields/", "/required/", 1)
		_, wasRequired := c.was.get(required)
		_, isRequired := c.is.get(required)
		switch {
		case inOld && !inNew, inNew && wasRequired != isRequired, c.typeChanged(p.path):
		default:
			names = append(names, p.text)
		}
	}
	v.text += "(" + strings.Join(names, ", ") + ")"
	return v
}

// report turns items into changes.
func (c *comparison) report(items []item) {
	unique := func(list, more []string) []string { return append(list, missing(more, list)...) }
	items = merge(items, func(a, b item) bool { return slices.Equal(a.texts, b.texts) },
		func(a *item, b item) { a.subjects = unique(a.subjects, b.subjects) })
	items = merge(items, func(a, b item) bool { return slices.Equal(a.subjects, b.subjects) },
		func(a *item, b item) { a.texts = unique(a.texts, b.texts) })
	for _, it := range items {
		message := strings.TrimPrefix(list(it.subjects)+": "+strings.Join(it.texts, "; "), ": ")
		c.add(it.rule.id, it.level, it.at, it.rule.hint, message)
	}
}

// merge adds items to earlier ones with the same finding at the same place.
func merge(items []item, same func(a, b item) bool, add func(a *item, b item)) (out []item) {
	for _, b := range items {
		i := slices.IndexFunc(out, func(a item) bool {
			return a.at == b.at && a.rule.id == b.rule.id && a.rule.hint == b.rule.hint && a.level == b.level &&
				same(a, b)
		})
		if i < 0 {
			out = append(out, b)
		} else {
			add(&out[i], b)
		}
	}
	return out
}
