// Package taxonomy is the contract between the packages that errgen generates and everything that
// handles their errors: the error interface, the table of rows, reactions, policies and profiles.
//
// A generated package declares one [Taxonomy] and one [Table]. Its errors and code constants have a
// [Row] of the table. All other properties of an error are functions over rows:
//
//	taxonomy.CodeOf(err)        // "PROVIDER_RATE_LIMIT"
//	taxonomy.IsRetryable(err)   // resolved with the `when` rules
//	errs.Table.Reaction(err)    // the action, its policy, and the reaction that follows
//
// The package uses the standard library only, builds nothing at program start and keeps no state:
// all of it is safe for concurrent use.
package taxonomy
