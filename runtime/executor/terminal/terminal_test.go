package terminal

import (
	"context"
	"strings"
	"sync"
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

type stoppedClock struct{}

func (stoppedClock) Now() time.Time                             { return start }
func (stoppedClock) Sleep(context.Context, time.Duration) error { return nil }

type screen struct {
	mu sync.Mutex
	strings.Builder
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Builder.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Builder.String()
}

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

func show(live bool, runs ...string) string {
	s := &screen{}
	t := New(s)
	t.clock = stoppedClock{}
	if live {
		t.color, t.width = true, func() int { return 40 }
		t.begin()
	}
	tales := map[string][]executor.Event{}
	for _, run := range runs {
		tales[run] = tale(run)
	}
	for i := range tale("") {
		for _, run := range runs {
			e := tales[run][i]
			e.Run = run
			t.Observe(e)
		}
	}
	_ = t.Close()
	_ = t.Close()
	t.Observe(executor.Event{Kind: executor.Warned, Text: "after the end"})
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

func TestLiveLine(t *testing.T) {
	shown := show(true, "one")
	assert.Contains(t, shown, "iteration 1 · waiting 1m30s")
	assert.Contains(t, shown, "\x1b[31m  [PROVIDER]")
	assert.True(t, strings.HasSuffix(shown, "\n"), "the live line is erased: %q", shown)
	for _, line := range strings.Split(shown, "\r\x1b[K") {
		if strings.HasPrefix(line, "\x1b[2m") && !strings.Contains(line, "\n") {
			assert.LessOrEqual(t, len([]rune(line))-len("\x1b[2m\x1b[0m"), 39)
		}
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "a\x1b[31mb": "a\uFFFD[31mb", "a\nb": "a\uFFFDb", "\u202eabc": "\uFFFDabc",
		"bad \xff": "bad \uFFFD",
	} {
		assert.Equal(t, want, Printable(in))
	}
	assert.Equal(
		t, "{\n\"a\": \"\\u001b\\u202e\"}", string(PrintableJSON([]byte("{\n\"a\": \"\x1b\u202e\"}"))))
}
