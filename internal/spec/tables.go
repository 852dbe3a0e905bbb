package spec

// Version is the version of the language that this package reads.
const Version = 1

// Words of the language's closed sets.
var (
	words = struct {
		kinds, severities, recoverabilities, actions, backoffs, jitters, shared, reverts, extents, sessions, purposes,
		resumes, levels, types, keeps, grpc []string
	}{
		kinds:            []string{"fault", "failure"},
		severities:       []string{"low", "medium", "high", "critical"},
		recoverabilities: []string{"retryable", "recoverable", "permanent", "unknown"},
		actions:          []string{"retry", "retry_operation", "continue", "abort", "block", "escalate", "recover"},
		backoffs:         []string{"constant", "linear", "exponential"},
		jitters:          []string{"none", "full", "decorrelated"},
		shared:           []string{"run", "credential"},
		reverts:          []string{"files", "iteration"},
		extents:          []string{"task", "run"},
		sessions:         []string{"keep", "fresh", "reduced"},
		purposes:         []string{"diagnosis", "analysis", "verification"},
		resumes:          []string{"iteration", "operation"},
		levels:           []string{"debug", "info", "warn", "error"},
		types: []string{"string", "int", "int64", "uint64", "float64", "bool", "duration", "time", "strings",
			"json", "object"},
		keeps: []string{"head", "tail"},
		grpc: []string{
			"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
			"PERMISSION_DENIED",
			"RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL",
			"UNAVAILABLE",
			"DATA_LOSS", "UNAUTHENTICATED",
		},
	}

	text     = Type{Form: FormText}
	integer  = Type{Form: FormInt}
	boolean  = Type{Form: FormBool}
	duration = Type{Form: FormDuration}
	literal  = Type{Form: FormLiteral}
)

func word(of []string) Type { return Type{Form: FormWord, Words: of} }

func ref(to Ref) Type { return Type{Form: FormText, Ref: to} }

func list(of Type) Type { return Type{Form: FormList, Elem: &of} }

func many(of Type) Type { return Type{Form: FormMany, Elem: &of} }

func mapping(m *Mapping) Type { return Type{Form: FormMapping, Mapping: m} }

// declare is a mapping whose keys declare names.
func declare(names Ref, to Type) Type {
	return Type{Form: FormMap, Ref: names, Declare: true, Elem: &to}
}

// keyed is a mapping whose keys are names declared elsewhere.
func keyed(names Ref, to Type) Type { return Type{Form: FormMap, Ref: names, Elem: &to} }

func either(alts ...Type) Type { return Type{Form: FormEither, Alts: alts} }

func matcher(of Type, m *Mapping) Type { return Type{Form: FormMatcher, Elem: &of, Mapping: m} }

func whole(least, most float64) Type {
	return Type{Form: FormInt, Bounds: &Bounds{Least: least, Most: most}}
}

func share(least, most float64) Type {
	return Type{Form: FormFloat, Bounds: &Bounds{Least: least, Most: most}}
}

func atLeast(least float64) Type {
	return Type{Form: FormFloat, Bounds: &Bounds{Least: least, Endless: true}}
}

func reserved(name string) Key {
	return Key{Name: name, Reserved: true, Doc: "Reserved for a later version of the language."}
}

// build makes the tables. Mappings hold one another, so all exist before any has keys.
func build() *Language {
	l := &Language{}
	for _, p := range []struct {
		at        **Mapping
		name, doc string
	}{
		{&l.Root, "taxonomy", "A taxonomy: the whole file."},
		{&l.tier, "tier", "A rung of the escalation ladder."},
		{&l.policy, "policy", "How often and how long to try."},
		{&l.adapt, "adaptation", "How far what has come of tries may move a policy's numbers."},
		{&l.attempts, "range of attempts", "How far max_attempts may move."},
		{&l.delays, "range of delays", "How far initial_delay may move."},
		{&l.budget, "budget", "What all who call one provider with one credential may try together."},
		{&l.breaker, "breaker", "When calls stop because the provider fails, and how they begin again."},
		{&l.prevention, "prevention", "What is done before a call where the code is likely."},
		{&l.reaction, "reaction", "What the executor does about an error."},
		{&l.reactionOverlay, "reaction overlay", "Changes of a reaction, key by key."},
		{&l.byFlag, "reaction by flag", "Chooses a reaction by whether the code is retryable."},
		{&l.log, "log", "What is said when a reaction is taken."},
		{&l.fallback, "fallback", "The code for evidence that no rule matched."},
		{&l.field, "field", "One value of an error's context."},
		{&l.category, "category", "A struct type, and the codes that it carries."},
		{&l.code, "code", "One error code."},
		{&l.when, "when branch", "Changes of a code's traits where its conditions hold."},
		{&l.rule, "detect rule", "Conditions on evidence, all of which must hold."},
		{&l.example, "example", "A whole piece of evidence that must become this code."},
		{&l.notExample, "counter-example", "A whole piece of evidence that must not become this code."},
		{&l.want, "want", "What an example expects beyond its code."},
		{&l.reserved, "reserved", "Numbers and codes that are never used again."},
		{&l.profile, "profile", "An overlay of the sections of the same name."},
		{&l.overlay, "code overlay", "Changes of the traits of a code, a category, a group or all."},
		{&l.detection, "detection", "Parts of classification, on or off."},
		{&l.recovery, "recovery", "Bounds on strategies."},
		{&l.retry, "retry", "Whether to retry, and the numbers for reactions that name no policy."},
		{&l.reporting, "reporting", "How much is told of an error."},
		{&l.matcher, "matcher", "A test of one value; all of its keys must hold."},
		{&l.textMatcher, "text matcher", "A test of one text; all of its keys must hold."},
		{&l.numberMatcher, "number matcher", "A test of one number; all of its keys must hold."},
	} {
		*p.at = &Mapping{Name: p.name, Doc: p.doc}
	}
	l.rootTables()
	l.reactionTables()
	l.codeTables()
	l.detectTables()
	l.profileTables()
	l.collect(l.Root)
	return l
}
