// Package detect collects the evidence of a failure, and finds the rule of a taxonomy that the
// evidence meets.
//
// [Of] makes a [taxonomy.Evidence] from any Go error, HTTP response, process exit or text.
// Generated packages contain the detection rules of their taxonomy as a [Detection]; use their
// functions Classify and Explain.
//
// Everything is safe for concurrent use unless its documentation states otherwise.
package detect

import "github.com/errgen/errgen/runtime/taxonomy"

// Rules are the detection rules of a taxonomy by rank, which must not be changed. The tables that
// make matching fast are built when the first evidence is classified.
type Rules struct {
	Taxonomy *taxonomy.Taxonomy
	// Rules are sorted by rank: the first rule that the evidence meets wins.
	Rules []Rule
	// Patterns are the texts that rules search for, without duplicates.
	Patterns []Pattern
	// Leads are expressions for the beginning of a line before the match of a pattern.
	Leads []string
	// FallbackSet are the fields that the fallback sets, by wire name.
	FallbackSet []string
	// Sensitive are the keys of evidence that sensitive fields are filled from, as the taxonomy
	// names them: "credential", "attributes.token". The text and the JSON of an [Explanation] omit
	// their values, and a [Recorder] does not receive them.
	Sensitive []string
	// Make makes the error of a rule, or of no rule with [NoRule], from evidence. It never returns
	// nil.
	Make func(rule int, ev *taxonomy.Evidence) taxonomy.Error
	// Is reports whether err is, or wraps, the error variable or type that a rule names in `is` or
	// `as`.
	Is func(err error, name string) bool

	tables tables
}

// NoRule is the index of no rule.
const NoRule = -1

// Rule is one detection rule. All of its conditions must hold. If it has Text patterns, the text
// must contain one of them; likewise for Contains patterns.
type Rule struct {
	// Name is the code and the place of the rule among the rules of the code:
	// "PROVIDER_RATE_LIMIT/2".
	Name string
	// Doc is the rule as it is in the taxonomy, on one line.
	Doc        string
	Priority   int
	Conditions []Condition
	Text       []uint16 // indexes into [Rules.Patterns]
	Contains   []uint16 // likewise
	// Like is the signature that the rule names, or nil. A Rule has one form of the signature: its
	// conditions are among Conditions.
	Like *Signature
	// LikeText and LikeContains are the patterns of that form.
	LikeText, LikeContains []uint16
	// Set are the fields that the rule sets, by wire name.
	Set []string
	Row taxonomy.Row // of the code, without any `when` branch
	// Derived is the rank of the rule, from 0, for evidence whose status was read in its text. For
	// other evidence the rank is the index in [Rules.Rules].
	Derived uint16

	weak  bool                   // a weak form of the signature
	apply func(e taxonomy.Error) // sets the fields of Set, and those that the code sets
}

// Key is a part of evidence that a condition tests.
type Key uint8

// The keys.
const (
	Source Key = iota
	Op
	Status
	Type
	Code
	ExitCode
	Signal
	Errno
	Is // an error variable, for errors.Is
	As // an error type, for errors.As
	Attribute
)

// Condition tests one part of evidence. All tests that are set must hold. If the evidence does not
// have the part, only [Absent] holds.
type Condition struct {
	Key Key
	// Name is the name of the attribute, for [Attribute].
	Name string
	// Presence tests whether the part is present.
	Presence Presence
	// Any, Not and Prefix are for texts: equal to one, equal to none, beginning with one of them.
	// Names of signals and system errors are [Canonical].
	Any, Not, Prefix []string
	// AnyNumber and NotNumber are for [Status] and [ExitCode].
	AnyNumber, NotNumber []int
	// Min and Max are inclusive bounds, enabled by Bounds. An attribute is read as a decimal
	// number, and fails the test if it is not one.
	Min, Max float64
	Bounds   Bounds
}

// Presence is a test whether a part is present.
type Presence uint8

// The presences.
const (
	AnyPresence Presence = iota // no test; the other tests need a value
	Present                     // the part must have a value
	Absent                      // the part must not have a value
)

// Bounds are the enabled bounds of a condition.
type Bounds uint8

// The bounds. Both may be enabled.
const (
	HasMin Bounds = 1 << iota
	HasMax
)

// Pattern is a text that rules search for.
type Pattern struct {
	// Expr is a regular expression (RE2).
	Expr string
	// Plain is a literal text in any case. It replaces Expr.
	Plain string
	// Literals are texts of at least 3 bytes. Every match contains at least one of them. A pattern
	// without literals is run on every text.
	Literals []Literal
	// Lead is the place in [Rules.Leads], from 1, of the expression that the line before a match
	// must match; 0 means no lead. Expr must not begin with an assertion such as ^ or \b. At most
	// 256 bytes before a match are tested, and at most 16 matches in a text or line.
	Lead uint8
}

// Literal is a text in matches of a pattern.
type Literal struct {
	Text string
	Fold bool // ASCII letters match in either case; Text has them in lower case
}
