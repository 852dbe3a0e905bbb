package detect

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// tables are what [Rules] build on first use. The zero tables are ready.
type tables struct {
	building sync.Mutex
	index    atomic.Pointer[index]
	derived  atomic.Pointer[index]
	engine   atomic.Pointer[engine]
}

// Match returns the index of the rule that the evidence is won by, or [NoRule]. It does not ask
// whether there is a failure at all; see [Rules.Decide]. Once the tables are built it allocates
// nothing, but for a text with one of the letters ſ (U+017F) and K (U+212A), which fold to s and k.
func (r *Rules) Match(ev *taxonomy.Evidence, opts []Option) int {
	if ev == nil {
		return NoRule
	}
	if len(opts) == 0 {
		if rule := r.certain(ev); rule != NoRule {
			return rule
		}
	}
	var q query
	q.ask(ev, opts)
	return r.match(ev, &q)
}

// match returns the rule that wins. A status that is found in the text goes into q.
func (r *Rules) match(ev *taxonomy.Evidence, q *query) int {
	x := r.tables.index.Load()
	if x == nil || q.derived || q.text != "" {
		x = r.index(q)
	}
	n := x.source(q)
	best := noRank
	if n != x.every {
		best = x.under(n, ev, q, best)
	}
	if x.every.first < best {
		best = x.under(x.every, ev, q, best)
	}
	if q.text != "" && x.bestText(n) < best {
		best = r.engine().best(x, ev, q, best)
	}
	if best == noRank {
		return NoRule
	}
	return x.rules[best].rule
}

// index returns the index by the ranks that count for q.
func (r *Rules) index(q *query) *index {
	x := r.tables.index.Load()
	if x == nil {
		x = r.newIndex(&r.tables.index, false)
	}
	if q.status == 0 && q.text != "" && x.asksStatus {
		q.derive()
	}
	if q.derived {
		if x = r.tables.derived.Load(); x == nil {
			x = r.newIndex(&r.tables.derived, true)
		}
	}
	return x
}

// derive looks for a status in the text. The rest of a line that was cut says nothing.
func (q *query) derive() {
	if q.broken {
		return
	}
	if status := derivedStatus(q.text); status != 0 {
		q.status, q.derived, q.has = status, true, 0
	}
}

// newIndex builds an index, once.
func (r *Rules) newIndex(p *atomic.Pointer[index], derived bool) *index {
	r.tables.building.Lock()
	defer r.tables.building.Unlock()
	x := p.Load()
	if x == nil {
		x = newIndex(r, r.order(derived))
		p.Store(x)
	}
	return x
}

// order returns the rule of each rank.
func (r *Rules) order(derived bool) []int {
	order := make([]int, len(r.Rules))
	for i := range order {
		order[i] = i
	}
	if derived {
		slices.SortStableFunc(order, func(a, b int) int { return int(r.Rules[a].Derived) - int(r.Rules[b].Derived) })
	}
	return order
}

// engine returns the engine that searches texts.
func (r *Rules) engine() *engine {
	if e := r.tables.engine.Load(); e != nil {
		return e
	}
	r.tables.building.Lock()
	defer r.tables.building.Unlock()
	e := r.tables.engine.Load()
	if e == nil {
		e = newEngine(r)
		r.tables.engine.Store(e)
	}
	return e
}
