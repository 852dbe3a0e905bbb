package breaking

import (
	"path"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
)

// The rules for changes that are not a difference at one path. Rules that begin with E- are errors,
// the others are warnings.
const (
	idCodeRemoved  = "E-break-code-removed"
	idCodeValue    = "E-break-code-value"
	idReserved     = "E-break-reserved"
	idAlias        = "E-break-alias"
	idNumber       = "E-break-number"
	idCategory     = "E-break-category"
	idFieldRenamed = "E-break-field-renamed"
	idFieldRemoved = "E-break-field-removed"
	idGoRemoved    = "E-break-go-removed"
	idGoName       = "E-break-go-name"
	idCodeRenamed  = "E-break-code-renamed"
	idNumberReused = "E-break-number-reused"

	idRenamed  = "W-changed-code-value"
	idRetired  = "W-changed-code-retired"
	idTiers    = "W-changed-tiers"
	idAudience = "W-changed-audience"
	idProfile  = "W-changed-profile"
	idFieldUse = "W-changed-field-use"
)

// rule is a rule for values whose path matches a pattern. The first rule that matches applies. A
// change without a rule is compatible.
type rule struct {
	pattern string // begins with ~ for changed values, + for added and - for removed ones, ? for all
	id      string
	level   Level
	hint    string
	unless  string // a key beside it: if that changed too, only that change is reported
}

const (
	keepDeclared = "keep it declared"
	hintMasking  = "keep the mask: values that were hidden are expected to stay hidden"
	hintStatus   = "clients see it: give the different case a code"
	hintOpened   = "clients see it from now on, and making it internal again breaks them"
	hintRequired = "list it in \"args\" of the codes that need it; values from before do not have it"
)

var pathRules = []rule{
	{"?domain", "E-break-domain", Wire, "keep it: readers do not know errors of another domain", ""},
	{"?package", "E-break-package", Source, "keep it: every caller imports it", ""},
	{"?help_url", "W-changed-help-url", Behaviour, "redirect the old addresses to the new ones", ""},
	{"~public", "E-break-audience", Wire, "clients know the former code", ""},
	{"-public", "E-break-audience", Wire, "keep it: without it, clients get internal errors without a code", ""},
	{"+public", idAudience, Wire, "clients see this code in place of internal errors", ""},
	{"~stack", "W-changed-stack", Behaviour, "", ""},
	{"?fallback", "W-changed-fallback", Behaviour, "", ""},
	{"?sources/*/fallback", "W-changed-fallback", Behaviour, "", ""},
	{"?uncategorized", "W-changed-reaction", Behaviour, "", ""},

	{"-names/*/*", idGoRemoved, Source, keepDeclared, ""},
	{"+methods/*/*", "E-break-interface", Source,
		"every implementation needs the method: mention it in the release notes", ""},

	{"~categories/*/go_type", idGoName, Source | Wire, "keep the names in Go with \"type:\"", ""},
	{"~categories/*/go_names", idGoName, Source, "keep the names in Go with \"type:\"", "go_type"},

	{"-categories/*/fields/*", idFieldRemoved, Wire | Source,
		"keep it as optional: fields cannot be reserved, and a field with the name would be read as this one", ""},
	{"-categories/*/fields/*/on_wire", idFieldRemoved, Wire, "keep it on the wire", ""},
	{"+categories/*/fields/*/on_wire", "E-break-field-masking", Wire, hintMasking, ""},
	{"-categories/*/fields/*/masked", "E-break-field-masking", Wire, hintMasking, "sensitive"},
	{"~categories/*/fields/*/sensitive", "E-break-field-masking", Wire | Source, hintMasking, ""},
	{"~categories/*/fields/*/type", "E-break-field-type", Wire | Source,
		"add a field with another name, and keep this one", ""},
	{"~categories/*/fields/*/size", "E-break-field-type", Source,
		"add a field with another name, and keep this one", "type"},
	{"+categories/*/required/*", "E-break-field-required", Wire | Source, hintRequired, ""},
	{"-categories/*/required/*", "E-break-field-required", Wire | Source,
		"keep it required: older readers take an absent value for empty", ""},
	{"-categories/*/fields/*/words/*", "E-break-word-removed", Wire | Source,
		"keep the word: stored values with it could no longer be read", ""},
	{"+categories/*/fields/*/words/*", "E-break-word-added", Wire,
		"older programs do not know it: update all readers first, then the senders", ""},
	{"~categories/*/fields/*/go_name", idGoName, Source, "", ""},
	{"~categories/*/fields/*/go_type", idGoName, Source, "", "go_name"},
	{"-categories/*/fields/*/public", "E-break-audience", Wire, "keep it public: clients read it", ""},
	{"+categories/*/fields/*/public", idAudience, Wire, hintOpened, ""},
	{"~categories/*/fields/*/*", "W-changed-field", Behaviour, "", ""},

	{"~codes/*/number", idNumber, Wire, "numbers are published: keep it", ""},
	{"~codes/*/go_name", idGoName, Source, "keep the names in Go with \"name:\"", ""},
	{"~codes/*/factory", "E-break-factory", Source, "keep \"args\", or give the new parameters to another code", ""},
	{"~codes/*/message", "W-changed-message", Behaviour, "", ""},
	{"~codes/*/feedback", "W-changed-message", Behaviour, "", ""},
	{"-codes/*/public", "E-break-audience", Wire, "keep it public: clients know the code", ""},
	{"+codes/*/public", idAudience, Wire, hintOpened, ""},
	{"~codes/*/set", "W-changed-set", Behaviour, "", ""},
	{"~codes/*/prevent", "W-changed-prevent", Behaviour, "", ""},
	{"?codes/*/uses/*", idFieldUse, Behaviour, "", ""},
	{"?codes/*/groups/*", "W-changed-groups", Behaviour, "", ""},
	{"~codes/*/constants/*", "E-break-constant", Wire, "constants are published: keep it, or declare a new one", ""},
	{"-codes/*/constants/*", "E-break-constant", Wire, "constants are published: keep it", ""},
	{"~codes/*/parent", "W-changed-parent", Behaviour, "errors.Is with the code above it has another result", ""},
	{"~codes/*/retryable", "W-changed-retryable", Behaviour, "", ""},
	{"~codes/*/recoverability", "W-changed-retryable", Behaviour, "", "retryable"},
	{"~codes/*/severity", "W-changed-severity", Behaviour, "", ""},
	{"~codes/*/kind", "W-changed-kind", Behaviour, "", ""},
	{"~codes/*/http", "E-break-status", Wire, hintStatus, ""},
	{"~codes/*/grpc", "E-break-status", Wire, hintStatus, ""},
	{"~codes/*/reaction", "W-changed-reaction", Behaviour, "", ""},
	{"~codes/*/condition", "W-changed-when", Behaviour, "the first branch that holds applies", ""},
	{"~codes/*/status_condition", "E-break-status", Wire, "", ""},

	{"~reactions/*", "W-changed-reaction", Behaviour, "", ""},
	{"~policies/*", "W-changed-policy", Behaviour, "", ""},
	{"?profiles/*/http", "E-break-status", Wire, hintStatus, ""},
	{"?profiles/*/grpc", "E-break-status", Wire, hintStatus, ""},
	{"?profiles/*/recoverability", idProfile, Behaviour, "", "retryable"},
	{"?profiles/*/*", idProfile, Behaviour, "", ""},
}

