package importer

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
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
	u := &update{t: t, doc: doc, root: doc.Root(), places: make(map[*Category]*place),
		fresh: make(map[*Code]bool)}
	if u.categories = u.root.Map("categories"); u.categories == nil {
		return nil, nil, errors.New("the file has no categories")
	}
	u.record = make(map[string]map[string]string)
	if record := u.root.Map(recordKey); record != nil {
		for _, e := range record.Pairs() {
			u.record[e.Key] = make(map[string]string)
			for word := range strings.FieldsSeq(text(e.Value)) {
				key, value, _ := strings.Cut(word, "=")
				u.record[e.Key][key] = value
			}
		}
	}
	u.index()
	groups := u.usedGroups()
	u.match()
	u.dropReserved()
	rows := t.rows()
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
	u.remove(rows)
	u.vocabulary(groups)
	u.writeRecord(rows)
	// Without the comment, the file had no warnings, or they are not to be ignored.
	return fitIgnores(doc.Bytes(), len(warnings(src)) == 0), u.changes, nil
}

type update struct {
	t          *Table
	doc        *spec.Document
	root       *spec.Node
	categories *spec.Node
	record     map[string]map[string]string // digests of the last import, by row and key
	entries    []*entry
	matched    map[*Code]*entry
	fresh      map[*Code]bool // added by this update
	retired    []int          // numbers that codes no longer have
	places     map[*Category]*place
	changes    Notes
}

