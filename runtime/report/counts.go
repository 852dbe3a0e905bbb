package report

import (
	"cmp"
	"slices"
	"time"
)

// counts are what a [Reporter] counts. They are not safe for concurrent use.
type counts struct {
	total, recoveries, recovered, unrecovered int
	retries, retried, unretried               int
	categories, severities, recoverabilities  labels[string]
	sources, reactions                        labels[[2]string]
	outcomes                                  []recoveries
	timeline                                  timeline
}

// recoveries counts what came of the recoveries that a reaction led to.
type recoveries struct{ recovered, failed int }

func newCounts(limit int) counts {
	return counts{
		categories: newLabels[string](limit), severities: newLabels[string](limit),
		sources: newLabels[[2]string](limit), recoverabilities: newLabels[string](limit),
		reactions: newLabels[[2]string](limit),
	}
}

// add counts an occurrence that is new, and when it happened.
func (c *counts) add(o *Occurrence, at time.Time) {
	c.total++
	category := c.categories.add(o.Category, nameOf)
	severity := c.severities.add(o.Severity, nameOf)
	c.recoverabilities.add(o.Recoverability, nameOf)
	c.sources.add(sourceKey(o.Source), nameOfSource)
	c.timeline.add(at, category, severity)
	c.recover(o, 1)
}

// recover counts what was done about an occurrence, or takes that back by -1.
func (c *counts) recover(o *Occurrence, by int) {
	recovered, failed := 0, 0
	if r := o.Recovery; r != nil && (r.Attempts > 0 || r.Successful != nil) {
		c.recoveries += by
		switch {
		case r.Successful == nil:
		case *r.Successful:
			recovered = by
		default:
			failed = by
		}
	}
	c.recovered += recovered
	c.unrecovered += failed
	if o.Reaction == "" && o.Action == "" {
		return
	}
	i := c.reactions.add([2]string{o.Reaction, o.Action}, firstOf)
	c.reactions.counts[i] += by - 1
	for len(c.outcomes) <= i {
		c.outcomes = append(c.outcomes, recoveries{})
	}
	c.outcomes[i].recovered += recovered
	c.outcomes[i].failed += failed
}

// retry counts an operation that was tried again.
func (c *counts) retry(attempts int, succeeded bool) {
	if attempts <= 0 {
		return
	}
	c.retries += attempts
	if succeeded {
		c.retried++
	} else {
		c.unretried++
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
	return text(key[0]+":"+key[1], 2*maxName+1)
}

func firstOf(key [2]string) string { return kept(key[0], maxName) }

func (c *counts) metrics() Metrics {
	return Metrics{
		TotalErrors:            c.total,
		ErrorsByCategory:       c.categories.toMap(c.categories.counts),
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
	t := &c.timeline
	if len(t.buckets) == 0 {
		return Timeline{Buckets: []Bucket{}}
	}
	out := Timeline{Step: time.Duration(t.step()) * time.Second, Buckets: make([]Bucket, len(t.buckets))}
	for i, b := range t.buckets {
		out.Buckets[i] = Bucket{
			Start:      time.Unix(t.start+int64(i)*t.step(), 0).UTC(),
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
		if n := c.reactions.counts[i]; n > 0 {
			out = append(out, ReactionOutcome{c.reactions.names[i], text(key[1], maxName), n, c.outcomes[i].recovered, c.outcomes[i].failed})
		}
	}
	slices.SortFunc(out, func(a, b ReactionOutcome) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reaction, b.Reaction), cmp.Compare(a.Action, b.Action))
	})
	return out
}
