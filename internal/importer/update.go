package importer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/spec"
)

// The changes of an update, as its notes name them.
const (
	noteAdded   = "added"
	noteRenamed = "renamed"
	noteRemoved = "removed, now reserved"
	noteChanged = "changed"
	noteEdited  = "changed by the table and by hand, kept"
)

// Update returns the taxonomy in src, updated to the table, and what it changed. It changes a value
// if the table changed it since the last import, unless it was edited by hand. It removes and
// reserves codes that the table no longer has. If a row has another name but the identity of a
// code, such as its number, the code is renamed, and its former value becomes an alias.
func (t *Table) Update(name string, src []byte) ([]byte, Notes, error) {
	doc, err := spec.OpenDocument(name, src)
	if err != nil {
		return nil, nil, err
	}
	u := &update{t: t, doc: doc, root: doc.Root(), types: make(map[string]bool), places: make(map[*Category]string),
		bases: make(map[*Code]digests)}
	if u.categories = u.root.Map("categories"); u.categories == nil {
		return nil, nil, errors.New("the file has no categories")
	}
	u.record = make(map[string]digests)
	if record := u.root.Map(recordKey); record != nil {
		for _, e := range record.Pairs() {
			u.record[e.Key] = make(digests)
			for word := range strings.FieldsSeq(text(e.Value)) {
				key, value, _ := strings.Cut(word, "=")
				u.record[e.Key][key] = value
			}
		}
	}
	u.index()
	u.match()
	rows := u.withoutReserved(t.rows())
	u.dropNumbers(rows)
	for _, r := range rows {
		if e := u.matched[r.code]; e != nil {
			u.merge(r, e)
		}
	}
	for _, r := range rows {
		if u.matched[r.code] == nil {
			u.add(r)
		}
	}
	u.remove()
	u.vocabulary(references(src))
	u.writeRecord(rows)
	// A file with warnings lost the comment by hand. In a file that no import wrote, the comment
	// would also ignore the warnings about the codes of its author.
	addComment := len(u.record) > 0 && len(warnings(src)) == 0
	return fitIgnores(doc.Bytes(), addComment), u.changes, nil
}

type update struct {
	t          *Table
	doc        *spec.Document
	root       *spec.Node
	categories *spec.Node
	record     map[string]digests // of the last import, by row
	bases      map[*Code]digests  // of the last import, by the code of the table now
	entries    []*entry
	matched    map[*Code]*entry
	retired    []place              // numbers that codes no longer have
	types      map[string]bool      // Go types of categories, without regard to case
	places     map[*Category]string // names of categories in the taxonomy
	changes    Notes
}

// digests are those of the values of a row, by key.
type digests map[string]string