// merge updates a code, key by key.
func (u *update) merge(r row, e *entry) {
	base := u.record[r.code.Name]
	renamed := e.row != r.code.Name && base == nil && u.record[e.row] != nil
	if renamed {
		base = u.record[e.row]
		u.rename(r, e)
	}
	if base[placeKey] != "" && base[placeKey] != digest(r.category.Key) && base[placeKey] == digest(e.category) {
		to := u.place(r)
		e.in.Move(e.key, to.codes, r.before)
		e.in, e.category = to.codes, to.category
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
		if key == "value" || kept && key == "fields" {
			continue
		}
		// The value of the table, the value of the taxonomy, and the digest of the last import.
		now, ours, last := table.Get(key), written.Get(key), base[key]
		if key == "number" && number(text(ours)) != nil && canonical(now) != canonical(ours) {
			u.retired = append(u.retired, *number(text(ours)))
		}
		unchanged := digest(now) == last || now == nil && last == ""
		switch {
		case unchanged, digest(now) == digest(ours):
		case last == "" && ours == nil, last != "" && digest(ours) == last:
			if now == nil {
				node.Delete(key)
			} else {
				node.Set(key, after, now)
			}
			changed = append(changed, key)
		default:
			kept = kept || key == "message"
			if fields := node.Map(key); key == "fields" && fields != nil {
				for _, f := range now.(spec.Pairs) { // the message has placeholders for them
					if fields.Pairs().Get(f.Key) == nil {
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
	u.freeName(r.code.Name)
	node.Append("aliases", e.row)
	if e.key == identifier(e.row, "code") && u.entryNamed(r.code.Key) == nil {
		e.in.Rename(e.key, r.code.Key)
		e.key = r.code.Key
	}
	if e.key == r.code.Name {
		node.Delete("value")
	} else {
		node.Set("value", "number", r.code.Name)
	}
}

func (u *update) entryNamed(key string) *entry {
	for _, e := range u.entries {
		if e.key == key {
			return e
		}
	}
	return nil
}

// freeName removes a name from the aliases of codes, because another code has it now.
func (u *update) freeName(name string) {
	for _, e := range u.entries {
		node := e.node()
		if node == nil || node.Remove("aliases", func(item any) bool { return text(item) == name }) == 0 {
			continue
		}
		u.t.Notes.add(name, "codes whose names were aliases: no longer aliases")
		if len(texts(e.get("aliases"))) == 0 {
			node.Delete("aliases")
		}
	}
}

// place is the mapping that contains the codes of a category or a parent.
type place struct {
	category string
	codes    *spec.Node
}

// place returns the place of a row. It adds the category if the taxonomy does not have it.
func (u *update) place(r row) *place {
	if r.parent != nil {
		if e := u.matched[r.parent]; e != nil && e.node() != nil {
			if e.node().Map("codes") == nil {
				e.node().Set("codes", "codes", spec.Pairs{})
			}
			return &place{e.category, e.node().Map("codes")}
		}
	}
	if p := u.places[r.category]; p != nil {
		return p
	}
	p := &place{category: r.category.Key}
	if u.categories.Map(p.category) == nil {
		for _, k := range r.category.Codes {
			if e := u.matched[k]; e != nil && u.record[k.Name][placeKey] == digest(r.category.Key) {
				p.category = e.category // the category was renamed by hand
				break
			}
		}
	}
	if u.categories.Map(p.category) == nil {
		body := (&Category{Doc: r.category.Doc}).pairs()
		u.categories.Set(p.category, u.before(r.category), body)
	}
	c := u.categories.Map(p.category)
	if p.codes = c.Map("codes"); p.codes == nil {
		c.Set("codes", "codes", spec.Pairs{})
		p.codes = c.Map("codes")
	}
	u.places[r.category] = p
	return p
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

// add adds a code that the taxonomy does not have, with its children.
func (u *update) add(r row) {
	if r.parent != nil && u.fresh[r.parent] {
		return // the entry of the parent contains it
	}
	if u.record[r.code.Name] != nil {
		return // it was removed by hand
	}
	key := r.code.Key
	for n := 2; u.entryNamed(key) != nil; n++ {
		key = fmt.Sprintf("%s_%d", r.code.Key, n)
	}
	u.unreserve(r.code)
	u.freeName(r.code.Name)
	p := u.place(r)
	p.codes.Set(key, r.before, r.code.entry())
	u.fresh[r.code] = true
	e := &entry{category: p.category, in: p.codes, key: key, row: r.code.Name, taken: true}
	u.entries = append(u.entries, e)
	u.matched[r.code] = e
	u.changes.add(key, noteAdded)
}

// unreserve removes the name and the number of a code from the reserved ones, because the table has
// the code again.
func (u *update) unreserve(k *Code) {
	reserved := u.root.Map("reserved")
	if reserved == nil {
		return
	}
	if reserved.Remove("codes", func(item any) bool { return u.isName(item, k.Name) || u.isName(item, k.Key) }) == 0 {
		return
	}
	u.t.Notes.add(k.Name, "reserved codes that are in the table again: no longer reserved")
	if k.Number != nil {
		reserved.Remove("numbers", func(item any) bool { return text(item) == strconv.Itoa(*k.Number) })
	}
}

// isName reports whether an item of the reserved codes is a name.
func (u *update) isName(item any, name string) bool {
	if p, ok := item.(spec.Pairs); ok {
		item = p.Get("name")
	}
	return text(item) == name
}

// dropReserved removes reserved numbers from the rows, because other codes had them.
func (u *update) dropReserved() {
	reserved := u.root.Map("reserved")
	if reserved == nil || u.t.numbersPerCategory {
		return
	}
	codes, _ := reserved.Pairs().Get("codes").([]any)
	numbers, _ := reserved.Pairs().Get("numbers").([]any)
	for _, r := range u.t.rows() {
		k := r.code
		returns := slices.ContainsFunc(codes, func(item any) bool { return u.isName(item, k.Name) })
		if k.Number == nil || returns {
			continue
		}
		if slices.ContainsFunc(numbers, func(item any) bool { return includes(item, *k.Number) }) {
			u.t.Notes.add(k.Name, "numbers that are reserved: left out")
			k.Number = nil
		}
	}
}

// includes reports whether an item of the reserved numbers is a number, or a range that has it.
func includes(item any, n int) bool {
	p, _ := item.(spec.Pairs)
	from, to := number(text(p.Get("from"))), number(text(p.Get("to")))
	return text(item) == strconv.Itoa(n) || from != nil && to != nil && *from <= n && n <= *to
}

// remove removes the codes that the table no longer has, and reserves their names and numbers.
func (u *update) remove(rows []row) {
	var codes, numbers []any
	for _, e := range u.entries {
		if e.taken || u.record[e.row] == nil || e.node() == nil {
			continue
		}
		names := []string{e.row}
		if e.key != e.row {
			names = append(names, e.key)
		}
		for _, name := range append(names, texts(e.get("aliases"))...) {
			if name != "" && !slices.Contains(codes, any(name)) {
				codes = append(codes, name)
			}
		}
		if n := number(text(e.get("number"))); n != nil {
			u.retired = append(u.retired, *n)
		}
		e.in.Delete(e.key)
		u.changes.add(e.key, noteRemoved)
	}
	for _, n := range u.retired {
		inUse := slices.ContainsFunc(rows, func(r row) bool { return r.code.Number != nil && *r.code.Number == n })
		if !inUse && !u.t.numbersPerCategory && !slices.Contains(numbers, any(n)) {
			numbers = append(numbers, n)
		}
	}
	for _, e := range u.entries {
		if n := e.node(); n != nil && n.Map("codes") != nil && len(n.Map("codes").Pairs()) == 0 {
			n.Delete("codes")
		}
	}
	for _, p := range u.categories.Pairs() {
		if c := u.categories.Map(p.Key); c != nil && c.Map("codes") != nil && len(c.Map("codes").Pairs()) == 0 {
			u.categories.Delete(p.Key)
		}
	}
	if len(codes)+len(numbers) == 0 {
		return
	}
	if u.root.Map("reserved") == nil {
		u.root.Set("reserved", "categories", spec.Pairs{})
	}
	reserved := u.root.Map("reserved")
	if len(numbers) > 0 {
		reserved.Append("numbers", numbers...)
	}
	if len(codes) > 0 {
		reserved.Append("codes", codes...)
	}
}

// usedGroups returns the groups that codes have.
func (u *update) usedGroups() map[string]bool {
	used := make(map[string]bool)
	for _, e := range u.entries {
		for _, g := range texts(e.get("groups")) {
			used[g] = true
		}
	}
	return used
}

// vocabulary adds the declarations that new codes refer to, and removes groups that lost their last
// code.
func (u *update) vocabulary(before map[string]bool) {
	for _, section := range u.t.vocabulary() {
		names := section.Value.(spec.Pairs)
		node := u.root.Map(section.Key)
		if node == nil {
			u.root.Set(section.Key, "doc", names)
			continue
		}
		for _, e := range names {
			if node.Pairs().Get(e.Key) == nil {
				node.Set(e.Key, e.Key, e.Value)
			}
		}
	}
	now := u.usedGroups()
	if groups := u.root.Map("groups"); groups != nil {
		for _, e := range groups.Pairs() {
			if before[e.Key] && !now[e.Key] {
				groups.Delete(e.Key)
			}
		}
		if len(groups.Pairs()) == 0 {
			u.root.Delete("groups")
		}
	}
}

// writeRecord records the values of the table, if they changed.
func (u *update) writeRecord(rows []row) {
	var record spec.Pairs
	for _, r := range rows {
		record = append(record, spec.Pair{Key: r.code.Name, Value: r.digests()})
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
