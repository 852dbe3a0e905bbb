package breaking

import (
	"slices"
	"strings"
)

// The ids that the code refers to.
const (
	idCodeRemoved  = "E-break-code-removed"
	idCodeRenamed  = "E-break-code-renamed"
	idCodeValue    = "E-break-code-value"
	idValueAlias   = "W-changed-code-value"
	idSplit        = "W-changed-split"
	idGoRemoved    = "E-break-go-removed"
	idMasking      = "E-break-field-masking"
	idReserved     = "E-break-reserved"
	idAlias        = "E-break-alias"
	idNumber       = "E-break-number"
	idNumberReused = "E-break-number-reused"
	idIdentifier   = "W-changed-identifier"
	idCategory     = "E-break-category"
	idMoved        = "E-break-code-moved"
	idFactory      = "E-break-factory"
	idFieldRenamed = "E-break-field-renamed"
	idFieldType    = "E-break-field-type"
)

// identifierHint is the hint of idIdentifier.
const identifierHint = "clients see it from now on, and changing it later breaks them"

// when is a set of differences of a value or of a declaration.
type when uint8

const (
	added   when = 1 << iota // only the new taxonomy has it
	removed                  // only the old taxonomy has it
	changed                  // both have a value
	fresh                    // the value belongs to a declaration that is new

	always = added | removed | changed
)

// rule is the meaning of a difference. A difference without a rule breaks nothing.
type rule struct {
	paths  string // KIND of declarations, KIND.KEY of their values, or KIND.KEY=OLD for one old value
	on     when
	id     string
	levels Level
	hint   string // NAME is the former name in Go
}

