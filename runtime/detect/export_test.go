package detect

import "github.com/errgen/errgen/runtime/taxonomy"

// Work is how much the engine did for a text beyond its pass over it.
type Work struct{ Runs, Bytes int }

// Watch calls f after each text that the engine found something in.
func Watch(r *Rules, f func(Work)) {
	r.engine().watch = func(w work) { f(Work{Runs: w.runs, Bytes: w.bytes}) }
}

// Holds reports whether all conditions of a rule hold, without any table.
func Holds(r *Rules, rule int, ev *taxonomy.Evidence) bool {
	var q query
	q.ask(ev, nil)
	return r.holds(r.Rules[rule].Conditions, ev, &q)
}

// DerivedStatus is derivedStatus.
var DerivedStatus = derivedStatus

// Build makes all tables.
func Build(r *Rules) {
	r.newIndex(&r.tables.index, false)
	r.engine()
}
