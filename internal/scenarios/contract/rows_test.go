package contract_test

import (
	"errors"
	"time"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// status is a call that fails with a status of HTTP.
func status(code int, paths ...string) step {
	return raises(&taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: code}, paths...)
}

// limited is a rate limit with a hint.
func limited(after time.Duration) step {
	return raises(&taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: 429,
		RetryAfter: taxonomy.Some(after)})
}

// timedOut is a call that took longer than its iteration may.
func timedOut(paths ...string) step {
	return raises(&taxonomy.Evidence{Source: "anthropic-api", Op: "call", Type: "timeout",
		Attributes: map[string]string{"iteration": "1", "timeout_ms": "1000"}}, paths...)
}

// reported returns the next failures of an operation, all alike.
func reported(n int, source, op, typ string) map[string][]error {
	var all []error
	for range n {
		all = append(all, &taxonomy.Evidence{Source: source, Op: op, Type: typ, ExitCode: taxonomy.Some(2),
			Output: "FAIL: TestX", Attributes: map[string]string{"command": "make test"}})
	}
	return map[string][]error{op: all}
}

func repeat(n int, s step) (all []step) {
	for range n {
		all = append(all, s)
	}
	return all
}

// rowStories are rows of the requirements, with the shipped taxonomy.
func rowStories() []story {
	resets := &taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: 429,
		RetryAfter: taxonomy.Some(90 * time.Second), ResetAt: time.Date(2026, 3, 1, 12, 2, 0, 0, time.UTC)}
	call := func(e taxonomy.Evidence) step {
		e.Op = "call"
		return raises(&e)
	}
	return []story{
		{name: "A99 B-A26 the category decides before the text", steps: []step{
			call(taxonomy.Evidence{Source: "anthropic-api", Status: 500, Text: "BLOCKED: no"}), done()},
			want: want{end: "completed", calls: 2, counted: 1, waits: "1s", checks: "commit push pr", delivered: "PR"}},
		{name: "A99 without a category the text decides", steps: []step{{failure: "failed\nBLOCKED: which key?"}},
			want: want{end: "blocked_signal", calls: 1}},
		{name: "A100 A160 B-A03 a config error fails at once", steps: []step{done("a")},
			fails: reported(1, "config", "load_config", "missing"),
			want:  want{end: "fatal", code: "CONFIG_MISSING", endsRun: true}},
		{name: "A100 a config error of a call fails at once",
			steps: []step{raises(&taxonomy.Evidence{Source: "config", Op: "load_config", Type: "missing"})},
			want:  want{end: "fatal", code: "CONFIG_MISSING", calls: 1, endsRun: true}},
		{name: "A100 A161 B-A04 bad credentials fail at once", steps: []step{status(401, "a"), done("b")},
			want: want{end: "fatal", code: "PERMISSION_API_AUTH", calls: 1, uncommitted: "a", differs: "a",
				endsRun: true}},
		{name: "A101 a timeout counts and is retried", steps: []step{timedOut(), done()},
			want: want{end: "completed", calls: 2, counted: 1, checks: "commit push pr", delivered: "PR"}},
		{name: "A102 B-A02 a rate limit waits five seconds", steps: []step{status(429), done()},
			want: want{end: "completed", calls: 2, waits: "5s", checks: "commit push pr", delivered: "PR"}},
		{name: "A103 A164 a missing provider fails at once", steps: []step{
			call(taxonomy.Evidence{Source: "claude-cli", Type: "not_found"})},
			want: want{end: "fatal", code: "PROVIDER_NOT_AVAILABLE", calls: 1, endsRun: true}},
		{name: "A164 B-A21 a missing provider fails before the first call", steps: []step{done("a")},
			fails: reported(1, "anthropic-api", "available", "not_found"),
			want:  want{end: "fatal", code: "PROVIDER_NOT_AVAILABLE", endsRun: true}},
		{name: "A104 a killed process counts and is retried", steps: []step{
			call(taxonomy.Evidence{Source: "claude-cli", Signal: "SIGKILL"}), done()},
			want: want{end: "completed", calls: 2, counted: 1, checks: "commit push pr", delivered: "PR"}},
		{name: "A104 B-A25 a network error waits and is retried", steps: []step{
			call(taxonomy.Evidence{Source: "openai-api", Type: "network"}), done()},
			want: want{end: "completed", calls: 2, counted: 1, waits: "1s", checks: "commit push pr", delivered: "PR"}},
		{name: "A105 B-A06 a permanent API error fails at once", steps: []step{works("a"), status(422, "b"), done()},
			want: want{end: "fatal", code: "PROVIDER_API_ERROR", calls: 2, commits: "a", uncommitted: "b",
				differs: "b", checks: "commit"}},
		{name: "A106 A165 the next prompt has the output of a failed check", steps: []step{done("a=1"), done("a=2")},
			fails: reported(1, "validator", "validate_pre_commit", "exit"),
			want: want{end: "completed", calls: 2, counted: 1, commits: "a", told: map[int]string{2: "FAIL: TestX"},
				checks: "commit commit push pr", delivered: "PR"}},
		{name: "A107 forbidden files are reverted and count", steps: []step{works("forbidden/a", "b"), done("c")},
			want: want{end: "completed", calls: 2, counted: 1, commits: "b c",
				told: map[int]string{2: "forbidden/a"}, checks: "commit push pr", delivered: "PR"}},
		{name: "A107 files outside are reverted and count", steps: []step{works("outside/a", "b"), done("c")},
			want: want{end: "completed", calls: 2, counted: 1, commits: "b c", told: map[int]string{2: "outside/a"},
				checks: "commit push pr", delivered: "PR"}},
		{name: "A108 A166 B-A01 a denial fails at once", steps: []step{done("ask/a", "b"), done()},
			want: want{end: "fatal", code: "SCOPE_USER_DENIED", calls: 1, uncommitted: "b", differs: "b", asked: 1}},
		{name: "A109 A167 a failed revert fails at once", steps: []step{done("forbidden/a", "b"), done()},
			fails: reported(3, "git", "revert", "exit"),
			want: want{end: "fatal", code: "GIT_REVERT_FAILED", calls: 1, counted: 1, failures: 1, uncommitted: "b",
				unchecked: "forbidden/a", differs: "b forbidden/a", endsRun: true}},
		{name: "A110 A168 B-A07 a failed commit is repeated once", steps: []step{works("a"), done("b")},
			fails: reported(2, "git", "commit", "exit"),
			want: want{end: "completed", calls: 2, commits: "b", waits: "1s", uncommitted: "a", differs: "a",
				checks: "commit commit push pr", delivered: "PR"}},
		{name: "A110 B-A08 a failed push is repeated once", steps: []step{done("b")},
			fails: reported(2, "git", "push", "exit"),
			want:  want{end: "completed", calls: 1, commits: "b", waits: "1s", checks: "commit push"}},
		{name: "A111 an error of the taxonomy keeps its code",
			steps: []step{raises(errs.NewProviderCrash("x", "it broke"))},
			want:  want{end: "max_failures", code: "PROVIDER_CRASH", calls: 3, counted: 3, failures: 3}},
		{name: "A111 a wrapped error of the taxonomy keeps its code",
			steps: []step{raises(errors.Join(errors.New("outer"), errs.NewProviderNotAvailable("x")))},
			want:  want{end: "fatal", code: "PROVIDER_NOT_AVAILABLE", calls: 1, endsRun: true}},
		{name: "A112 B-A27 a failure without a category is retried", steps: []step{{failure: "no luck"}, done()},
			want: want{end: "completed", calls: 2, counted: 1, checks: "commit push pr", delivered: "PR"}},
		{name: "A114 A162 B-X03 failures in a row block the run", steps: []step{timedOut()},
			want: want{end: "max_failures", code: "ITERATION_TIMEOUT", calls: 3, counted: 3, failures: 3}},
		{name: "A115 a success resets the failures in a row",
			steps: []step{timedOut(), timedOut(), works(), timedOut(), timedOut(), done()},
			want:  want{end: "completed", calls: 6, counted: 4, checks: "commit push pr", delivered: "PR"}},
		{name: "A117 B-A05b an API error waits longer each time", steps: []step{status(500), status(500), done()},
			want: want{end: "completed", calls: 3, counted: 2, waits: "1s 2s", checks: "commit push pr",
				delivered: "PR"}},
		{name: "A118 B-X01 Retry-After comes before the policy", steps: []step{limited(90 * time.Second), done()},
			want: want{end: "completed", calls: 2, waits: "1m30s", checks: "commit push pr", delivered: "PR"}},
		{name: "B-X01 a typed time comes before Retry-After", steps: []step{raises(resets), done()},
			want: want{end: "completed", calls: 2, waits: "2m0s", checks: "commit push pr", delivered: "PR"}},
		{name: "B-X01 a hint above the limit is not tried early", steps: []step{limited(time.Hour), done()},
			want: want{end: "retries_used_up", code: "PROVIDER_RATE_LIMIT", calls: 1}},
		{name: "B-A05 rate limits have a limit of their own", host: host{iterations: 100}, steps: []step{status(429)},
			want: want{end: "retries_used_up", code: "PROVIDER_RATE_LIMIT", calls: 21,
				waits: "5s 5s 5s 5s 5s 5s 5s 5s 5s 5s 5s 5s 5s 5s 5s 5s 5s 5s 5s 5s"}},
		{name: "B-X04 a question blocks without an error", steps: []step{{text: "BLOCKED: shall I?"}},
			want: want{end: "blocked_signal", calls: 1}},
		{name: "B-A12 an exit code alone is a crash", steps: []step{
			call(taxonomy.Evidence{Source: "claude-cli", ExitCode: taxonomy.Some(1)}), done()},
			want: want{end: "completed", calls: 2, counted: 1, checks: "commit push pr", delivered: "PR"}},
		{name: "B-A13 a call that hangs is a timeout", steps: []step{works("a"), hangs("b"), done()},
			want: want{end: "completed", calls: 3, counted: 1, commits: "a; b", checks: "commit commit push pr",
				delivered: "PR"}},
		{name: "B-A38 of two limits the failures are named", host: host{iterations: 3}, steps: []step{timedOut()},
			want: want{end: "max_failures", code: "ITERATION_TIMEOUT", calls: 3, counted: 3, failures: 3}},
		{name: "B-X08 failures in all have a limit", host: host{attempts: 3},
			steps: []step{timedOut(), works(), timedOut(), works(), timedOut(), done()},
			want:  want{end: "attempts_used_up", code: "ITERATION_TIMEOUT", calls: 5, counted: 3, failures: 1}},
		{name: "B-A31 a dry run makes no call", host: host{dryRun: true}, steps: []step{done("a")},
			want: want{end: "dry_run"}},
		{name: "B-A11 a session that fails without a category is begun anew", host: host{continues: true},
			steps: []step{{text: "more", session: "one"}, {failure: "no such session"}, done()},
			want:  want{end: "completed", calls: 3, iterations: 2, checks: "commit push pr", delivered: "PR"}},
		{name: "B-A11 a rate limit in a session is not called again at once", host: host{continues: true},
			steps: []step{{text: "more", session: "one"}, status(429), done()},
			want:  want{end: "completed", calls: 3, waits: "5s", checks: "commit push pr", delivered: "PR"}},
		{name: "a wait that would pass the deadline is not begun", host: host{runLimit: 6 * time.Second},
			steps: []step{status(429)},
			want:  want{end: "deadline", code: "PROVIDER_RATE_LIMIT", calls: 2, waits: "5s"}},
		{name: "A169 a run recovers from a timeout and a scope error", steps: []step{timedOut("half"), works("a"),
			works("outside/x", "b"), works("b=2"), done()},
			want: want{end: "completed", calls: 5, counted: 2, commits: "a half; b",
				told: map[int]string{4: "outside/x"}, checks: "commit commit commit push pr", delivered: "PR"}},
		{name: "A163 rate limits do not count", steps: append(repeat(4, status(429)), done("a")),
			want: want{end: "completed", calls: 5, commits: "a", waits: "5s 5s 5s 5s", checks: "commit push pr",
				delivered: "PR"}},
	}
}
