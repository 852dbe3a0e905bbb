// Package importer turns the error tables of other projects into taxonomies. [Read] reads a table,
// [Table.New] writes a taxonomy for it, and [Table.Update] updates a taxonomy that was imported
// before. An update keeps all edits made by hand.
package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/internal/spec"
)

// Options are the choices of a caller. The zero Options are the defaults of the format.
type Options struct {
	Package string              // of the generated package
	Columns map[string]string   // json and csv: the column of the table, by the key of the taxonomy
	Params  []string            // forms of parameters in messages: printf, braces, angles
	Names   map[string][]string // names of parameters in order, by the code of the table

	NumbersPerCategory bool // json and csv: numbers are unique only within a category
}

// Table is an error table.
type Table struct {
	Package, Doc string
	Constants    []Constant
	Groups       []Group
	Categories   []*Category
	Notes        Notes

	params             []string
	names              map[string][]string
	numbersPerCategory bool   // numbers are unique only within a category
	identity           string // the constant that a code keeps when it is renamed
	mapped             bool   // the user maps the columns
	hex                bool   // numbers are hexadecimal
}

// Constant declares a value that each code of the table has.
type Constant struct{ Name, Type, Doc string }

// Group is a label that the table gives to codes.
type Group struct{ Name, Doc string }

// Category is a section of the table.
type Category struct {
	Key, Doc string
	Type     string // of errors in Go; "" if the key gives a name that no other category has
	Codes    []*Code
}

// Code is a row of the table.
type Code struct {
	Name                     string // in the table
	Key                      string // in the taxonomy
	Number                   *int
	Doc, Resolution, Message string
	Deprecated               string
	HTTP                     int
	GRPC                     string
	Retryable                bool
	Groups, Names            []string
	Constants                spec.Pairs
	Fields                   []Field
	Codes                    []*Code // of an abstract code

	unread []string // keys whose values in the table are left out, because they cannot be read
}

// Field is a parameter of a message.
type Field struct {
	Name, Go, Type string
	MaxLength      int
}

// Notes list the parts of a table that a taxonomy cannot express, or the changes of an update.
type Notes []Note

// Note is an entry of Notes, with the codes that it concerns.
type Note struct {
	What  string
	Codes []string
}

func (n *Notes) add(code, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	for i := range *n {
		if (*n)[i].What == what {
			(*n)[i].Codes = append((*n)[i].Codes, code)
			return
		}
	}
	*n = append(*n, Note{what, []string{code}})
}

// category returns the category with a name. It adds the category if the table does not have it.
func (t *Table) category(name, doc string) *Category {
	key := identifier(name, "category")
	for _, c := range t.Categories {
		if c.Key == key {
			return c
		}
	}
	c := &Category{Key: key, Doc: clean(doc), Type: freeType(key, t.hasType)}
	t.Categories = append(t.Categories, c)
	return c
}

// hasType reports whether a category of the table has a Go type, without regard to case.
func (t *Table) hasType(name string) bool {
	return slices.ContainsFunc(t.Categories, func(c *Category) bool { return goName(cmp.Or(c.Type, c.Key)) == name })
}

// freeType returns the Go type of a category if its key gives one that is taken: the keys of two
// categories can differ in case only.
func freeType(key string, taken func(name string) bool) string {
	name, base := "", goName(key)
	for n := 2; taken(cmp.Or(goName(name), base)); n++ {
		ident, _ := naming.Suffix(key)
		name = fmt.Sprint(ident, n)
	}
	return name
}

// finish gives the codes their keys, and removes values that a taxonomy cannot express.
func (t *Table) finish() error {
	f := finisher{
		t: t, names: make(map[string]bool), keys: make(map[string]bool), numbers: make(map[any]bool),
		published: make(map[string]bool), groups: make(map[string]bool),
	}
	for _, c := range t.Categories {
		c.Codes = f.claim(c.Codes)
	}
	t.Categories = slices.DeleteFunc(t.Categories, func(c *Category) bool { return len(c.Codes) == 0 })
	if len(t.Categories) == 0 {
		return fmt.Errorf("the table has no codes")
	}
	for _, c := range t.Categories {
		for _, k := range c.Codes {
			f.code(c, k, nil)
		}
	}
	t.Groups = slices.DeleteFunc(t.Groups, func(g Group) bool { return !f.groups[g.Name] })
	return nil
}

// finisher contains the names and numbers that the codes have so far.
type finisher struct {
	t         *Table
	names     map[string]bool // of rows
	keys      map[string]bool // Go names, without regard to case
	numbers   map[any]bool
	published map[string]bool // further names of codes
	groups    map[string]bool // that have a code
}

