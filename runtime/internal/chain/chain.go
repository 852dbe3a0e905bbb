// Package chain chooses between the reactions to a failure. Package retry and the executor decide
// with it, so that a chain of reactions means the same in both.
package chain

import "github.com/errgen/errgen/runtime/taxonomy"

// Choose returns the first reaction of a chain, from an index on, that is not exhausted, and its
// index. At is called with rising indexes, and returns nil after the end of the chain. Exhausted
// counts the failure against the limits of a reaction.
//
// After the end, the reaction blocks if the last one was a retry or an escalation, because a person
// can still repeat the work. Otherwise it aborts. If [taxonomy.MaxChain] reactions are exhausted, it
// also aborts.
func Choose(from int, at func(i int) *taxonomy.Reaction,
	exhausted func(i int, r *taxonomy.Reaction) bool) (int, *taxonomy.Reaction) {
	var last *taxonomy.Reaction
	if from > 0 {
		last = at(from - 1)
	}
	for i := from; i < taxonomy.MaxChain; i++ {
		r := at(i)
		switch {
		case r != nil:
		case last != nil && (last.Action == taxonomy.Retry || last.Action == taxonomy.Escalate):
			r = taxonomy.Predeclared(taxonomy.Block)
		default:
			r = taxonomy.Predeclared(taxonomy.Abort)
		}
		if !exhausted(i, r) {
			return i, r
		}
		last = r
	}
	return taxonomy.MaxChain, taxonomy.Predeclared(taxonomy.Abort)
}
