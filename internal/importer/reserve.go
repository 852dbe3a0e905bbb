package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/errgen/errgen/internal/spec"
)

// place is a number where it is unique: in the taxonomy, or in a category.
type place struct {
	category string
	number   int
}

func (u *update) place(category string, number int) place {
	if !u.t.numbersPerCategory {
		category = ""
	}
	return place{category, number}
}

// retire retires the number of a code, and the recorded one if it was edited by hand since. Numbers
// that codes still have are not reserved later. Early records have digests of numbers, so a recorded
// number with the length of a digest is not retired.
func (u *update) retire(e *entry, base digests) {
	last := base["number"]
	if len(last) == digestLength {
		last = ""
	}
	for _, s := range []string{text(e.get("number")), last} {
		if n := number(s); n != nil {
			u.retired = append(u.retired, u.place(e.category, *n))
		}
	}
}

// item returns the entry of the reserved numbers for a number.
func (p place) item() any {
	if p.category == "" {
		return p.number
	}
	return spec.Flow{{Key: "from", Value: p.number}, {Key: "category", Value: p.category}}
}

// unreserve removes the name and the number of a code from the reserved ones, because the table has
// the code again.
func (u *update) unreserve(r row) {
	k, reserved := r.code, u.root.Map("reserved")
	if reserved == nil || reserved.Remove("codes", func(item any) bool { return isNamed(item, k) }) == 0 {
		return
	}
	u.t.Notes.add(k.Name, "reserved codes that are in the table again: no longer reserved; if the same errors "+
		"return, accept this change in breaking, otherwise choose another value")
	if k.Number != nil {
		number := u.place(r.category.Key, *k.Number)
		reserved.Remove("numbers", func(item any) bool { return canonical(item) == canonical(number.item()) })
	}
}

// isNamed reports whether an item of the reserved codes is the name of a code.
func isNamed(item any, k *Code) bool {
	if p, ok := item.(spec.Pairs); ok {
		item = p.Get("name")
	}
	return text(item) == k.Name || text(item) == k.Key
}

// withoutReserved leaves out new codes that are reserved with a reason, because a person reserved
// them, and the codes below them.
func (u *update) withoutReserved(rows []row) []row {
	reserved := u.reserved("codes")
	out := make(map[*Code]bool)
	return slices.DeleteFunc(rows, func(r row) bool {
		byHand := slices.ContainsFunc(reserved, func(item any) bool {
			p, _ := item.(spec.Pairs)
			return p.Get("reason") != nil && isNamed(item, r.code)
		})
		isNew := u.matched[r.code] == nil && u.record[r.code.Name] == nil
		out[r.code] = isNew && (byHand || out[r.parent])
		if out[r.code] {
			u.t.Notes.add(r.code.Name, "codes that are reserved with a reason: left out")
		}
		return out[r.code]
	})
}

// dropNumbers removes reserved numbers from the rows, because other codes had them, and numbers that
// codes got by hand. A code that returns keeps its number, unless it is in a range.
func (u *update) dropNumbers(rows []row) {
	codes, numbers, byHand := u.reserved("codes"), u.reserved("numbers"), u.numbersByHand(rows)
	for _, r := range rows {
		k := r.code
		if k.Number == nil {
			continue
		}
		if e := byHand[u.place(r.category.Key, *k.Number)]; e != nil && e != u.matched[k] {
			u.t.Notes.add(fmt.Sprintf("%d of %s, not of %s", *k.Number, e.key, k.Name),
				"numbers that codes got by hand: left out; change them in the file, and import again")
			k.Number = nil
			continue
		}
		returns := slices.ContainsFunc(codes, func(item any) bool { return isNamed(item, k) })
		if slices.ContainsFunc(numbers, func(item any) bool {
			number := u.place(r.category.Key, *k.Number)
			return !(returns && canonical(item) == canonical(number.item())) && number.isIn(item)
		}) {
			u.t.Notes.add(k.Name, "numbers that are reserved: left out")
			k.Number = nil
		}
	}
}

// numbersByHand returns the codes with a number that the last import did not write, and that stays.
func (u *update) numbersByHand(rows []row) map[place]*entry {
	imported := make(map[*entry]string)
	for _, r := range rows {
		if e := u.matched[r.code]; e != nil {
			imported[e] = cmp.Or(u.record[r.code.Name]["number"], u.record[e.row]["number"])
		}
	}
	out := make(map[place]*entry)
	for _, e := range u.entries {
		isGone := !e.taken && u.record[e.row] != nil
		if n := number(text(e.get("number"))); n != nil && !isGone && imported[e] != strconv.Itoa(*n) {
			out[u.place(e.category, *n)] = e
		}
	}
	return out
}

// reserved returns the items of a list of reserved names or numbers.
func (u *update) reserved(key string) (items []any) {
	if reserved := u.root.Map("reserved"); reserved != nil {
		items, _ = reserved.Get(key).([]any)
	}
	return items
}

// isIn reports whether an item of the reserved numbers is a number, or a range that has it.
func (p place) isIn(item any) bool {
	body, isRange := item.(spec.Pairs)
	if !isRange {
		return text(item) == strconv.Itoa(p.number)
	}
	from, category := text(body.Get("from")), text(body.Get("category"))
	first, last := number(from), number(cmp.Or(text(body.Get("to")), from))
	return first != nil && last != nil && *first <= p.number && p.number <= *last &&
		(category == "" || category == p.category)
}

// remove removes the codes that the table no longer has, and reserves their names and numbers.
func (u *update) remove() {
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
		u.retire(e, u.record[e.row])
		e.in.Delete(e.key)
		u.changes.add(e.key, noteRemoved)
	}
	inUse := make(map[place]bool)
	for _, e := range u.entries {
		if n := number(text(e.get("number"))); n != nil {
			inUse[u.place(e.category, *n)] = true
		}
	}
	for _, n := range u.retired {
		isReserved := slices.ContainsFunc(u.reserved("numbers"), n.isIn)
		if !inUse[n] && !isReserved {
			numbers, inUse[n] = append(numbers, n.item()), true
		}
	}
	for _, e := range u.entries {
		if n := e.node(); n != nil {
			prune(n, "codes")
		}
	}
	for _, p := range u.categories.Pairs() {
		if c := u.categories.Map(p.Key); c != nil && prune(c, "codes") {
			u.categories.Delete(p.Key)
		}
	}
	if len(codes)+len(numbers) == 0 {
		prune(u.root, "reserved")
		return
	}
	reserved := section(u.root, "reserved", "categories")
	if len(numbers) > 0 {
		reserved.Append("numbers", numbers...)
	}
	if len(codes) > 0 {
		reserved.Append("codes", codes...)
	}
}
