package terminal

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// tale are the events of a run that waits for a rate limit.
func tale(run string) []executor.Event {
	failed := errs.NewProviderRateLimit("anthropic-api")
	return []executor.Event{
		{Kind: executor.RunStarted, Task: "fix the parser"},
		{Kind: executor.IterationStarted, Iteration: 1},
		{Kind: executor.CallStarted, Source: "anthropic-api"},
		{Kind: executor.Progressed, Text: "reads main.go"},
		{Kind: executor.ErrorClassified, Err: failed},
		{Kind: executor.ReactionTaken, Err: failed, Action: taxonomy.Retry, Reaction: taxonomy.Reaction{Name: "wait"}},
		{Kind: executor.Waiting, At: start, Until: start.Add(90 * time.Second), Text: "PROVIDER_RATE_LIMIT"},
		{Kind: executor.Waited, Took: 90 * time.Second},
		{Kind: executor.ReactionTaken, Err: failed, Action: taxonomy.Retry,
			Reaction: taxonomy.Reaction{Name: "undo", Agent: taxonomy.AgentReaction{AcceptCompletion: true}}},
		{Kind: executor.Reverted, Files: []string{"a\x1b[2J", "b"}},
		{Kind: executor.RunEnded, Result: &executor.Result{
			Run: run, Status: executor.StatusBlocked, EndReason: executor.EndBlockedSignal, Iterations: 2,
			UncommittedFiles: []string{"a"}, History: executor.History{
				ErrorCount: 1, Question: "which key? sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789",
			},
		}},
	}
}

// show returns the lines of the runs. If a person watches, they are coloured.
func show(watched bool, runs ...string) string {
	var s strings.Builder
	o := New(&s).(*observer)
	o.interactive, o.color = watched, watched
	tales := map[string][]executor.Event{}
	for _, run := range runs {
		tales[run] = tale(run)
	}
	for i := range tale("") {
		for _, run := range runs {
			e := tales[run][i]
			e.Run = run
			o.Observe(e)
		}
	}
	return s.String()
}

func TestPlainLines(t *testing.T) {
	assert.Equal(t, strings.TrimLeft(`
run one: fix the parser
iteration 1
  calling anthropic-api
  [PROVIDER] provider anthropic-api limits the rate (PROVIDER_RATE_LIMIT)
  trying again (wait)
  waiting 1m30s (PROVIDER_RATE_LIMIT), until 12:01:30
  trying again unless the remaining work completes the task (undo)
  reverted 2 files: a, b
blocked (blocked signal) after 2 iterations, 1 error
  question: which key? [REDACTED]
  not committed: 1 file: a
`, "\n"), strings.ReplaceAll(show(false, "one"), "a [2J", "a"))
}

func TestSeveralRuns(t *testing.T) {
	shown := show(false, "one", "two")
	assert.Contains(t, shown, "\ntwo: iteration 1\n")
	assert.Contains(t, shown, "\none:   calling anthropic-api\n")
}

func TestWatchedLines(t *testing.T) {
	shown := show(true, "one")
	assert.Contains(t, shown, "\n\x1b[2m  reads main.go\x1b[0m\n", "the activity of the provider")
	assert.Contains(t, shown,
		"\n\x1b[31m  [PROVIDER] provider anthropic-api limits the rate (PROVIDER_RATE_LIMIT)\x1b[0m\n")
	assert.Contains(t, shown, "\n\x1b[33mblocked (blocked signal)")
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "a\x1b[31mb": "a\uFFFD[31mb", "a\nb": "a\uFFFDb", "\u202eabc": "\uFFFDabc",
		"bad \xff": "bad \uFFFD",
	} {
		assert.Equal(t, want, Printable(in))
	}
}
