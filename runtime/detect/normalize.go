package detect

import "github.com/errgen/errgen/runtime/internal/normal"

// Normalize returns what texts about one kind of failure have in common, on one line of at most 100
// characters, for grouping them. What changes from one failure to the next gives way to a stand-in:
// what stands in quotes to X, UUIDs to UUID, hexadecimal numbers of 8 digits and more to HASH,
// paths of files to PATH and other runs of digits to N. Colours and other controls are left out,
// white space becomes a single space.
//
// Only the first 16 KiB are looked at. Normalising what is normalised changes nothing. Secrets are
// not looked for; see [taxonomy.Scrub].
//
// [taxonomy.Scrub]: https://pkg.go.dev/github.com/errgen/errgen/runtime/taxonomy#Scrub
func Normalize(text string) string { return normal.Text(text) }

// Literals returns the parts of a text that [Normalize] keeps, in their order and without white
// space and punctuation at their ends: what a rule can search for. What is masked is in none of
// them, nor is what changes from one failure to the next. Only the first 16 KiB are looked at.
func Literals(text string) []string { return normal.Literals(text) }
