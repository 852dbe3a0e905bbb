package report

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// other is the key for keys beyond the limit.
const other = "other"

// severities are the words of a taxonomy in ascending order. Any other word has rank 0.
var severities = []string{"", "low", "medium", "high", "critical"}

func rankOf(severity string) int { return max(0, slices.Index(severities, severity)) }

// highest returns the higher of two severities.
func highest(a, b string) string { return severities[max(rankOf(a), rankOf(b))] }

// severityKey returns the key of a severity in counts.
func severityKey(severity string) string { return cmp.Or(severities[rankOf(severity)], unknown) }

// sourceKey returns the key of a source in counts.
func sourceKey(s *Source) string {
	switch {
	case s == nil || *s == Source{}:
		return unknown
	case s.Component == "":
		return s.Type
	}
	return s.Type + ":" + s.Component
}

// keyIn returns the key under which a map with at most limit different keys counts a key.
func keyIn[V any](m map[string]V, key string, limit int) string {
	key = cmp.Or(key, unknown)
	if _, ok := m[key]; ok || len(m) < limit {
		return key
	}
	return other
}

// counts are the counts of a [Reporter]. They are not safe for concurrent use.
type counts struct {
	limit    int
	metrics  Metrics
	codes    map[string]*CodeCount
	outcomes map[[2]string]*ReactionOutcome
}

func newCounts(limit int) counts {
	return counts{
		limit: limit, codes: map[string]*CodeCount{}, outcomes: map[[2]string]*ReactionOutcome{},
		metrics: Metrics{ErrorsByCategory: map[string]int{}, ErrorsBySeverity: map[string]int{},
			ErrorsBySource: map[string]int{}, ErrorsByRecoverability: map[string]int{}, ErrorsByCode: map[string]int{}},
	}
}

// add counts a new occurrence.
func (c *counts) add(o *Occurrence, at time.Time) {
	m := &c.metrics
	m.TotalErrors++
	category, code := keyIn(m.ErrorsByCategory, o.Category, c.limit), keyIn(m.ErrorsByCode, o.Code, c.limit)
	m.ErrorsByCategory[category]++
	m.ErrorsByCode[code]++
	m.ErrorsBySeverity[severityKey(o.Severity)]++
	m.ErrorsBySource[keyIn(m.ErrorsBySource, sourceKey(o.Source), c.limit)]++
	m.ErrorsByRecoverability[keyIn(m.ErrorsByRecoverability, o.Recoverability, c.limit)]++
	of := c.codes[code]
	if of == nil {
		of = &CodeCount{Code: code, Category: category}
		c.codes[code] = of
	}
	of.Count++
	of.Severity = highest(of.Severity, o.Severity)
	if of.Category != category {
		of.Category = ""
	}
	if at.After(of.Latest) {
		of.Latest = at.Round(0).UTC()
	}
	if r := c.outcome(o.Reaction, o.Action); r != nil {
		r.Count++
	}
	c.recover(o, 1)
}

// recover adds the recovery of an occurrence to the counts. If by is -1, it removes it.
func (c *counts) recover(o *Occurrence, by int) {
	tried := o.Recovery
	if tried == nil || tried.Attempts <= 0 && tried.Successful == nil {
		return
	}
	r := cmp.Or(c.outcome(o.Reaction, o.Action), &ReactionOutcome{})
	c.metrics.RecoveryAttempts += by
	switch {
	case tried.Successful == nil:
		r.Pending += by
	case *tried.Successful:
		c.metrics.SuccessfulRecoveries += by
		r.Recovered += by
	default:
		c.metrics.FailedRecoveries += by
		r.Failed += by
	}
}

// outcome returns the counts of a reaction, or nil if there is no reaction.
func (c *counts) outcome(reaction, action string) *ReactionOutcome {
	key := [2]string{reaction, action}
	if key == [2]string{} {
		return nil
	}
	if c.outcomes[key] == nil && len(c.outcomes) >= c.limit {
		key = [2]string{other, other}
	}
	if c.outcomes[key] == nil {
		c.outcomes[key] = &ReactionOutcome{Reaction: key[0], Action: key[1]}
	}
	return c.outcomes[key]
}

