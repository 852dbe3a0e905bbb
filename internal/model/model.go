// Package model is a taxonomy resolved: every identifier named once, every default applied, every
// reaction and profile followed to its end. Emitters read it and decide nothing.
package model

import (
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Package is the Go package that a taxonomy becomes.
type Package struct {
	Name     string // Go package name
	File     string // base name of the taxonomy's file, for the header
	Domain   string
	Doc      string
	HelpURL  string
	Fallback *Code // nil when there is none
	// FallbackSet is what the fallback adds to what its code sets.
	FallbackSet []FieldValue

	Fields     []*Field     // of every category; they also lead each category's own
	Categories []*Category  // order of the file
	Codes      []*Code      // all of them, order of the file
	Rows       []*Row       // by index: none, permanent, the codes, their branches
	Rules      []*Rule      // of all codes, order of the file
	Signatures []*Signature // that rules name, order of first use
	Leads      []string     // of the patterns of signatures; see [detect.Rules]
	Enums      []*Enum      // order of first use
	Objects    []*Object    // order of first use

	Sources    []Named
	Ops        []Named
	Groups     []*Group
	Strategies []*Strategy
	Checks     []*Check
	Tiers      []*Tier
	Policies   []*Policy   // declared ones, then those in place and those that profiles make
	Reactions  []*Reaction // likewise; a reaction comes after the one it names as Then
	Profiles   []*Profile

	// Uncategorized is the reaction to an error that is not of the taxonomy; never nil.
	Uncategorized *Reaction
}

// Named is a name and its sentence.
type Named struct{ Name, Doc string }

// Group is a label on codes.
type Group struct {
	Name, Doc string
	Bit       int
	Predicate string // InNetwork
}

// Strategy is a method of the generated interface.
type Strategy struct {
	Name, Doc string
	Method    string // ReduceContext
	Const     string // StrategyReduceContext
}

// Check is a method of the generated interface of checks.
type Check struct {
	Name, Doc string
	Method    string // DiskSpace
	Const     string // CheckDiskSpace
}

// Tier is a rung of the ladder.
type Tier struct {
	Name, Doc          string
	Const              string // TierHaiku
	Classifies, Person bool
	Purpose            taxonomy.Purpose
}

// Category is a struct type and the codes that it carries.
type Category struct {
	Index     int
	Name      string // provider
	Type      string // ProviderError
	CodeType  string // ProviderCode
	Const     string // CategoryProvider
	Var       string // categoryProvider: the constant that holds the index
	Table     string // providerCategory: the variable of the table
	RulesVar  string // providerRules: the variable of the rules
	Predicate string // IsProvider
	File      string // provider_error: files are File_gen.go, File_gen_test.go
	Doc       string
	Fields    []*Field // those of every category first
	Codes     []*Code
}

// Type is the type of a field.
type Type uint8

// The types.
const (
	String Type = iota
	Int
	Int64
	Uint64
	Float64
	Bool
	Duration
	Time
	Strings
	JSON
	ObjectType
	EnumType
)

// Field is a value of an error's context, or of an object in it.
type Field struct {
	Wire        string // on the wire
	Go          string // StatusCode
	Param       string // statusCode: as a parameter; never a keyword or a name that the package uses
	Const       string // providerRawError: the constant that says how its text is shown; "" unless Scrub or MaxLength
	Doc         string
	Type        Type
	Required    bool
	Sensitive   bool
	Scrub       bool
	MessageOnly bool
	KeepTail    bool
	MaxLength   int // bytes; 0 is no limit
	Enum        *Enum
	Object      *Object
	From        []string
	Role        Role
	Default     *Value
}

// Optional reports whether the Go field is a taxonomy.Opt: lists and JSON are absent when nil, and
// a secret knows by itself.
func (f *Field) Optional() bool {
	return !f.Required && !f.Sensitive && f.Type != Strings && f.Type != JSON
}

// Role is what the runtime reads a field for.
type Role uint8

// The roles.
const (
	NoRole Role = iota
	RoleRetryAfter
	RoleResetAt
	RoleFiles
	RoleCredential
	RoleOutput
)

// Enum is a closed set of words.
type Enum struct {
	Type   string // WorkDecision
	Var    string // workDecisionWords: the variable that holds the words
	Doc    string
	Values []EnumValue
	// places are the words' places from 1, once [Enum.Add] was used.
	places map[string]int
}

// EnumValue is one word of an enum. Its Go value is its index plus one; zero is no value.
type EnumValue struct {
	Wire  string // ASK_USER
	Const string // WorkDecisionAskUser
}

// Object is a struct type for a field of type object.
type Object struct {
	Type   string // Run
	Doc    string
	Fields []*Field
}

// Value is a literal, typed as its field is.
type Value struct {
	Type     Type
	Str      string // String; JSON text; the word of an enum
	Int      int64  // Int, Int64
	Uint     uint64
	Float    float64
	Bool     bool
	Duration time.Duration
	Time     time.Time
	Strings  []string
	Index    int // of an enum's value, 1-based
	Object   Context
}

// Code is a code constant and its factory.
type Code struct {
	Index    int // in Package.Codes
	Ordinal  int // in its category, from 1: the Go value
	Category *Category

	Key     string // as the taxonomy writes it
	Value   string // on the wire
	Go      string // ProviderAPIError
	Const   string // CodeProviderAPIError
	Factory string // NewProviderAPIError

	Number     int
	Doc        string
	Resolution string
	Since      string
	Deprecated string
	ReplacedBy *Code
	Aliases    []string
	Groups     []*Group

	Message     Template
	MessageText string    // the template as written
	Feedback    *Template // nil: message and resolution
	Args        []*Field  // the factory's parameters
	Set         []FieldValue

	Row  *Row
	When []*Branch
	// Prevent is what is done where the code is likely; nil is nothing.
	Prevent *taxonomy.Prevention

	Rules    []*Rule
	Examples []*Example // the examples, then the counter-examples
}

// FieldValue is what a code fixes.
type FieldValue struct {
	Field *Field
	Value Value
}

// Branch is one `when` branch of a code.
type Branch struct {
	Conds []Cond
	Row   *Row // the code's own row when the branch changes nothing
}

// Cond is a test of one field. All of its parts hold together.
type Cond struct {
	Field   *Field
	Values  []Value // any of them
	Min     *Value
	Max     *Value
	Not     []Value // present, and none of them
	Prefix  []string
	Present *bool
}

// Row is a line of the table.
type Row struct {
	Index  int
	Const  string // rowProviderCrashWhen1; "" for rows that need none
	Code   *Code  // nil for the first two
	Branch int    // 1-based `when` branch; 0 for the code's own row
	Traits
}

// Traits are what a row says.
type Traits struct {
	Retryable      bool
	Recoverability taxonomy.Recoverability
	Severity       taxonomy.Severity
	Kind           taxonomy.Kind
	Reaction       *Reaction
	HTTP           int
	GRPC           int
}

// Reaction is a reaction, followed to its end.
type Reaction struct {
	Var              string // reactionWait; strictReactionWait in a profile
	Name             string
	Doc              string
	Action           taxonomy.Action
	Policy           *Policy
	Then             *Reaction
	Strategy         string
	To               string
	LogLevel         taxonomy.LogLevel
	LogMessage       string
	Extent           taxonomy.Extent
	Revert           taxonomy.Revert
	Session          taxonomy.Session
	Purpose          taxonomy.Purpose
	Resume           taxonomy.Resume
	Shared           taxonomy.Shared
	CountFailure     bool
	HonorRetryAfter  bool
	AcceptCompletion bool
	FeedBack         bool
	Declared         bool // by name under `reactions`, or predeclared
	// Profile is the profile that this is an instance for; "" for the table's own.
	Profile string
	// Cut reports that the taxonomy's `then` led back to this reaction; here the cycle is ended.
	Cut bool
}

// Policy is a policy with its defaults applied.
type Policy struct {
	Var      string // policyProvider
	Doc      string
	Declared bool
	Profile  string // the profile that this is an instance for; "" for the table's own
	taxonomy.Policy
}

// Profile is an overlay, resolved to what differs from the table.
type Profile struct {
	Name, Doc     string
	Const         string // ProfileStrict
	Var           string // profileStrict, where a variable is needed
	Rows          []RowOverride
	Uncategorized *Reaction // nil when it is the table's
	Detection     taxonomy.Detection
	Recovery      taxonomy.Recovery
	RetryEnabled  bool
	RetryPolicy   *Policy // nil when the profile gives no numbers
	Reporting     taxonomy.Reporting
	// Skipped are the overlays that were left out because they would have retried what is not
	// retryable.
	Skipped []Skip
}

// Skip is an overlay that a profile leaves out for one row.
type Skip struct {
	Section string // codes | reactions
	Key     string // in that section
	Row     *Row
}

// RowOverride is a row that a profile changes.
type RowOverride struct {
	Row    *Row
	Traits Traits // all of them, also those that are as in the table
}
