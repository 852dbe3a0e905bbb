package spec

// policyParts makes the tables of what a policy holds beside numbers of its own. None of their keys
// is required: in a profile they change what the declared policy says.
func (l *Language) policyParts() {
	l.adapt.Keys = []Key{
		{Name: "attempts", Type: mapping(l.attempts), Doc: "Bounds of max_attempts.", Default: "it stays as it is"},
		{Name: "delay", Type: mapping(l.delays), Doc: "Bounds of initial_delay.", Default: "it stays as it is"},
		{Name: "target", Type: share(MinTarget, MaxTarget), Default: "0.8",
			Doc: "The share of first retries that shall succeed; the delay is moved towards it."},
		{Name: "window", Type: whole(MinOutcomes, MaxOutcomes), Default: "50",
			Doc: "How many outcomes are remembered for each code."},
	}
	l.attempts.Keys = []Key{
		{Name: "min", Type: whole(1, MaxMoved), Default: "the policy's max_attempts",
			Doc: "The fewest calls in total."},
		{Name: "max", Type: whole(1, MaxMoved), Default: "the policy's max_attempts", Doc: "The most calls in total."},
	}
	l.delays.Keys = []Key{
		{Name: "min", Type: duration, Default: "the policy's initial_delay", Doc: "The shortest first wait."},
		{Name: "max", Type: duration, Default: "the policy's initial_delay", Doc: "The longest first wait."},
	}
	l.budget.Keys = []Key{
		{Name: "retries", Type: atLeast(0), Default: "no bound", Doc: "How many retries there may be for each call."},
		{Name: "reserve", Type: whole(0, MaxNumber), Default: "3",
			Doc: "How many retries there may be however few calls there are."},
		{Name: "window", Type: duration, Default: "10s", Doc: "The time over which calls and retries are counted."},
		{Name: "breaker", Type: mapping(l.breaker), Default: "none",
			Doc: "When calls stop because the provider fails."},
	}
	l.breaker.Keys = []Key{
		{Name: "failures", Type: whole(1, MaxOutcomes), Doc: "How many failures among the last calls stop all calls."},
		{Name: "of", Type: whole(1, MaxOutcomes), Default: "as many as failures",
			Doc: "How many calls the last ones are."},
		{Name: "probe", Type: duration, Default: "5s",
			Doc: "The time between two calls that try whether the provider works again."},
		{Name: "successes", Type: whole(1, MaxOutcomes), Default: "1",
			Doc: "How many of those must succeed in a row before all calls go on."},
	}
}

func (l *Language) preventionTable() {
	l.prevention.AnyOf = []string{"check", "throttle", "concurrency"}
	l.prevention.Keys = []Key{
		{Name: "check", Type: ref(RefCheck), Doc: "The check that must pass before the call."},
		{Name: "throttle", Type: duration, Doc: "The least time between the beginnings of two calls."},
		{Name: "concurrency", Type: whole(1, MaxNumber), Doc: "How many calls of the provider may run at once."},
		{Name: "likely", Type: share(0, MaxLikely), Default: "0.5",
			Doc: "How probable the code must be, from 0 to 0.99."},
	}
}
