package spec

func (l *Language) detectTables() {
	oneText := func(to Ref) Type { return matcher(ref(to), l.textMatcher) }
	oneNumber := matcher(integer, l.numberMatcher)
	l.rule.Keys = []Key{
		{Name: "source", Type: oneText(RefSource), Doc: "Who reports."},
		{Name: "op", Type: oneText(RefOp), Doc: "The operation that failed."},
		{Name: "status", Type: oneNumber, Doc: "HTTP status."},
		{Name: "type", Type: oneText(RefNone), Doc: "The source's own type of error."},
		{Name: "code", Type: oneText(RefNone), Doc: "The source's own code."},
		{Name: "exit_code", Type: oneNumber, Doc: "Exit status of a process."},
		{Name: "signal", Type: oneText(RefNone), Doc: "The signal that ended a process."},
		{Name: "errno", Type: oneText(RefNone), Doc: "Name of a system error."},
		{Name: "is", Type: oneText(RefNone), Doc: "A variable of the standard library, for errors.Is."},
		{Name: "as", Type: oneText(RefNone), Doc: "An error type of the standard library, for errors.As."},
		{Name: "text", Type: many(text), Doc: "Regular expressions (RE2), any of which is found in the text."},
		{Name: "contains", Type: many(text), Doc: "Texts, any of which is in the text, in any case."},
		{Name: "attributes", Type: keyed(RefAttribute, matcher(Type{Form: FormScalar}, l.matcher)),
			Doc: "Tests of the evidence's attributes."},
		{Name: "priority", Type: integer, Default: "0", Doc: "Rules of a higher priority come first."},
		{Name: "set", Type: keyed(RefField, literal), Doc: "Fields that the rule knows."},
	}
	l.notExample.Keys = evidenceKeys()
	l.example.Keys = append(
		evidenceKeys(), Key{Name: "want", Type: mapping(l.want), Doc: "What it must become, beyond the code."})
	l.want.Keys = []Key{
		{Name: "retryable", Type: boolean, Doc: "Whether it is retryable."},
		{Name: "recoverability", Type: word(words.recoverabilities), Doc: "What can be done about it."},
		{Name: "severity", Type: word(words.severities), Doc: "How bad it is."},
		{Name: "reaction", Type: ref(RefReaction), Doc: "The reaction that it leads to."},
		{Name: "context", Type: keyed(RefField, literal), Doc: "Fields of the error."},
	}
	present := Key{Name: "present", Type: boolean, Doc: "Whether there is a value at all."}
	prefix := Key{Name: "prefix", Type: many(text), Doc: "What it begins with; any of a list."}
	matcherKeys := func(of Type, more ...Key) []Key {
		return append(
			[]Key{{Name: "not", Type: many(of),
				Doc: "What it must not be; none of a list. What is absent does not match."}}, more...)
	}
	bounds := func(of Type) []Key {
		return []Key{{Name: "min", Type: of, Doc: "The least value that matches."},
			{Name: "max", Type: of, Doc: "The greatest value that matches."}}
	}
	scalar := Type{Form: FormScalar}
	l.matcher.Keys = append(bounds(scalar), matcherKeys(scalar, prefix, present)...)
	l.numberMatcher.Keys = append(bounds(integer), matcherKeys(integer, present)...)
	l.textMatcher.Keys = matcherKeys(text, prefix, present)
	for _, m := range []*Mapping{l.matcher, l.numberMatcher, l.textMatcher, l.byFlag} {
		m.NeedsKey = true
	}
}

func evidenceKeys() []Key {
	return []Key{
		{Name: "source", Type: ref(RefSource), Doc: "Who reports."},
		{Name: "op", Type: ref(RefOp), Doc: "The operation that failed."},
		{Name: "status", Type: integer, Doc: "HTTP status."},
		{Name: "type", Type: text, Doc: "The source's own type of error."},
		{Name: "code", Type: text, Doc: "The source's own code."},
		{Name: "exit_code", Type: integer, Doc: "Exit status of a process."},
		{Name: "signal", Type: text, Doc: "The signal that ended a process."},
		{Name: "errno", Type: text, Doc: "Name of a system error."},
		{Name: "is", Type: text, Doc: "A variable of the standard library, wrapped by the error."},
		{Name: "as", Type: text, Doc: "An error type of the standard library, in the error's chain."},
		{Name: "text", Type: text, Doc: "What was said on the error channel."},
		{Name: "output", Type: text, Doc: "What was said otherwise."},
		{Name: "files", Type: list(text), Doc: "The files concerned."},
		{Name: "retry_after", Type: duration, Doc: "How long the source asks to wait."},
		{Name: "reset_at", Type: text, Doc: "When the source will answer again (RFC 3339)."},
		{Name: "credential", Type: text, Doc: "The credential that was used."},
		{Name: "attributes", Type: keyed(RefAttribute, Type{Form: FormScalar}), Doc: "Whatever else the source says."},
	}
}

func (l *Language) profileTables() {
	l.profile.Keys = []Key{
		{Name: "doc", Type: text, Doc: "What the profile is for."},
		{Name: "codes", Type: keyed(RefOverlay, mapping(l.overlay)),
			Doc: "Changes by code, category, @group or *; the most specific wins, key by key."},
		{Name: "reactions", Type: keyed(RefReaction, mapping(l.reactionOverlay)),
			Doc: "Changes of reactions, key by key."},
		{Name: "policies", Type: keyed(RefPolicy, mapping(l.policy)), Doc: "Changes of policies, key by key."},
		{Name: "detection", Type: mapping(l.detection), Doc: "Parts of classification, on or off."},
		{Name: "recovery", Type: mapping(l.recovery), Doc: "Bounds on strategies."},
		{Name: "retry", Type: mapping(l.retry),
			Doc: "Whether to retry, and the numbers for reactions that name no policy."},
		{Name: "reporting", Type: mapping(l.reporting), Doc: "How much is told of an error."},
	}
	l.overlay.Keys = traitKeys(l.overlayRef())
	l.detection.Keys = []Key{
		{Name: "text", Type: boolean, Default: "true", Doc: "Whether rules on text are tried."},
		{Name: "severity", Type: boolean, Default: "true", Doc: "Whether a severity is given."},
		{Name: "recoverability", Type: boolean, Default: "true", Doc: "Whether a recoverability is given."},
	}
	l.recovery.Keys = []Key{
		{Name: "enabled", Type: boolean, Default: "true",
			Doc: "Whether strategies run; otherwise recover goes straight to then."},
		{Name: "max_attempts", Type: integer, Default: "no bound", Doc: "How many strategies may run; 0 is none."},
		{Name: "allowed", Type: list(ref(RefStrategy)), Default: "all", Doc: "The strategies that may run."},
	}
	l.retry.Keys = append([]Key{
		{Name: "enabled", Type: boolean, Default: "true",
			Doc: "Whether anything is tried again; otherwise such reactions go straight to then."},
	}, l.policyNumbers()...)
	l.reporting.Keys = []Key{
		{Name: "log_level", Type: word(words.levels), Doc: "The least level that is logged."},
		{Name: "stack", Type: boolean, Default: "false", Doc: "Whether stacks are captured where errors are made."},
		{Name: "context", Type: boolean, Default: "true", Doc: "Whether the context is reported."},
	}
}
