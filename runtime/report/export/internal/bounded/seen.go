package bounded

import (
	"hash/maphash"
	"sync"

	"github.com/errgen/errgen/runtime/report"
)

// mostSeen is how many occurrences are remembered, as many as a [report.Reporter] keeps.
const mostSeen = 10_000

// seen remembers which occurrences were told of lately, and what of their recoveries was counted.
// It keeps hashes, so that it costs the same whatever IDs are like.
type seen struct {
	seed maphash.Seed
	most int

	mu  sync.Mutex
	ids map[uint64]run
	// ring has the IDs in the order of coming; next is the place of the oldest, once it is full.
	ring []uint64
	next int
}

// run is a strategy that was run, as far as it was counted; the zero value is none.
type run struct {
	counted   bool
	strategy  uint64
	attempts  int
	succeeded bool
}

func newSeen(most int) *seen {
	return &seen{seed: maphash.MakeSeed(), most: most, ids: map[uint64]run{}}
}

// add remembers an occurrence, and reports whether it is new. One without an ID always is.
func (s *seen) add(o *report.Occurrence) bool {
	if o.ID == "" {
		return true
	}
	id := maphash.String(s.seed, o.ID)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.ids[id]; known {
		return false
	}
	s.ids[id] = run{}
	if len(s.ring) < s.most {
		s.ring = append(s.ring, id)
		return true
	}
	delete(s.ids, s.ring[s.next])
	s.ring[s.next] = id
	s.next = (s.next + 1) % s.most
	return true
}

// recovered reports whether an occurrence that is remembered, and has a recovery that has ended,
// tells of a run of a strategy that was not counted.
func (s *seen) recovered(o *report.Occurrence) bool {
	r := run{counted: true, strategy: maphash.String(s.seed, o.Recovery.Strategy), attempts: o.Recovery.Attempts,
		succeeded: *o.Recovery.Successful}
	id := maphash.String(s.seed, o.ID)
	s.mu.Lock()
	defer s.mu.Unlock()
	last, known := s.ids[id]
	if !known || last == r || last.counted && last.strategy == r.strategy && r.attempts < last.attempts {
		return false
	}
	s.ids[id] = r
	return true
}
