package report

import (
	"cmp"
	"slices"
	"time"
)

// other is the key for keys beyond the limit.
const other = "other"

// severities are the words of a taxonomy in ascending order. Any other word has rank 0.
var severities = [...]string{"", "low", "medium", "high", "critical"}

func rankOf(severity string) int {
	for rank, word := range severities {
		if word == severity {
			return rank
		}
	}
	return 0
}

// labels limit the number of different keys.
type labels[K comparable] struct {
	max  int
	seen map[K]struct{}
}

func newLabels[K comparable](limit int) labels[K] { return labels[K]{limit, map[K]struct{}{}} }

// admits reports whether a key is counted separately.
func (l *labels[K]) admits(key K) bool {
	if _, ok := l.seen[key]; ok {
		return true
	}
	if len(l.seen) >= l.max {
		return false
	}
	l.seen[key] = struct{}{}
	return true
}

// kind is a combination of category, code and rank of the severity.
type kind struct {
	category, code string
	rank           int
}

type kindCount struct {
	kind
	n      int
	latest time.Time
}

// counts are the counts of a [Reporter]. They are not safe for concurrent use.
type counts struct {
	maxKinds          int
	total             int
	kinds             []kindCount
	index             map[kind]int
	categories, codes labels[string]
	sources           counter[[2]string]
	recoverabilities  counter[string]
	reactions         counter[[2]string]
	outcomes          map[[2]string]*ReactionOutcome
	timeline          timeline

	recoveries, recovered, unrecovered int
	retries, retried, unretried        int
}

// counter counts keys, up to a limit of different ones.
type counter[K comparable] struct {
	labels[K]
	other  K
	counts map[K]int
}

func newCounter[K comparable](limit int, rest K) counter[K] {
	return counter[K]{newLabels[K](limit), rest, map[K]int{}}
}

// of returns the key under which a key is counted.
func (c *counter[K]) of(key K) K {
	if c.admits(key) {
		return key
	}
	return c.other
}

func newCounts(limit int) counts {
	return counts{
		maxKinds: 8 * limit, index: map[kind]int{}, categories: newLabels[string](limit),
		codes: newLabels[string](limit), sources: newCounter(limit, [2]string{other}),
		recoverabilities: newCounter(limit, other), reactions: newCounter(limit, [2]string{other, other}),
		outcomes: map[[2]string]*ReactionOutcome{},
	}
}

// add counts a new occurrence.
func (c *counts) add(o *Occurrence, at time.Time) {
	c.total++
	i := c.kindOf(o)
	c.kinds[i].n++
	if at.After(c.kinds[i].latest) {
		c.kinds[i].latest = at
	}
	c.timeline.add(at, i)
	source := [2]string{unknown}
	if o.Source != nil && (o.Source.Type != "" || o.Source.Component != "") {
		source = [2]string{o.Source.Type, o.Source.Component}
	}
	c.sources.counts[c.sources.of(source)]++
	c.recoverabilities.counts[c.recoverabilities.of(cmp.Or(o.Recoverability, unknown))]++
	if r := c.outcome(o.Reaction, o.Action); r != nil {
		r.Count++
	}
	c.recover(o, 1)
}

func (c *counts) kindOf(o *Occurrence) int {
	k := kind{cmp.Or(o.Category, unknown), cmp.Or(o.Code, unknown), rankOf(o.Severity)}
	if i, ok := c.index[k]; ok {
		return i
	}
	counted := k
	if !c.categories.admits(k.category) {
		counted.category = other
	}
	if !c.codes.admits(k.code) {
		counted.code = other
	}
	if len(c.kinds) >= c.maxKinds {
		counted.category, counted.code = other, other
	}
	i, ok := c.index[counted]
	if !ok {
		i = len(c.kinds)
		c.kinds = append(c.kinds, kindCount{kind: counted})
		c.index[counted] = i
	}
	return i
}

// recover adds the recovery of an occurrence to the counts. If by is -1, it removes it.
func (c *counts) recover(o *Occurrence, by int) {
	tried := o.Recovery
	if tried == nil || tried.Attempts <= 0 && tried.Successful == nil {
		return
	}
	r := cmp.Or(c.outcome(o.Reaction, o.Action), &ReactionOutcome{})
	c.recoveries += by
	switch {
	case tried.Successful == nil:
		r.Pending += by
	case *tried.Successful:
		c.recovered += by
		r.Recovered += by
	default:
		c.unrecovered += by
		r.Failed += by
	}
}

// outcome returns the counts of a reaction, or nil if there is no reaction.
func (c *counts) outcome(reaction, action string) *ReactionOutcome {
	if reaction == "" && action == "" {
		return nil
	}
	key := c.reactions.of([2]string{reaction, action})
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
	c.retries += r.Attempts
	if r.Succeeded {
		c.retried++
		of.SuccessfulRetries++
	} else {
		c.unretried++
		of.FailedRetries++
	}
}

func (c *counts) metrics() Metrics {
	m := Metrics{
		TotalErrors: c.total, ErrorsByCategory: map[string]int{}, ErrorsBySeverity: map[string]int{},
		ErrorsBySource: map[string]int{}, ErrorsByRecoverability: map[string]int{}, ErrorsByCode: map[string]int{},
		RecoveryAttempts: c.recoveries, SuccessfulRecoveries: c.recovered, FailedRecoveries: c.unrecovered,
		RetryAttempts: c.retries, SuccessfulRetries: c.retried, FailedRetries: c.unretried,
	}
	for _, k := range c.kinds {
		m.ErrorsByCategory[k.category] += k.n
		m.ErrorsByCode[k.code] += k.n
		m.ErrorsBySeverity[cmp.Or(severities[k.rank], unknown)] += k.n
	}
	for key, n := range c.sources.counts {
		name := key[0]
		if key[1] != "" {
			name += ":" + key[1]
		}
		m.ErrorsBySource[name] += n
	}
	for key, n := range c.recoverabilities.counts {
		m.ErrorsByRecoverability[key] += n
	}
	return m
}

// codeCounts returns the counts of the codes, the most frequent first.
func (c *counts) codeCounts() []CodeCount {
	out, index := []CodeCount{}, map[string]int{}
	for _, k := range c.kinds {
		i, known := index[k.code]
		if !known {
			i = len(out)
			index[k.code] = i
			out = append(out, CodeCount{Code: k.code, Category: k.category})
		}
		of := &out[i]
		of.Count += k.n
		if of.Category != k.category {
			of.Category = ""
		}
		if k.rank > rankOf(of.Severity) {
			of.Severity = severities[k.rank]
		}
		if k.latest.After(of.Latest) {
			of.Latest = k.latest.Round(0).UTC()
		}
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
