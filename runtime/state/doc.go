// Package state keeps in one SQLite file what runs remember: tasks and their attempts, the states of
// runs (it is a store of the executor), what calls cost, budgets, and waits that processes share.
//
//	store, err := state.Open(ctx, "spec/.executor-state.db", state.Options{Table: errs.Table})
//
// Errors are a *taxonomy.Evidence: of source "executor" if a file cannot be opened, and otherwise of
// source "state" and op "state_read" or "state_write". Texts of others are bounded and their secrets
// masked before they are written. Methods are safe for concurrent use, also by several processes.
package state
