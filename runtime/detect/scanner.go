package detect

const (
	// filterBits is the size of a filter as a power of two: 16 KiB, half of what the nearest cache
	// of a processor holds.
	filterBits = 17
	gramMul    = 0x9E3779B1
	foldMask   = 0x20202020
	foldMask64 = 0x2020202020202020
)

// scanner finds literals by grams: three or four neighbouring bytes of theirs, with the bit set
// that tells cases of ASCII letters apart. It looks at each place of a text, or at every second
// one: then each literal has two neighbouring grams.
type scanner struct {
	filter [1 << filterBits / 64]uint64
	// words masks the index of a filter's word: with few literals the filter is kept small.
	words uint32
	mask  uint32 // of a gram's bytes
	step  int
	// slots is a hash table of grams, its size a power of two; a free slot has no sites.
	slots []gramSlot
	shift uint8
	sites []site
}

// gramSlot is a gram and the sites that have it.
type gramSlot struct {
	gram     uint32
	from, to uint32
}

// site is where a gram stands in a literal.
type site struct {
	literal uint32
	offset  int32 // in the literal; -1 when the gram begins before it
}

// has reports whether the filter lets a gram pass. It never holds back a gram that is in the table.
func (s *scanner) has(gram uint32) bool {
	h := gram * gramMul >> (32 - filterBits)
	return s.filter[h>>6&s.words&(1<<filterBits/64-1)]>>(h&63)&1 != 0
}

func (s *scanner) let(gram uint32) {
	h := gram * gramMul >> (32 - filterBits)
	s.filter[h>>6&s.words] |= 1 << (h & 63)
}

// lookup returns the sites of a gram.
func (s *scanner) lookup(gram uint32) []site {
	mask := uint32(len(s.slots) - 1)
	for i := gram * gramMul >> s.shift; ; i++ {
		slot := &s.slots[i&mask]
		if slot.to == 0 {
			return nil
		}
		if slot.gram == gram {
			return s.sites[slot.from:slot.to]
		}
	}
}

// scan hands the places of a text where a gram passes the filter to c.
func (s *scanner) scan(text string, c *collector) {
	if s.step == 2 {
		s.scanSecond(text, c)
	} else {
		s.scanEach(text, c)
	}
}

// scanSecond looks at every second place.
func (s *scanner) scanSecond(text string, c *collector) {
	i := 0
	for ; len(text)-i >= 8; i += 4 {
		v := word64(text[i:i+8]) | foldMask64
		if g := uint32(v); s.has(g) {
			c.pass(s, text, i, g)
		}
		if g := uint32(v >> 16); s.has(g) {
			c.pass(s, text, i+2, g)
		}
	}
	for ; i < len(text); i += 2 {
		if g := lastGram(text[i:]); s.has(g) {
			c.pass(s, text, i, g)
		}
	}
}

// scanEach looks at every place.
func (s *scanner) scanEach(text string, c *collector) {
	mask, i := s.mask, 0
	for ; len(text)-i >= 8; i += 4 {
		v := word64(text[i:i+8]) | foldMask64
		if g := uint32(v) & mask; s.has(g) {
			c.pass(s, text, i, g)
		}
		if g := uint32(v>>8) & mask; s.has(g) {
			c.pass(s, text, i+1, g)
		}
		if g := uint32(v>>16) & mask; s.has(g) {
			c.pass(s, text, i+2, g)
		}
		if g := uint32(v>>24) & mask; s.has(g) {
			c.pass(s, text, i+3, g)
		}
	}
	for ; i < len(text); i++ {
		if g := lastGram(text[i:]) & mask; s.has(g) {
			c.pass(s, text, i, g)
		}
	}
}

// lastGram returns the gram that s begins with; where s ends before it, zeros with the bit of the
// fold fill it up.
func lastGram(s string) uint32 {
	var g uint32
	for i := range min(len(s), 4) {
		g |= uint32(s[i]) << (8 * i)
	}
	return g | foldMask
}

// at reports whether the literal stands at i.
func (l *literal) at(text string, i int) bool {
	if i < 0 || len(text)-i < len(l.text) {
		return false
	}
	t := text[i : i+len(l.text)]
	if !l.fold {
		return t == l.text
	}
	for j := 0; j < len(t) && j < len(l.text); j++ {
		c := t[j]
		if c-'A' < 26 {
			c |= 0x20
		}
		if c != l.text[j] {
			return false
		}
	}
	return true
}
