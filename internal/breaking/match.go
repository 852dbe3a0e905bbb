package breaking

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
)

// comparison is one run of Compare. Its maps lead from codes, categories and fields of the old
// taxonomy to their successors in the new taxonomy.
type comparison struct {
	old, new *Taxonomy

	to         map[*model.Code]*model.Code // absent if the code is gone
	from       map[*model.Code]*model.Code // from new to old; without codes that were merged
	categories map[*model.Category]*model.Category
	names      map[*model.Field]string  // of old fields in the new taxonomy, if they were renamed
	moved      map[*model.Category]bool // old categories with a code that continues

	renamed map[*model.Code]string // old codes that seem to be renamed, with the reason

	// differs contains the labels of the fields, of both sides, whose changes change factories.
	// retyped contains those with another type. affected are the codes of these factories, by
	// label.
	differs  map[*model.Field]string
	retyped  map[*model.Field]bool
	affected map[string][]string

	out   []Change
	added []Note // of the declarations that are not codes
}

func newComparison(old, new *Taxonomy) *comparison {
	c := &comparison{
		old: old, new: new, to: make(map[*model.Code]*model.Code), from: make(map[*model.Code]*model.Code),
		categories: make(map[*model.Category]*model.Category), names: make(map[*model.Field]string),
		moved: make(map[*model.Category]bool), renamed: make(map[*model.Code]string),
		differs: make(map[*model.Field]string), retyped: make(map[*model.Field]bool),
		affected: make(map[string][]string),
	}
	c.matchCodes()
	c.matchCategories()
	for _, o := range old.model.Categories {
		if n := c.categories[o]; n != nil {
			c.matchFields(n.Name+".", o.Fields, n.Fields)
		}
	}
	for _, o := range old.model.Codes {
		if n := c.to[o]; n != nil {
			c.matchFields(n.Key+".", o.OwnFields(), n.OwnFields())
		}
	}
	return c
}

// add adds a change. If it has no levels, it gets those of its rule.
func (c *comparison) add(change Change) {
	change.Levels, change.Severity = cmp.Or(change.Levels, Levels(change.ID)), severity(change.ID)
	c.out = append(c.out, change)
}

// changed adds a change of a code of the new taxonomy.
func (c *comparison) changed(id string, code *model.Code, span diag.Span, key, old, new, hint, message string) {
	c.add(Change{Subject: c.subject(code), Key: key, Old: old, New: new,
		Finding: diag.Finding{ID: id, Span: at(span, c.new.codeAt(code)), Hint: hint, Message: message}})
}

// removal returns a change of a code of the old taxonomy that is no longer a code. The caller adds
// it.
func (c *comparison) removal(id string, code *model.Code, key, old, hint, message string) Change {
	return Change{Subject: Subject{Code: code.Key, Category: code.Category.Name}, Key: key, Old: old,
		Finding: diag.Finding{ID: id, Span: c.homeOf(code.Category), Hint: hint, Message: message}}
}

// subject returns the subject of changes of a code of the new taxonomy.
func (c *comparison) subject(code *model.Code) Subject {
	s := Subject{Code: code.Key, Category: code.Category.Name}
	if o := c.from[code]; o != nil && o.Key != code.Key {
		s.Was = o.Key
	}
	return s
}

// homeOf returns the position of the category that continues an old one, otherwise that of the
// package's name, which every taxonomy has.
func (c *comparison) homeOf(old *model.Category) diag.Span {
	if n := c.categories[old]; n != nil {
		return c.new.categories[n].Name.Span
	}
	return c.new.tree.Package.Span
}

