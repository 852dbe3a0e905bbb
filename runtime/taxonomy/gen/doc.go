// Package gen supports generated code. Do not call it: it promises nothing to other callers, and
// [github.com/errgen/errgen/runtime/taxonomy] has what programs need.
//
// The builders ([MessageBuilder], [ObjectBuilder]) are values: each method returns the next
// builder, so that calls can be chained and a caller's buffer never escapes to the heap.
//
// Nothing in the package keeps state; everything is safe for concurrent use.
package gen

// Version is the version of what this package offers to generated code. It rises when something is
// added.
const Version = 5

// MinVersion is the oldest version of generated code that this package still serves. If a generated
// package does not compile because it is older, run "errgen generate" on its taxonomy.
const MinVersion = 5

// EnforceVersion refuses, when it is compiled, a constant below zero. Generated code states with it
// which versions of this package it can work with.
type EnforceVersion uint
