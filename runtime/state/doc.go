// Package state keeps what runs remember in one SQLite file: tasks and their attempts, why each of
// them ended as it did, what calls have cost, waits that are shared, and the journal from which a
// run that died is gone on with.
//
// A [Store] is opened with [Open] and is safe for concurrent use, also by several processes on one
// file. [Store.Journal], [Store.Lanes] and [Store.Budget] are what an executor works with;
// [Store.Prompt] tells an attempt about the ones before it.
//
// All times in the file are UTC in RFC 3339. What looks like a secret is masked before it is
// written.
package state
