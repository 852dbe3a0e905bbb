// Package gen supports generated code. Do not call it from other code, because its API can change
// at any time. Programs use [github.com/errgen/errgen/runtime/taxonomy].
//
// The builders ([MessageBuilder], [ObjectBuilder]) are values: each method returns the next
// builder, so that calls can be chained and a caller's buffer never escapes to the heap.
//
// The package has no state and is safe for concurrent use.
package gen

// Version is the version of this package's API for generated code. An addition increments it.
const Version = 6

// MinVersion is the oldest version of generated code that this package supports. If a generated
// package does not compile because it is older, run "errgen generate" on its taxonomy.
const MinVersion = 6

// EnforceVersion makes the compiler reject a negative constant. Generated code uses it to require
// the versions of this package that it supports.
type EnforceVersion uint
