package detect

import (
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Rules are the detect rules of a taxonomy: static data that generated packages hold, and that must
// not be changed. The tables that make matching fast are built when the first evidence is
// classified.
type Rules struct {
	Taxonomy *taxonomy.Taxonomy
	// Rules are sorted by rank: of the rules that evidence meets, the first wins.
	Rules []Rule
	// Patterns are what rules search for in texts; each stands here once.
	Patterns []Pattern
	// Needs are the required fields that only evidence can fill, by code.
	Needs []Need
	// FallbackSet are the fields that are set where no rule matches, by wire name.
	FallbackSet []string
	// Sensitive are the keys of evidence that sensitive fields are filled from, as the taxonomy
	// names them: "credential", "attributes.token". What stands there is neither shown by
	// [Explanation] nor handed to a [Recorder].
	Sensitive []string
	// Make makes the error of a rule, or of no rule with [NoRule], from evidence. It never returns
	// nil.
	Make func(rule int, ev *taxonomy.Evidence) taxonomy.Error
	// Is reports whether err is, or wraps, the error value or type of the standard library that a
	// rule names in `is` or `as`.
	Is func(err error, name string) bool

	tables tables
}

// NoRule is the index of no rule.
const NoRule = -1

// Rule is one detect rule. All of its conditions must hold, one of its Text patterns must be found
// if there are any, and one of its Contains patterns if there are any.
type Rule struct {
	// Name is the code, a slash and the rule's place among its code's rules:
	// "PROVIDER_RATE_LIMIT/2".
	Name string
	// Doc is the rule as the taxonomy has it, on one line.
	Doc        string
	Conditions []Condition
	Text       []uint16 // indexes into [Rules.Patterns]
	Contains   []uint16 // likewise
	// Set are the fields that the rule sets, by wire name.
	Set  []string
	Code uint16 // index into [taxonomy.Taxonomy.Codes]
	// Derived is the rule's rank among all rules when the evidence's status was read out of its
	// text, from 0; the rule's index in [Rules.Rules] is its rank otherwise.
	Derived uint16
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
	Is // a variable of the standard library, for errors.Is
	As // an error type of the standard library, for errors.As
	Attribute
)

// Condition tests one part of evidence. Of what is given here everything must hold. What is absent
// meets nothing but [Absent].
type Condition struct {
	Key Key
	// Name is the attribute's, for [Attribute].
	Name string
	// Presence is what is asked of the part as such.
	Presence Presence
	// Any, Not and Prefix are for texts: one of them, none of them, begins with one of them.
	Any, Not, Prefix []string
	// AnyNumber and NotNumber are for [Status] and [ExitCode].
	AnyNumber, NotNumber []int
	// Min and Max are inclusive and count where Bounds says so. An attribute is read as a decimal
	// number for them; one that is none does not meet them.
	Min, Max float64
	Bounds   Bounds
}

// Presence is what a condition asks of a part as such.
type Presence uint8

// The presences.
const (
	AnyPresence Presence = iota // not asked; the other tests need a value
	Present                     // there must be a value
	Absent                      // there must be none
)

// Bounds says which of a condition's bounds count.
type Bounds uint8

// The bounds; both may be given.
const (
	HasMin Bounds = 1 << iota
	HasMax
)

// Pattern is a text that rules search for.
type Pattern struct {
	// Expr is a regular expression (RE2).
	Expr string
	// Plain is searched as it stands, in any case; it is in place of Expr.
	Plain string
	// Literals are such that every match of the pattern holds one of them. Without any, the pattern
	// is tried on every text.
	Literals []Literal
	// Reach is how many bytes the longest match can have; 0 is no bound.
	Reach int
}

// Literal is a part of a pattern that is certain.
type Literal struct {
	Text string
	Fold bool // ASCII letters match in either case; Text has them in lower case
}

// Need is a required field of a code's errors that evidence must fill.
type Need struct {
	Code  uint16 // index into [taxonomy.Taxonomy.Codes]
	Field string // wire name
	// From are the keys of evidence that fill it, in order: "status", "attributes.mode".
	From []string
	// Type is the field's, as the taxonomy says it: "int". What cannot be read as one does not fill
	// it; see [Read].
	Type string
	// Words are an enum's.
	Words []string
}
