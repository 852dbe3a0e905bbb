// Package hold has one process at a time work on a named thing, such as a run: a lock that ends
// with its process decides, and a note beside it says to people who has it.
package hold
