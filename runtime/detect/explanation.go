package detect

import "github.com/errgen/errgen/runtime/taxonomy"

// Outcome says how an error came by its classification.
type Outcome uint8

// The outcomes.
const (
	Nothing   Outcome = iota // there was no error
	Cancelled                // a cancelled context is never classified
	Passed                   // it was an error of the taxonomy already
	Matched                  // a rule matched
	Fallback                 // no rule matched
)

// Explanation says what a classification came to and why.
type Explanation struct {
	Outcome Outcome
	// Err is what Classify returns.
	Err error
	// Rule is the rule that won; nil unless the outcome is [Matched].
	Rule *Rule
	// RunnersUp are the other rules that matched, best first.
	RunnersUp []*Rule
	// Evidence is what the rules were asked about, its text cut to what was searched, and then
	// masked; see [TextLimit]. It holds what sensitive fields are filled from, too, which String
	// and the JSON do not show.
	Evidence taxonomy.Evidence
	// Missing are the required fields, by wire name, that the evidence did not fill; they have zero
	// values.
	Missing []string

	sensitive []string
}
