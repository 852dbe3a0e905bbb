// Package spec reads the taxonomy language: bytes in, a tree of declarations with positions out. It
// knows the form of the language (keys, types of values) and nothing of its meaning.
package spec

import "github.com/errgen/errgen/internal/diag"

// Taxonomy is a whole file as written. Slices keep the order of the file. Nothing in it is
// resolved: names may be undeclared, values of the wrong type for their field.
type Taxonomy struct {
	Source *diag.Source

	Version Int
	Package Text
	Domain  Text
	Doc     Text
	HelpURL Text

	Sources    []Named
	Ops        []Named
	Groups     []Named
	Strategies []Named
	Checks     []Named
	Tiers      []Tier
	Policies   []Policy
	Reactions  []Reaction

	Fallback      *Fallback
	Uncategorized *ReactionRef
	Fields        []Field
	Categories    []Category
	Reserved      Reserved
	Profiles      []Profile

	Ignores []Ignore // the errgen:ignore comments

	lines *lines // for Locate
}

// Named is a name with a sentence about it: a source, an operation, a group, a strategy, a check.
type Named struct {
	Name Text
	Doc  Text
}

// Tier is a rung of the escalation ladder.
type Tier struct {
	Name       Text
	Doc        Text
	Classifies Bool // true unless said
	Person     Bool
	Purpose    Text // diagnosis | analysis | verification
}

// Policy says how often and how long to try. In place (under a reaction) it has no name.
type Policy struct {
	Name          Text
	Doc           Text
	MaxAttempts   Int
	InitialDelay  Duration
	MaxDelay      Duration
	Multiplier    Float
	Backoff       Text // constant | linear | exponential
	Jitter        Jitter
	MaxElapsed    Duration
	MaxRetryAfter Duration
	Adapt         *Adapt
	Budget        *Budget
	Span          diag.Span
}

// Adapt says how far what has come of tries may move a policy's numbers.
type Adapt struct {
	Attempts *Attempts
	Delay    *Delays
	Target   Float
	Window   Int
	Broken   bool // some of it could not be read, and was reported
	Span     diag.Span
}

// Attempts are bounds of max_attempts.
type Attempts struct {
	Min, Max Int
	Broken   bool // some of it could not be read, and was reported
	Span     diag.Span
}

// Delays are bounds of initial_delay.
type Delays struct {
	Min, Max Duration
	Broken   bool // some of it could not be read, and was reported
	Span     diag.Span
}

// Budget bounds what all who call one provider try together.
type Budget struct {
	Retries Float
	Reserve Int
	Window  Duration
	Breaker *Breaker
	Broken  bool // some of it could not be read, and was reported
	Span    diag.Span
}

// Breaker says when a circuit breaker opens, and how it closes again.
type Breaker struct {
	Failures  Int
	Of        Int
	Probe     Duration
	Successes Int
	Broken    bool // some of it could not be read, and was reported
	Span      diag.Span
}

// Jitter is a fraction, or one of the words none, full, decorrelated.
type Jitter struct {
	Fraction Float
	Kind     Text
}

// PolicyRef names a policy, or holds one that stands in place.
type PolicyRef struct {
	Name   Text
	Inline *Policy
	Span   diag.Span
}

// Reaction says what the executor does. In place (under a code) it has no name.
type Reaction struct {
	Name             Text
	Doc              Text
	Action           Text
	Policy           *PolicyRef
	CountFailure     Bool
	HonorRetryAfter  Bool
	Shared           Text // run | credential
	Then             *ReactionRef
	Log              *Log
	Revert           Text // files | iteration
	AcceptCompletion Bool
	FeedBack         Bool
	Extent           Text // task | run
	Strategy         Text
	Session          Text // keep | fresh | reduced
	Resume           Text // iteration | operation
	To               Text
	Purpose          Text // diagnosis | analysis | verification
	Span             diag.Span
}

// ReactionRef names a reaction, or holds one that stands in place, or (in overlays) chooses by the
// flag.
type ReactionRef struct {
	Name   Text
	Inline *Reaction
	ByFlag *ByFlag
	Span   diag.Span
}

// ByFlag chooses a reaction by whether the code is retryable. Only overlays may.
type ByFlag struct {
	Retryable Text
	Permanent Text
}

// Log is what is said when a reaction is taken.
type Log struct {
	Level   Text // debug | info | warn | error
	Message Text
	Span    diag.Span
}

// Fallback is the code for evidence that no rule matched, and for unknown codes off the wire.
type Fallback struct {
	Code Text
	Set  []Assignment
	Span diag.Span
}

