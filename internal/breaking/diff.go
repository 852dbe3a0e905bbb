package breaking

import (
	"cmp"
	"fmt"
	pathlib "path"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
)

// diff reports the differences between the values of both taxonomies.
func (c *comparison) diff() {
	profile := false // whether the default profile differs
	first := len(c.out)
	visit := func(path string) {
		if change, differs := c.compare(path); differs {
			c.add(change)
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
	for i := range c.out[first:] {
		change := &c.out[first+i]
		change.Factories = c.affected[change.path]
	}
	o, _ := c.was.get("profiles/" + defaultProfile)
	n, _ := c.is.get("profiles/" + defaultProfile)
	change := Change{Subject: Subject{Name: "profile " + defaultProfile}, Finding: diag.Finding{ID: idProfile,
		Span: at(n.at, c.new.tree.Package.Span)}}
	switch {
	case profile && !o.at.Valid():
		change.Message = fmt.Sprintf("profile %s is new, and applies if none is chosen", defaultProfile)
		c.add(change)
	case profile && !n.at.Valid():
		change.Message = fmt.Sprintf("profile %s is removed: if none is chosen, the table applies", defaultProfile)
		c.add(change)
	}
}

// basePath returns the path of the value that a branch or a profile inherits, or "".
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
func (c *comparison) compare(path string) (Change, bool) {
	o, inOld := c.was.get(path)
	n, inNew := c.is.get(path)
	span, label := n.at, cmp.Or(n.subject, o.subject)
	if base := basePath(path); base != "" {
		was, _ := c.was.get(base)
		is, _ := c.is.get(base)
		if !inOld {
			o = was
		}
		if !inNew {
			n, span = is, is.at
		}
		if path[0] == 'p' && !inNew {
			p, _ := c.is.get(strings.Join(strings.Split(path, "/")[:2], "/"))
			span = p.at
		}
		if path[0] == 'p' && was.meaning() != is.meaning() ||
			was.meaning() == o.meaning() && is.meaning() == n.meaning() {
			return Change{}, false // the code itself has the difference
		}
		inOld, inNew = true, true
	}
	// The position of a removed part is that of its owner.
	for above := path; !span.Valid() && above != "."; above = pathlib.Dir(above) {
		v, _ := c.is.get(strings.Replace(above, "/required/", "/fields/", 1))
		span = v.at
	}
	sign, key := "~", path[strings.LastIndexByte(path, '/')+1:]
	switch {
	case !inOld:
		sign = "+"
	case !inNew:
		sign = "-"
	}
	same := o.equal(n)
	if key == "factory" {
		same = c.ownParameters(o, n) == c.ownParameters(n, o)
	}
	r := ruleOf(sign, cmp.Or(n.rule, path))
	if r == nil || sign == "~" && same || c.hidden(path, r, sign) {
		return Change{}, false
	}
	change := Change{Levels: r.level, Subject: c.subjectOf(path, label), Key: keyOf(path), path: fieldOf(path),
		label: label, Finding: diag.Finding{ID: r.id, Span: at(span, c.new.tree.Package.Span), Hint: r.hint}}
	change.Old, change.New, change.text = o.data(), n.data(), ""
	switch flag := cmp.Or(o.text, n.text) == "true"; {
	case sign == "~" && o.parts != nil && n.parts != nil && key != "factory":
		change.text = describe(o.parts, n.parts)
		change.Old, change.New = different(o.parts, n.parts), different(n.parts, o.parts)
	case key == "public" && strings.Contains(path, "/") && o.text+n.text == audiencePublic:
		change.Key, change.Old, change.New = "audience", cmp.Or(o.text, "internal"), cmp.Or(n.text, "internal")
		change.text = differ("audience", change.Old, change.New)
	case sign == "~" || !strings.Contains(path, "/"):
		change.text = differ(key, o.text, n.text)
	case flag && sign == "+":
		change.text, change.Old = "required was false, is true", "false"
	case flag:
		change.text, change.New = "required was true, is false", "false"
	case sign == "+":
		change.text, change.New = strings.TrimPrefix(n.text+" is new", " is "), pathlib.Base(path)
	default:
		change.text, change.Old = strings.TrimPrefix(o.text+" is removed", " is "), pathlib.Base(path)
	}
	if now := c.new.byKey[change.Subject.Code]; r.id == idGoName && change.Subject.Was != "" {
		if before := c.from[now]; before.Value == now.Value {
			change.label, change.Hint = "", fmt.Sprintf("keep the names in Go with \"name: %s\"", before.Go)
			change.text = fmt.Sprintf("code %s is renamed to %s (value %s kept): %s are now %s", before.Key, now.Key,
				now.Value, o.text, n.text)
		}
	}
	if sign == "-" && o.private {
		change.Levels &^= Wire
	}
	return change, change.text != ""
}

// subjectOf returns the subject of the change of a path.
func (c *comparison) subjectOf(path, label string) Subject {
	parts := strings.Split(path, "/")
	code := func(key string) Subject { return c.subject(c.new.byKey[key]) }
	switch {
	case parts[0] == "codes":
		s := code(parts[1])
		if len(parts) > 3 && parts[2] == "uses" {
			s.Field = parts[3]
		}
		return s
	case len(parts) > 3 && parts[0] == "profiles" && parts[2] == "codes":
		s := code(parts[3])
		s.Name = "profile " + parts[1]
		return s
	case strings.HasPrefix(label, "field "):
		return c.fieldSubject(strings.TrimPrefix(label, "field "))
	case strings.HasPrefix(label, "category "):
		return Subject{Category: strings.TrimPrefix(label, "category ")}
	case parts[0] == "names", parts[0] == "methods":
		kind := strings.TrimSuffix(strings.Replace(parts[1], "ies", "y", 1), "s")
		return Subject{Name: strings.ToLower(kind) + " " + pathlib.Base(path)}
	}
	return Subject{Name: cmp.Or(label, parts[0])}
}

// keyOf returns the key that a path is about, or "" if it is about a declaration.
func keyOf(path string) string {
	dir, key := pathlib.Split(path)
	switch owner := pathlib.Base(dir); {
	case owner == "required":
		return owner
	case slices.Contains([]string{"fields", "policies", "reactions", "."}, owner), strings.HasPrefix(path, "names/"):
		return ""
	case slices.Contains([]string{"words", "groups", "uses"}, owner):
		return owner
	}
	return key
}

// fieldOf returns the path of the field that a path is about, if it is about one.
func fieldOf(path string) string {
	path = strings.Replace(path, "/required/", "/fields/", 1)
	if dir := pathlib.Dir(path); pathlib.Base(pathlib.Dir(dir)) == "fields" {
		return dir
	}
	return path
}

// hidden reports whether another difference implies the one at a path: a difference of the key in
// rule.unless, of a value that contains it, or of the field's type.
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

// ownParameters returns the parameters of a factory, except those whose fields are reported as
// changed. If such a field changes the factory, ownParameters adds the code to c.affected.
func (c *comparison) ownParameters(v, other value) string {
	var names []string
	for _, p := range v.parts {
		_, inOld := c.was.get(p.path)
		_, inNew := c.is.get(p.path)
		required := strings.Replace(p.path, "/fields/", "/required/", 1)
		_, wasRequired := c.was.get(required)
		_, isRequired := c.is.get(required)
		switch {
		case inOld && !inNew, inNew && wasRequired != isRequired, c.typeChanged(p.path):
			if part(other.parts, p.path).path == "" || c.typeChanged(p.path) {
				c.affected[p.path] = append(c.affected[p.path], missing([]string{v.subject}, c.affected[p.path])...)
			}
		default:
			names = append(names, p.text)
		}
	}
	return v.factory + "(" + strings.Join(names, ", ") + ")"
}