// matchCodes finds the successor of each old code. It is the code with the same value, otherwise
// the code with that value as alias, otherwise the code with the same key, unless its value
// belonged to another code before. If none exists, a new code with the same number or message seems
// to be the old one renamed.
func (c *comparison) matchCodes() {
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
		func(o *model.Code) *model.Code {
			n := c.new.withNumberOf(o)
			if n == nil || c.old.withNumberOf(o) != o || c.from[n] != nil ||
				c.old.decodes(n.Value) != nil || c.new.reservedCodes[o.Value] {
				return nil
			}
			if !c.maySucceed(o, n) && o.MessageText != n.MessageText {
				return nil // another code
			}
			c.renamed[o] = fmt.Sprintf("number %d kept", o.Number)
			return n
		},
		func(o *model.Code) *model.Code {
			n := c.onlyWithMessage(o)
			if n == nil || c.new.reservedCodes[o.Value] || !c.maySucceed(o, n) {
				return nil
			}
			c.renamed[o] = "message kept"
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

// maySucceed reports whether a new code is in the category of an old one, or this category is gone.
func (c *comparison) maySucceed(o, n *model.Code) bool {
	return o.Category.Name == n.Category.Name || c.new.model.CategoryByName(o.Category.Name) == nil
}

// onlyWithMessage returns the only added code with the message of a removed one, if no other
// removed code has it. Messages of one word are too common.
func (c *comparison) onlyWithMessage(o *model.Code) (found *model.Code) {
	if !strings.Contains(o.MessageText, " ") {
		return nil
	}
	for _, other := range c.old.model.Codes {
		if other != o && other.MessageText == o.MessageText && c.to[other] == nil {
			return nil
		}
	}
	for _, n := range c.new.model.Codes {
		if n.MessageText == o.MessageText && c.from[n] == nil && c.old.decodes(n.Value) == nil {
			if found != nil {
				return nil
			}
			found = n
		}
	}
	return found
}

// continued returns the new code that continues an old one, or nil. A code that was merged into
// another is not continued.
func (c *comparison) continued(o *model.Code) *model.Code {
	if n := c.to[o]; n != nil && c.from[n] == o {
		return n
	}
	return nil
}

// matchCategories finds the successor of each old category: the category with its name, otherwise a
// new category that contains all its codes. It reports codes that are in another category.
func (c *comparison) matchCategories() {
	taken := make(map[*model.Category]bool)
	for _, o := range c.old.model.Categories {
		if n := c.new.model.CategoryByName(o.Name); n != nil && !taken[n] {
			c.categories[o], taken[n], c.moved[o] = n, true, true
		}
	}
	for _, o := range c.old.model.Categories {
		var targets []*model.Category
		moved := make(map[*model.Category][]*model.Code)
		for _, code := range o.Codes {
			n := c.continued(code)
			switch {
			case n != nil:
				if moved[n.Category] == nil {
					targets = append(targets, n.Category)
				}
				moved[n.Category] = append(moved[n.Category], n)
				c.moved[o] = true
			case c.to[code] != nil && c.to[code].Category.Name != o.Name:
				n := c.to[code]
				c.add(Change{Levels: Wire, Subject: c.subject(n), Key: "category", Old: o.Name, New: n.Category.Name,
					Finding: diag.Finding{ID: idCategory, Span: c.new.codeAt(n),
						Hint: "make it an alias of a code of its own category, or reserve it",
						Message: fmt.Sprintf("%s of category %s now decodes to %s of category %s", code.Value, o.Name,
							n.Value, n.Category.Name)}})
			}
		}
		for _, n := range targets {
			if c.categories[o] == nil && len(targets) == 1 && !taken[n] && c.old.model.CategoryByName(n.Name) == nil {
				c.categories[o], taken[n] = n, true
			}
			switch {
			case o.Name == n.Name:
			case c.categories[o] == n && len(moved[n]) == len(o.Codes):
				c.add(Change{Subject: Subject{Category: n.Name, Was: o.Name}, Old: o.Name, New: n.Name,
					Finding: diag.Finding{ID: idCategory, Span: c.new.categories[n].Name.Span,
						Hint:    "keep the name, which is on the wire; \"type:\" changes the names in Go",
						Message: fmt.Sprintf("category %s (%s) is now %s (%s)", o.Name, o.Type, n.Name, n.Type)}})
			default:
				for _, code := range moved[n] {
					c.add(Change{Subject: c.subject(code), Key: "category", Old: o.Name, New: n.Name, label: code.Key,
						Finding: diag.Finding{ID: idCategory, Span: c.new.codeAt(code),
							Message: fmt.Sprintf("%s: moved from category %s (%s) to %s (%s)", code.Key, o.Name, o.Type,
								n.Name, n.Type),
							Hint: "add a new code to the other category, and deprecate this one"}})
				}
			}
		}
	}
}

// matchFields reports the fields that seem to be renamed. A removed and a new field of the same
// type are one field if they have the same name in Go, the same evidence or the same place in a
// message. They are also one field if no other field of their type was added or removed, and the
// same codes use both. The prefix is the category or object of the fields.
func (c *comparison) matchFields(prefix string, old, new []*model.Field) {
	only := func(in, other []*model.Field) (out []*model.Field) {
		for _, f := range in {
			if fieldNamed(other, f.Wire) == nil {
				out = append(out, f)
			}
		}
		return out
	}
	removed, added := only(old, new), only(new, old)
	single := func(f *model.Field, in []*model.Field) bool {
		return !slices.ContainsFunc(in, func(g *model.Field) bool { return g != f && g.Type == f.Type })
	}
	taken, users := make(map[*model.Field]bool), make(map[*model.Field][]*model.Code)
	for _, o := range removed {
		users[o] = c.users(o)
	}
	for _, alike := range []func(o, n *model.Field) bool{
		func(o, n *model.Field) bool { return o.Go == n.Go },
		func(o, n *model.Field) bool { return len(o.From) > 0 && slices.Equal(o.From, n.From) },
		func(o, n *model.Field) bool {
			return slices.ContainsFunc(users[o], func(code *model.Code) bool {
				return samePlace(code.MessageText, o.Wire, c.to[code].MessageText, n.Wire)
			})
		},
		func(o, n *model.Field) bool {
			return single(o, removed) && single(n, added) && (users[o] == nil || slices.ContainsFunc(users[o],
				func(code *model.Code) bool { return slices.Contains(used(c.to[code]), n) }))
		},
	} {
		for _, o := range removed {
			for _, n := range added {
				if c.names[o] == "" && !taken[n] && o.Type == n.Type && alike(o, n) {
					c.names[o], taken[n] = n.Wire, true
					label := c.label(prefix, o)
					change := Change{Subject: c.fieldSubject(c.label(prefix, n)), Old: o.Wire, New: n.Wire,
						Levels: levels[idFieldRenamed], Finding: diag.Finding{ID: idFieldRenamed,
							Span: c.new.fields[n].Name.Span,
							Hint: fmt.Sprintf("keep the key %s, and add \"name: %s\"", o.Wire, n.Go),
							Message: "field " + label + " seems to be renamed to " + n.Wire +
								": values under the old key are lost"}}
					change.Subject.Was = o.Wire
					if o.MessageOnly {
						change.Levels &^= Wire
					}
					c.add(change)
				}
			}
		}
	}
	for _, o := range old {
		if n := fieldNamed(new, c.name(o)); n != nil && o.Object != nil && n.Object != nil {
			c.matchFields(c.label(prefix, n)+".", o.Object.Fields, n.Object.Fields)
		}
	}
}

// users returns the continued codes that use an old field.
func (c *comparison) users(f *model.Field) (out []*model.Code) {
	for _, code := range c.old.model.Codes {
		if c.continued(code) != nil && slices.Contains(used(code), f) {
			out = append(out, code)
		}
	}
	return out
}

// used returns the fields in a code's message, factory and values.
func used(code *model.Code) []*model.Field {
	fields := slices.Clone(code.Args)
	for _, v := range code.Set {
		fields = append(fields, v.Field)
	}
	var add func(parts []model.Part)
	add = func(parts []model.Part) {
		for _, p := range parts {
			if p.Field != nil {
				fields = append(fields, p.Field)
			}
			add(p.Group)
		}
	}
	add(code.Message.Parts)
	return fields
}

var placeholder = regexp.MustCompile(`\{[\pL_][\pL\d_]*`)

// samePlace reports whether two messages differ in the names of placeholders only, and have the two
// fields in the same place.
func samePlace(old, oldName, new, newName string) bool {
	if placeholder.ReplaceAllString(old, "{") != placeholder.ReplaceAllString(new, "{") {
		return false
	}
	names := placeholder.FindAllString(new, -1)
	i := slices.Index(placeholder.FindAllString(old, -1), "{"+oldName)
	return i >= 0 && names[i] == "{"+newName
}

func renamePlaceholder(message, from, to string) string {
	return strings.NewReplacer("{"+from+"}", "{"+to+"}", "{"+from+":", "{"+to+":").Replace(message)
}

// name returns the wire name of a field in the new taxonomy.
func (c *comparison) name(f *model.Field) string {
	if renamed := c.names[f]; renamed != "" {
		return renamed
	}
	return f.Wire
}

// label returns a field as messages name it: with its category, unless every category has it.
func (c *comparison) label(prefix string, f *model.Field) string {
	if c.old.global[f] || c.new.global[f] {
		return f.Wire
	}
	return prefix + f.Wire
}

func fieldNamed(fields []*model.Field, wire string) *model.Field {
	i := slices.IndexFunc(fields, func(f *model.Field) bool { return f.Wire == wire })
	if i < 0 {
		return nil
	}
	return fields[i]
}

// enumerate joins at most most words for a sentence, followed by the number of the others.
func enumerate(words []string, most int) string {
	if len(words) > most+1 {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), len(words)-most)
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// fieldSubject returns the subject of a field by its label.
func (c *comparison) fieldSubject(label string) Subject {
	category, field, _ := strings.Cut(label, ".")
	if c.new.model.CategoryByName(category) == nil {
		return Subject{Field: label}
	}
	return Subject{Category: category, Field: field}
}
