package spec

func (l *Language) rootTables() {
	l.Root.Keys = []Key{
		{Name: "errgen", Type: Type{Form: FormVersion}, Required: true, Doc: "The version of the language: 1."},
		{Name: "package", Type: text, Required: true,
			Doc: "Name of the Go package, and of the output directory unless one is given."},
		{Name: "domain", Type: text, Doc: "Who owns the codes, as in google.rpc.ErrorInfo.domain."},
		{Name: "doc", Type: text, Doc: "What the package is for; becomes its package comment."},
		{Name: "help_url", Type: text, Doc: "Address of the help on a code; {code} stands for the code on the wire."},
		{Name: "sources", Type: declare(RefSource, text), Doc: "Who can report evidence: a name and a sentence each."},
		{Name: "ops", Type: declare(RefOp, text),
			Doc: "Operations beyond those that the runtime knows: a name and a sentence each."},
		{Name: "groups", Type: declare(RefGroup, text), Doc: "Labels on codes: a name and a sentence each."},
		{Name: "strategies", Type: declare(RefStrategy, text),
			Doc: "Strategies of recovery; each is a method of the generated interface."},
		{Name: "checks", Type: declare(RefCheck, text),
			Doc: "Checks to run before a call; each is a method of the generated interface."},
		{Name: "tiers", Type: declare(RefTier, mapping(l.tier)),
			Doc: "The tiers to escalate through, the lowest first."},
		{Name: "policies", Type: declare(RefPolicy, mapping(l.policy)), Doc: "Named policies of retrying."},
		{Name: "reactions", Type: declare(RefReaction, mapping(l.reaction)),
			Doc: "Named reactions. abort, block and continue exist already."},
		{Name: "fallback", Type: mapping(l.fallback),
			Doc:     "The code for evidence that no rule matched and for unknown codes off the wire.",
			Default: "unknown errors abort"},
		{Name: "uncategorized", Type: l.reactionRef(), Doc: "The reaction to a failure with neither evidence nor type.",
			Default: "abort"},
		{Name: "fields", Type: declare(RefField, mapping(l.field)), Doc: "Fields of every category."},
		{Name: "categories", Type: declare(RefCategory, mapping(l.category)), Required: true,
			Doc: "The categories; each is a struct type of the package."},
		{Name: "reserved", Type: mapping(l.reserved), Doc: "Numbers and codes that are never used again."},
		{Name: "profiles", Type: declare(RefProfile, mapping(l.profile)),
			Doc: "Overlays to choose from when the program runs."},
		reserved("purpose"),
	}
	l.tier.Keys = []Key{
		{Name: "doc", Type: text, Doc: "What the tier is."},
		{Name: "classifies", Type: boolean, Default: "true",
			Doc: "Whether its own account of a failure is trusted to classify it."},
		{Name: "person", Type: boolean, Default: "false",
			Doc: "Whether the tier is a person. Only the last one may be."},
		{Name: "purpose", Type: word(words.purposes),
			Doc: "What the tier is asked for where the reaction that leads to it says nothing. Not of a person."},
	}
	l.fallback.Keys = []Key{
		{Name: "code", Type: ref(RefCode), Required: true, Doc: "The code that such evidence becomes."},
		{Name: "set", Type: keyed(RefField, literal), Doc: "Values of its fields."},
	}
	l.reserved.Keys = []Key{
		{Name: "numbers", Type: list(integer), Doc: "Numbers that no code may have."},
		{Name: "codes", Type: list(text), Doc: "Codes, values or aliases that may not come back."},
	}
}

func (l *Language) policyRef() Type { return either(ref(RefPolicy), mapping(l.policy)) }

func (l *Language) reactionRef() Type { return either(ref(RefReaction), mapping(l.reaction)) }

// overlayRef is a reaction in an overlay, where the flag may choose.
func (l *Language) overlayRef() Type {
	return either(ref(RefReaction), mapping(l.reaction), mapping(l.byFlag))
}

