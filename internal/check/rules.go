package check

// rule is a rule of meaning. Several functions may serve one id: they find the same fault in different
// places.
type rule struct {
	id  string
	run func(*pass)
}

var rules = []rule{
	{"E-package", packageName},
	{"E-domain", badDomain},
	{"E-help-url", badHelpURL},
	{"E-text", unsafeText},
	{"E-name", unusableText},
	{"E-go-name", unusableNames},
	{"E-duplicate-go-name", duplicateGoNames},
	{"E-duplicate-go-name", fieldGoNames},
	{"E-method-name", methodsHidden},
	{"E-limit", limits},
	{"E-no-codes", noCodes},

	{"E-unknown-name", unknownInReactions},
	{"E-unknown-name", unknownInCodes},
	{"E-unknown-name", unknownInProfiles},
	{"E-unknown-name", unknownInDetect},
	{"E-unknown-field", unknownFields},
	{"E-unknown-from", unknownFrom},
	{"E-stdlib-name", systemNames},
	{"E-stdlib-name", systemPrefix},

	{"E-duplicate-code", duplicateCodes},
	{"E-duplicate-number", duplicateNumbers},
	{"E-duplicate-value", duplicateValues},
	{"E-duplicate-field", duplicateFields},
	{"E-listed-twice", listedTwice},
	{"E-listed-twice", whenValueTwice},
	{"E-number", badNumbers},
	{"E-reserved-name", reservedUsed},
	{"E-predeclared", predeclaredAgain},
	{"E-replaced-by", replacedBy},

	{"E-field-option", fieldForm},
	{"E-from-type", wrongFrom},
	{"E-role-twice", roleTwice},
	{"E-value", wrongValuesInFields},
	{"E-value", wrongValuesInCodes},
	{"E-value", attributeBounds},
	{"E-value", badReset},
	{"E-missing-arg", missingArgs},
	{"E-fixed-arg", fixedArgs},
	{"E-unfillable", unfillable},

	{"E-placeholder", malformedText},
	{"E-placeholder", unknownPlaceholder},
	{"E-placeholder-format", wrongFormat},
	{"E-optional-placeholder", optionalPlaceholder},
	{"E-sensitive-text", sensitiveText},
	{"E-empty-text", emptyMessage},

	{"E-when-secret", whenSecret},
	{"E-when-unreachable", whenUnreachable},
	{"E-when-empty", emptyWhen},

	{"E-action-key", actionKeys},
	{"E-action-needs", actionNeeds},
	{"E-then-cycle", thenCycle},
	{"E-unbounded-retry", unboundedRetry},
	{"E-escalation-tiers", escalationWithoutTiers},
	{"E-person-tier", personNotLast},
	{"E-policy-bounds", policyBounds},
	{"E-retryable-reaction", retryableReaction},
	{"E-recoverability", recoverability},
	{"E-hint-field", hintField},
	{"E-files-field", filesField},
	{"E-http-status", httpStatus},

	{"E-regexp", badRegexp},
	{"E-empty-rule", emptyRule},
	{"E-empty-range", emptyRange},
	{"E-covered-rule", coveredRules},
	{"E-example", strayExamples},
	{"E-counter-example", wonCounterExamples},
	{"E-want", unmetWants},

	{"W-retryable-stops", retryableStops},
	{"W-overlay-skipped", overlaySkipped},
	{"W-no-doc", undocumented},
	{"W-message-punctuation", messagePunctuation},
	{"W-unsorted", unsorted},
	{"W-unused", unused},
	{"W-weak-text", weakText},
	{"W-untested-rule", untestedRules},
}
