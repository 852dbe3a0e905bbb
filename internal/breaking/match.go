package breaking

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
)

// matching maps the codes, categories and fields of the old taxonomy to their successors in the new
// one. Its methods accept declarations of either side.
type matching struct {
	old, new *Taxonomy

	to            map[*model.Code]*model.Code // without codes that are gone
	from          map[*model.Code]*model.Code // from new to old; without codes that were merged
	renamed       map[*model.Code]string      // codes that seem to be renamed, of both sides, with the reason
	categories    map[*model.Category]*model.Category
	fields        map[*model.Field]*model.Field // of either side to the other
	global        map[string]bool               // names of fields of every category
	renamedFields []*model.Field                // fields of the new taxonomy that seem to be renamed
}

func match(old, new *Taxonomy) *matching {
	m := &matching{
		old: old, new: new, to: make(map[*model.Code]*model.Code), from: make(map[*model.Code]*model.Code),
		renamed: make(map[*model.Code]string), categories: make(map[*model.Category]*model.Category),
		fields: make(map[*model.Field]*model.Field), global: make(map[string]bool),
	}
	m.matchCodes()
	m.matchCategories()
	m.matchMoved()
	for _, o := range old.model.Categories {
		if n := m.categories[o]; n != nil {
			m.matchFields(o.Fields, n.Fields)
		}
	}
	for _, o := range old.model.Codes {
		if n := m.continued(o); n != nil {
			m.matchFields(o.OwnFields(), n.OwnFields())
		}
	}
	for _, f := range slices.Concat(old.model.Fields, new.model.Fields) {
		m.global[m.fieldName(f)] = true
	}
	return m
}

// matchCodes finds the successor of each old code. It is the code with the same value, otherwise
// the code with that value as alias, otherwise the code with the same key, unless its value
// belonged to another code before. If none exists, a new code with the same number or message seems
// to be the old one renamed.
func (m *matching) matchCodes() {
	for _, find := range []func(o *model.Code) (n *model.Code, guess string){
		func(o *model.Code) (*model.Code, string) { return m.new.byValue[o.Value], "" },
		func(o *model.Code) (*model.Code, string) { return m.new.byAlias[o.Value], "" },
		func(o *model.Code) (*model.Code, string) { return m.unclaimed(o, m.new.byKey[o.Name]), "" },
		func(o *model.Code) (*model.Code, string) {
			n := m.unclaimed(o, m.new.withNumberOf(o))
			if n == nil || m.old.withNumberOf(o) != o || m.from[n] != nil ||
				!m.maySucceed(o, n) && o.Code.Message != n.Code.Message {
				return nil, ""
			}
			return n, fmt.Sprintf("number %d kept", o.Number)
		},
		func(o *model.Code) (*model.Code, string) {
			n := m.unclaimed(o, m.onlyWithMessage(o))
			if n == nil || !m.maySucceed(o, n) {
				return nil, ""
			}
			return n, "message kept"
		},
	} {
		for _, o := range m.old.model.Codes {
			if m.to[o] != nil || m.old.byValue[o.Value] != o {
				continue
			}
			n, guess := find(o)
			if n == nil {
				continue
			}
			m.to[o] = n
			first(m.from, n, o)
			if guess != "" {
				m.renamed[o], m.renamed[n] = guess, guess
			}
		}
	}
}

// unclaimed returns n, or nil if its value had a meaning before, or the value of o is reserved now.
func (m *matching) unclaimed(o, n *model.Code) *model.Code {
	if n == nil || m.old.decodes(n.Value) != nil || m.new.reserved[o.Value] {
		return nil
	}
	return n
}

// maySucceed reports whether a new code is in the category of an old one, or this category is gone.
func (m *matching) maySucceed(o, n *model.Code) bool {
	return o.Category.Name == n.Category.Name || m.new.model.CategoryByName(o.Category.Name) == nil
}

// onlyWithMessage returns the only added code with the message of a removed one, if no other
// removed code has it. Messages of one word are too common.
func (m *matching) onlyWithMessage(o *model.Code) *model.Code {
	alike := func(codes []*model.Code, matched map[*model.Code]*model.Code) (out []*model.Code) {
		for _, c := range codes {
			if c.Code.Message == o.Code.Message && matched[c] == nil {
				out = append(out, c)
			}
		}
		return out
	}
	old, new := alike(m.old.model.Codes, m.to), alike(m.new.model.Codes, m.from)
	if len(old) != 1 || len(new) != 1 || !strings.Contains(o.Code.Message, " ") {
		return nil
	}
	return new[0]
}

// matchCategories finds the successor of each old category: the category with its name, otherwise
// the new category that all its codes are in.
func (m *matching) matchCategories() {
	taken := make(map[*model.Category]bool)
	for _, o := range m.old.model.Categories {
		if n := m.new.model.CategoryByName(o.Name); n != nil && !taken[n] {
			m.categories[o], taken[n] = n, true
		}
	}
	for _, o := range m.old.model.Categories {
		var target *model.Category
		together := true
		for _, code := range o.Codes {
			n := m.continued(code)
			together = together && n != nil && (target == nil || target == n.Category)
			if n != nil {
				target = n.Category
			}
		}
		if m.categories[o] == nil && target != nil && together && !taken[target] {
			m.categories[o], taken[target] = target, true
		}
	}
}