// policyNumbers are the keys that a policy shares with a profile's retry section.
func (l *Language) policyNumbers() []Key {
	return []Key{
		{Name: "max_attempts", Type: whole(1, MaxNumber), Default: "3", Doc: "Calls in total, the first included."},
		{Name: "initial_delay", Type: duration, Default: "1s", Doc: "The wait before the second call."},
		{Name: "max_delay", Type: duration, Default: "30s", Doc: "The longest computed wait."},
		{Name: "multiplier", Type: atLeast(1), Default: "2", Doc: "The factor of exponential growth."},
		{Name: "backoff", Type: word(words.backoffs), Default: "exponential", Doc: "How the delay grows."},
		{Name: "jitter", Type: either(share(0, 1), word(words.jitters)), Default: "none",
			Doc: "Chance in the delay: a fraction from 0 to 1, or a kind."},
		{Name: "max_elapsed", Type: duration, Default: "no bound", Doc: "The longest time waited in a row."},
		{Name: "max_retry_after", Type: duration, Default: "max_delay",
			Doc: "The longest hint that is obeyed; a longer one leads to then at once."},
		{Name: "adapt", Type: mapping(l.adapt), Doc: "How far what has come of tries may move the numbers.",
			Default: "they stay as they are"},
		{Name: "budget", Type: mapping(l.budget),
			Doc: "What all who call the same provider with the same credential may try together.", Default: "no bound"},
	}
}

func (l *Language) reactionTables() {
	l.policy.Keys = append([]Key{{Name: "doc", Type: text, Doc: "What the policy is for."}}, l.policyNumbers()...)
	l.policyParts()

	l.reaction.Keys = l.reactionKeys(true)
	l.reactionOverlay.Keys = l.reactionKeys(false)
	l.byFlag.Keys = []Key{
		{Name: "retryable", Type: ref(RefReaction), Doc: "The reaction where the code is retryable.",
			Default: "unchanged"},
		{Name: "permanent", Type: ref(RefReaction), Doc: "The reaction where it is not.", Default: "unchanged"},
	}
	l.log.Keys = []Key{
		{Name: "level", Type: word(words.levels), Required: true, Doc: "How loudly to say it."},
		{Name: "message", Type: text, Default: "the error's message", Doc: "What to say."},
	}
}

func (l *Language) reactionKeys(whole bool) []Key {
	return []Key{
		{Name: "doc", Type: text, Doc: "What the reaction is for."},
		{Name: "action", Type: word(words.actions), Required: whole, Doc: "What to do."},
		{Name: "policy", Type: l.policyRef(),
			Doc: "How often and how long, for actions that try again: a name, or a policy in place."},
		{Name: "count_failure", Type: boolean, Default: "true for retry and recover, otherwise false",
			Doc: "Whether it counts towards the limit of consecutive failures."},
		{Name: "honor_retry_after", Type: boolean, Default: "false",
			Doc: "Whether the error's hint replaces the policy's delay."},
		{Name: "shared", Type: word(words.shared), Default: "run", Doc: "Who waits along."},
		{Name: "then", Type: l.reactionRef(), Default: "block for retry and escalate, abort for recover",
			Doc: "The reaction that follows when policy, ladder or strategy is used up. retry_operation needs it."},
		{Name: "log", Type: mapping(l.log), Doc: "What is logged when the reaction is taken."},
		{Name: "revert", Type: word(words.reverts),
			Doc: "What is taken back first: the files that the error names, or all of the iteration."},
		{Name: "accept_completion", Type: boolean, Default: "false",
			Doc: "Whether what is left after the revert may count as done, once validated."},
		{Name: "feed_back", Type: boolean, Default: "false",
			Doc: "Whether the error is told to the provider in its next prompt."},
		{Name: "extent", Type: word(words.extents), Default: "task", Doc: "How much an abort ends."},
		{Name: "strategy", Type: ref(RefStrategy), Doc: "The strategy that recover runs."},
		{Name: "session", Type: word(words.sessions), Default: "keep",
			Doc: "The conversation of the next try: the same, a new one, or a new and shorter one."},
		{Name: "resume", Type: word(words.resumes), Default: "iteration", Doc: "Where work goes on after a strategy."},
		{Name: "to", Type: ref(RefTier), Default: "the next tier",
			Doc: "The tier to escalate to, at least; with purpose and a retry, the tier that is asked."},
		{Name: "purpose", Type: word(words.purposes), Default: "that of the tier",
			Doc: "What the tier is asked for first, with escalate, or with a retry that names the tier in to."},
	}
}
