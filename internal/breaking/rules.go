package breaking

import (
	"cmp"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
)

// The rules. Those that begin with E- are errors, the others warnings.
const (
	idDomain        = "E-break-domain"
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
	idPackage       = "E-break-package"
	idGoName        = "E-break-go-name"
	idGoRemoved     = "E-break-go-removed"
	idFactory       = "E-break-factory"
	idInterface     = "E-break-interface"

	idRenamed   = "W-changed-code-value"
	idRetired   = "W-changed-code-retired"
	idRetryable = "W-changed-retryable"
	idReaction  = "W-changed-reaction"
	idPolicy    = "W-changed-policy"
	idSeverity  = "W-changed-severity"
	idKind      = "W-changed-kind"
	idWhen      = "W-changed-when"
	idMessage   = "W-changed-message"
	idField     = "W-changed-field"
	idSet       = "W-changed-set"
	idGroups    = "W-changed-groups"
	idPrevent   = "W-changed-prevent"
	idTiers     = "W-changed-tiers"
	idFallback  = "W-changed-fallback"
	idProfile   = "W-changed-profile"
	idHelpURL   = "W-changed-help-url"
)

// levels says whom a change of each kind concerns, unless the change itself says less.
var levels = map[string]Level{
	idDomain: Wire, idCodeRemoved: Wire | Source, idCodeValue: Wire, idReserved: Wire, idAlias: Wire, idNumber: Wire,
	idCategory: Wire | Source, idStatus: Wire,
	idFieldRemoved: Wire | Source, idFieldRenamed: Wire | Source, idFieldType: Wire | Source,
	idFieldRequired: Wire | Source, idFieldMasking: Wire | Source, idWordRemoved: Wire | Source, idWordAdded: Wire,
	idPackage: Source, idGoName: Source, idGoRemoved: Source, idFactory: Source, idInterface: Source,

	idRenamed: Wire, idRetired: Source,
	idRetryable: Behaviour, idReaction: Behaviour, idPolicy: Behaviour, idSeverity: Behaviour, idKind: Behaviour,
	idWhen: Behaviour, idMessage: Behaviour, idField: Behaviour, idSet: Behaviour, idGroups: Behaviour,
	idPrevent: Behaviour, idTiers: Behaviour, idFallback: Behaviour, idProfile: Behaviour, idHelpURL: Behaviour,
}

// IDs returns the ids of all rules, sorted.
func IDs() []string {
	ids := make([]string, 0, len(levels))
	for id := range levels {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Levels returns whom changes of a rule can concern; no level for what is no rule.
func Levels(id string) Level { return levels[id] }

func severity(id string) diag.Severity {
	if strings.HasPrefix(id, "W-") {
		return diag.Warning
	}
	return diag.Error
}

func byPosition(a, b diag.Finding) int {
	return cmp.Or(
		cmp.Compare(a.Span.Line, b.Span.Line), cmp.Compare(a.Span.Col, b.Span.Col),
		cmp.Compare(a.Severity, b.Severity), strings.Compare(a.ID, b.ID), strings.Compare(a.Message, b.Message),
	)
}