// matchMoved finds the fields of codes that are now fields of the category, with the same name and
// type.
func (m *matching) matchMoved() {
	for _, code := range m.old.model.Codes {
		to := m.continued(code)
		if to == nil {
			continue
		}
		for _, o := range code.OwnFields() {
			n := to.Category.Field(o.Wire)
			if n != nil && n.Type == o.Type && code.Category.Field(o.Wire) == nil {
				m.fields[o], m.fields[n] = n, o
			}
		}
	}
}

// movedFromAll reports whether each continued code of a category had its field n before.
func (m *matching) movedFromAll(n *model.Field) bool {
	found := false
	for code, o := range m.from {
		if slices.Contains(code.Category.Fields, n) {
			found = true
			if !slices.ContainsFunc(o.OwnFields(), func(f *model.Field) bool { return m.fields[f] == n }) {
				return false
			}
		}
	}
	return found
}

// matchFields finds the successor of each old field: the field with the same name on the wire. A
// removed field seems to be renamed to a new field of its type if they have the same name in Go, if
// a message differs in their names only, or if no other field of the type was added or removed.
func (m *matching) matchFields(old, new []*model.Field) {
	pair := func(o, n *model.Field) { m.fields[o], m.fields[n] = n, o }
	for _, o := range old {
		i := slices.IndexFunc(new, func(n *model.Field) bool { return n.Wire == o.Wire && m.fields[n] == nil })
		if i >= 0 {
			pair(o, new[i])
		}
	}
	rest := func(fields []*model.Field) []*model.Field {
		return slices.DeleteFunc(slices.Clone(fields), func(f *model.Field) bool { return m.fields[f] != nil })
	}
	gone, added := rest(old), rest(new)
	onlyOfType := func(f *model.Field, in []*model.Field) bool {
		return !slices.ContainsFunc(in, func(g *model.Field) bool { return g != f && g.Type == f.Type })
	}
	for _, alike := range []func(o, n *model.Field) bool{
		func(o, n *model.Field) bool { return o.Go == n.Go },
		func(o, n *model.Field) bool {
			return slices.ContainsFunc(m.old.model.Codes, func(code *model.Code) bool {
				was, to := code.Code.Message, m.continued(code)
				is := renamePlaceholder(was, o.Wire, n.Wire)
				return was != is && to != nil && is == to.Code.Message && slices.Contains(code.Fields(), o)
			})
		},
		func(o, n *model.Field) bool { return onlyOfType(o, gone) && onlyOfType(n, added) },
	} {
		for _, o := range gone {
			for _, n := range added {
				if m.fields[o] == nil && m.fields[n] == nil && o.Type == n.Type && alike(o, n) {
					pair(o, n)
					m.renamedFields = append(m.renamedFields, n)
				}
			}
		}
	}
	for _, o := range old {
		if n := m.fields[o]; n != nil && o.Object != nil && n.Object != nil {
			m.matchFields(o.Object.Fields, n.Object.Fields)
		}
	}
}

// continued returns the new code that continues an old one, or nil. A code that was merged into
// another is not continued.
func (m *matching) continued(o *model.Code) *model.Code {
	if n := m.to[o]; n != nil && m.from[n] == o {
		return n
	}
	return nil
}

// key returns the key of a code in the new taxonomy.
func (m *matching) key(c *model.Code) string { return cmp.Or(m.continued(c), c).Name }

// codePath returns the path of a code. An old code without a successor has a separate
// path, because another code may have its key now.
func (m *matching) codePath(c *model.Code) string {
	if isOld := m.old.byKey[c.Name] == c; isOld && m.continued(c) == nil {
		return "gone code " + c.Name
	}
	return "code " + m.key(c)
}

// subject returns the subject of changes of a code.
func (m *matching) subject(c *model.Code) Subject {
	c = cmp.Or(m.continued(c), c)
	s := Subject{Code: c.Name, Category: m.categoryName(c.Category)}
	if o := m.from[c]; o != nil && o.Name != c.Name {
		s.Was = o.Name
	}
	return s
}

// categoryName returns the name of a category in the new taxonomy.
func (m *matching) categoryName(c *model.Category) string { return cmp.Or(m.categories[c], c).Name }

// fieldName returns the name of a field in the new taxonomy.
func (m *matching) fieldName(f *model.Field) string {
	if n := m.fields[f]; n != nil && slices.Contains(m.renamedFields, n) {
		return n.Wire
	}
	return f.Wire
}

// message returns the message of a code, with the names that fields have in the new taxonomy.
func (m *matching) message(c *model.Code) string {
	text := c.Code.Message
	for _, f := range c.Fields() {
		if now := m.fieldName(f); now != f.Wire {
			text = renamePlaceholder(text, f.Wire, now)
		}
	}
	return text
}

func renamePlaceholder(message, from, to string) string {
	return strings.NewReplacer("{"+from+"}", "{"+to+"}", "{"+from+":", "{"+to+":").Replace(message)
}
