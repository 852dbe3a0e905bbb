package detect

import "github.com/errgen/errgen/runtime/taxonomy"

// Work is how much the engine did for a text beyond its pass over it.
type Work struct{ Runs, Bytes int }

// Watch calls f after each text in which the engine found a candidate.
func Watch(r *Rules, f func(Work)) {
	r.engine().watch = func(w work) { f(Work{Runs: w.runs, Bytes: w.bytes}) }
}

// Holds reports whether all conditions of a rule hold, without any table.
func Holds(r *Rules, rule int, ev *taxonomy.Evidence) bool {
	return r.holds(r.Rules[rule].Conditions, ev)
}

// Build makes all tables.
func Build(r *Rules) {
	r.index(false)
	r.engine()
}

// Functions for tests.
var (
	DerivedStatus = proseStatus
	CutText       = tail
)
