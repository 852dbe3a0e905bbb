package report

// store holds entries from the oldest to the newest, and finds them by ID. It is not safe for
// concurrent use.
type store struct {
	order order
	bytes int
	byID  index
	// spare is an entry that can be used again; what it holds is of no use.
	spare *entry
}

// get returns the entry of an ID, whose hash is given, or nil.
func (s *store) get(id string, hash uint64) *entry {
	if id == "" {
		return nil
	}
	return s.byID.get(id, hash)
}

// add appends an occurrence whose ID, of which the hash is given, is not there.
func (s *store) add(a *admitted, hash uint64) *entry {
	e := s.spare
	if s.spare = nil; e == nil {
		e = &entry{}
	}
	e.set(a)
	e.next, e.of, e.listed = nil, nil, true
	s.order.push(e)
	s.bytes += e.size
	if a.ID != "" {
		e.hash = hash
		s.byID.add(e, hash)
	}
	return e
}

// unlist takes an entry out of the list; it can still be found.
func (s *store) unlist(e *entry) {
	if e.listed {
		s.order.remove(e)
		e.listed = false
	}
}

// drop forgets an entry.
func (s *store) drop(e *entry) {
	s.unlist(e)
	s.bytes -= e.size
	if e.ID != "" {
		s.byID.remove(e, e.hash)
	}
	e.Cause, e.Context, e.Metadata = nil, nil, nil
	s.spare = e
}

// filter returns copies of the entries that f takes, the oldest first, as they are kept.
func (s *store) filter(f func(o *Occurrence) bool) []held {
	var found []*entry
	s.order.each(func(e *entry) {
		if f(&e.Occurrence) {
			found = append(found, e)
		}
	})
	return heldBy(found)
}

// last returns copies of the newest n entries, the oldest first, as they are kept.
func (s *store) last(n int) []held { return heldBy(s.order.last(n)) }

func heldBy(entries []*entry) []held {
	out := make([]held, len(entries))
	for i, e := range entries {
		out[i] = e.held
	}
	return out
}