// merge updates a code, key by key.
func (u *update) merge(r row, e *entry) {
	base := u.record[r.code.Name]
	renamed := e.row != r.code.Name && base == nil && u.record[e.row] != nil
	if renamed {
		base = u.record[e.row]
		u.rename(r, e)
	}
	u.bases[r.code] = base
	if base[placeKey] != "" && base[placeKey] != digest(r.category.Key) && base[placeKey] == digest(e.category) {
		to := u.home(r)
		if u.t.numbersPerCategory && to.category != e.category {
			u.retire(e, base)
		}
		e.in.Move(e.key, to.in, r.before)
		e.in, e.category, e.parent = to.in, to.category, to.parent
		u.changes.add(e.key+": now in "+to.category, noteChanged)
	}
	node := e.node()
	if node == nil {
		return
	}
	written := node.Pairs()
	table := r.code.pairs()
	var keys []string
	for _, entry := range table {
		keys = append(keys, entry.Key)
	}
	for key := range base {
		if table.Get(key) == nil && key != placeKey {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys[len(table):])
	after, changed := "", []string(nil)
	kept := false // whether the message is kept, and with it the fields
	for _, key := range keys {
		if key == "value" || kept && key == "fields" || slices.Contains(r.code.unread, key) {
			continue
		}
		// The value of the table, the value of the taxonomy, and the digest of the last import.
		now, ours, last := table.Get(key), written.Get(key), base[key]
		isWritten, inherited := ours != nil, u.inherited(e, key)
		if !isWritten {
			ours = inherited
		}
		isLast := func(value any) bool { return recorded(key, value) == last || digest(value) == last }
		unchanged := isLast(now) || now == nil && last == ""
		if key == "number" && !unchanged {
			u.retire(e, base)
		}
		switch {
		case unchanged, digest(now) == digest(ours):
		case last == "" && !isWritten, last != "" && isLast(ours) && (isWritten || now != nil):
			if now == nil || digest(now) == digest(inherited) {
				node.Delete(key)
			} else {
				node.Set(key, after, now)
			}
			changed = append(changed, key)
		default:
			kept = kept || key == "message"
			if fields := node.Map(key); key == "fields" && fields != nil {
				added, _ := now.(spec.Pairs)
				for _, f := range added { // the message has placeholders for them
					if fields.Get(f.Key) == nil {
						fields.Set(f.Key, f.Key, f.Value)
					}
				}
			}
			u.changes.add(e.key+": "+key, noteEdited)
		}
		if written.Get(key) != nil || now != nil {
			after = key
		}
	}
	if len(changed) > 0 && !renamed {
		u.changes.add(e.key+": "+strings.Join(changed, ", "), noteChanged)
	}
}

// rename gives a code the name that the table gives it. Its former value stays as an alias.
func (u *update) rename(r row, e *entry) {
	u.changes.add(e.row+" to "+r.code.Name, noteRenamed)
	node := e.node()
	if node == nil {
		return
	}
	u.unreserve(r)
	u.freeName(r.code.Name)
	node.Append("aliases", e.row)
	if e.key == identifier(e.row, "code") && !u.isTaken(r.code.Key, len(r.code.Fields) > 0, e) {
		e.in.Rename(e.key, r.code.Key)
		e.key, e.ident = r.code.Key, goName(r.code.Key)
	}
	if e.key == r.code.Name {
		node.Delete("value")
	} else {
		node.Set("value", "number", r.code.Name)
	}
}

// isTaken reports whether a key has the Go name of a code other than e, or, if the code has fields, of
// a category.
func (u *update) isTaken(key string, isType bool, e *entry) bool {
	ident := goName(key)
	return isType && u.types[ident] ||
		slices.ContainsFunc(u.entries, func(other *entry) bool { return other != e && other.ident == ident })
}

// freeName removes a name from the aliases of codes, because another code has it now.
func (u *update) freeName(name string) {
	for _, e := range u.entries {
		node := e.node()
		if node == nil || node.Remove("aliases", func(item any) bool { return text(item) == name }) == 0 {
			continue
		}
		u.t.Notes.add(name, "codes whose names were aliases: no longer aliases")
	}
}

// inherited returns the value of a key that a code has from the codes above it or from its category,
// unless it sets one. It is nil for keys that are not inherited.
func (u *update) inherited(e *entry, key string) any {
	switch key {
	case "http", "retryable", "reaction":
	default:
		return nil
	}
	for p := e.parent; p != nil; p = p.parent {
		if v := p.get(key); v != nil {
			return v
		}
	}
	return u.categories.Map(e.category).Get(key)
}

// home returns an entry in the place of a row, without a key. It adds the category if the taxonomy
// does not have it.
func (u *update) home(r row) entry {
	if e := u.matched[r.parent]; e != nil && e.node() != nil {
		return entry{category: e.category, parent: e, in: section(e.node(), "codes", "codes")}
	}
	name, ok := u.places[r.category]
	if !ok {
		name = r.category.Key
		if u.categories.Map(name) == nil {
			for _, k := range r.category.Codes {
				if e := u.matched[k]; e != nil && u.record[k.Name][placeKey] == digest(r.category.Key) {
					name = e.category // the category was renamed by hand
					break
				}
			}
		}
		if u.categories.Map(name) == nil {
			c := &Category{Doc: r.category.Doc, Type: freeType(name, func(ident string) bool { return u.types[ident] })}
			u.categories.Set(name, u.before(r.category), c.pairs())
			u.types[goName(cmp.Or(c.Type, name))] = true
		}
		u.places[r.category] = name
	}
	return entry{category: name, in: section(u.categories.Map(name), "codes", "codes")}
}

// section returns the mapping under a key. It adds the key if the node does not have it.
func section(n *spec.Node, key, after string) *spec.Node {
	if n.Map(key) == nil {
		n.Set(key, after, spec.Pairs{})
	}
	return n.Map(key)
}

// prune removes a key whose mapping is empty, and reports whether it was.
func prune(n *spec.Node, key string) bool {
	m := n.Map(key)
	isEmpty := m != nil && len(m.Pairs()) == 0
	if isEmpty {
		n.Delete(key)
	}
	return isEmpty
}

// before returns the key of the category that precedes c in the table and in the taxonomy.
func (u *update) before(c *Category) string {
	key := ""
	for _, other := range u.t.Categories {
		if other == c {
			return key
		}
		if u.categories.Map(other.Key) != nil {
			key = other.Key
		}
	}
	return key
}

// add adds a code that the taxonomy does not have. It leaves out the values that the code inherits.
func (u *update) add(r row) {
	if u.record[r.code.Name] != nil {
		return // it was removed by hand
	}
	key := r.code.Key
	for n := 2; u.isTaken(key, len(r.code.Fields) > 0, nil); n++ {
		key = fmt.Sprintf("%s_%d", r.code.Key, n)
	}
	u.unreserve(r)
	u.freeName(r.code.Name)
	e, k := u.home(r), *r.code
	e.key, e.ident, e.row, e.taken, k.Key = key, goName(key), k.Name, true, key
	e.in.Set(key, r.before, slices.DeleteFunc(k.pairs(), func(p spec.Pair) bool {
		return digest(p.Value) == digest(u.inherited(&e, p.Key))
	}))
	u.entries = append(u.entries, &e)
	u.matched[r.code] = &e
	u.changes.add(key, noteAdded)
}

// reference is a use of a declared name.
type reference struct {
	ref  spec.Ref
	name string
}

// references returns the names that a taxonomy uses.
func references(src []byte) map[reference]bool {
	used := make(map[reference]bool)
	tree, _ := spec.Parse("taxonomy.yaml", src)
	tree.Names(func(n spec.Name) {
		if !n.Declares {
			used[reference{n.Ref, n.V}] = true
		}
	})
	return used
}

// vocabulary adds the declarations that new codes use. It removes groups that lost their last code,
// and the constants and the reaction that an import declares, unless an included file can use them.
func (u *update) vocabulary(before map[reference]bool) {
	now, declared, hasInclude := references(u.doc.Bytes()), u.t.vocabulary(), u.root.Get("include") != nil
	for _, kind := range []struct {
		key string
		ref spec.Ref
	}{{"constants", spec.RefConstant}, {"groups", spec.RefGroup}, {"reactions", spec.RefReaction}} {
		names, _ := declared.Get(kind.key).(spec.Pairs)
		names = slices.DeleteFunc(names, func(p spec.Pair) bool { return !now[reference{kind.ref, p.Key}] })
		node := u.root.Map(kind.key)
		if node == nil {
			if len(names) > 0 {
				u.root.Set(kind.key, "doc", names)
			}
			continue
		}
		for _, e := range names {
			if node.Get(e.Key) == nil {
				node.Set(e.Key, e.Key, e.Value)
			}
		}
		for _, e := range node.Pairs() {
			name := reference{kind.ref, e.Key}
			if before[name] && !now[name] && !hasInclude && u.t.canDeclare(name, e.Value) {
				node.Delete(e.Key)
			}
		}
		prune(u.root, kind.key)
	}
}

// canDeclare reports whether an import can have declared a name. All groups can be from a table.
func (t *Table) canDeclare(name reference, value any) bool {
	switch name.ref {
	case spec.RefConstant:
		return slices.ContainsFunc(t.Constants, func(c Constant) bool { return c.Name == name.name })
	case spec.RefReaction:
		return name.name == retryReaction && canonical(value) == canonical(spec.Pairs{{Key: "action", Value: "retry"}})
	}
	return true
}

// writeRecord records the values of the table, if they changed.
func (u *update) writeRecord(rows []row) {
	var record spec.Pairs
	for _, r := range rows {
		text := r.digests()
		for _, key := range r.code.unread { // the value of an earlier table stays
			if last := u.bases[r.code][key]; last != "" {
				text += " " + key + "=" + last
			}
		}
		record = append(record, spec.Pair{Key: r.code.Name, Value: text})
	}
	old := u.root.Map(recordKey)
	switch {
	case old == nil:
		u.root.Set(recordKey, recordKey, record)
		u.root.Comment(recordKey, recordComment)
	case canonical(old.Pairs()) != canonical(record):
		u.root.Set(recordKey, recordKey, record)
	}
}
