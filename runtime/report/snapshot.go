package report

import "time"

// Snapshot is all that is known at a time, for a page or an exporter. It shares nothing with where
// it comes from.
//
// Reporter and groups are asked at the same moment. An error that is just on its way to both may be
// in one of them only. Groups forget what they have no room for, and what is too old; the metrics
// do not.
type Snapshot struct {
	Title   string
	At      time.Time
	Metrics Metrics
	// Codes are all codes, the most frequent first.
	Codes []CodeCount
	// Groups are all groups, the one seen last first, each with its latest occurrences, at most 5.
	Groups []Group
	// GroupAge is how long a group lives after its last occurrence; 0 without groups. Expired and
	// Evicted are the groups that are gone, as in [Stats].
	GroupAge         time.Duration
	Expired, Evicted Gone
	Timeline         Timeline
	Outcomes         []ReactionOutcome
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
	groups, last := s.take(r, g)
	s.Groups, s.Last = groupsShown(groups), allShown(last)
	return s
}

// take takes what has to be taken at one moment.
func (s *Snapshot) take(r *Reporter, g *Groups) (groups []heldGroup, last []held) {
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
	}
	if g != nil {
		s.At, s.GroupAge = g.clock.Now(), g.maxAge
		g.mu.Lock()
		defer g.mu.Unlock()
		groups = g.copies(s.At, nil, maxGroupErrors)
		s.Expired, s.Evicted = g.expired, g.evicted
	}
	if r != nil {
		s.At = r.clock.Now()
		s.Metrics, s.Codes = r.counts.metrics(), r.counts.codesOut()
		s.Timeline, s.Outcomes = r.counts.timelineOut(), r.counts.reactionOutcomes()
		last = r.store.last(maxLast)
	}
	return groups, last
}
