package breaking

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
)

// The rules that the table of paths does not contain. Rules that begin with E- are errors, the
// others warnings.
const (
	idCodeRemoved   = "E-break-code-removed"
	idCodeValue     = "E-break-code-value"
	idReserved      = "E-break-reserved"
	idAlias         = "E-break-alias"
	idNumber        = "E-break-number"
	idCategory      = "E-break-category"
	idStatus        = "E-break-status"
	idFieldRemoved  = "E-break-field-removed"
	idFieldRenamed  = "E-break-field-renamed"
	idFieldType     = "E-break-field-type"
	idFieldRequired = "E-break-field-required"
	idFieldMasking  = "E-break-field-masking"
	idWordRemoved   = "E-break-word-removed"
	idWordAdded     = "E-break-word-added"
	idGoName        = "E-break-go-name"
	idGoRemoved     = "E-break-go-removed"
	idFactory       = "E-break-factory"
	idInterface     = "E-break-interface"

	idRenamed = "W-changed-code-value"
	idRetired = "W-changed-code-retired"
	idWhen    = "W-changed-when"
	idGroups  = "W-changed-groups"
	idTiers   = "W-changed-tiers"
	idProfile = "W-changed-profile"
)

// levels are the audiences of each rule.
var levels = map[string]Level{
	"E-break-domain": Wire, idCodeRemoved: Wire | Source, idCodeValue: Wire, idReserved: Wire, idAlias: Wire,
	idNumber: Wire, idCategory: Wire | Source, idStatus: Wire,
	idFieldRemoved: Wire | Source, idFieldRenamed: Wire | Source, idFieldType: Wire | Source,
	idFieldRequired: Wire | Source, idFieldMasking: Wire | Source, idWordRemoved: Wire | Source, idWordAdded: Wire,
	"E-break-package": Source, idGoName: Source, idGoRemoved: Source, idFactory: Source, idInterface: Source,

	idRenamed: Wire, idRetired: Source,
	"W-changed-retryable": Behaviour, "W-changed-reaction": Behaviour, "W-changed-policy": Behaviour,
	"W-changed-severity": Behaviour, "W-changed-kind": Behaviour, idWhen: Behaviour, "W-changed-message": Behaviour,
	"W-changed-field": Behaviour, "W-changed-set": Behaviour, idGroups: Behaviour, "W-changed-prevent": Behaviour,
	idTiers: Behaviour, "W-changed-fallback": Behaviour, idProfile: Behaviour, "W-changed-help-url": Behaviour,
}

// pathRule is the rule for values whose path matches a pattern. The first that matches applies.
type pathRule struct {
	pattern, id string
	level       Level // 0: the level of the rule
	hint        string
}

const (
	hintMasking = "keep the mask: values that were hidden are expected to stay hidden"
	hintStatus  = "clients see it: give the different case a code"
)

var pathRules = []pathRule{
	{"domain", "E-break-domain", 0, "keep it: readers do not know errors of another domain"},
	{"package", "E-break-package", 0, "keep it: every caller imports it"},
	{"help_url", "W-changed-help-url", 0, "redirect the old addresses to the new ones"},
	{"fallback", "W-changed-fallback", 0, ""},
	{"uncategorized", "W-changed-reaction", 0, ""},

	{"categories/*/fields/*/go_name", idGoName, 0, ""},
	{"categories/*/fields/*/go_type", idGoName, 0, ""},
	{"categories/*/fields/*/sensitive", idFieldMasking, 0, hintMasking},
	{"categories/*/fields/*/scrub", idFieldMasking, Wire, hintMasking},
	{"categories/*/fields/*/message_only", idFieldMasking, Wire, hintMasking},
	{"categories/*/fields/*/*", "W-changed-field", 0, ""},
	{"categories/*/*", idGoName, 0, "keep the names in Go with \"type:\""},

	{"codes/*/number", idNumber, 0, "numbers are published: keep it"},
	{"codes/*/go_name", idGoName, 0, "keep the names in Go with \"name:\""},
	{"codes/*/factory", idFactory, 0, "keep \"args\", or give the new parameters to another code"},
	{"codes/*/message", "W-changed-message", 0, ""},
	{"codes/*/feedback", "W-changed-message", 0, ""},
	{"codes/*/set", "W-changed-set", 0, ""},
	{"codes/*/prevent/*", "W-changed-prevent", 0, ""},
	{"codes/*/retryable", "W-changed-retryable", 0, ""},
	{"codes/*/recoverability", "W-changed-retryable", 0, ""},
	{"codes/*/severity", "W-changed-severity", 0, ""},
	{"codes/*/kind", "W-changed-kind", 0, ""},
	{"codes/*/http", idStatus, 0, hintStatus},
	{"codes/*/grpc", idStatus, 0, hintStatus},
	{"codes/*/reaction", "W-changed-reaction", 0, ""},

	{"reactions/*", "W-changed-reaction", 0, ""},
	{"policies/*/*", "W-changed-policy", 0, ""},
	{"profiles/*/codes/*/http", idStatus, 0, hintStatus},
	{"profiles/*/codes/*/grpc", idStatus, 0, hintStatus},
	{"profiles/*/codes/*/*", idProfile, 0, ""},
	{"profiles/*/*", idProfile, 0, ""},
}

// ruleOf returns the rule for a path. The names in it contain no slash.
func ruleOf(p string) pathRule {
	i := slices.IndexFunc(pathRules, func(r pathRule) bool {
		ok, err := path.Match(r.pattern, p)
		return ok && err == nil
	})
	return pathRules[i]
}

// IDs returns the ids of all rules, sorted.
func IDs() []string { return slices.Sorted(maps.Keys(levels)) }

// Levels returns the audiences of a rule, or 0 for an unknown id.
func Levels(id string) Level { return levels[id] }

func severity(id string) diag.Severity {
	if strings.HasPrefix(id, "W-") {
		return diag.Warning
	}
	return diag.Error
}
