// Package contract holds tests that every implementation of a room must pass. It has no code of its
// own. Each suite names only what users of its room observe; the adapters alone name an
// implementation:
//
//	suite                              interface   registered in          adapter
//	stories of a run, kills, resuming  runner      runners, stores        executor_test.go
//	stories of a plan                  PlanSubject a test with planSuite  plan_adapter_test.go
//	the same stories on Temporal       both        both                   temporal_test.go
//	shared waits                       lanes       TestLanes              lanes_test.go
//
// To plug in an executor's journal, add a line to stores. To plug in another run loop, implement
// runner and add it to runners, or with a store to stores:
//
//	type loopRunner struct{ open func(dir string) loop.Store }
//
//	func (loopRunner) name() string { return "loop" }
//	func (r loopRunner) run(l life) (o *outcome, err error) {
//		over := make(chan struct{})
//		go func() { // of its own, because a death is runtime.Goexit
//			defer close(over)
//			store := pointedStore{r.open(l.dir), l.world} // calls world.point around each save
//			o = outcomeOf(loop.Run(l.ctx, configOf(l.host), store, clockOf(l.world)))
//		}()
//		<-over
//		return o, nil // nil after a death
//	}
//
// The functions pointedStore, configOf, clockOf and outcomeOf are the adapter's; worldOf in
// executor_test.go is an example. Every runner is then compared with the first, story by story.
//
// To plug in plans, write a type with the one method of PlanSubject, and a test that passes it to
// planSuite.
//
// When a new implementation replaces an old one, delete the old adapter. With -short the tests try
// a sample of the points at which a process may die; without it, all.
package contract
