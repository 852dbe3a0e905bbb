// Package contract holds tests that every implementation of the run loop, of its store and of the
// working tree must pass. It has no code of its own, and only the adapters of the tests name an
// implementation.
//
//   - outcome_test.go plays stories: what a provider does, what fails, and what the run comes to.
//     The stories are in stories_test.go and, for rows of the requirements, in rows_test.go.
//   - store_test.go and process_test.go kill the process of a run and resume the run.
//   - tree_test.go and treekill_test.go change a repository as an agent would (treecases_test.go),
//     and detect, save, revert, accept and commit the changes.
//
// The adapters of today's implementations are executor_test.go and workspace_test.go. To plug in a
// new run loop, implement runner and add it to runners, or with a store to stores:
//
//	type loopRunner struct{ open func(dir string) loop.Store }
//
//	func (loopRunner) name() string { return "loop" }
//	func (r loopRunner) run(l life) (*outcome, error) {
//		store := pointedStore{r.open(l.dir), l.world} // calls world.point around each save
//		loop := &loop.Local{Host: hostOf(l.world, l.rules()), Store: store, Clock: l.world}
//		state, err := loop.Run(l.ctx, configOf(l.host), task)
//		return outcomeOf(state), err // nil after a death
//	}
//
// Every runner is then compared with the first, story by story. To plug in a new working tree,
// implement tree and add its open func to trees.
//
// With -short the tests try a sample of the points at which a process may die; without it, all.
package contract
