package rules

import "strings"

// noLonger is in place of a new id for faults that are not checked any more.
const noLonger = ""

// replaced has the ids of earlier versions, by the id that has replaced them.
var replaced = map[string]string{
	"E-yaml": `E-yaml-syntax E-tab E-indent E-escape E-unquoted E-unclosed E-anchor E-tag E-second-document E-encoding
		E-control E-too-large E-too-deep E-flow-comma`,
	"E-value": `E-wrong-type E-bad-value E-number-text E-bool-word E-duration E-empty E-version E-key-conflict E-number
		E-http-status E-prevent E-domain E-help-url E-empty-text E-when-empty E-text E-name E-limit
		E-no-codes`,
	"E-duplicate": `E-duplicate-key E-duplicate-code E-duplicate-number E-duplicate-value E-duplicate-field
		E-role-twice E-predeclared`,
	"E-unknown-key":   "E-reserved-key",
	"E-unknown-name":  "E-unknown-field E-unknown-from E-stdlib-name",
	"E-go-name":       "E-package E-duplicate-go-name E-method-name",
	"E-field-option":  "E-from-type",
	"E-arg":           "E-missing-arg E-fixed-arg",
	"E-placeholder":   "E-placeholder-format",
	"E-action":        "E-action-key E-action-needs E-unbounded-retry",
	"E-tiers":         "E-escalation-tiers E-person-tier",
	"E-retryable":     "E-retryable-reaction E-recoverability",
	"E-role-field":    "E-hint-field E-files-field",
	"E-example":       "E-counter-example E-want",
	"W-untested-rule": "E-empty-range",
	noLonger: `E-covered-rule E-attribute-name E-read-escape E-listed-twice E-replaced-by W-header-name W-adapt-idle
		W-weak-text W-message-punctuation W-help-url W-log-placeholder E-too-many W-changed-field-use`,
}

// Replaced returns the id that has replaced one of an earlier version, or "" if its fault is no
// longer checked. It is not ok if the id never existed, or is in use.
func Replaced(id string) (now string, ok bool) {
	for now, old := range replaced {
		for name := range strings.FieldsSeq(old) {
			if strings.EqualFold(id, name) {
				return now, true
			}
		}
	}
	return "", false
}
