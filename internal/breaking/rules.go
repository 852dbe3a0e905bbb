package breaking

import (
	"maps"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
)

// The ids of changes. Those that begin with E- are errors, the others are warnings.
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
	idStatus       = "E-break-status"

	idRenamed  = "W-changed-code-value"
	idRetired  = "W-changed-code-retired"
	idTiers    = "W-changed-tiers"
	idAudience = "W-changed-audience"
	idProfile  = "W-changed-profile"
	idFieldUse = "W-changed-field-use"
)

// levels are the levels of each id. A change can have fewer of them.
var levels = map[string]Level{
	idCodeRemoved: Wire | Source, idCodeValue: Wire, idReserved: Wire, idAlias: Wire, idNumber: Wire,
	idCategory: Wire | Source, idFieldRenamed: Wire | Source, idFieldRemoved: Wire | Source, idGoRemoved: Source,
	idGoName: Source | Wire, idCodeRenamed: Wire | Source, idNumberReused: Wire, idStatus: Wire,
	"E-break-domain": Wire, "E-break-package": Source, "E-break-audience": Wire, "E-break-interface": Source,
	"E-break-field-masking": Wire | Source, "E-break-field-type": Wire | Source,
	"E-break-field-required": Wire | Source,
	"E-break-word-removed":   Wire | Source, "E-break-word-added": Wire, "E-break-factory": Source,
	"E-break-constant": Wire,

	idRenamed: Wire, idRetired: Source, idAudience: Wire,
	idTiers: Behaviour, idProfile: Behaviour, idFieldUse: Behaviour, "W-changed-help-url": Behaviour,
	"W-changed-stack": Behaviour, "W-changed-fallback": Behaviour, "W-changed-reaction": Behaviour,
	"W-changed-field": Behaviour, "W-changed-message": Behaviour, "W-changed-set": Behaviour,
	"W-changed-prevent": Behaviour, "W-changed-groups": Behaviour, "W-changed-parent": Behaviour,
	"W-changed-retryable": Behaviour, "W-changed-severity": Behaviour, "W-changed-kind": Behaviour,
	"W-changed-when": Behaviour, "W-changed-policy": Behaviour,
}

// IDs returns the ids of all changes, sorted.
func IDs() []string { return slices.Sorted(maps.Keys(levels)) }

// ExceptIDs returns the ids that can be excepted for a whole taxonomy. A reused number can only be
// accepted for its code.
func ExceptIDs() []string {
	return slices.DeleteFunc(IDs(), func(id string) bool { return id == idNumberReused })
}

// Levels returns the levels of an id, or 0 for an unknown id.
func Levels(id string) Level { return levels[id] }

func severity(id string) diag.Severity {
	if strings.HasPrefix(id, "W-") {
		return diag.Warning
	}
	return diag.Error
}