// Assignment gives a field a value.
type Assignment struct {
	Field Text
	Value Literal
}

// Condition tests a field.
type Condition struct {
	Field Text
	Match Matcher
}

// Field is one value of an error's context.
type Field struct {
	Name        Text // the wire name
	GoName      Text // `name:`
	Doc         Text
	Type        Text
	Enum        []Text // `enum:` takes the place of `type:`
	EnumSpan    diag.Span
	Required    Bool
	From        []Text
	Default     *Literal
	Sensitive   Bool
	Scrub       Bool
	MaxLength   Int
	Keep        Text // head | tail
	MessageOnly Bool
	Fields      []Field // of an object
	Span        diag.Span
}

// Traits are what a category gives its codes as defaults, a code states, and a `when` branch or an
// overlay changes.
type Traits struct {
	Kind           Text // fault | failure
	Severity       Text // low | medium | high | critical
	Retryable      Bool
	Recoverability Text // retryable | recoverable | permanent | unknown
	Reaction       *ReactionRef
	HTTP           Int
	GRPC           Text
}

// Category is a struct of the generated package, with the codes that it can carry.
type Category struct {
	Name   Text
	Type   Text // Go type of its errors
	Doc    Text
	Traits Traits
	Fields []Field
	Codes  []Code
}

// Code is one entry of the taxonomy.
type Code struct {
	Name        Text // the key
	GoName      Text // `name:`
	Value       Text // on the wire
	Aliases     []Text
	Number      Int
	Doc         Text
	Resolution  Text
	Message     Text
	Feedback    Text
	Since       Text
	Deprecated  Text
	ReplacedBy  Text
	Groups      []Text
	Args        []Text
	ArgsSet     bool // `args: []` is not the same as no args
	Set         []Assignment
	Traits      Traits
	Prevent     *Prevention
	When        []When
	Detect      []Rule
	Examples    []Example
	NotExamples []Example
	Span        diag.Span
}

// Prevention is what is done before a call where a code is likely.
type Prevention struct {
	Check       Text
	Throttle    Duration
	Concurrency Int
	Likely      Float
	Broken      bool // some of it could not be read, and was reported
	Span        diag.Span
}

// When changes traits where its conditions hold; the first of a code that holds wins.
type When struct {
	If     []Condition
	Traits Traits
	Span   diag.Span
}

// RuleCondition is one condition of a detection rule, as written. Keys are the language's: source
// op status type code exit_code signal errno is as text contains attributes.
type RuleCondition struct {
	Key       Text // "status", or "attributes"
	Attribute Text // the name under attributes
	Match     Matcher
}

// Rule is one detection rule.
type Rule struct {
	Conditions []RuleCondition
	Text       []Text // regexps
	Contains   []Text
	Priority   Int
	Set        []Assignment
	Span       diag.Span
}

// Example is a whole piece of evidence, and what it must become.
type Example struct {
	Entries []LiteralEntry // source, status, text, files, retry_after, … as written
	Want    *Want
	Span    diag.Span
}

// Want is what an example expects beyond its code.
type Want struct {
	Retryable      Bool
	Recoverability Text
	Severity       Text
	Reaction       Text
	Context        []Assignment
	Span           diag.Span
}

// Reserved names and numbers are never used again.
type Reserved struct {
	Numbers []Int
	Codes   []Text
}

// Profile is an overlay of the sections of the same name.
type Profile struct {
	Name      Text
	Doc       Text
	Codes     []Overlay
	Reactions []Reaction // only the fields that are set
	Policies  []Policy   // only the fields that are set
	Detection Detection
	Recovery  Recovery
	Retry     Retry
	Reporting Reporting
	Span      diag.Span
}

// Overlay changes the traits of a code, a category, an @group or of all (*).
type Overlay struct {
	Key    Text
	Traits Traits
	Span   diag.Span
}

// Detection switches parts of classification off.
type Detection struct {
	Text           Bool
	Severity       Bool
	Recoverability Bool
}

// Recovery switches and limits strategies.
type Recovery struct {
	Enabled     Bool
	MaxAttempts Int
	Allowed     []Text
	AllowedSet  bool
}

// Retry switches retries, and gives the numbers for reactions that name no policy.
type Retry struct {
	Enabled Bool
	Policy  Policy
	Set     bool // whether any number of the policy is given
}

// Reporting says how much is told of an error.
type Reporting struct {
	LogLevel Text
	Stack    Bool
	Context  Bool
}
