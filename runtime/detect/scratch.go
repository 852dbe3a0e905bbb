package detect

import "math/bits"

// maxHits is how many places of a literal are kept; others are searched for again when they are
// needed.
const maxHits = 64

// finding is what is known of a pattern.
type finding uint8

const (
	unknown   finding = iota // no literal of it was found
	candidate                // one was
	found                    // the pattern stands in the text
	missing                  // it does not
)

// hits are the places where a literal was found.
type hits struct {
	id      uint32
	literal *literal
	n       int // of all, also those that are not kept
	at      [maxHits]uint32
}

// work is how much was done for a text beyond the pass over it.
type work struct {
	runs  int // of regular expressions
	bytes int // that they were run over
}

// scratch is what the engine notes about one text.
type scratch struct {
	findings []finding // by pattern
	changed  []uint16  // the patterns whose finding is not unknown
	places   []uint32  // by literal, 1 + index into hits
	hits     []hits
	ranks    []uint64 // bits: the rules that have a candidate
	// whole reports that windows are of no use: letters beyond ASCII stand for letters of literals.
	whole bool
	work  work
}

func newScratch(e *engine, rules int) *scratch {
	return &scratch{
		findings: make([]finding, len(e.patterns)),
		places:   make([]uint32, len(e.literals)),
		ranks:    make([]uint64, (rules+63)/64),
	}
}

// clear forgets the text.
func (s *scratch) clear() {
	for _, id := range s.changed {
		s.findings[id] = unknown
	}
	for i := range s.hits {
		s.places[s.hits[i].id] = 0
	}
	clear(s.ranks)
	s.changed, s.hits = s.changed[:0], s.hits[:0]
	s.whole, s.work = false, work{}
}

// next returns the place after i, the one before the n-th, and n+1; -1 when there is none.
func (h *hits) next(text string, i, n int) (int, int) {
	switch {
	case n < min(h.n, maxHits):
		return int(h.at[n]), n + 1
	case n == h.n:
		return -1, n
	}
	return h.literal.after(text, i+1), n + 1
}

// set notes what was found out about a pattern.
func (s *scratch) set(id uint16, f finding) {
	if s.findings[id] == unknown {
		s.changed = append(s.changed, id)
	}
	s.findings[id] = f
}

// hit notes that a literal stands at i, and reports whether it is the first place.
func (s *scratch) hit(id uint32, l *literal, i int) bool {
	if at := s.places[id]; at != 0 {
		h := &s.hits[at-1]
		if h.n < maxHits {
			h.at[h.n] = uint32(i)
		}
		h.n++
		return false
	}
	if len(s.hits) < cap(s.hits) {
		s.hits = s.hits[:len(s.hits)+1]
	} else {
		s.hits = append(s.hits, hits{})
	}
	h := &s.hits[len(s.hits)-1]
	h.id, h.literal, h.n, h.at[0] = id, l, 1, uint32(i)
	s.places[id] = uint32(len(s.hits))
	return true
}

// mark notes that a rule has a candidate.
func (s *scratch) mark(rank int) { s.ranks[rank>>6] |= 1 << (rank & 63) }

// next returns the first marked rank from rank on, or noRank.
func (s *scratch) next(rank int) int {
	for i := rank >> 6; i < len(s.ranks); i++ {
		w := s.ranks[i]
		if i == rank>>6 {
			w &= ^uint64(0) << (rank & 63)
		}
		if w != 0 {
			return i<<6 + bits.TrailingZeros64(w)
		}
	}
	return noRank
}
