// Package spec reads a taxonomy: it turns YAML into Go structs whose values keep their positions,
// and reports every fault of form.
//
// The structs of this package are the language. A field with the tag `key` is a key, and its doc
// comment is the key's description in the JSON Schema, the reference and errgen explain. The tags:
//
//	key       the key's name; * is the name under which a mapping declares the struct, = its value,
//	          | one of several forms of a value, and `,inline` adds the keys of a struct
//	required  must be given, unless the key that it names is
//	default   the value, or a description of the value, of an absent key
//	words     a closed set: the name of one in closedSets, or the words themselves
//	range     the limits of a number, both included: 0..1, 1.. or >0s
//	ref       what the text refers to: policy, reaction, code and so on
//	declares  what the names of a mapping declare
//	keys      what the names of a mapping refer to
//	chars     the characters that a name cannot contain, besides spaces
//	of        the form of a matcher's values: text, number or any
//	many      a single value is a list of one
//	actions   the actions of a reaction that take the key
//	variant   the variant of a struct that is used here; ^ is that of the enclosing struct
//	only, not the variants in which a key exists, or does not
//
// A field named _ describes the mapping. Its tag `name` is the mapping's name in messages, and a
// tag with the name of a variant is the name of that variant. `short` is the key whose value can be
// in place of the mapping. `anyof` lists keys, and one of them must be given; * is all keys.
//
// A field XSpan is the place of the value of X, and Span is that of the mapping. To add a key, add
// a field.
package spec

import "github.com/errgen/errgen/internal/diag"

// Taxonomy is the whole file, as written. Slices are in the order of the file. Names may be
// undeclared, and values may not fit the types of their fields.
type Taxonomy struct {
	Source *diag.Source
	// Version of the language.
	Version Int `key:"errgen" required:"" range:"1..1"`
	// Other files whose categories, policies, reactions and so on are part of the taxonomy: paths
	// below its directory, relative to the file that includes them.
	Include []Text `key:"include" many:"" chars:"any"`
	// Name of the Go package, and of the output directory unless `-o` names another.
	Package Text `key:"package" required:""`
	// Owner of the codes, as in `google.rpc.ErrorInfo.domain`. It is on the wire, so that equal
	// codes of two programs stay distinct.
	Domain Text `key:"domain"`
	// Subject of the taxonomy. It becomes the package comment.
	Doc Text `key:"doc"`
	// Address of a page about a code, where `{code}` is the code on the wire. It becomes the `type`
	// of RFC 9457 problem details.
	HelpURL Text `key:"help_url"`
	// Who can see codes and fields that declare nothing else: only this program, or its clients
	// too.
	Audience Text `key:"audience" words:"internal public" default:"internal"`
	// Errors that record the stack when they are classified: none, those that become the fallback
	// because no rule described them, or all.
	Stack Text `key:"stack" words:"stack" default:"fallback"`
	// Code that clients see in place of an internal one.
	Public *PublicFallback `key:"public" default:"a text without a code"`
	// Reporters of failures: tools, services, parts of the program. Each has a description, or a
	// mapping.
	Sources []Source `key:"sources" declares:"source"`
	// Operations that can fail, in addition to those of the runtime. Each has a description.
	Ops []Named `key:"ops" declares:"op"`
	// Labels for codes. Each has a description.
	Groups []Named `key:"groups" declares:"group"`
	// Ways to recover. Each is a method of the generated interface `Strategies`.
	Strategies []Named `key:"strategies" declares:"strategy"`
	// Checks before a call. Each is a method of the generated interface `Checks`.
	Checks []Named `key:"checks" declares:"check"`
	// Tiers of the escalation ladder, lowest first.
	Tiers []Tier `key:"tiers" declares:"tier"`
	// Limits of retries, by name.
	Policies []Policy `key:"policies" declares:"policy"`
	// Reactions to errors, by name. `abort`, `block` and `continue` are predeclared.
	Reactions []Reaction `key:"reactions" declares:"reaction"`
	// Code of evidence that no rule matches.
	Fallback *Fallback `key:"fallback" default:"unknown errors abort"`
	// Reaction to a failure with neither evidence nor type, as older providers report it.
	Uncategorized *ReactionRef `key:"uncategorized" default:"abort"`
	// Fields of every category.
	Fields []Field `key:"fields" declares:"field"`
	// Values that belong to a code, and not to each error. Codes give them under `constants`.
	Constants []Constant `key:"constants" declares:"constant"`
	// Signatures of the taxonomy, besides those of errgen: how kinds of failures show themselves.
	Signatures []Signature `key:"signatures" declares:"signature"`
	// Categories. Each is a struct type of the package.
	Categories []Category `key:"categories" required:"" declares:"category"`
	// Calls that the program offers its clients, with the errors in which they can end. Those of `*`
	// are of all operations.
	Operations []Operation `key:"operations" declares:"operation"`
	// Whether a number belongs to one code of the taxonomy, or to one code of each category.
	Numbers Text `key:"numbers" words:"per_taxonomy per_category" default:"per_taxonomy"`
	// Numbers and codes that no code can use again.
	Reserved Reserved `key:"reserved"`
	// Overlays from which a program can choose one.
	Profiles []Profile `key:"profiles" declares:"profile"`

	Ignores []Ignore // the errgen:ignore comments

	lines *lines // for Locate
}

