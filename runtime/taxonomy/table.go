package taxonomy

import (
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Recoverability is the kind of measure that can help.
type Recoverability uint8

// The recoverabilities. The zero value is permanent.
const (
	Permanent             Recoverability = iota // no retry helps
	Retryable                                   // the same call may succeed unchanged
	Recoverable                                 // a strategy may help
	RecoverabilityUnknown                       // needs an investigation; "unknown" in the taxonomy
)

// Fault is who has to act when an error occurs. The zero Fault is that of the server.
type Fault uint8

// The faults.
const (
	FaultServer     Fault = iota // this program
	FaultClient                  // the program that calls this one
	FaultDependency              // a program that this one calls
)

// Severity is the severity of an error. The zero Severity is unset.
type Severity uint8

// The severities.
const (
	SeverityNone     Severity = iota
	SeverityLow               // work can continue
	SeverityMedium            // degraded
	SeverityHigh              // a critical function is affected
	SeverityCritical          // work cannot continue
)

// Traits are the properties of a row.
type Traits struct {
	// Reaction is nil only in the traits of a nil error.
	Reaction *Reaction
	// HTTP is the status of a response with the error; 0 is unset.
	HTTP uint16
	// GRPC is the number of the canonical code of google.rpc.Code; 0 is unset.
	GRPC           uint8
	Retryable      bool
	Recoverability Recoverability
	Severity       Severity
	// Effect is what the failure means for the caller of the operation that returns it.
	Effect Effect
	// Exit is the exit status of a program that ends with the error; 0 is unset.
	Exit uint8
}

// Code describes a code of a taxonomy.
type Code struct {
	Value      string // on the wire
	Key        string // in the taxonomy's file; empty if it equals Value
	Number     int    // published, never reused; 0 without a number, unless NumberZero
	Parent     uint16 // the place of the code above this one in the category, or 0
	NumberZero bool   // the number is 0
	Public     bool   // whether clients see the code; see [Public]
	Fault      Fault  // who has to act when the error occurs
	Abstract   bool   // whether it has no errors, because it is the parent of other codes
	Groups     uint64 // bit i is [Taxonomy.Groups][i]
	Since      string
	Message    string // the template
	Doc        string
	Resolution string // the advice for a person
	// Set are the fields that the code sets, as JSON; "" sets none.
	Set string
	// Takes are the optional fields that its factory takes, by wire name.
	Takes []string
	// Extra has what few codes have, or is nil. Read it by [Code.Extras].
	Extra *Extras
	// Own is the type of the code's errors if the code has fields. Nil is the type of the category.
	Own *OwnType
	// Traits are those without a `when` branch. When has those of the branches.
	Traits
	When []Traits
	// Profiles are the traits that differ in a profile.
	Profiles []ProfileTraits
}

// Extras are the properties that few codes have.
type Extras struct {
	Deprecated string // the reason; "" if the code is not deprecated
	ReplacedBy string // the value of the code to use instead
	Aliases    []string
	Names      []string // further published names, which decode to the code
	// Constants are the values of [Taxonomy.Constants], nil for absent ones: string, int, float64
	// or bool.
	Constants []any
	// Prevent is the measure before a call that is likely to fail with the code. It may be nil.
	Prevent *Prevention
}

// Extras returns the properties that few codes have. They must not be changed.
func (c *Code) Extras() *Extras {
	if c.Extra == nil {
		return &noExtras
	}
	return c.Extra
}

var noExtras Extras

// OwnType describes the Go type of the errors of one code.
type OwnType struct {
	Name string
	// Fields follow those of the category.
	Fields []Field
	// Zero is a nil pointer of the type.
	Zero Error `json:"-"`
}

// ProfileTraits are the traits of a code, or of one of its `when` branches, in a profile.
type ProfileTraits struct {
	Profile string
	Branch  uint8 // as in [Row.When]
	Traits  Traits
}

// Prevention is the measure before a call that is likely to fail with a code. Zero fields are off.
type Prevention struct {
	// Check is the check that must pass before the call.
	Check string
	// Throttle is the minimum time between the starts of two calls.
	Throttle time.Duration
	// Concurrency is the maximum number of simultaneous calls of the provider.
	Concurrency int
	// Likely is the minimum probability of the failure: the lower end of the forecast's interval.
	Likely float64
}

// Category describes a category of a taxonomy and its codes.
type Category struct {
	Name   string
	Type   string // the Go type of its errors
	Doc    string
	Fields []Field
	// Codes are the codes by their place in the category, from 1. The first element is empty.
	Codes []Code
	// Zero is a nil pointer of the type.
	Zero Error `json:"-"`
}

// Field describes a value of an error's context.
type Field struct {
	Name        string // on the wire
	Type        string // as in the taxonomy: "string", "enum", …
	Doc         string
	Enum        []string
	Fields      []Field  // of an object
	From        []string // the keys of evidence that fill it, in order: "status", "attributes.mode"
	Default     string   // the value, as JSON, if evidence does not fill it
	MaxLength   int      // in bytes; 0 is no limit
	Required    bool
	Sensitive   bool
	Scrub       bool
	KeepTail    bool
	MessageOnly bool
	Public      bool // whether clients see it, in errors of public codes
}

// Named is a name that the taxonomy declares, with its description.
type Named struct {
	Name string
	Doc  string
	// Fallback is the code of a source's evidence that no rule matches; "" is the taxonomy's.
	Fallback string
}

// CodeConstant is a value that belongs to codes.
type CodeConstant struct {
	Name string
	Type string // "string", "int", "float64" or "bool"
	Doc  string
	Wire bool // the JSON of errors contains it
}

// Tier is a level of the escalation ladder.
type Tier struct {
	Name       string
	Doc        string
	Classifies bool
	Person     bool
	// Purpose is the question for the tier if the reaction that leads to it has none.
	Purpose Purpose
}

// Taxonomy has all declarations of a taxonomy. Generated packages contain one as static data. It
// must not be changed.
type Taxonomy struct {
	Package  string
	Domain   string // the owner of the codes
	Doc      string
	HelpURL  string // with {code} in the place of the code
	Fallback string // the code of the fallback, or ""
	// Stack selects the errors that record the stack when they are classified.
	Stack Stack
	// PublicFallback is the code that clients see in place of an internal one, or "".
	PublicFallback string
	Categories     []*Category
	// None are the traits of [RowUnknown], Permanent those of [RowUnknownPermanent].
	None, Permanent Traits
	// Uncategorized is the reaction to an error that is not of this taxonomy; never nil.
	Uncategorized *Reaction
	Reactions     []*Reaction
	Policies      []*Policy
	Profiles      []Profile
	Constants     []CodeConstant
	Groups        []Named
	Strategies    []Named
	Checks        []Named
	Sources       []Named
	Ops           []Named
	Tiers         []Tier
	// Operations are the calls that the program offers.
	Operations []*Operation
	// Init sets the code, or 0, and the cause of a new error.
	Init func(e Error, code uint16, cause error) `json:"-"`
	// AppendPublic appends the public part of an error as a JSON object; nil if no code is public.
	AppendPublic func(dst []byte, e PublicError, row Row, t *Traits) []byte `json:"-"`

	// rows is a map[string]Row of the codes by value and alias, made when the first is looked up.
	rows atomic.Value
	// operations is a map[string]*Operation by full method and by route, made at the first look-up.
	operations atomic.Value
	// profiles are the profiles with the rows of all codes, by name.
	profiles sync.Map
}

// RowOverride has the traits of a row in a profile.
type RowOverride struct {
	Row    Row
	Traits Traits
}

// Profile is an overlay of a taxonomy.
type Profile struct {
	Name string
	Doc  string
	// Rows are the rows that differ from the table, sorted. A taxonomy's profile has only rows
	// without a code; [Table.Profile] adds the others. They contain reactions that the profile
	// switches off, which [Table.Row] skips.
	Rows []RowOverride
	// Uncategorized is nil if the profile does not change it.
	Uncategorized *Reaction
	// Reactions and Policies are the profile's versions of declared reactions and policies, without
	// those that equal the taxonomy's. They include versions that no row uses.
	Reactions []*Reaction
	Policies  []*Policy
	Detection Detection
	Recovery  Recovery
	Retry     RetryDefaults
	Reporting Reporting
	// others are the versions of declared policies that overrides made beside Policies. Rows that
	// keep the taxonomy's reaction have them.
	others []*Policy
}

// Detection has a profile's switches of classification.
type Detection struct {
	Text           bool // rules on texts
	Severity       bool // otherwise no row has a severity
	Recoverability bool // otherwise all rows have RecoverabilityUnknown
}

// Recovery has a profile's limits for strategies.
type Recovery struct {
	Enabled     bool
	MaxAttempts int      // 0 is unset, a negative number allows none
	Allowed     []string // nil allows all
}

// Runs reports whether strategies are on.
func (r Recovery) Runs() bool { return r.Enabled && r.MaxAttempts >= 0 }

// permits reports whether the profile runs the strategy.
func (r Recovery) permits(strategy string) bool {
	return r.Runs() && (r.Allowed == nil || slices.Contains(r.Allowed, strategy))
}

// Next returns the reaction that follows r, or nil. It skips reactions that the profile has
// switched off: retries if they are off, and strategies that it does not permit. A nil profile has
// everything on. Use Next or [Profile.Chain] to walk a chain, because [Reaction.Then] also leads to
// reactions that are off.
func (p *Profile) Next(r *Reaction) *Reaction {
	if r.Then == nil {
		return nil
	}
	return p.head(r.Then, true)
}

// Chain returns r and its successors in the profile with their places in the chain, at most
// [MaxChain]. The profile must permit r, which holds for reactions of [Table.Reaction]. The profile
// may be nil.
func (p *Profile) Chain(r *Reaction) iter.Seq2[int, *Reaction] {
	return func(yield func(int, *Reaction) bool) {
		for depth := 0; depth < MaxChain && r != nil && yield(depth, r); depth++ {
			r = p.Next(r)
		}
	}
}

// head returns the first reaction from r on that the profile permits. If retryable is false, it
// also skips retries. If the first [MaxChain] reactions contain none, it returns a reaction that
// blocks.
func (p *Profile) head(r *Reaction, retryable bool) *Reaction {
	if p == nil || p.Retry.Enabled && retryable && r.Action != Recover {
		return r
	}
	return p.permitted(r, retryable)
}

// permitted is the part of head that is too large to be inlined.
func (p *Profile) permitted(r *Reaction, retryable bool) *Reaction {
	for range MaxChain {
		if r == nil {
			break
		}
		if !p.skips(r) && (retryable || !r.Retries()) {
			return r
		}
		r = r.Then
	}
	return Predeclared(Block)
}

// skips reports whether the profile has switched r off.
func (p *Profile) skips(r *Reaction) bool {
	if r.Action == Recover {
		return !p.Recovery.permits(r.Strategy)
	}
	return r.Retries() && !p.Retry.Enabled
}

// PolicyOf returns the policy of a reaction, or the profile's policy of reactions without one. It
// returns nil if neither exists. The profile may be nil.
func (p *Profile) PolicyOf(r *Reaction) *Policy {
	if r.Policy == nil && p != nil {
		return p.Retry.Policy
	}
	return r.Policy
}

// RetryDefaults has a profile's switch of retries, and the policy of reactions without one.
type RetryDefaults struct {
	Enabled bool
	Policy  *Policy // nil if the profile sets no numbers
}

// Reporting selects the parts of an error that a profile reports.
type Reporting struct {
	LogLevel LogLevel // LogNone is unset
	Stack    bool
	Context  bool
	// stackUnset keeps the stacks that errors already have in reports. It is set by overrides of a
	// table without a profile, unless they set Stack.
	stackUnset bool
}

// Table is a view of a taxonomy, with or without a profile. It is a small value; copy it freely.
type Table struct {
	Taxonomy *Taxonomy
	// Overlay is the profile, or nil.
	Overlay *Profile
	// Classifier classifies foreign errors. Generated packages set it if their taxonomy has
	// detection rules or a fallback. It may be nil.
	Classifier Classifier
}

// Classifier converts foreign errors to errors of a taxonomy. Package detect implements it.
type Classifier interface {
	ClassifyFor(t Table, err error) error
}
