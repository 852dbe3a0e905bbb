// Package model describes a resolved taxonomy. It contains each identifier of the generated
// package, and all defaults, references and profiles are applied. Emitters read it and decide
// nothing.
package model

import (
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Package is a resolved taxonomy and the names of the Go package that is generated for it.
type Package struct {
	Name     string // Go package name
	File     string // base name of the taxonomy's file, for the header
	Domain   string
	Doc      string
	HelpURL  string
	Fallback *Code // nil if the taxonomy has no fallback
	// FallbackSet has the fields that the fallback sets, in addition to those of its code.
	FallbackSet []FieldValue
	// SourceFallbacks are the fallbacks of sources, by source.
	SourceFallbacks map[string]*Code

	Fields     []*Field     // of every category; they are also the first fields of each category
	Categories []*Category  // order of the file
	Codes      []*Code      // all of them, order of the file
	Rows       []*Row       // by index: none, permanent, the codes, their branches
	Rules      []*Rule      // of all codes, order of the file
	Signatures []*Signature // those that rules name, order of first use
	Leads      []string     // of the patterns of signatures; see [detect.Rules]
	Enums      []*Enum      // order of first use
	Objects    []*Object    // order of first use
	Operations []*Operation // order of the file
	Languages  []*Language  // of the files of messages, by tag

	Constants  []*Constant
	Groups     []*Group
	Strategies []*Method
	Checks     []*Method
	Tiers      []*Tier
	Policies   []Variable[taxonomy.Policy]   // declared ones, then those in place and those that profiles make
	Reactions  []Variable[taxonomy.Reaction] // likewise; a reaction comes after the one it names as Then
	Profiles   []*Profile

	Decl *spec.Taxonomy // as the file declares it
	// MadeReactions and MadePolicies are all declarations and changes by profiles, in the order of
	// resolution. The changes of profiles can be without effect.
	MadeReactions []Made[taxonomy.Reaction, spec.Reaction]
	MadePolicies  []Made[taxonomy.Policy, spec.Policy]
	// Loops are the reactions that lead back to themselves in a profile, each at the place of its
	// `then`.
	Loops   []spec.Text
	Skipped []*Skipped // in the order of resolution

	// Taxonomy is the value of the generated package's variable, without functions. It shares codes
	// and reactions with the other fields.
	Taxonomy *taxonomy.Taxonomy
	// Declared are the reactions and policies that have a name under `reactions` or `policies`, or
	// are predeclared, as pointers.
	Declared map[any]bool
}

// Variable is a reaction or a policy, and the variable that holds it in the generated package.
type Variable[T any] struct {
	Value   *T
	Var     string // reactionWait; strictReactionWait under a profile
	Doc     string
	Profile string // the profile that it belongs to; "" for none
}

// Operation is a call that the program offers, and the variable that describes it.
type Operation struct {
	Decl  *spec.Operation // as the taxonomy declares it
	Value *taxonomy.Operation
	Var   string // OperationPlaceOrder
	// Codes are the codes in which it can end, all of them public, in the order of the file. They
	// include the public fallback, which is the last one unless it is declared.
	Codes []*Code
}

// Group is a label on codes.
type Group struct {
	Name, Doc string
	Bit       int
	Predicate string // InNetwork
}

// Constant is a value that codes have, and the function that returns it.
type Constant struct {
	taxonomy.CodeConstant
	ValueType Type
	Function  string // SQLState
}

// Method is a method of the generated interface of strategies or of checks.
type Method struct {
	Name, Doc string
	Method    string // ReduceContext
	Const     string // StrategyReduceContext
}

// Tier is a level of the escalation ladder.
type Tier struct {
	taxonomy.Tier
	Const string // TierHaiku
}

// Category is a struct type and the codes that it carries.
type Category struct {
	Decl     *spec.Category // as the taxonomy declares it
	Index    int
	Name     string // provider
	Type     string // ProviderError
	CodeType string // ProviderCode
	Const    string // CategoryProvider
	Var      string // categoryProvider: the constant that holds the index
	Table    string // providerCategory: the variable of the table
	RulesVar string // providerRules: the variable of the rules
	Examples string // providerExamples: the function that returns the examples of the rules
	// SummaryVar is the constant of the codes in the package's summary: providerSummary.
	SummaryVar string
	Predicate  string // IsProvider
	File       string // provider_error: files are File_gen.go, File_gen_test.go
	Doc        string
	Fields     []*Field // those of every category first
	Codes      []*Code
	// Embedded (storageError) is an alias of Type, which the errors of codes with fields embed. It is
	// "" if no code has fields.
	Embedded string
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
	Objects
	Violations
)

// IsObjects reports whether values of the type are lists of objects.
func (t Type) IsObjects() bool { return t == Objects || t == Violations }

// Field is a value of an error's context, or of an object in it.
type Field struct {
	Decl        *spec.Field // nil for the fields of a violation
	Wire        string      // on the wire
	Go          string      // StatusCode
	Attribute   string      // RequestID: the function for a field of all categories; "" for others
	Param       string      // statusCode: as a parameter; never a keyword or a name that the package uses
	Const       string      // providerRawError: the constant for printing its text; "" unless Scrub or MaxLength
	Doc         string
	Type        Type
	Required    bool
	Sensitive   bool
	Scrub       bool
	MessageOnly bool
	Public      bool
	KeepTail    bool
	MaxLength   int // bytes; 0 is no limit
	Enum        *Enum
	Object      *Object
	From        []string
	Role        Role
	Default     *Value
}

// Optional reports whether the Go field is a taxonomy.Opt. Optional lists and JSON do not need one,
// because nil is absent, and neither do secrets, because a zero taxonomy.Secret is absent.
func (f *Field) Optional() bool {
	return !f.Required && !f.Sensitive && f.Type != Strings && f.Type != JSON && !f.Type.IsObjects()
}

// Role is the use of a field by the runtime.
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
}

