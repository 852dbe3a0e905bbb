// Package resolve turns a taxonomy as written into the model that emitters read: names become Go
// identifiers, defaults are applied, references are followed, profiles are worked out to what they
// change.
//
// [Build] expects a taxonomy whose names are declared and whose chains of reactions end. Other
// faults leave a placeholder that does no harm, so that package check can report them with the
// model at hand; where a rule needs the same reading of a literal, a condition or a message as the
// model, it is exported here.
//
// Reactions, policies and profiles are made by the overlay engine of package taxonomy: the
// declarations become overrides of reactions that abort, of default policies, and of the table.
package resolve
