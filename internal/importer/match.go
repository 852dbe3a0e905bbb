package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/internal/spec"
)

// entry is a code of the taxonomy.
type entry struct {
	category string
	parent   *entry     // the code above it, or nil
	in       *spec.Node // the mapping of codes
	key      string
	row      string // the value on the wire, which is the name in the table
	ident    string // the Go name, without regard to case
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
			e.ident = goName(cmp.Or(text(body.Get("name")), p.Key))
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
		body, _ := p.Value.(spec.Pairs)
		u.types[goName(cmp.Or(text(body.Get("type")), p.Key))] = true
		if c := u.categories.Map(p.Key); c != nil {
			add(p.Key, nil, c.Map("codes"))
		}
	}
}

// match finds the entry of each row: by its value, then by an alias, then by its identity,
// then by its message.
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
		n := e.get("number")
		if last := u.record[e.row]["number"]; last != "" { // the table does not know a number by hand
			n = last
		}
		id := u.identity(e.category, n, e.get("constants"))
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
			last := u.record[e.row]
			sameMeaning := last == nil || last["message"] == digest(r.code.Message) || alike(e.row, r.code.Name)
			if u.matched[r.code] == e && !sameMeaning {
				u.t.Notes.add(e.row+" to "+r.code.Name, "renamed, because the number is the same, but with another "+
					"message: if the meaning is another, remove the alias")
			}
		}
	}
	u.matchMessages(rows, take)
	for _, r := range rows {
		e := u.matched[r.code]
		if r.code.Number == nil {
			continue
		}
		number := strconv.Itoa(*r.code.Number)
		was := same[u.identity(r.category.Key, number, nil)]
		if len(was) == 1 && was[0] != e && u.record[was[0].row]["number"] == number {
			u.t.Notes.add(fmt.Sprintf("%d of %s, now of %s", *r.code.Number, was[0].row, r.code.Name),
				"numbers that another code had: old logs contain them with the former meaning")
		}
	}
}

// matchMessages finds the entries of the other rows without a number: the only removed code with the
// same message, as the last import wrote it. Messages of one word are too common. An abstract code
// has its message as doc.
func (u *update) matchMessages(rows []row, take func(r row, e *entry)) {
	added, removed := make(map[string][]row), make(map[string][]*entry)
	text := func(k *Code) string { return cmp.Or(k.Message, k.Doc) }
	for _, r := range rows {
		if u.matched[r.code] == nil && u.record[r.code.Name] == nil && strings.Contains(text(r.code), " ") {
			message := digest(text(r.code))
			added[message] = append(added[message], r)
		}
	}
	for _, e := range u.entries {
		if last := u.record[e.row]; last != nil && !e.taken {
			message := cmp.Or(last["message"], last["doc"])
			removed[message] = append(removed[message], e)
		}
	}
	for _, r := range rows {
		message := digest(text(r.code))
		if u.matched[r.code] != nil || len(added[message]) != 1 || len(removed[message]) != 1 {
			continue
		}
		e := removed[message][0]
		last := u.record[e.row]
		sameCategory := last[placeKey] == digest(r.category.Key) || !slices.ContainsFunc(u.t.Categories,
			func(c *Category) bool { return digest(c.Key) == last[placeKey] })
		if sameCategory && u.matched[r.parent] == e.parent && (last["abstract"] != "") == (len(r.code.Codes) > 0) &&
			(r.code.Number == nil || last["number"] == "") {
			take(r, e)
		}
	}
}

// alike reports whether two names have a word in common, or differ by few letters.
func alike(a, b string) bool {
	words := func(name string) []string {
		snake, _ := naming.Snake(identifier(name, "code"))
		return strings.Split(snake, "_")
	}
	return diag.Nearest(a, []string{b}) != "" ||
		slices.ContainsFunc(words(a), func(w string) bool { return len(w) > 2 && slices.Contains(words(b), w) })
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