// others are the levels of the rules that are not in the table.
var others = map[string]Level{
	idCodeRemoved: Wire | Source, idCodeValue: Wire, idReserved: Wire, idAlias: Wire, idCategory: Wire | Source,
	idFieldRenamed: Wire | Source, idCodeRenamed: Wire | Source, idNumberReused: Wire, idRenamed: Wire,
	idRetired: Source, idTiers: Behaviour,
}

// ruleOf returns the rule for a change of a value, or nil. The sign is ~, + or -. Names in the path
// contain no slash. Levels of objects and of branches do not count.
func ruleOf(sign, p string) *rule {
	parts := strings.Split(p, "/")
	for len(parts) > 5 && parts[2] == "fields" && (parts[4] == "fields" || parts[4] == "required") {
		parts = slices.Delete(parts, 2, 4) // a field of an object
	}
	if len(parts) > 3 && (parts[0] == "codes" && parts[2] == "when" || parts[0] == "profiles" && parts[2] == "codes") {
		parts = slices.Delete(parts, 2, 4)
	}
	i := slices.IndexFunc(pathRules, func(r rule) bool {
		ok, err := path.Match(r.pattern, sign+strings.Join(parts, "/"))
		return ok && err == nil
	})
	if i < 0 {
		return nil
	}
	return &pathRules[i]
}

// IDs returns the ids of all rules, sorted.
func IDs() []string {
	var out []string
	for id := range others {
		out = append(out, id)
	}
	for _, r := range pathRules {
		out = append(out, r.id)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ExceptIDs returns the ids that can be excepted for a whole taxonomy. A reused number can only be
// accepted for its code.
func ExceptIDs() []string {
	return slices.DeleteFunc(IDs(), func(id string) bool { return id == idNumberReused })
}

// Levels returns the levels of a rule, or 0 for an unknown id.
func Levels(id string) Level {
	level := others[id]
	for _, r := range pathRules {
		if r.id == id {
			level |= r.level
		}
	}
	return level
}

func severity(id string) diag.Severity {
	if strings.HasPrefix(id, "W-") {
		return diag.Warning
	}
	return diag.Error
}