// rules lists the rules of differences. The first one that matches a difference applies.
var rules = []rule{
	// Rules without paths are used by id, in codes.go and operations.go.
	{id: idCodeRemoved, levels: Wire | Source},
	{id: idCodeRenamed, levels: Wire | Source},
	{id: idCodeValue, levels: Wire},
	{id: idValueAlias, levels: Wire},
	{id: idSplit, levels: Wire,
		hint: `programs that read "is" handle them like the code above, and others do not know them`},
	{id: idGoRemoved, levels: Source,
		hint: `deprecate it for a release first, with "replaced_by" if there is a successor`},
	{id: idReserved, levels: Wire, hint: "never remove a reservation"},
	{id: idAlias, levels: Wire, hint: "keep it an alias, or reserve it"},
	{id: idNumber, levels: Wire, hint: "numbers are published: keep it"},
	{id: idNumberReused, levels: Wire, hint: "use the next free number"},
	{id: idIdentifier, levels: Wire, hint: identifierHint},
	{id: idMoved, levels: Wire | Source, hint: "make it an alias of a code of its own category, or reserve it"},
	{id: idFactory, levels: Source, hint: `keep "args", or give the new parameters to another code`},
	{id: idFieldRenamed, levels: Wire | Source},
	{id: idOperationCode, levels: Wire, hint: "its clients treat it as they treat codes that they do not know"},
	{id: idExhaustive, levels: Wire, hint: "end in a code of the list, or offer a second operation"},

	{"file.package", always, "E-break-package", Source, "keep it: every caller imports it"},
	{"file.domain", always, "E-break-domain", Wire, "keep it: readers do not know errors of another domain"},
	{"file.help_url", always, "W-changed-help-url", Behaviour, "redirect the old addresses to the new ones"},
	{"file.stack", always, "W-changed-stack", Behaviour, ""},
	{"file.fallback source.fallback", always, "W-changed-fallback", Behaviour, ""},
	{"file.public", added, "W-changed-audience", Wire, "clients see this code in place of internal errors"},
	{"file.public", removed | changed, "E-break-audience", Wire, "keep it: clients know the former code"},
	{"file.tiers tier", changed, "W-changed-tiers", Behaviour, ""},
	{"strategy check", added, "E-break-interface", Source,
		"every implementation needs the method: mention it in the release notes"},
	{"group strategy check tier profile source op policy reaction", removed, idGoRemoved, Source,
		"keep it declared"},
	{"operation", removed, "E-break-operation", Wire | Source, "keep its name: clients call it by that"},
	{"operation.http operation.rpc", removed | changed, "E-break-operation", Wire, "keep the address: clients call it"},
	{"operation.idempotent", removed, "E-break-operation", Wire,
		"keep it idempotent: clients repeat calls whose outcome they do not know"},
	{"operation.exhaustive", removed, "E-break-operation", Wire, "keep the promise: clients rely on the list"},
	{"category", removed, idGoRemoved, Source, "keep one deprecated code of the category"},
	{"file.classification", removed, idGoRemoved, Source,
		"keep a rule or a fallback: without them the package has no Classify"},
	{"policy", changed, "W-changed-policy", Behaviour, ""},
	{"reaction", changed, "W-changed-reaction", Behaviour, ""},
	{"code.reaction file.uncategorized", always, "W-changed-reaction", Behaviour, ""},
	{"settings.settings", always, "W-changed-profile", Behaviour, ""},

	{"category.name", changed, idCategory, Wire | Source,
		`keep the name, which is on the wire; "type:" changes the names in Go`},
	{"category.type", changed, "E-break-go-name", Wire | Source, `keep the names in Go with "type: NAME"`},
	{"code.category", changed, idMoved, Wire | Source,
		"callers who test for its type miss it: add a new code to the other category, and deprecate this one"},
	{"code.name field.name", changed, "E-break-go-name", Source, `keep the names in Go with "name: NAME"`},
	{"field.go_type", changed, "E-break-go-name", Source,
		"its type was NAME: keep the field where it is, and the names in Go around it"},

	{"field", removed, "E-break-field-removed", Wire | Source,
		"keep it as optional: fields cannot be reserved, and a field with the name would be read as this one"},
	{"field.message_only", added, "E-break-field-removed", Wire, "keep it on the wire"},
	{"field.type", changed, idFieldType, Wire | Source, "add a field with another name, and keep this one"},
	{"field.required", added | fresh, "E-break-field-required", Wire | Source,
		`list it in "args" of the codes that need it; values from before do not have it`},
	{"field.required", removed, "E-break-field-required", Wire | Source,
		"keep it required: older readers take an absent value for empty"},
	{"field.sensitive", added, idMasking, Wire | Source,
		"add a sensitive field, and keep this one: its readers lose the values"},
	{"field.sensitive", removed, idMasking, Wire | Source,
		"keep the mask: values that were hidden are expected to stay hidden"},
	{"field.scrub field.message_only", removed, idMasking, Wire,
		"keep the mask: values that were hidden are expected to stay hidden"},
	{"field.enum", added, "E-break-word-added", Wire,
		"older programs do not know it: update all readers first, then the senders"},
	{"field.enum", removed, "E-break-word-removed", Wire | Source,
		"keep the word: stored values with it could no longer be read"},
	{"field.from field.default field.keep field.max_length", always, "W-changed-field", Behaviour, ""},

	{"code.audience field.audience", added, "W-changed-audience", Wire,
		"clients see it from now on, and making it internal again breaks them"},
	{"code.audience field.audience", removed, "E-break-audience", Wire, "keep it public: clients read it"},
	{"code.http code.grpc settings.status", always, "E-break-status", Wire,
		"clients see it: give the different case a code"},
	{"code.exit", always, "E-break-status", Wire, "scripts test it: give the different case a code"},
	{"code.constants", changed | removed, "E-break-constant", Wire,
		"constants are published: keep it, or declare a new one"},
	{"code.constants", added, idIdentifier, Wire, identifierHint},
	{"code.deprecated", added | fresh, "", 0, ""},
	{"code.message code.feedback", always, "W-changed-message", Behaviour, ""},
	{"code.set", always, "W-changed-set", Behaviour, ""},
	{"code.prevent", always, "W-changed-prevent", Behaviour, ""},
	{"code.groups", always, "W-changed-groups", Behaviour, ""},
	{"code.parent", removed, "W-changed-parent", Wire | Behaviour,
		"programs that do not know the code no longer read it as the code above it"},
	{"code.parent", added, "W-changed-parent", Behaviour, "errors.Is with the code above it has another result"},
	{"code.when", always, "W-changed-when", Behaviour, "the first branch that holds applies"},
	{"code.retryable code.recoverability", always, "W-changed-retryable", Behaviour, ""},
	{"code.effect=none", changed, "E-break-effect", Wire,
		"clients repeat calls after it: add a code for the other case"},
	{"code.effect", always, "W-changed-effect", Behaviour, "clients decide by it whether they repeat a call"},
	{"code.fault", always, "W-changed-fault", Behaviour, "alerts and error budgets count by it"},
	{"code.severity", always, "W-changed-severity", Behaviour, ""},
}

// ruleOf returns the rule of a difference, if it has one.
func ruleOf(path string, on when) (rule, bool) {
	i := slices.IndexFunc(rules, func(r rule) bool {
		return r.on&on != 0 && slices.Contains(strings.Fields(r.paths), path)
	})
	if i < 0 {
		return rule{}, false
	}
	return rules[i], true
}

// ruleByID returns the rule of a change that is found without a path, or the zero rule.
func ruleByID(id string) (r rule) {
	if i := slices.IndexFunc(rules, func(r rule) bool { return r.id == id && r.paths == "" }); i >= 0 {
		r = rules[i]
	}
	return r
}

// IDs returns the ids of all changes, sorted.
func IDs() []string {
	var ids []string
	for _, r := range rules {
		if r.id != "" {
			ids = append(ids, r.id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// ExceptIDs returns the ids that can be excepted for a whole taxonomy. A reused number can only be
// accepted for its code.
func ExceptIDs() []string {
	return slices.DeleteFunc(IDs(), func(id string) bool { return id == idNumberReused })
}

// Levels returns the levels of an id, or 0 for an unknown id.
func Levels(id string) (levels Level) {
	for _, r := range rules {
		if r.id == id {
			levels |= r.levels
		}
	}
	return levels
}
