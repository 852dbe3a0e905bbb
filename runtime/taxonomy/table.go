package taxonomy

import (
	"iter"
	"slices"
	"sync/atomic"
	"time"
)

// Recoverability says what can be done about an error.
type Recoverability uint8

// The recoverabilities. The zero value is permanent.
const (
	Permanent   Recoverability = iota // nothing can be done by trying
	Retryable                         // the same call may succeed unchanged
	Recoverable                       // a strategy may help
	Unknowable                        // needs analysis; "unknown" in the taxonomy
)

// Severity is how bad an error is. The zero Severity is none stated.
type Severity uint8

// The severities.
const (
	SeverityNone     Severity = iota
	SeverityLow               // work can continue
	SeverityMedium            // degraded
	SeverityHigh              // a critical function is affected
	SeverityCritical          // work cannot continue
)

// Kind tells a cause from an observation. The zero Kind is none stated.
type Kind uint8

// The kinds.
const (
	KindNone Kind = iota
	Fault         // a cause
	Failure       // an observation
)

// Traits are what a row says.
type Traits struct {
	// Reaction is never nil.
	Reaction *Reaction
	// HTTP is the status to answer with; 0 when none is stated.
	HTTP uint16
	// GRPC is the canonical status code of google.rpc.Code; 0 when none is stated.
	GRPC           uint8
	Retryable      bool
	Recoverability Recoverability
	Severity       Severity
	Kind           Kind
}

// Code describes a code of a taxonomy.
type Code struct {
	Value      string // on the wire
	Key        string // in the taxonomy's file; empty when it is Value
	Number     int    // published, never reused; 0 without a number, unless NumberZero
	NumberZero bool   // the number is 0
	Groups     uint64 // bit i is [Taxonomy.Groups][i]
	Since      string
	Message    string // the template
	Doc        string
	Resolution string // what a person can do about it
	Deprecated string // why, when it is
	ReplacedBy string // the value of the code that takes its place
	Public     bool   // whether clients see the code; see [Public]
	Aliases    []string
	Names      []string // further published names, which decode to the code
	// Set are the fields that the code sets, as JSON; "" sets none.
	Set string
	// Takes are the optional fields that its factory takes, by wire name.
	Takes []string
	// Abstract codes have no errors: they are the parents of other codes.
	Abstract bool
	// Parent is the place of the code above this one in the category, or 0.
	Parent uint16
	// Constants are the values of [Taxonomy.Constants], nil for absent ones: string, int, float64 or
	// bool.
	Constants []any
	// Prevent is what is done where the code is likely to come next; nil is nothing.
	Prevent *Prevention
	// Own is the type of the code's errors if the code has fields. Nil is the type of the category.
	Own *OwnType
	// Traits are those of the code without any `when` branch, When those of its branches.
	Traits
	When []Traits
	// Profiles are the traits that differ in a profile.
	Profiles []ProfileTraits
}

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

// Prevention is what is done before a call that is likely to fail with a code. What is zero is not
// done.
type Prevention struct {
	// Check is the check that must pass before the call.
	Check string
	// Throttle is the least time between the beginnings of two calls.
	Throttle time.Duration
	// Concurrency is how many calls of the provider may run at once.
	Concurrency int
	// Likely is how probable the failure must be, at the lower end of the forecast's interval.
	Likely float64
}

// Category describes a category of a taxonomy and its codes.
type Category struct {
	Name   string
	Type   string // the Go type of its errors
	Doc    string
	Fields []Field
	// Codes are those of the category, by their place in it; the first is empty, as 0 is no code.
	Codes []Code
	// Init gives a new error of an own type its code and its cause.
	Init func(e Error, code uint16, cause error) `json:"-"`
	// New returns an error of the category that has nothing but a code, 0 for none, and a cause.
	New func(code uint16, cause error) Error `json:"-"`
	// List returns pointers to the fields of an error of the category, in the order of
	// [Taxonomy.Fields].
	List func(e Error) []any `json:"-"`
}

// Field describes a value of an error's context.
type Field struct {
	Name        string // on the wire
	Type        string // as the taxonomy says it: "string", "enum", …
	Doc         string
	Enum        []string
	Fields      []Field  // of an object
	From        []string // the keys of evidence that fill it, in order: "status", "attributes.mode"
	Default     string   // what it is when evidence does not fill it, as JSON
	MaxLength   int      // in bytes; 0 is no limit
	Required    bool
	Sensitive   bool
	Scrub       bool
	KeepTail    bool
	MessageOnly bool
	Public      bool // whether clients see it, in errors of public codes
}

// Named is a name of the taxonomy and what it means.
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

// Tier is a rung of the escalation ladder.
type Tier struct {
	Name       string
	Doc        string
	Classifies bool
	Person     bool
	// Purpose is what the tier is asked for where the reaction that leads to it says nothing.
	Purpose Purpose
}