// Source is a reporter of failures.
type Source struct {
	_    struct{} `short:"doc"`
	Name Text     `key:"*" chars:""`
	// Description of the source.
	Doc Text `key:"doc"`
	// Code of evidence of this source that no rule matches. It is recorded as unmatched.
	Fallback Text `key:"fallback" ref:"code" default:"the fallback of the file"`
}

// Named is a name with a description: an operation, a group, a strategy, a check.
type Named struct {
	Name Text `key:"*" chars:""`
	Doc  Text `key:"="`
}

// Operation is a call that the program offers its clients. Every operation can also end in the
// public fallback.
type Operation struct {
	Name Text `key:"*" chars:""`
	// Description of the operation.
	Doc Text `key:"doc"`
	// Method and path, as a pattern of `net/http`: `GET /orders/{id}`.
	HTTP Text `key:"http" chars:"any"`
	// Full method of gRPC and Connect: `shop.v1.Orders/Get`.
	RPC Text `key:"rpc"`
	// Errors in which the operation can end: codes with those below them, and the public codes of
	// categories and `@groups`.
	Errors []Text `key:"errors" ref:"overlay" many:"" default:"those of all operations"`
	// Whether a repeated call has the effect of one. Clients repeat a call after an unknown outcome
	// unless this is `false`.
	Idempotent Bool `key:"idempotent" default:"true for safe HTTP methods"`
	// Whether no code will be added, so that clients can rely on the list. `errors` has codes only.
	Exhaustive Bool `key:"exhaustive" default:"false"`
	Span       diag.Span
}

// Tier is one level of the escalation ladder.
type Tier struct {
	Name Text `key:"*"`
	// Description of the tier.
	Doc Text `key:"doc"`
	// Whether an agent of this tier can classify its own errors.
	Classifies Bool `key:"classifies" default:"true"`
	// Whether the tier is a person. Only the last tier can be.
	Person Bool `key:"person" default:"false"`
	// Question for the tier if the reaction that leads to it has no `purpose`. Not for a person.
	Purpose Text `key:"purpose" words:"purpose"`
}

// Fallback is the code of evidence that no rule matches.
type Fallback struct {
	// Code of such evidence.
	Code Text `key:"code" required:"" ref:"code"`
	// Context that distinguishes such an error from a recognised one.
	Set  []Assignment `key:"set" keys:"field"`
	Span diag.Span
}

// PublicFallback is the code that clients see in place of an internal one.
type PublicFallback struct {
	_ struct{} `name:"public fallback"`
	// Public code whose factory takes no parameters.
	Code Text `key:"code" required:"" ref:"code"`
}

// Assignment gives a field a value.
type Assignment struct {
	Field Text    `key:"*"`
	Value Literal `key:"="`
}

// Condition tests a field.
type Condition struct {
	Field Text    `key:"*"`
	Match Matcher `key:"=" of:"any"`
}

// Field is one value of an error's context.
type Field struct {
	Name Text `key:"*" chars:"{}[]:.\"\\<>&"`
	// Name of the struct field, if the key does not give a good one.
	GoName Text `key:"name" default:"from the key"`
	// Meaning of the value.
	Doc Text `key:"doc"`
	// Type of the value. Either this or `enum` is required.
	Type Text `key:"type" words:"type" required:"enum"`
	// Words that the field can contain, instead of a type.
	Enum     []Text `key:"enum" chars:""`
	EnumSpan diag.Span
	// Whether every error of the category has the field.
	Required Bool `key:"required" default:"false"`
	// Evidence that fills the field when an error is classified. The first present one counts. Some
	// are also roles that the runtime reads.
	From []Text `key:"from" many:""`
	// Value if the evidence has none of `from`.
	Default *Literal `key:"default"`
	// Whether the value is hidden in messages, logs and JSON.
	Sensitive Bool `key:"sensitive" default:"false"`
	// Who can see the field: only this program, or the clients that see its code too.
	Audience Text `key:"audience" words:"internal public" default:"as the code, the category, or the file"`
	// Whether secrets in the text are masked wherever it is shown.
	Scrub Bool `key:"scrub" default:"false"`
	// Maximum length in bytes where the text is shown. A secret at the cut is left out.
	MaxLength Int `key:"max_length" range:"4..1073741823" default:"no limit"`
	// End that is kept when the text is too long.
	Keep Text `key:"keep" words:"head tail" default:"head"`
	// Whether the field is in messages, but not in the context on the wire.
	MessageOnly Bool `key:"message_only" default:"false"`
	// Fields of an `object`, or of each of the `objects` of a list.
	Fields []Field `key:"fields" declares:"field"`
	Span   diag.Span
}