// claim removes rows without a name, and rows whose name an earlier row has.
func (f *finisher) claim(codes []*Code) []*Code {
	return slices.DeleteFunc(codes, func(k *Code) bool {
		if strings.ContainsFunc(k.Name, unprintable) {
			f.t.Notes.add(k.Name, "codes with spaces: spelled like their keys")
			k.Name = identifier(k.Name, "code")
		}
		if f.names[k.Name] || k.Name == "" {
			f.t.Notes.add(k.Name, "rows with an empty or duplicate code: left out")
			return true
		}
		f.names[k.Name] = true
		k.Codes = f.claim(k.Codes)
		return false
	})
}

func (f *finisher) code(c *Category, k *Code, parent *Code) {
	t, name := f.t, k.Name
	if k.Number != nil {
		scope := any(*k.Number)
		if t.numbersPerCategory {
			scope = [2]any{c.Key, *k.Number}
		}
		if f.numbers[scope] {
			t.Notes.add(name, "numbers that an earlier code has: left out")
			k.Number = nil
		}
		f.numbers[scope] = true
	}
	if k.HTTP != 0 && (k.HTTP < 400 || k.HTTP > 599) {
		t.Notes.add(name, "HTTP statuses outside of 400 to 599: left out")
		k.HTTP = 0
	}
	k.Doc, k.Resolution, k.Deprecated = clean(k.Doc), clean(k.Resolution), clean(k.Deprecated)
	if k.Message = strings.TrimSpace(k.Message); parent != nil {
		k.Message = strings.TrimSpace(parent.Message + " " + k.Message)
	}
	message := k.Message
	k.Message, k.Fields = t.template(k)
	k.Key = f.unique(identifier(name, "code"), len(k.Fields) > 0)
	if strings.TrimSpace(k.Message) == "" {
		words, _ := naming.Snake(k.Key)
		k.Message = strings.ReplaceAll(words, "_", " ")
	}
	groups := k.Groups
	k.Groups = nil
	for _, g := range groups {
		if g = f.group(name, g); g != "" && !slices.Contains(k.Groups, g) {
			k.Groups = append(k.Groups, g)
		}
	}
	k.Names = slices.DeleteFunc(k.Names, func(n string) bool {
		taken := n == "" || f.names[n] || f.published[n] || strings.ContainsFunc(n, unprintable)
		if f.published[n] = true; taken && n != "" && n != name {
			t.Notes.add(name, "further names that another code has: left out")
		}
		return taken
	})
	if len(k.Codes) == 0 {
		return
	}
	withMessage := *k
	withMessage.Message = message
	for _, child := range k.Codes {
		f.code(c, child, &withMessage)
	}
	// No error has an abstract code, so it has no message.
	k.Fields, k.Message = nil, ""
	if k.Doc == "" {
		k.Doc = clean(message)
	}
}

// unique returns a key whose Go name no other code has. If isType is true, no category has it
// either: codes with fields and categories become Go types.
func (f *finisher) unique(key string, isType bool) string {
	for n, name := 2, key; ; n++ {
		ident := goName(name)
		if !f.keys[ident] && !(isType && f.t.hasType(ident)) {
			f.keys[ident] = true
			return name
		}
		name = fmt.Sprintf("%s_%d", key, n)
	}
}

// maxGroups is the number of groups that a taxonomy can have.
const maxGroups = 64

// group returns the name of a group in the taxonomy, or "" if the taxonomy has too many groups. It
// adds a group that the table does not declare.
func (f *finisher) group(code, name string) string {
	ident := goName(name)
	for _, g := range f.t.Groups {
		if goName(g.Name) == ident {
			f.groups[g.Name] = true
			return g.Name
		}
	}
	if len(f.t.Groups) == maxGroups {
		f.t.Notes.add(code, "groups beyond %d: left out", maxGroups)
		return ""
	}
	f.t.Groups = append(f.t.Groups, Group{Name: name, Doc: "Codes of the group " + name + "."})
	f.groups[name] = true
	return name
}

// goName returns the Go name of a key without regard to case.
func goName(key string) string {
	ident, _ := naming.Suffix(key)
	return strings.ToLower(ident)
}

// identifier returns name as a key that has a Go name. Characters other than letters, digits, - and
// _ become _. If nothing remains, the key is fallback. If the rest has no Go name, for example
// because it begins with a digit, the key begins with fallback, unless that is "code".
func identifier(name, fallback string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-'), unicode.IsLetter(r):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	key := strings.Trim(b.String(), "_-")
	if _, ok := naming.Exported("X" + key); !ok || key == "" {
		return fallback
	}
	if _, ok := naming.Exported(key); !ok && fallback != "code" {
		return fallback + "_" + key
	}
	return key
}

// unprintable reports whether r cannot be in a name on the wire.
func unprintable(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }

// clean returns text for a comment: one line per paragraph, without unprintable characters.
func clean(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.Map(func(r rune) rune {
			switch {
			case unicode.IsSpace(r):
				return ' '
			case !unicode.IsGraphic(r), r == unicode.ReplacementChar:
				return -1
			}
			return r
		}, line)
		out = append(out, strings.TrimRight(line, " "))
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}
