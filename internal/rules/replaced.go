package rules

import "strings"

// noLonger is in place of a new id for faults that are not checked any more.
const noLonger = ""

// replaced has each id of earlier versions with the id that has replaced it.
var replaced = []struct{ old, now string }{
	{"E-yaml-syntax", "E-yaml"},
	{"E-tab", "E-yaml"},
	{"E-indent", "E-yaml"},
	{"E-escape", "E-yaml"},
	{"E-unquoted", "E-yaml"},
	{"E-unclosed", "E-yaml"},
	{"E-anchor", "E-yaml"},
	{"E-tag", "E-yaml"},
	{"E-second-document", "E-yaml"},
	{"E-encoding", "E-yaml"},
	{"E-control", "E-yaml"},
	{"E-too-large", "E-yaml"},
	{"E-too-deep", "E-yaml"},
	{"E-flow-comma", "E-yaml"},
	{"E-wrong-type", "E-value"},
	{"E-bad-value", "E-value"},
	{"E-number-text", "E-value"},
	{"E-bool-word", "E-value"},
	{"E-duration", "E-value"},
	{"E-empty", "E-value"},
	{"E-version", "E-value"},
	{"E-key-conflict", "E-value"},
	{"E-number", "E-value"},
	{"E-http-status", "E-value"},
	{"E-prevent", "E-value"},
	{"E-domain", "E-value"},
	{"E-help-url", "E-value"},
	{"E-empty-text", "E-value"},
	{"E-when-empty", "E-value"},
	{"E-text", "E-value"},
	{"E-name", "E-value"},
	{"E-limit", "E-value"},
	{"E-no-codes", "E-value"},
	{"E-duplicate-key", "E-duplicate"},
	{"E-duplicate-code", "E-duplicate"},
	{"E-duplicate-number", "E-duplicate"},
	{"E-duplicate-value", "E-duplicate"},
	{"E-duplicate-field", "E-duplicate"},
	{"E-role-twice", "E-duplicate"},
	{"E-predeclared", "E-duplicate"},
	{"E-reserved-key", "E-unknown-key"},
	{"E-unknown-field", "E-unknown-name"},
	{"E-unknown-from", "E-unknown-name"},
	{"E-stdlib-name", "E-unknown-name"},
	{"E-package", "E-go-name"},
	{"E-duplicate-go-name", "E-go-name"},
	{"E-method-name", "E-go-name"},
	{"E-from-type", "E-field-option"},
	{"E-missing-arg", "E-arg"},
	{"E-fixed-arg", "E-arg"},
	{"E-placeholder-format", "E-placeholder"},
	{"E-action-key", "E-action"},
	{"E-action-needs", "E-action"},
	{"E-unbounded-retry", "E-action"},
	{"E-escalation-tiers", "E-tiers"},
	{"E-person-tier", "E-tiers"},
	{"E-retryable-reaction", "E-retryable"},
	{"E-recoverability", "E-retryable"},
	{"E-hint-field", "E-role-field"},
	{"E-files-field", "E-role-field"},
	{"E-counter-example", "E-example"},
	{"E-want", "E-example"},
	{"E-empty-range", "W-untested-rule"},
	{"E-covered-rule", noLonger},
	{"E-attribute-name", noLonger},
	{"E-read-escape", noLonger},
	{"E-listed-twice", noLonger},
	{"E-replaced-by", noLonger},
	{"W-header-name", noLonger},
	{"W-adapt-idle", noLonger},
	{"W-weak-text", noLonger},
	{"W-message-punctuation", noLonger},
	{"W-help-url", noLonger},
	{"W-log-placeholder", noLonger},
	{"E-too-many", noLonger},
	{"W-changed-field-use", noLonger},
	{"W-changed-code-retired", "E-break-go-removed"},
}

// Replaced returns the id that has replaced one of an earlier version, or "" if its fault is no
// longer checked. It is not ok if the id never existed, or is in use.
func Replaced(id string) (now string, ok bool) {
	for _, r := range replaced {
		if strings.EqualFold(id, r.old) {
			return r.now, true
		}
	}
	return "", false
}
