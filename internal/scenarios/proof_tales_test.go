package scenarios_test

import (
	"context"
	"fmt"
	"time"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// tale is a story with a complete trace of its visible effects.
type tale struct {
	name   string
	turns  []turn
	change func(w *memWorld)
}

func worksOn(paths ...string) turn {
	return turn{writes: paths, says: executor.Answer{Text: "more to do"}}
}

func endsWith(paths ...string) turn {
	return turn{writes: paths, says: executor.Answer{Text: "TASK COMPLETE"}}
}

func breaksWith(err error, paths ...string) turn { return turn{writes: paths, fails: err} }

// apiSays is a failure of a call of a provider behind an API.
func apiSays(e taxonomy.Evidence) error {
	e.Source, e.Op = "anthropic-api", "call"
	return &e
}

func apiStatus(code int) error { return apiSays(taxonomy.Evidence{Status: code}) }

func apiLimits(after time.Duration) error {
	return apiSays(taxonomy.Evidence{Status: 429, RetryAfter: taxonomy.Some(after)})
}

func gitSays(op string) error {
	return &taxonomy.Evidence{Source: "git", Op: op, ExitCode: taxonomy.Some(128), Text: "fatal: no"}
}

func phaseFails(phase executor.Phase, more ...error) func(*memWorld) {
	return func(w *memWorld) {
		w.cfg.Deliver, w.cfg.Limits.Failures = executor.DeliverPullRequest, 5
		w.checks[phase] = append([]error{&taxonomy.Evidence{
			Source: "validator", Op: "validate_" + string(phase), Type: "exit", ExitCode: taxonomy.Some(2),
			Output:     "FAIL: TestX",
			Attributes: map[string]string{"command": "make test"},
		}}, more...)
	}
}

// treeFails has the next calls of operations of the tree fail.
func treeFails(op string, all ...error) func(*memWorld) {
	return func(w *memWorld) {
		errs := all
		w.cfg.Deliver = executor.DeliverPullRequest
		w.tree.fails = func(o string) (err error) {
			if o == op && len(errs) > 0 {
				err, errs = errs[0], errs[1:]
			}
			return err
		}
	}
}

func withPatience(w *memWorld) { w.cfg.Limits.Failures, w.cfg.Limits.Iterations = 20, 40 }

func inConversation(w *memWorld) { w.cfg.Continue = true }

// smallBudget is a budget for some calls.
type smallBudget struct{ left int }

func (s *smallBudget) Allow(context.Context, executor.Call) error {
	if s.left--; s.left >= 0 {
		return nil
	}
	return &taxonomy.Evidence{Source: "budget", Op: "budget", Type: "exceeded"}
}

func repeated(n int, t turn) []turn {
	var out []turn
	for range n {
		out = append(out, t)
	}
	return out
}

// tales are the stories against which the data of the taxonomy is tried. Together they raise every
// code by what raises it really.
func tales() []tale {
	all := []tale{
		{name: "all goes well", turns: []turn{worksOn("src/a"), endsWith("src/b")}},
		{name: "all goes well up to the pull request", turns: []turn{endsWith("src/a")},
			change: func(w *memWorld) { w.cfg.Deliver = executor.DeliverPullRequest }},
		{name: "the provider says no more than that it failed",
			turns: []turn{{says: executor.Answer{Failure: "no"}, writes: []string{"src/a"}}, endsWith()}},
		{name: "a person is needed", turns: []turn{{says: executor.Answer{Text: "BLOCKED: which one?"}}}},
	}
	all = append(all, callTales()...)
	all = append(all, limitTales()...)
	all = append(all, scopeTales()...)
	all = append(all, deliveryTales()...)
	return append(all, setupTales()...)
}

func callTales() []tale {
	crash := apiSays(taxonomy.Evidence{Text: "something new"})
	return []tale{
		{name: "a crash", turns: []turn{worksOn("src/a"), breaksWith(crash, "src/b"), endsWith("src/c")}},
		{name: "three crashes", turns: []turn{worksOn("src/a"), breaksWith(crash, "src/b")}},
		{name: "a crash in a conversation", change: inConversation,
			turns: []turn{{says: executor.Answer{Session: "s1"}}, breaksWith(crash, "src/b"),
				{says: executor.Answer{Session: "s1"}}, endsWith("src/c")}},
		{name: "five server errors", change: withPatience, turns: append(
			repeated(5, breaksWith(apiStatus(500), "src/a")), endsWith())},
		{name: "a server error with a hint",
			turns: []turn{breaksWith(
				apiSays(taxonomy.Evidence{Status: 503, RetryAfter: taxonomy.Some(7 * time.Second)})), endsWith()}},
		{name: "too many at once", turns: []turn{breaksWith(apiStatus(409)), endsWith("src/a")}},
		{name: "a bad request", turns: []turn{worksOn("src/a"), breaksWith(apiStatus(404), "src/b"), endsWith()}},
		{name: "no quota",
			turns: []turn{breaksWith(apiSays(taxonomy.Evidence{Status: 429, Code: "insufficient_quota"})), endsWith()}},
		{name: "bad credentials", turns: []turn{breaksWith(apiStatus(401), "src/a"), endsWith()}},
		{name: "not installed", turns: []turn{breaksWith(apiSays(taxonomy.Evidence{Type: "not_found"})), endsWith()}},
		{name: "time runs out", turns: []turn{worksOn("src/a"), {hangs: true, writes: []string{"src/b"}}, endsWith()}},
		{name: "time runs out three times", turns: []turn{{hangs: true}}},
		{name: "an operation takes too long",
			turns: []turn{breaksWith(
				&taxonomy.Evidence{Source: "validator", Op: "call", Type: "timeout",
					Attributes: map[string]string{"timeout_ms": "60000"}}), endsWith()}},
		{name: "a blocked command",
			turns: []turn{breaksWith(apiSays(taxonomy.Evidence{Type: "command_blocked"}), "src/a"), endsWith()}},
		{name: "skipping is denied",
			turns: []turn{breaksWith(apiSays(taxonomy.Evidence{Type: "skip_denied"})), endsWith()}},
		{name: "the provider panics", turns: []turn{{panics: true}, endsWith("src/a")}},
	}
}

func limitTales() []tale {
	return []tale{
		{name: "a rate limit with a hint",
			turns: []turn{worksOn("src/a"), breaksWith(apiLimits(10*time.Second), "src/b"), endsWith()}},
		{name: "a rate limit without one", turns: []turn{breaksWith(apiStatus(429)), endsWith("src/a")}},
		{name: "a rate limit until an instant",
			turns: []turn{{fails: apiStatus(429), resets: 90 * time.Second}, endsWith("src/a")}},
		{name: "a rate limit of 29 minutes", turns: []turn{breaksWith(apiLimits(29 * time.Minute)), endsWith("src/a")}},
		{name: "a rate limit of a day", turns: []turn{breaksWith(apiLimits(24*time.Hour), "src/a"), endsWith()}},
		{name: "rate limits for too long",
			turns: []turn{breaksWith(apiLimits(11 * time.Minute)), breaksWith(apiLimits(11 * time.Minute)),
				breaksWith(apiLimits(11 * time.Minute)), endsWith()}},
		{name: "rate limits for long, but not too long",
			turns: []turn{breaksWith(apiLimits(11 * time.Minute)), breaksWith(apiLimits(11 * time.Minute)),
				breaksWith(apiLimits(8 * time.Minute)), endsWith()}},
	}
}

func scopeTales() []tale {
	denied := func(w *memWorld) { w.answers = []bool{false} }
	return []tale{
		{name: "forbidden and allowed files", turns: []turn{worksOn("src/a", "src/secret/k"), endsWith("src/b")}},
		{name: "forbidden files, and all is done", turns: []turn{endsWith("src/a", "src/secret/k"), endsWith()}},
		{name: "files outside, and all is done", turns: []turn{endsWith("src/a", "docs/x", "-notes"), endsWith()}},
		{name: "files outside three times", turns: []turn{worksOn("src/a", "docs/x")}},
		{name: "git's own files", turns: []turn{worksOn("src/a", ".git/hooks/pre-commit"), endsWith()}},
		{name: "a person says yes", turns: []turn{worksOn("src/ask/a"), endsWith("src/ask/a")},
			change: func(w *memWorld) { w.answers = []bool{true} }},
		{name: "a person says no", turns: []turn{worksOn("src/ask/a", "src/b"), endsWith()}, change: denied},
		{name: "nobody is there", turns: []turn{worksOn("src/ask/a", "src/b"), endsWith()}},
		{name: "the guard cannot judge", turns: []turn{worksOn("src/a"), endsWith("src/b")}, change: func(w *memWorld) {
			w.cfg.Guard.(*memGuard).fails = []error{&taxonomy.Evidence{Source: "scope", Op: "scope", Text: "no"}}
		}},
		{name: "the changes cannot be found out", turns: []turn{worksOn("src/a"), endsWith("src/b")},
			change: treeFails("detect", gitSays("detect_changes"))},
		{name: "the changes cannot be put back", turns: []turn{worksOn("src/a", "src/secret/k"), endsWith("src/b")},
			change: treeFails("revert", gitSays("revert"))},
		{name: "the changes cannot be saved", turns: []turn{worksOn("src/a", "src/secret/k"), endsWith("src/b")},
			change: treeFails("save", gitSays("save"))},
	}
}

func deliveryTales() []tale {
	no := gitSays
	return []tale{
		{name: "a check fails before the commit", turns: []turn{worksOn("src/a"), worksOn("src/b"), endsWith("src/c")},
			change: phaseFails(executor.PreCommit)},
		{name: "a check fails before the push", turns: []turn{worksOn("src/a"), endsWith("src/b"), endsWith("src/c")},
			change: phaseFails(executor.PrePush)},
		{name: "a check fails before the pull request",
			turns: []turn{worksOn("src/a"), endsWith("src/b"), endsWith("src/c")}, change: phaseFails(executor.PrePR)},
		{name: "a check takes too long", turns: []turn{endsWith("src/b"), endsWith("src/c")},
			change: func(w *memWorld) {
				w.checks[executor.PreCommit] = []error{&taxonomy.Evidence{Source: "validator",
					Op:   "validate_pre_commit",
					Type: "timeout", Attributes: map[string]string{"timeout_ms": "1000"}}}
			}},
		{name: "the commit fails once", turns: []turn{worksOn("src/a"), endsWith("src/b")},
			change: treeFails("commit", no("commit"))},
		{name: "the commit fails twice", turns: []turn{worksOn("src/a"), worksOn("src/b"), endsWith("src/c")},
			change: treeFails("commit", no("commit"), no("commit"))},
		{name: "the push fails once", turns: []turn{endsWith("src/b")}, change: treeFails("push", no("push"))},
		{name: "the push fails twice", turns: []turn{endsWith("src/b")},
			change: treeFails("push", no("push"), no("push"))},
		{name: "no pull request", turns: []turn{endsWith("src/b")}, change: treeFails("pr", no("pr"), no("pr"))},
	}
}

func setupTales() []tale {
	executorSays := func(op string) error { return &taxonomy.Evidence{Source: "executor", Op: op, Text: "no"} }
	return []tale{
		{name: "the tree is not in order", turns: []turn{endsWith("src/a")},
			change: treeFails("begin", executorSays("prepare"))},
		{name: "somebody holds the lock", turns: []turn{endsWith("src/a")},
			change: treeFails("lock", executorSays("lock"))},
		{name: "the provider is not there", turns: []turn{endsWith("src/a")}, change: func(w *memWorld) {
			w.actor.missing = []error{&taxonomy.Evidence{Source: "claude-cli", Op: "available", Type: "not_found"}}
		}},
		{name: "the budget is spent", turns: []turn{endsWith("src/a")},
			change: func(w *memWorld) { w.cfg.Admission.Budget = &smallBudget{left: 1} }},
	}
}

// probeTales are tales in which a call fails with an error of a code, whatever it is about.
func probeTales() []tale {
	all := []tale{
		{name: "twenty rate limits", change: withPatience, turns: append(
			repeated(20, breaksWith(apiLimits(time.Second))), endsWith("src/a"))},
		{name: "twenty-one rate limits", change: withPatience,
			turns: append(repeated(21, breaksWith(apiLimits(time.Second))), endsWith("src/a"))},
		{name: "rate limits without a hint", turns: append(repeated(3, breaksWith(apiStatus(429))), endsWith("src/a"))},
		{name: "a rate limit of 50 seconds", turns: []turn{breaksWith(apiLimits(50 * time.Second)), endsWith("src/a")}},
		{name: "rate limits of 80 seconds in all", turns: append(
			repeated(2, breaksWith(apiLimits(40*time.Second))), endsWith("src/a"))},
		{name: "another run is limited meanwhile", change: inConversation, turns: []turn{
			{says: executor.Answer{Session: "s1"}}, {fails: errs.NewGitPushFailed("no"), closes: 2 * time.Hour},
			endsWith("src/a"),
		}},
	}
	for _, p := range probed() {
		all = append(all,
			tale{name: "a call fails: " + p.name, change: inConversation, turns: []turn{
				{says: executor.Answer{Session: "s1"}}, p.turn("src/b"), p.turn(), endsWith("src/c"),
			}},
			tale{name: "again and again: " + p.name, change: func(
				w *memWorld) {
				w.cfg.Limits.Failures, w.cfg.Limits.Iterations = 7, 9
			}, turns: []turn{p.turn("src/b")}},
		)
	}
	return all
}

type probe struct {
	name string
	err  error
}

// turn is one that fails so. What nothing is known of is a text.
func (p probe) turn(paths ...string) turn {
	if p.err == nil {
		return turn{writes: paths, says: executor.Answer{Failure: "no"}}
	}
	return breaksWith(p.err, paths...)
}

// fromTheWire returns an error whose code this program does not know.
func fromTheWire(retryable bool) error {
	wire := fmt.Sprintf(
		`{"domain":"aidf","name":"ProviderError","category":"provider","code":"PROVIDER_NEW","message":"no",`+
			`"retryable":%t}`, retryable)
	err, failed := errs.UnmarshalError([]byte(wire))
	if failed != nil {
		panic(failed)
	}
	return err
}

// probed returns an error for each row of the table.
func probed() []probe {
	files := []string{"src/b"}
	return []probe{
		{"crash", errs.NewProviderCrash("p", "no").WithRetryAfter(9 * time.Second)},
		{"not available", errs.NewProviderNotAvailable("p")},
		{"api", errs.NewProviderAPIError("p", "no")},
		{"quota", errs.NewProviderAPIError("p", "no").WithQuotaExceeded(true)},
		{"conflict", errs.NewProviderAPIError("p", "no").WithStatusCode(409)},
		{"invalid request", errs.NewProviderAPIError("p", "no").WithInvalidRequest(true)},
		{"bad request", errs.NewProviderAPIError("p", "no").WithStatusCode(400)},
		{"rate limit", errs.NewProviderRateLimit("p").WithRetryAfter(3 * time.Second)},
		{"iteration", errs.NewIterationTimeout(1000, 1)},
		{"operation", errs.NewOperationTimeout(1000)},
		{"pre-commit", errs.NewValidationPreCommit("make", 2, "no")},
		{"pre-push", errs.NewValidationPrePush("make", 2, "no")},
		{"pre-PR", errs.NewValidationPrePR("make", 2, "no")},
		{"forbidden", errs.NewScopeForbidden(files, "strict")},
		{"outside", errs.NewScopeOutsideAllowed(files, "strict")},
		{"denied", errs.NewScopeUserDenied(files)},
		{"invalid", errs.NewConfigInvalid("f", "v", "w")},
		{"missing", errs.NewConfigMissing("f")},
		{"variable", errs.NewConfigEnvVarMissing("V")},
		{"parse", errs.NewConfigParseError("f", "no")},
		{"commit", errs.NewGitCommitFailed(files, "no")},
		{"push", errs.NewGitPushFailed("no")},
		{"revert", errs.NewGitRevertFailed(files, "no")},
		{"status", errs.NewGitStatusFailed("no")},
		{"skip", errs.NewPermissionSkipDenied("r")},
		{"command", errs.NewPermissionCommandBlocked("c", "p")},
		{"file", errs.NewPermissionFileAccess("r")},
		{"auth", errs.NewPermissionAPIAuth("p")},
		{"newer than this program", fromTheWire(true)},
		{"newer than this program, and for good", fromTheWire(false)},
		{"nothing known", nil},
	}
}
