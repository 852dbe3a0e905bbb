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
// The package depends on the standard library only and builds nothing at program start. All of it
// is safe for concurrent use.
package taxonomy
