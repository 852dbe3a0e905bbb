package report

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// counts are what a [Reporter] counts. They are not safe for concurrent use.
type counts struct {
	total, recoveries, recovered, unrecovered int
	retries, retried, unretried               int
	categories, severities, recoverabilities  labels[string]
	codes                                     labels[string]
	sources, reactions                        labels[[2]string]
	ofCodes                                   []ofCode
	outcomes                                  []outcome
	timeline                                  timeline
}

// outcome counts what came of the recoveries and retries that a reaction led to.
type outcome struct{ recovered, failed, pending, retried, unretried int }

func newCounts(limit int) counts {
	return counts{
		categories: newLabels[string](limit), severities: newLabels[string](limit), codes: newLabels[string](limit),
		sources: newLabels[[2]string](limit), recoverabilities: newLabels[string](limit),
		reactions: newLabels[[2]string](limit),
	}
}

// add counts an occurrence that is new, and when it happened.
func (c *counts) add(o *Occurrence, at time.Time) {
	c.total++
	rank, source := rankOf(o.Severity), sourceKey(o.Source)
	category := c.categories.add(o.Category, markOf(o.Category), nameOf)
	severity := c.severities.add(severities[rank], uint(rank), nameOf)
	c.recoverabilities.add(o.Recoverability, markOf(o.Recoverability), nameOf)
	c.sources.add(source, markOfPair(source), nameOfSource)
	c.see(c.codes.add(o.Code, markOf(o.Code), nameOf), category, rank, at)
	c.timeline.add(at, category, severity)
	c.recover(o, 1)
}

// recover counts what was done about an occurrence, or takes that back by -1.
func (c *counts) recover(o *Occurrence, by int) {
	var n outcome
	if r := o.Recovery; r != nil && (r.Attempts > 0 || r.Successful != nil) {
		c.recoveries += by
		switch {
		case r.Successful == nil:
			n.pending = by
		case *r.Successful:
			n.recovered = by
		default:
			n.failed = by
		}
	}
	c.recovered += n.recovered
	c.unrecovered += n.failed
	if o.Reaction == "" && o.Action == "" {
		return
	}
	of := c.outcome(o.Reaction, o.Action, by)
	of.recovered += n.recovered
	of.failed += n.failed
	of.pending += n.pending
}

// outcome counts a reaction so many times, and returns what came of it so far.
func (c *counts) outcome(reaction, action string, times int) *outcome {
	key := [2]string{reaction, action}
	i := c.reactions.add(key, markOfPair(key), firstOf)
	c.reactions.counts[i] += times - 1
	for len(c.outcomes) <= i {
		c.outcomes = append(c.outcomes, outcome{})
	}
	return &c.outcomes[i]
}

// retry counts an operation that was tried again.
func (c *counts) retry(r Retry) {
	if r.Attempts <= 0 {
		return
	}
	of := &outcome{}
	if r.Reaction != "" || r.Action != "" {
		of = c.outcome(r.Reaction, r.Action, 0)
	}
	c.retries = min(c.retries, math.MaxInt-r.Attempts) + r.Attempts
	if r.Succeeded {
		c.retried++
		of.retried++
	} else {
		c.unretried++
		of.unretried++
	}
}

// sourceKey returns what a source is counted under.
func sourceKey(s *Source) [2]string {
	if s == nil {
		return [2]string{}
	}
	return [2]string{s.Type, s.Component}
}

// nameOf returns the name of a key as it may be shown.
func nameOf(key string) string { return cmp.Or(kept(key, maxName), unknown) }

// nameOfSource returns the name of a source: type and component, joined by ':'.
func nameOfSource(key [2]string) string {
	if key == [2]string{} {
		return unknown
	}
	return boundedText(key[0]+":"+key[1], 2*maxName+1)
}

func firstOf(key [2]string) string { return kept(key[0], maxName) }

func (c *counts) metrics() Metrics {
	return Metrics{
		TotalErrors:            c.total,
		ErrorsByCategory:       c.categories.toMap(c.categories.counts),
		ErrorsByCode:           c.codes.toMap(c.codes.counts),
		ErrorsBySeverity:       c.severities.toMap(c.severities.counts),
		ErrorsBySource:         c.sources.toMap(c.sources.counts),
		ErrorsByRecoverability: c.recoverabilities.toMap(c.recoverabilities.counts),
		RecoveryAttempts:       c.recoveries,
		SuccessfulRecoveries:   c.recovered,
		FailedRecoveries:       c.unrecovered,
		RetryAttempts:          c.retries,
		SuccessfulRetries:      c.retried,
		FailedRetries:          c.unretried,
	}
}

func (c *counts) timelineOut() Timeline {
	s := c.timeline.series()
	out := Timeline{Step: time.Duration(s.step) * time.Second, Buckets: make([]Bucket, len(s.buckets)),
		Outside: s.outside}
	for i, b := range s.buckets {
		out.Buckets[i] = Bucket{
			Start:      time.Unix(s.start+int64(i)*s.step, 0).UTC(),
			ByCategory: c.categories.toMap(b.categories),
			BySeverity: c.severities.toMap(b.severities),
		}
	}
	return out
}

// reactionOutcomes returns what came of the reactions, the most frequent first.
func (c *counts) reactionOutcomes() []ReactionOutcome {
	keys := make([][2]string, len(c.reactions.names))
	for i := range keys {
		keys[i] = [2]string{c.reactions.names[i], other}
	}
	for key, i := range c.reactions.index {
		keys[i] = key
	}
	out := []ReactionOutcome{}
	for i, key := range keys {
		n, of := c.reactions.counts[i], c.outcomes[i]
		if n > 0 || of != (outcome{}) {
			out = append(out, ReactionOutcome{
				c.reactions.names[i], boundedText(key[1], maxName), n, of.recovered, of.failed, of.pending, of.retried,
				of.unretried,
			})
		}
	}
	slices.SortFunc(out, func(a, b ReactionOutcome) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reaction, b.Reaction),
			cmp.Compare(a.Action, b.Action))
	})
	return out
}
