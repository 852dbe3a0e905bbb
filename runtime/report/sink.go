package report

// Sink takes occurrences: a [Reporter], [Groups], an exporter, a file. Implementations are safe for
// concurrent use, return quickly, and copy what they keep.
type Sink interface {
	// Report tells of an occurrence that is new.
	Report(o *Occurrence)
	// Update tells what has become of one that was reported: the same ID, with another Recovery. It
	// counts nothing twice.
	Update(o *Occurrence)
	// Retried tells that an operation was tried again, once it has succeeded or is given up.
	Retried(r Retry)
}

// Retry is an operation that was tried again.
type Retry struct {
	// Reaction and Action are the reaction by which it was tried again, as in the occurrence of the
	// failure before the last try; "" when nobody knows.
	Reaction, Action string
	// Attempts is how many calls were made after the first. With none, or fewer, it was not tried
	// again, and counts for nothing.
	Attempts int
	// Succeeded reports whether the last of them did.
	Succeeded bool
}

// Sinks tells several sinks, in order.
type Sinks []Sink

// Report tells all sinks of an occurrence. Of a [Reporter] and [Groups] together that is less work
// than of each.
func (s Sinks) Report(o *Occurrence) {
	if o == nil {
		return
	}
	var a admitted
	for _, sink := range s {
		// A type that embeds one of these has a Report of its own, so an interface would not do.
		switch sink := sink.(type) {
		case *Reporter:
			sink.report(a.orAdmit(o))
		case *Groups:
			sink.add(a.orAdmit(o))
		default:
			sink.Report(o)
		}
	}
}

// Update tells all sinks what has become of one.
func (s Sinks) Update(o *Occurrence) {
	for _, sink := range s {
		sink.Update(o)
	}
}

// Retried tells all sinks that an operation was tried again.
func (s Sinks) Retried(r Retry) {
	for _, sink := range s {
		sink.Retried(r)
	}
}
