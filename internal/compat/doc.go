// Package compat has a generated package of each minor version: v0.1 is what errgen v0.1 generates
// from a taxonomy with every key of the language. Each is compiled with the current runtime, and its
// tests run, so a change of the runtime that breaks packages of an earlier version fails there.
//
// Before a version is released, its package follows the generator: "make generate" writes it. When
// the changelog has a date for the version, the package never changes again. The next section of the
// changelog begins the next package.
package compat
