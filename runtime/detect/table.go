package detect

import "math/bits"

// table is a hash table from values under a scope to what is known of them. It is read without
// locks and never changes once it is built.
type table struct {
	slots   []uint32 // 1 + index into entries, 0 when free; the number of slots is a power of two
	shift   uint8
	entries []entry
}

// entry is what is known of a value.
type entry struct {
	scope  scope
	text   string
	number int
	// kind is that of the values of the attribute that is named.
	kind uint32
	// ranks are the rules that require the value.
	ranks list
}

// list is a part of index.lists: ranks, rising.
type list struct {
	from, to uint32
	// first is the first of them.
	first uint16
	// sure reports that nothing more is asked for the first.
	sure bool
	// final reports that no rule elsewhere can be better than the first, which is sure, unless the
	// evidence has one of some parts. Only lists of statuses say so.
	final  bool
	unless parts
}

// scope says what a value is of: a node of the index and a kind of values there.
type scope uint64

// ofAttributes is the scope of the names of attributes.
const ofAttributes scope = 1<<64 - 1

// scopeOf returns the scope of a kind of values, a [Key] or an attribute's kind, under a node.
func scopeOf(node, kind uint32) scope { return scope(node)<<32 | scope(kind) }

// find returns the entry of a value, or nil.
func (t *table) find(s scope, text string, number int) *entry {
	for i := hashOf(s, text, number) >> t.shift; ; i++ {
		at := t.slots[i&uint64(len(t.slots)-1)]
		if at == 0 {
			return nil
		}
		if e := &t.entries[at-1]; e.scope == s && e.number == number && e.text == text {
			return e
		}
	}
}

func hashOf(s scope, text string, number int) uint64 {
	if text == "" {
		return mix(uint64(number), uint64(s))
	}
	return hashText(text, uint64(s))
}

// grow makes room for n entries.
func (t *table) grow(n int) {
	size := bits.Len(uint(2*n + 1))
	t.slots = make([]uint32, 1<<size)
	t.shift = uint8(64 - size)
	t.entries = make([]entry, 0, n)
}

// add adds an entry; no two may be of one value.
func (t *table) add(e entry) {
	t.entries = append(t.entries, e)
	i := hashOf(e.scope, e.text, e.number) >> t.shift
	for t.slots[i&uint64(len(t.slots)-1)] != 0 {
		i++
	}
	t.slots[i&uint64(len(t.slots)-1)] = uint32(len(t.entries))
}