// Taxonomy is all that a taxonomy declares. Generated packages hold one as static data; it must not
// be changed.
type Taxonomy struct {
	Package  string
	Domain   string // who owns the codes
	Doc      string
	HelpURL  string // with {code} in it, where the code goes
	Fallback string // the fallback's code; empty when there is none
	// Stack says which errors record the stack when they are classified.
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
	// AppendPublic appends the public part of an error as a JSON object; nil if no code is public.
	AppendPublic func(dst []byte, e PublicError, row Row, t *Traits) []byte `json:"-"`

	// rows is a map[string]Row of the codes by value and alias, made when the first is looked up.
	rows atomic.Value
	// profiles is a map[string]*Profile of the profiles with the rows of all codes.
	profiles atomic.Value
}

// RowOverride is what a profile says of a row in place of the table.
type RowOverride struct {
	Row    Row
	Traits Traits
}

// Profile is an overlay of a taxonomy.
type Profile struct {
	Name string
	Doc  string
	// Rows are sorted by row; a row that is not there is as in the table. Those of a taxonomy's
	// profile are of rows without a code; [Table.Profile] adds those that the codes have. They contain
	// reactions that the profile switches off: [Table.Row] passes over those.
	Rows []RowOverride
	// Uncategorized is nil when it is as in the table.
	Uncategorized *Reaction
	Detection     Detection
	Recovery      Recovery
	Retry         RetryDefaults
	Reporting     Reporting
}

// Detection says which parts of classification a profile uses.
type Detection struct {
	Text           bool // rules on texts
	Severity       bool // without it no row has a severity
	Recoverability bool // without it every row's is unknown
}

// Recovery says which strategies a profile runs, and how often.
type Recovery struct {
	Enabled     bool
	MaxAttempts int      // 0 when the profile does not say, less than 0 for none
	Allowed     []string // nil allows all
}

// Runs reports whether the profile runs strategies at all, whichever it allows.
func (r Recovery) Runs() bool { return r.Enabled && r.MaxAttempts >= 0 }

// Permits reports whether the profile runs the strategy.
func (r Recovery) Permits(strategy string) bool {
	return r.Runs() && (r.Allowed == nil || slices.Contains(r.Allowed, strategy))
}

// Next returns the reaction that follows r, or nil. Reactions that the profile has switched off are
// passed over: retries if they are off, and strategies that it does not permit. A nil profile has
// everything on. Use Next or [Profile.Chain] to walk a chain,
// because [Reaction.Then] contains the switched-off reactions too.
func (p *Profile) Next(r *Reaction) *Reaction {
	if r.Then == nil {
		return nil
	}
	return p.head(r.Then, true)
}

// Chain returns r and the reactions that follow it under the profile, each with its place in the
// chain, at most [MaxChain]. R must be permitted, as those of [Table.Reaction] are. The profile may
// be nil.
func (p *Profile) Chain(r *Reaction) iter.Seq2[int, *Reaction] {
	return func(yield func(int, *Reaction) bool) {
		for depth := 0; depth < MaxChain && r != nil && yield(depth, r); depth++ {
			r = p.Next(r)
		}
	}
}

// head returns the first reaction from r on that the profile permits; without retryable, the first
// one that does not call again either. A chain that ends before, or has more than [MaxChain]
// reactions, blocks.
func (p *Profile) head(r *Reaction, retryable bool) *Reaction {
	if p == nil || p.Retry.Enabled && retryable && r.Action != Recover {
		return r
	}
	return p.permitted(r, retryable)
}

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
	return &blocking
}

var blocking = Reaction{Name: "block", Action: Block}

// skips reports whether the profile has switched r off.
func (p *Profile) skips(r *Reaction) bool {
	if r.Action == Recover {
		return !p.Recovery.Permits(r.Strategy)
	}
	return r.Retries() && !p.Retry.Enabled
}

// RetryDefaults says whether a profile retries, and by which numbers where a reaction names no
// policy.
type RetryDefaults struct {
	Enabled bool
	Policy  *Policy // nil when the profile gives no numbers
}

// Reporting says how much a profile tells of an error.
type Reporting struct {
	LogLevel LogLevel // LogNone when the profile does not say
	Stack    bool
	Context  bool
}

// Table answers for the rows of one taxonomy, as they are or as a profile has them. It is a small
// value; copy it freely.
type Table struct {
	Taxonomy *Taxonomy
	// Overlay is nil for the table as it is.
	Overlay *Profile
	// Classifier classifies the errors of others; nil classifies none. Generated packages set it if
	// their taxonomy has detect rules or a fallback.
	Classifier Classifier
}

// Classifier finds the error of a taxonomy that an error of another kind is. A runtime/detect
// Detection is one.
type Classifier interface {
	ClassifyFor(t Table, err error) error
}