// retry counts an operation that was retried.
func (c *counts) retry(r Retry) {
	if r.Attempts <= 0 {
		return
	}
	of := cmp.Or(c.outcome(r.Reaction, r.Action), &ReactionOutcome{})
	c.metrics.RetryAttempts += r.Attempts
	if r.Succeeded {
		c.metrics.SuccessfulRetries++
		of.SuccessfulRetries++
	} else {
		c.metrics.FailedRetries++
		of.FailedRetries++
	}
}

// copied returns a copy of the metrics.
func (c *counts) copied() Metrics {
	m := c.metrics
	for _, counts := range []*map[string]int{&m.ErrorsByCategory, &m.ErrorsBySeverity, &m.ErrorsBySource,
		&m.ErrorsByRecoverability, &m.ErrorsByCode} {
		*counts = maps.Clone(*counts)
	}
	return m
}

// codeCounts returns the counts of the codes, the most frequent first.
func (c *counts) codeCounts() []CodeCount {
	out := []CodeCount{}
	for _, of := range c.codes {
		out = append(out, *of)
	}
	slices.SortFunc(out, func(a, b CodeCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code))
	})
	return out
}

// reactionOutcomes returns the results of the reactions, the most frequent first.
func (c *counts) reactionOutcomes() []ReactionOutcome {
	out := []ReactionOutcome{}
	for _, r := range c.outcomes {
		if *r != (ReactionOutcome{Reaction: r.Reaction, Action: r.Action}) {
			out = append(out, *r)
		}
	}
	slices.SortFunc(out, func(a, b ReactionOutcome) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reaction, b.Reaction),
			cmp.Compare(a.Action, b.Action))
	})
	return out
}

const (
	// maxBuckets is the number of buckets of a timeline.
	maxBuckets = 120
	// ahead is the limit for times in the future, because clocks differ. Later times count as now.
	ahead = time.Hour
	// maxOutside is the divisor for the errors that a timeline may leave out: 1 of 100. The oldest
	// ones are left out, so that a wrong time does not change the step.
	maxOutside = 100
)

// steps are the lengths of buckets in seconds.
var steps = []int64{1, 5, 15, 60, 300, 900, 3600, 6 * 3600, 86400, 7 * 86400, 14 * 86400, 28 * 86400}

// timeline returns the number of the kept occurrences over time.
func (c *counts) timeline(all []*entry) Timeline {
	if len(all) == 0 {
		return Timeline{Outside: c.metrics.TotalErrors}
	}
	times := make([]int64, len(all))
	for i, e := range all {
		times[i] = e.at.Unix()
	}
	slices.Sort(times)
	newest, oldest := times[len(times)-1], times[len(times)/maxOutside]
	at := slices.IndexFunc(steps, func(step int64) bool { return newest/step-oldest/step < maxBuckets })
	if at < 0 {
		at = len(steps) - 1
	}
	step := steps[at]
	first := newest/step - maxBuckets + 1
	i, _ := slices.BinarySearch(times, first*step)
	first = times[i] / step
	out := Timeline{Step: time.Duration(step) * time.Second, Outside: c.metrics.TotalErrors,
		Buckets: make([]Bucket, newest/step-first+1)}
	for i := range out.Buckets {
		out.Buckets[i] = Bucket{time.Unix((first+int64(i))*step, 0).UTC(), map[string]int{}, map[string]int{},
			map[string]int{}}
	}
	for _, e := range all {
		i := e.at.Unix()/step - first
		if i < 0 {
			continue
		}
		into := out.Buckets[i]
		into.ByCategory[keyIn(c.metrics.ErrorsByCategory, e.Category, 0)]++
		into.ByCode[keyIn(c.metrics.ErrorsByCode, e.Code, 0)]++
		into.BySeverity[severityKey(e.Severity)]++
		out.Outside--
	}
	return out
}

// Request is the outcome of a request to a server.
type Request struct {
	// Domain and Operation name the operation of the taxonomy. Operation is empty if no operation
	// has the route or the method of the request.
	Domain, Operation string
	// Code is the code of the error that the request ended with, also if clients get another one. It
	// is empty for a success and for a failure without a code.
	Code string
	// Failed reports whether the request failed.
	Failed bool
	// Fault is who has to act, if the request failed. A request that its client cancelled is the
	// fault of the client.
	Fault taxonomy.Fault
}

// RequestSink receives the outcome of each request, once. problem.CountRequests and
// rpc.CountRequests pass them from servers. The exporters are such sinks. Implementations are safe
// for concurrent use and return quickly. ctx is the context of the request.
type RequestSink interface {
	Request(ctx context.Context, r Request)
}
