package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/htmlreport"
)

// kind is one way in which a bot's operations fail.
type kind struct {
	category, code, severity, recoverability string
	reaction, action                         string
	source                                   report.Source
	status                                   string
	messages                                 []string
	// weight is how often it happens, helps how often what is done about it helps; below zero
	// nothing is done.
	weight, helps float64
}

var kinds = []kind{
	{"rate_limit", "LLM_RATE_LIMIT", "medium", "retryable", "llm_wait_for_rate_limit", "retry_operation",
		report.Source{Type: "llm", Component: "messages", Endpoint: "/v1/messages", Method: "POST"}, "429",
		[]string{"rate limit reached for requests, try again in %d seconds"}, 30, .97},
	{"timeout", "LLM_TIMEOUT", "medium", "retryable", "llm_retry_with_backoff", "retry_operation",
		report.Source{Type: "llm", Component: "messages", Endpoint: "/v1/messages", Method: "POST"}, "",
		[]string{"no answer after %d ms", "stream ended after %d events"}, 17, .88},
	{"api", "GITHUB_API_ERROR", "high", "retryable", "github_retry_with_backoff", "retry_operation",
		report.Source{Type: "github", Component: "issues", Endpoint: "/repos/acme/site/issues/comments",
			Method: "PATCH"}, "502",
		[]string{"PATCH /repos/acme/site/issues/comments/%d: 502 Bad Gateway"}, 9, .79},
	{"type_error", "TYPE_ERROR", "low", "recoverable", "apply_type_fix", "recover",
		report.Source{Type: "verification", Component: "tsc"}, "TS2345",
		[]string{"src/cart.ts(%d,18): Argument of type 'string' is not assignable to parameter of type 'number'",
			"src/api/client.ts(%d,7): Property 'retries' does not exist on type 'Options'"}, 15, .71},
	{"lint_error", "LINT_ERROR", "low", "recoverable", "apply_lint_fix", "recover",
		report.Source{Type: "verification", Component: "eslint"}, "no-unused-vars",
		[]string{"src/cart.ts:%d:7 'total' is assigned a value but never used"}, 14, .94},
	{"test_failure", "TEST_FAILURE", "medium", "recoverable", "fix_test", "recover",
		report.Source{Type: "verification", Component: "vitest"}, "",
		[]string{"cart › adds up: expected %d to be 4200", "checkout › keeps the address: timed out after %d ms"}, 10,
		.48},
	{"network", "NETWORK_CONNECTION", "high", "retryable", "retry_with_backoff", "retry_operation",
		report.Source{Type: "network", Component: "npm"}, "ECONNRESET",
		[]string{"connect ECONNRESET 10.0.%d.17:443"}, 7, .9},
	{"dependency", "DEPENDENCY_MISSING", "medium", "recoverable", "install_dependency", "recover",
		report.Source{Type: "tool", Component: "bun"}, "MODULE_NOT_FOUND",
		[]string{"Cannot find module \"zod\" imported from /srv/job-%d/src/schema.ts"}, 4, .83},
	{"authentication", "GITHUB_AUTH", "critical", "permanent", "ask", "block",
		report.Source{Type: "github", Component: "app", Endpoint: "/app/installations/4711/access_tokens",
			Method: "POST"}, "401",
		[]string{"installation %d: Bad credentials"}, 1.2, -1},
	{"resource", "SYSTEM_RESOURCE", "critical", "permanent", "fail", "abort",
		report.Source{Type: "system", Component: "runner"}, "ENOSPC",
		[]string{"write /srv/job-%d/out.tar: no space left on device"}, .8, -1},
}

var start = time.Date(2026, time.March, 4, 6, 0, 0, 0, time.UTC)