// EnumValue is one word of an enum. Its Go value is its index plus one; zero is no value.
type EnumValue struct {
	Wire  string // ASK_USER
	Const string // WorkDecisionAskUser
}

// Object is a struct type for a field of type object, or for the items of a list of objects.
type Object struct {
	Type   string // Run; "" for taxonomy.Violation
	Doc    string
	Fields []*Field
}

// Code is a code constant and its factory. It embeds the code's entry in the table, and its other
// fields have other names.
type Code struct {
	*taxonomy.Code
	Decl     *spec.Code // as the taxonomy declares it
	Index    int        // in Package.Codes
	Ordinal  int        // in its category, from 1: the Go value
	Category *Category
	// OwnType is the type of the code's errors if the code has fields, otherwise nil. It is a copy of
	// the category with this code only, and with the fields of the code after its fields.
	OwnType *Category

	Name    string // in the taxonomy
	Go      string // ProviderAPIError
	Const   string // CodeProviderAPIError
	Factory string // NewProviderAPIError

	Numbered   bool // Number is given; it may be 0
	ReplacedBy *Code
	InGroups   []*Group

	Template  Template  // of Message, parsed
	Feedback  *Template // nil: message and resolution
	Args      []*Field  // the factory's parameters
	Above     *Code     // the code above this one, or nil
	Constants []*Value  // in the order of Package.Constants; nil for an absent one
	Sets      []FieldValue

	Row      *Row
	Branches []*Branch
	Rules    []*Rule
	Examples []*Example // the examples, then the counter-examples
}

// FieldValue is a value that a taxonomy gives a field.
type FieldValue struct {
	Field *Field
	Value Value
}

// Branch is one `when` branch of a code.
type Branch struct {
	Conds []Cond
	Row   *Row // the code's row if the branch changes nothing
}

// Cond is a test of one field. All of its parts hold together.
type Cond struct {
	Field   *Field
	Values  []Value // any of them
	Min     *Value
	Max     *Value
	Not     []Value // none of them; the value must be present
	Prefix  []string
	Present *bool
}

// Row is a line of the table.
type Row struct {
	Index  int
	At     taxonomy.Row // its address
	Code   *Code        // nil for the first two
	Branch int          // 1-based `when` branch as declared; 0 for the code's row
	taxonomy.Traits
}

// Profile is a profile with the rows of all codes.
type Profile struct {
	*taxonomy.Profile
	Const string // ProfileStrict
}

// Made is a reaction or a policy of the model and its declaration, for findings.
type Made[V, D any] struct {
	Value    *V
	Written  *D // the keys that the declaration, or the change of a profile, contains
	Complete *D // these keys, and those that a profile does not change
	At       diag.Span
}

// Skipped is a change of a profile, and the rows that it is not applied to because they are not
// retryable.
type Skipped struct {
	At   diag.Span
	Rows []*Row
}

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
