// Package resolve turns a taxonomy as written into the model that emitters read: names become Go
// identifiers, defaults are applied, references are followed, profiles are worked out to what they
// change.
//
// [Build] is a total function. A fault of the taxonomy leaves a placeholder that does no harm, so
// that package check can report all faults of a file in one run with the model at hand; where a
// rule needs the same reading of a literal, a condition or a message that the model rests on, it is
// exported here.
package resolve