// sample is what a bot met on a morning: a quiet beginning, an hour in which a provider refused
// nearly everything, and the errors of each day. The same seed gives the same morning.
func sample(t testing.TB) (report.Snapshot, htmlreport.Options) {
	t.Helper()
	end := start.Add(8 * time.Hour)
	random := rand.New(rand.NewPCG(1, 2))
	clock := &hands{end}
	reporter := report.NewReporter(report.ReporterOptions{Clock: clock})
	groups := report.NewGroups(report.GroupOptions{Clock: clock, MaxAge: 24 * time.Hour})
	sinks := report.Sinks{reporter, groups}
	for i, o := range morning(random, end) {
		o.ID = fmt.Sprintf("err-%06d", i+1)
		clock.now = o.At
		sinks.Report(o)
		if o.Action == "retry_operation" && o.Recovery != nil && o.Recovery.Successful != nil {
			sinks.Retried(report.Retry{
				Reaction: o.Reaction, Action: o.Action, Attempts: o.Recovery.Attempts,
				Succeeded: *o.Recovery.Successful,
			})
		}
	}
	clock.now = end
	s := report.NewSnapshot(reporter, groups)
	s.Title = "duyetbot, morning of 4 March"
	return s, htmlreport.Options{Forecasts: []htmlreport.Forecast{
		{Provider: "llm:messages", Code: "LLM_RATE_LIMIT", Probability: .41, Low: .33, High: .5},
		{Provider: "llm:messages", Code: "LLM_TIMEOUT", Probability: .12, Low: .08, High: .17},
		{Provider: "github:issues", Code: "GITHUB_API_ERROR", Probability: .064, Low: .02, High: .19},
	}}
}

// hands is a clock that a test sets.
type hands struct{ now time.Time }

func (h *hands) Now() time.Time { return h.now }

func (h *hands) Sleep(ctx context.Context, d time.Duration) error { return ctx.Err() }

// morning makes the errors, the oldest first.
func morning(random *rand.Rand, end time.Time) []*report.Occurrence {
	var list []*report.Occurrence
	for at := start; at.Before(end); at = at.Add(30 * time.Second) {
		hours := at.Sub(start).Hours()
		outage := math.Exp(-math.Pow((hours-4.6)/.42, 2))
		deploy := math.Exp(-math.Pow((hours-1.7)/.25, 2))
		for _, k := range kinds {
			often := k.weight / 60 * (.35 + .25*math.Sin(hours*1.3) + hours/20)
			switch k.source.Type {
			case "llm":
				often *= 1 + 9*outage
			case "verification":
				often *= 1 + 5*deploy
			}
			for n := random.Float64() * 2 * often; random.Float64() < n; n-- {
				list = append(list, one(random, k, at.Add(time.Duration(random.IntN(30_000))*time.Millisecond)))
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *report.Occurrence) int { return a.At.Compare(b.At) })
	return list
}

func one(random *rand.Rand, k kind, at time.Time) *report.Occurrence {
	source := k.source
	o := &report.Occurrence{
		At: at, Domain: "duyetbot", Category: k.category, Code: k.code, Severity: k.severity,
		Recoverability: k.recoverability,
		Retryable:      k.recoverability == "retryable", SourceCode: k.status, Source: &source, Reaction: k.reaction,
		Action:      k.action,
		Message:     fmt.Sprintf(k.messages[random.IntN(len(k.messages))], 10+random.IntN(4000)),
		Fingerprint: fmt.Sprintf("%016x", random.Uint64()),
		Execution: &report.Execution{Mode: "code-review", Skill: "review-changes", Tool: source.Component,
			TaskID: fmt.Sprintf("task-%03d", random.IntN(240))},
		Repository: &report.Repository{Owner: "acme", Repo: "site", EntityNumber: 300 + random.IntN(80),
			EntityType: "pr"},
		Context: json.RawMessage(fmt.Sprintf(`{"attempt":%d,"provider":%q}`, 1+random.IntN(3), source.Type)),
	}
	if k.helps >= 0 {
		good := random.Float64() < k.helps
		o.Recovery = &report.Recovery{Attempts: 1 + random.IntN(3), MaxAttempts: 3, Strategy: k.reaction,
			Successful: &good}
	}
	return o
}
