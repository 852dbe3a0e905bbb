// Package contract holds tests that every implementation of the run loop, of its store and of the
// working tree must pass. It has no code of its own, and the tests use nothing that is internal to
// an implementation.
//
//   - outcome_test.go plays stories: the steps of a provider, what fails, and what the run comes to.
//     The stories are in stories_test.go and, one for each row of the requirements, in rows_test.go.
//   - store_test.go and process_test.go kill the process of a run and resume it.
//   - tree_test.go and treekill_test.go change a repository as an agent would, and detect, save,
//     revert, accept and commit the changes.
//
// To plug in a new run loop, implement runner and add it to runners, and with a store to stores:
//
//	type loopRunner struct{ open func(dir string) loop.Store }
//
//	func (loopRunner) name() string { return "loop" }
//	func (r loopRunner) run(l life) (*outcome, error) {
//		s := pointed{r.open(l.dir), l.world} // calls l.world.point around each save
//		local := &loop.Local{Host: hostOf(l.world, l.rules()), Store: s, Clock: l.world}
//		state, err := local.Run(l.ctx, configOf(l.host), task)
//		return outcomeOf(state), err
//	}
//
// To plug in a new working tree, implement tree and add its open function to trees.
//
// With -short the tests try a sample of the points at which a process may die; without it, all.
package contract
