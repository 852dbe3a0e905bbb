package importer

import (
	"strconv"

	"github.com/errgen/errgen/internal/spec"
)

// entry is a code of the taxonomy.
type entry struct {
	category string
	parent   *entry     // the code above it, or nil
	in       *spec.Node // the mapping of codes
	key      string
	row      string // the value on the wire, which is the name in the table
	taken    bool   // by a row of the table
}

func (e *entry) node() *spec.Node { return e.in.Map(e.key) }

func (e *entry) get(key string) any {
	if n := e.node(); n != nil {
		return n.Get(key)
	}
	return nil
}

// index lists the codes of the taxonomy.
func (u *update) index() {
	u.entries = nil
	var add func(category string, parent *entry, in *spec.Node)
	add = func(category string, parent *entry, in *spec.Node) {
		if in == nil {
			return
		}
		for _, p := range in.Pairs() {
			e := &entry{category: category, parent: parent, in: in, key: p.Key, row: p.Key}
			body, _ := p.Value.(spec.Pairs)
			if value := text(body.Get("value")); value != "" {
				e.row = value
			}
			u.entries = append(u.entries, e)
			if n := in.Map(p.Key); n != nil {
				add(category, e, n.Map("codes"))
			}
		}
	}
	for _, p := range u.categories.Pairs() {
		if c := u.categories.Map(p.Key); c != nil {
			add(p.Key, nil, c.Map("codes"))
		}
	}
}

// match finds the entry of each row: by its value, then by an alias, then by its identity.
func (u *update) match() {
	u.matched = make(map[*Code]*entry)
	rows := u.t.rows()
	byName := make(map[string]*entry)
	for _, e := range u.entries {
		byName[e.row] = e
	}
	for _, e := range u.entries {
		for _, alias := range texts(e.get("aliases")) {
			if byName[alias] == nil {
				byName[alias] = e
			}
		}
	}
	take := func(r row, e *entry) {
		if e != nil && !e.taken {
			e.taken, u.matched[r.code] = true, e
		}
	}
	for _, r := range rows {
		if e := byName[r.code.Name]; e != nil && e.row == r.code.Name {
			take(r, e)
		}
	}
	for _, r := range rows {
		if u.matched[r.code] == nil {
			take(r, byName[r.code.Name])
		}
	}
	same := make(map[string][]*entry)
	for _, e := range u.entries {
		id := u.identity(e.category, e.get("number"), e.get("constants"))
		same[id] = append(same[id], e)
	}
	for _, r := range rows {
		var n any
		if r.code.Number != nil {
			n = strconv.Itoa(*r.code.Number)
		}
		id := u.identity(r.category.Key, n, r.code.Constants)
		if u.matched[r.code] != nil || id == "" || len(same[id]) != 1 {
			continue
		}
		// The user added an entry without a record, unless it was renamed by hand.
		if e := same[id][0]; u.record[e.row] != nil || u.record[r.code.Name] != nil || len(u.record) == 0 {
			take(r, e)
		}
	}
}

// identity returns the part of a code that a rename keeps: its number, otherwise the constant that
// the format defines, such as the SQLSTATE.
func (u *update) identity(category string, number, constants any) string {
	if n := text(number); n != "" {
		if u.t.numbersPerCategory {
			return category + "/" + n
		}
		return n
	}
	if p, ok := constants.(spec.Pairs); ok && u.t.identity != "" {
		return text(p.Get(u.t.identity))
	}
	return ""
}
