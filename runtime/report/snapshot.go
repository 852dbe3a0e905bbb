package report

import "time"

// Snapshot is all that is known at a time, for a page or an exporter. It shares nothing with where it comes from.
type Snapshot struct {
	Title   string
	At      time.Time
	Metrics Metrics
	// Groups are all groups, the one seen last first, each with its latest occurrences, at most 5.
	Groups   []Group
	Timeline Timeline
	Outcomes []ReactionOutcome
	// Last are the latest occurrences, the oldest first, at most 200.
	Last []Occurrence
}

// Bounds on a snapshot.
const (
	maxLast        = 200
	maxGroupErrors = 5
)

// NewSnapshot returns what a reporter and groups know; either may be nil.
func NewSnapshot(r *Reporter, g *Groups) Snapshot {
	s := Snapshot{Title: "Error report", At: time.Now()}
	if g != nil {
		s.At = g.clock.Now()
		s.Groups = g.filter(nil, maxGroupErrors)
	}
	if r == nil {
		return s
	}
	s.At = r.clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	s.Metrics, s.Timeline, s.Outcomes = r.counts.metrics(), r.counts.timelineOut(), r.counts.reactionOutcomes()
	s.Last = r.store.last(maxLast)
	return s
}
