package report

// entry is an occurrence that is kept, with room of its own for what it points to, so that an entry that is used again
// allocates nothing for most occurrences.
type entry struct {
	// What lists need comes first, in one line of the processor's cache: an entry that is let go has left it long ago.

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

	Occurrence
	source     Source
	execution  Execution
	repository Repository
	recovery   Recovery
	successful bool
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

// update takes over what has become of the occurrence.
func (e *entry) update(o *Occurrence) {
	e.recover(o.Recovery)
	if o.Reaction != "" || o.Action != "" {
		e.Reaction, e.Action = o.Reaction, o.Action
	}
}
