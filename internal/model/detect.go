package model

import (
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Rule is one detect rule.
type Rule struct {
	Name       string // PROVIDER_RATE_LIMIT/2: the code's key, and the place among its rules
	Place      int    // among the code's rules, from 1
	Code       *Code
	Doc        string // the rule on one line, as the taxonomy declares it
	Conditions []detect.Condition
	Text       []string // regular expressions
	Contains   []string // plain, in any case
	Like       []*Signature
	Priority   int
	Set        []FieldValue
}

// Signature is a signature that rules name.
type Signature struct {
	*detect.Signature
	Var string // the variable of the generated package: signatureRateLimit
}

// Example is the evidence of one failure, with the code that it must, or must not, become.
type Example struct {
	Place    int // among the code's examples (or counter-examples), from 1
	Code     *Code
	Not      bool              // a counter-example
	Doc      string            // the example on one line, as the taxonomy declares it
	Evidence taxonomy.Evidence // without Err
	// Is and As name the errors that the evidence's error wraps; "" means no error.
	Is, As string
	Want   *Want
}

// Want contains the traits that an example expects in addition to its code. A nil value is not
// checked.
type Want struct {
	Retryable      *bool
	Recoverability *taxonomy.Recoverability
	Severity       *taxonomy.Severity
	Reaction       string // "" is not checked
	Context        []FieldValue
}