// Traits decide how an error is handled.
type Traits struct {
	_ struct{} `name:"traits"`
	// Severity of the error.
	Severity Text `key:"severity" words:"severity"`
	// Whether the same call may succeed unchanged.
	Retryable Bool `key:"retryable" default:"false"`
	// What can help: a retry, a repair, nothing, or an investigation.
	Recoverability Text `key:"recoverability" words:"recoverability" default:"from retryable"`
	// What the program does about the error.
	Reaction *ReactionRef `key:"reaction" default:"abort" variant:"^"`
	// What the failure means for the caller of the operation that returns it: nothing happened
	// (`none`), perhaps it did (`unknown`), or it did (`done`). It decides whether the call can be
	// repeated.
	Effect Text `key:"effect" words:"none unknown done" not:"overlay"`
	// HTTP status of a response with this error.
	HTTP Int `key:"http" range:"400..599"`
	// gRPC status of a response with this error.
	GRPC Text `key:"grpc" words:"grpc"`
	// Exit status of a program that ends with this error. Shells use the numbers above 125.
	Exit Int `key:"exit" range:"1..125" not:"overlay"`
}

// Category is a struct type of the generated package, with the codes of its errors.
type Category struct {
	Name Text `key:"*"`
	// Go type of the errors.
	Type Text `key:"type" default:"name and Error"`
	// What the errors have in common.
	Doc Text `key:"doc"`
	// Who can see codes and fields of the category that declare nothing else.
	Audience Text `key:"audience" words:"internal public" default:"as the file"`
	// Who has to act when the errors occur: the client, this program, or a program that it calls.
	// Metrics and alerts distinguish them.
	Fault  Text   `key:"fault" words:"client server dependency" default:"from its codes"`
	Traits Traits `key:",inline"`
	// Context of the errors, after the fields of the file.
	Fields []Field `key:"fields" declares:"field"`
	// Codes of the errors.
	Codes []Code `key:"codes" required:"" declares:"code"`
}

// Code identifies one kind of error.
type Code struct {
	Name Text `key:"*" chars:""`
	// Published number of the code, unique and never reused. It is not the value of the Go
	// constant, and can be 0 or negative.
	Number Int `key:"number"`
	// Go name: `GitCommit` gives `CodeGitCommit` and `NewGitCommit`.
	GoName Text `key:"name" default:"from the key"`
	// Code on the wire.
	Value Text `key:"value" default:"the key" chars:""`
	// Former values, which still decode to this code.
	Aliases []Text `key:"aliases" chars:""`
	// Further published names of the code, which decode to it.
	Names []Text `key:"names" chars:""`
	// What happened.
	Doc Text `key:"doc"`
	// What a person can do about it.
	Resolution Text `key:"resolution"`
	// Text of the error. `{field}` is replaced, and `[…]` is left out if a field in it is absent.
	Message Text `key:"message" required:"abstract"`
	// Whether the code is only the parent of others: no error has it, but `errors.Is` reports that
	// errors of the codes below it are of this code.
	Abstract Bool `key:"abstract" default:"false"`
	// Codes below this one. They have its traits and constants unless they set them.
	Codes []Code `key:"codes" declares:"code"`
	// Values of constants.
	Constants []Assignment `key:"constants" keys:"constant"`
	// Text for the provider, if the reaction has `feed_back`.
	Feedback Text `key:"feedback" default:"message and resolution"`
	// Version that introduced the code.
	Since Text `key:"since"`
	// Reason why the code is no longer used. It still decodes, and its factory is deprecated.
	Deprecated Text `key:"deprecated"`
	// Last day on which the deprecated code is needed: 2027-01-01. After it, `errgen unused` reports
	// the code if nothing creates it.
	RemoveAfter Text `key:"remove_after" default:"never reported"`
	// Code to use instead.
	ReplacedBy Text `key:"replaced_by" ref:"code"`
	// Groups of the code.
	Groups []Text `key:"groups" ref:"group"`
	// Context of this code's errors alone, after the fields of the category. The code gets a Go
	// type of its own with these fields, which only its factory returns.
	Fields []Field `key:"fields" declares:"field"`
	// Parameters of the factory, in order. All of them are required for this code.
	Args []Text `key:"args" ref:"field" default:"required fields without a value"`
	// Context that is the same in all errors of the code.
	Set []Assignment `key:"set" keys:"field"`
	// Who can see the code: only this program, or its clients too.
	Audience Text `key:"audience" words:"internal public" default:"as the category"`
	// Who has to act when the error occurs: the client, this program, or a program that it calls.
	// The default is client for a public code with an HTTP status 4xx, and dependency for a code of
	// a rule with a source.
	Fault  Text   `key:"fault" words:"client server dependency" default:"as the category, otherwise server"`
	Traits Traits `key:",inline"`
	// What happens before a call that is likely to fail with this code.
	Prevent *Prevention `key:"prevent"`
	// Branches on the context. The first that holds changes the traits.
	When []When `key:"when"`
	// Rules that give evidence this code.
	Detect []Rule `key:"detect"`
	// Evidence that must become this code.
	Examples []Example `key:"examples"`
	// Evidence that must not become this code.
	NotExamples []Example `key:"not_examples" variant:"counter"`
	// Parent is the place of the code above this one in the category's list, from 1, or 0.
	Parent int
	Span   diag.Span
}

