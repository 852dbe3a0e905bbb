// Package taxonomy is the contract between the packages that errgen generates and everything that
// handles their errors: the error interface, the table of rows, reactions, policies and profiles.
//
// A generated package declares one [Taxonomy] and one [Table]; its errors and code constants know
// their [Row] in it. Everything else is a function over rows:
//
//	taxonomy.CodeOf(err)        // "PROVIDER_RATE_LIMIT"
//	taxonomy.IsRetryable(err)   // resolved with the `when` rules
//	errs.Table.Reaction(err)    // what to do about it
//
// The package uses the standard library only, builds nothing at program start and keeps no state:
// all of it is safe for concurrent use.
package taxonomy
