package htmlreport

import (
	"time"

	"github.com/errgen/errgen/runtime/report"
)

// span is the time from the first to the last error that a snapshot knows of. Where there is a
// timeline, errors that are not in it do not count: one clock that is wrong would make the span
// decades.
func span(s report.Snapshot) (from, to time.Time) {
	step := max(s.Timeline.Step, time.Second)
	first, end := reach(s.Timeline.Buckets, step)
	add := func(t time.Time) {
		if t.IsZero() || !end.IsZero() && (t.Before(first) || !t.Before(end)) {
			return
		}
		if from.IsZero() || t.Before(from) {
			from = t
		}
		if t.After(to) {
			to = t
		}
	}
	for i := range s.Groups {
		add(s.Groups[i].FirstSeen)
		add(s.Groups[i].LastSeen)
	}
	for i := range s.Last {
		add(s.Last[i].At)
	}
	if end.IsZero() {
		return from, to
	}
	// Intervals begin before their errors, so they count only where nothing more exact is known.
	if from.IsZero() || !from.Before(first.Add(step)) {
		from = first
	}
	if last := end.Add(-step); to.Before(last) {
		to = last
	}
	return from, to
}

// reach is from when to when there are errors in buckets.
func reach(buckets []report.Bucket, step time.Duration) (first, end time.Time) {
	for _, b := range buckets {
		if !hasErrors(b) {
			continue
		}
		if end.IsZero() || b.Start.Before(first) {
			first = b.Start
		}
		if after := b.Start.Add(step); after.After(end) {
			end = after
		}
	}
	return first, end
}

func hasErrors(b report.Bucket) bool {
	for _, n := range b.ByCategory {
		if n > 0 {
			return true
		}
	}
	return false
}
