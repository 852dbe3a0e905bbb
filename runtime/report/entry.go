package report

// entry is an occurrence that is kept, with room of its own for what it points to, so that an entry
// that is used again allocates nothing for most occurrences.
type entry struct {
	// What lists need comes first, in one line of the processor's cache: an entry that is let go
	// has left it long ago.

	// next is the next newer one of its group.
	next *entry
	// of is the group that it belongs to, if any.
	of *group
	// hash is that of the ID.
	hash uint64
	// size is about how many bytes it takes.
	size int
	// place is where it is in the store's order, if listed reports that it is there.
	place  int
	listed bool

	held
}

// held is an occurrence with what it points to.
type held struct {
	Occurrence
	source     Source
	execution  Execution
	repository Repository
	recovery   Recovery
	successful bool
}

// shown returns a clean copy of a copy of what an entry holds, which shares nothing with the entry.
// To make the first copy is all that has to be done before the entry changes.
func (h *held) shown() Occurrence {
	o := h.Occurrence
	if o.Source != nil {
		o.Source = &h.source
	}
	if o.Execution != nil {
		o.Execution = &h.execution
	}
	if o.Repository != nil {
		o.Repository = &h.repository
	}
	if o.Recovery != nil {
		o.Recovery = &h.recovery
		if h.recovery.Successful != nil {
			h.recovery.Successful = &h.successful
		}
	}
	return *shown(&o)
}

// allShown returns clean copies.
func allShown(all []held) []Occurrence {
	out := make([]Occurrence, len(all))
	for i := range all {
		out[i] = all[i].shown()
	}
	return out
}

// entrySize is how many bytes an entry takes without its texts, its place in a map included.
const entrySize = 1 << 10

// set takes an occurrence over.
func (e *entry) set(a *admitted) {
	o := a.Occurrence
	e.size = entrySize + a.size
	e.Occurrence = *o
	e.Cause, e.Context, e.Metadata = a.cause, a.context, a.metadata
	if o.Source != nil {
		e.source = *o.Source
		e.Source = &e.source
	}
	if o.Execution != nil {
		e.execution = *o.Execution
		e.Execution = &e.execution
	}
	if o.Repository != nil {
		e.repository = *o.Repository
		e.Repository = &e.repository
	}
	e.recover(o.Recovery)
}

// recover copies what was tried.
func (e *entry) recover(r *Recovery) {
	if e.Recovery = nil; r == nil {
		return
	}
	e.recovery = *r
	if r.Successful != nil {
		e.successful = *r.Successful
		e.recovery.Successful = &e.successful
	}
	e.Recovery = &e.recovery
}

// update takes over what has become of the occurrence, as far as o says it.
func (e *entry) update(o *Occurrence) {
	if o.Recovery != nil {
		e.recover(o.Recovery)
	}
	if o.Reaction != "" || o.Action != "" {
		e.Reaction, e.Action = o.Reaction, o.Action
	}
}