// Prevention describes what happens before a call that is likely to fail.
type Prevention struct {
	_ struct{} `anyof:"check throttle concurrency"`
	// Check that runs before the call. If it fails, its error takes the place of the call's.
	Check Text `key:"check" ref:"check"`
	// Minimum time between the starts of two calls.
	Throttle Duration `key:"throttle" range:">0s"`
	// Maximum number of simultaneous calls of the provider.
	Concurrency Int `key:"concurrency" range:"1..1000000"`
	// Minimum probability of the code: the lower end of the forecast's interval.
	Likely Float `key:"likely" range:"0..0.99" default:"0.5"`
	Span   diag.Span
}

// When changes traits in the contexts that its conditions describe.
type When struct {
	_ struct{} `name:"when branch"`
	// Conditions on fields. All must hold.
	If     []Condition `key:"if" required:"" keys:"field"`
	Traits Traits      `key:",inline"`
	Span   diag.Span
}

// Signature describes how a kind of failure shows itself, so that rules can name it with `like`.
type Signature struct {
	Name Text `key:"*" chars:""`
	// What the failure is.
	Doc Text `key:"doc"`
	// Less specific signatures. Where both match, the rules of this one come first.
	Over []Text `key:"over" many:"" ref:"signature"`
	// Forms of the failure. Evidence that meets one of them matches.
	Any []Rule `key:"any" required:"" variant:"form"`
	// What the failure means for the caller that observed it. It counts for forms without texts, if the
	// evidence has no status, exit code, signal or Go error.
	Effect Text `key:"effect" words:"none unknown done"`
	// Attributes that the text of the failure fills.
	Extract []Extract `key:"extract"`
	// Tools that print the texts, with their versions.
	Seen []Text `key:"seen" many:"" chars:"any"`
	// Evidence that must match.
	Examples []Example `key:"examples" variant:"sample"`
	// Evidence that must not match.
	NotExamples []Example `key:"not_examples" variant:"sample"`
	Raw         Raw
}

// Extract fills an attribute from the text of a failure.
type Extract struct {
	_ struct{} `name:"extraction"`
	// Name of the attribute, which fields take `from: attributes.NAME`.
	Attribute Text `key:"attribute" required:""`
	// Regular expressions (RE2). The first group of the first one that matches is the value.
	Text []Text `key:"text" required:"" many:"" chars:"any"`
}

