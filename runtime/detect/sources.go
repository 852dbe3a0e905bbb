package detect

import "math/bits"

// sources is a hash table from the names of sources to their nodes. It is apart from [table]
// because every piece of evidence begins here: the names are in the slots, which saves a step.
type sources struct {
	slots []sourceSlot // their number is a power of two; a free one has no name
	shift uint8
}

type sourceSlot struct {
	name string
	node uint32
}

// find returns the node of a source; 0 when there is none.
func (t *sources) find(name string) uint32 {
	slots := t.slots
	for i := hashName(name) >> (t.shift & 63); ; i++ {
		s := &slots[i&uint64(len(slots)-1)]
		if s.name == name || s.name == "" {
			return s.node
		}
	}
}

// hashName is a faster and simpler hash than that of [table].
func hashName(s string) uint64 {
	n := len(s)
	if n < 8 {
		return (shortWord(s) + uint64(n)<<56) * mixA
	}
	h := uint64(n)
	for ; n > 16; n -= 8 {
		h = (h ^ word64(s)) * mixA
		h ^= h >> 32
		s = s[8:]
	}
	return (h ^ word64(s) ^ bits.RotateLeft64(word64(s[n-8:]), 29)) * mixA
}

// newSources makes a table of the nodes of sources.
func newSources(names []string, nodes map[string]uint32) sources {
	size := bits.Len(uint(2*len(names) + 1))
	t := sources{slots: make([]sourceSlot, 1<<size), shift: uint8(64 - size)}
	for _, name := range names {
		i := hashName(name) >> t.shift
		for t.slots[i&uint64(len(t.slots)-1)].name != "" {
			i++
		}
		t.slots[i&uint64(len(t.slots)-1)] = sourceSlot{name, nodes[name]}
	}
	return t
}