// Rule gives a code to the evidence that it describes. All conditions must hold.
type Rule struct {
	_ struct{} `name:"detect rule" form:"form of a signature"`
	// Reporter of the failure.
	Source Matcher `key:"source" of:"text" ref:"source"`
	// Operation that failed.
	Op Matcher `key:"op" of:"text" ref:"op"`
	// HTTP status.
	Status Matcher `key:"status" of:"number" range:"100..599"`
	// Type of the error, in the source's own words.
	Type Matcher `key:"type" of:"text"`
	// Code of the error, in the source's own words.
	Code Matcher `key:"code" of:"text"`
	// Exit status of a process.
	ExitCode Matcher `key:"exit_code" of:"number" range:"0.."`
	// Signal that ended a process.
	Signal Matcher `key:"signal" of:"text"`
	// System error, such as `ECONNRESET`.
	Errno Matcher `key:"errno" of:"text"`
	// Variable or constant of any package for `errors.Is`, with its import path: `io.EOF`,
	// `github.com/jackc/pgx/v5.ErrNoRows`. The compiler checks the name.
	Is Matcher `key:"is" of:"text" not:"form"`
	// Type of any package for `errors.As`, with its import path: `*net.OpError`. The compiler
	// checks the name.
	As Matcher `key:"as" of:"text" not:"form"`
	// Other properties that the source reports.
	Attributes []Condition `key:"attributes" keys:"attribute"`
	// Signatures, of errgen or declared under `signatures`. The evidence must match one of them.
	Like []Text `key:"like" many:"" ref:"signature" not:"form"`
	// Regular expressions (RE2) for the last 16 KB of the error channel. One of them must match.
	// Case counts unless `(?i)` is set.
	Text []Text `key:"text" many:"" chars:"any"`
	// Texts to find in the same place, in any case. One of them must occur.
	Contains []Text `key:"contains" many:"" chars:"any"`
	// Regular expressions without case. A line must report one of them: the match begins the line,
	// or follows the text that tools print before a message. Any text may follow a match of an
	// expression that ends with `.*`.
	Reported []Text `key:"reported" many:"" chars:"any" only:"form"`
	// Like `reported`, but the match begins a line only if it is the complete text.
	Announced []Text `key:"announced" many:"" chars:"any" only:"form"`
	// Like `announced`, for words that are a message only in a short statement, such as "agent
	// timeout": the text ends with at most four words that are its subject, the match, and its
	// circumstances.
	Short []Text `key:"short" many:"" chars:"any" only:"form"`
	// Rank of the rule. The highest wins.
	Priority Int `key:"priority" default:"0" not:"form"`
	// Context that the rule implies.
	Set  []Assignment `key:"set" keys:"field" not:"form"`
	Span diag.Span
	Raw  Raw
}

// Example is all the evidence of one failure, and its expected error.
type Example struct {
	_ struct{} `name:"example" counter:"counter-example" sample:"example of a signature"`
	// Reporter of the failure.
	Source Text `key:"source" ref:"source"`
	// Operation that failed.
	Op Text `key:"op" ref:"op"`
	// HTTP status.
	Status Int `key:"status" range:"100..599"`
	// Type of the error, in the source's own words.
	Type Text `key:"type" chars:"any"`
	// Code of the error, in the source's own words.
	Code Text `key:"code" chars:"any"`
	// Exit status of a process.
	ExitCode Int `key:"exit_code" range:"0.."`
	// Signal that ended a process.
	Signal Text `key:"signal"`
	// System error, such as `ECONNRESET`.
	Errno Text `key:"errno"`
	// Variable that the error wraps.
	Is Text `key:"is" not:"sample"`
	// Error type in the error's chain.
	As Text `key:"as" not:"sample"`
	// Text on the error channel.
	Text Text `key:"text" chars:"any"`
	// Other output.
	Output Text `key:"output" not:"sample" chars:"any"`
	// Files that the failure concerns.
	Files []Text `key:"files" not:"sample"`
	// Wait that the source asks for.
	RetryAfter Duration `key:"retry_after" not:"sample"`
	// Time at which the source answers again (RFC 3339).
	ResetAt Text `key:"reset_at" not:"sample"`
	// Credential of the call.
	Credential Text `key:"credential" not:"sample"`
	// Other properties that the source reports.
	Attributes []Attribute `key:"attributes" keys:"attribute"`
	// Expected properties of the error, in addition to its code.
	Want *Want `key:"want" not:"counter sample"`
	// Attributes that must be extracted.
	Extracted []Attribute `key:"want" only:"sample" keys:"attribute"`
	Span      diag.Span
	Raw       Raw
}

// Attribute is a property that the source of a failure reports.
type Attribute struct {
	Name  Text    `key:"*"`
	Value Literal `key:"=" of:"any"`
}

// Want is the expected error of an example.
type Want struct {
	// Whether the error is retryable.
	Retryable Bool `key:"retryable"`
	// Recoverability of the error.
	Recoverability Text `key:"recoverability" words:"recoverability"`
	// Severity of the error.
	Severity Text `key:"severity" words:"severity"`
	// Name of the reaction.
	Reaction Text `key:"reaction" ref:"reaction"`
	// Fields of the error.
	Context []Assignment `key:"context" keys:"field"`
	Span    diag.Span
}
