package terminal_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/terminal"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var update = flag.Bool("update", false, "write the golden files")

// screen is a writer that several goroutines may use.
type screen struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

// taken returns what was written since it was last asked.
func (s *screen) taken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.b.Reset()
	return s.b.String()
}

// shown is what a terminal shows after the text: erased lines are gone.
func shown(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = line[strings.LastIndex(line, "\r\x1b[K")+1:]
		lines[i] = strings.TrimPrefix(lines[i], "\x1b[K")
	}
	return strings.Join(lines, "\n")
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// story is a run with all kinds of events. Before each, the given time passes.
func story(start time.Time, observe func(after time.Duration, e executor.Event)) {
	classify := func(ev taxonomy.Evidence) (taxonomy.Reaction, error) {
		err := errs.Classify(ev)
		return errs.Table.Reaction(err), err
	}
	wait, limit := classify(
		taxonomy.Evidence{Source: "claude-cli", Op: "call", ExitCode: taxonomy.Some(1),
			Text: "Claude usage limit reached"})
	undo, scope := classify(taxonomy.Evidence{Source: "scope", Op: "scope", Type: "forbidden", Files: []string{".env"}})
	repeat, commit := classify(
		taxonomy.Evidence{Source: "git", Op: "commit", ExitCode: taxonomy.Some(128), Text: "fatal: \x1b[31mno\x1b[0m"})
	at := start
	iteration := 0
	tell := func(after time.Duration, e executor.Event) {
		at = at.Add(after)
		e.Run, e.Task, e.Iteration, e.At = "r-1", "Fix the tests", iteration, at
		observe(after, e)
	}
	tell(0, executor.Event{Kind: executor.RunStarted})
	iteration = 1
	tell(0, executor.Event{Kind: executor.IterationStarted, Tier: "haiku"})
	tell(0, executor.Event{Kind: executor.CallStarted, Source: "claude-cli", Call: 1})
	tell(3*time.Second, executor.Event{Kind: executor.Progressed, Text: "reading main.go"})
	tell(62*time.Second, executor.Event{Kind: executor.CallEnded, Source: "claude-cli", Took: 65 * time.Second})
	tell(0, executor.Event{Kind: executor.ErrorClassified, Err: limit, Text: "rule X/1"})
	tell(0, executor.Event{Kind: executor.ReactionTaken, Err: limit, Reaction: wait, Action: taxonomy.Retry})
	tell(0, executor.Event{Kind: executor.IterationEnded})
	tell(0, executor.Event{Kind: executor.Waiting, Until: at.Add(5 * time.Second), Text: "PROVIDER_RATE_LIMIT"})
	tell(5*time.Second, executor.Event{Kind: executor.Waited, Took: 5 * time.Second})
	iteration = 2
	tell(0, executor.Event{Kind: executor.IterationStarted, Tier: "haiku"})
	tell(0, executor.Event{Kind: executor.CallStarted, Source: "claude-cli", Call: 1})
	tell(time.Hour,
		executor.Event{Kind: executor.CallEnded, Source: "claude-cli", Took: time.Hour, Usage: executor.Usage{
			InputTokens: taxonomy.Some(int64(1200)), OutputTokens: taxonomy.Some(int64(34)),
			CostUSD: taxonomy.Some(0.123)}})
	tell(0, executor.Event{Kind: executor.ChangesDetected,
		Files: []string{".env", "a.go", "b.go", "c.go", "d.go", "e.go", "f.go"}})
	tell(0, executor.Event{Kind: executor.Asked, Files: []string{"go.mod"}, Text: "approved"})
	tell(0, executor.Event{Kind: executor.ErrorClassified, Err: scope})
	tell(0, executor.Event{Kind: executor.ReactionTaken, Err: scope, Reaction: undo, Action: taxonomy.Retry})
	tell(0, executor.Event{Kind: executor.Saved, Text: "refs/errgen/r-1/2"})
	tell(0, executor.Event{Kind: executor.Reverted, Files: []string{".env"}})
	tell(0, executor.Event{Kind: executor.Validated, Op: "validate_pre_commit", Took: 1500 * time.Millisecond})
	tell(0, executor.Event{Kind: executor.Validated, Op: "validate_pre_push", Took: 12 * time.Second,
		Err: errors.New("exit 1")})
	tell(0, executor.Event{Kind: executor.ErrorClassified, Err: commit})
	tell(0, executor.Event{Kind: executor.ReactionTaken, Err: commit, Reaction: repeat, Action: taxonomy.Continue,
		UsedUp: true})
	tell(0, executor.Event{Kind: executor.Committed, Files: []string{"a.go"}, Text: "0123456789abcdef0123"})
	tell(0, executor.Event{Kind: executor.Escalated, Tier: "opus"})
	tell(0, executor.Event{Kind: executor.Recovered, Text: "reduce_context"})
	tell(0, executor.Event{Kind: executor.Recovered, Text: "reduce_context", Err: errors.New("no")})
	tell(0, executor.Event{Kind: executor.Prevented, Text: "wait 2s", Code: "OVERLOADED"})
	tell(0, executor.Event{Kind: executor.Prevented, Text: "check disk", Err: errors.New("it is full")})
	tell(0, executor.Event{Kind: executor.Warned, Text: "the journal is behind\x07"})
	tell(0, executor.Event{Kind: executor.Paused})
	tell(time.Minute, executor.Event{Kind: executor.Unpaused})
	tell(0, executor.Event{Kind: executor.Pushed})
	tell(0, executor.Event{Kind: executor.PROpened, Text: "https://example.org/pr/1"})
	tell(0, executor.Event{Kind: executor.RunEnded, Result: &executor.Result{
		Status: executor.StatusBlocked, EndReason: executor.EndBlockedSignal, Iterations: 2, ErrorCount: 3,
		Commits: make([]executor.CommitDone, 1),
		Error:   "the agent asks", ErrorCategory: "scope", ErrorCode: "SCOPE_FORBIDDEN",
		Question:         "Which key?\r\nAnd why?",
		UncommittedFiles: []string{"b.go"}, UncheckedFiles: []string{"c.go"},
	}})
}

func TestPlainLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s screen
		o := terminal.New(&s, terminal.Options{Location: time.UTC})
		story(time.Now(), func(after time.Duration, e executor.Event) {
			time.Sleep(after)
			o.Observe(e)
		})
		require.NoError(t, o.Close())
		golden(t, "plain.txt", s.taken())
	})
}

func TestLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s screen
		live, color := true, true
		o := terminal.New(
			&s, terminal.Options{Live: &live, Color: &color, Location: time.UTC, Width: func() int { return 60 }})
		all := ""
		story(time.Now(), func(after time.Duration, e executor.Event) {
			time.Sleep(after)
			synctest.Wait()
			o.Observe(e)
			all += s.taken()
		})
		require.NoError(t, o.Close())
		all += s.taken()
		golden(t, "live.txt", strings.ReplaceAll(shown(all), "\x1b", "<ESC>"))
		assert.NotContains(t, all, "\x07")
		o.Observe(executor.Event{Kind: executor.Warned, Text: "late"})
		require.NoError(t, o.Close())
		assert.Empty(t, s.taken(), "after the end there is nothing more")
	})
}

// The live line goes on by itself: spinner, elapsed time, countdown.
func TestLiveLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s screen
		live := true
		var width atomic.Int64
		width.Store(60)
		o := terminal.New(
			&s, terminal.Options{Live: &live, Location: time.UTC, Width: func() int { return int(width.Load()) }})
		frames := func(after time.Duration) string {
			time.Sleep(after)
			synctest.Wait()
			return s.taken()
		}
		assert.Empty(t, frames(time.Second), "nothing to show, nothing drawn")
		observe := func(e executor.Event) string {
			e.Run, e.Iteration = "r-1", 1
			o.Observe(e)
			return s.taken()
		}
		last := func(text string) string { return text[strings.LastIndex(text, "\r\x1b[K"):] }
		observe(executor.Event{Kind: executor.CallStarted, Source: "p"})
		two := frames(200 * time.Millisecond)
		assert.Equal(t, 2, strings.Count(two, "\r\x1b[K"), "ten times a second")
		assert.Contains(t, last(frames(65*time.Second)), "iteration 1 · calling p · 1m05s")
		observe(executor.Event{Kind: executor.Progressed, Text: "reading 日本語日本語日本語日本語日本語日本語 and more"})
		assert.Contains(t, last(frames(time.Second)), "iteration 1 · calling p · 1m06s · reading 日本語日本語日…")
		width.Store(20)
		assert.Contains(t, last(frames(time.Second)), " iteration 1 · ca…")
		width.Store(0)
		until := time.Now().Add(2*time.Second + time.Millisecond)
		observe(executor.Event{Kind: executor.Waiting, Until: until, Text: "PROVIDER_RATE_LIMIT"})
		for _, want := range []string{"waiting 2s, until ", "waiting 1s, until ", "waiting 0s, until "} {
			assert.Contains(t, last(frames(time.Second)), "iteration 1 · "+want+until.UTC().Format("15:04:05")+
				" · PROVIDER_RATE_LIMIT")
		}
		observe(executor.Event{Kind: executor.Waiting, Until: until.Add(48 * time.Hour)})
		assert.Contains(t, last(frames(time.Second)), "until "+until.UTC().Add(48*time.Hour).Format("2006-01-02 15:04"))
		o.Observe(executor.Event{Kind: executor.RunStarted, Run: "r-2", Task: "other"})
		assert.Contains(t, last(s.taken()), "r-2 · starting · 0s · and 1 more")
		o.Aside(func() {
			assert.Equal(t, "\r\x1b[K", s.taken(), "a question has the terminal for itself")
			assert.Empty(t, frames(time.Minute))
		})
		assert.Contains(t, s.taken(), "r-2 · starting")
		require.NoError(t, o.Close())
		assert.Equal(t, "\r\x1b[K", s.taken(), "the live line is gone")
	})
}

func TestShortWaitsAreToldExactly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s screen
		o := terminal.New(&s, terminal.Options{Location: time.UTC})
		for _, c := range []struct {
			wait time.Duration
			want string
		}{
			{200 * time.Millisecond, "waiting 0.2s"},
			{999 * time.Millisecond, "waiting 1s"},
			{time.Second, "waiting 1s"},
			{90 * time.Second, "waiting 1m30s"},
			{0, "waiting 0s"},
		} {
			o.Observe(executor.Event{Kind: executor.Waiting, Run: "r-1", Until: time.Now().Add(c.wait)})
			assert.Contains(t, s.taken(), c.want+", until ", c.wait)
		}
	})
}

func TestSeveralRunsAreTold(t *testing.T) {
	var s screen
	o := terminal.New(&s, terminal.Options{Location: time.UTC})
	for _, e := range []executor.Event{
		{Kind: executor.RunStarted, Run: "a", Task: "one", Text: "resumed"},
		{Kind: executor.RunStarted, Run: "b", Task: "two"},
		{Kind: executor.Pushed, Run: "a"}, {Kind: executor.RunEnded, Run: "a"}, {Kind: executor.Pushed, Run: "b"},
		{Kind: executor.RunEnded, Run: "b",
			Result: &executor.Result{Status: executor.StatusCompleted, EndReason: executor.EndCompleted,
				Iterations: 1}},
		{Kind: executor.RunEnded, Run: "c"},
	} {
		o.Observe(e)
	}
	require.NoError(t, o.Close())
	assert.Equal(
		t, "run a: one (resumed)\nb: run b: two\na:   pushed\na: ended\n  pushed\ncompleted after 1 iteration\nended\n",
		s.taken())
}

func TestUntrustedTextCommandsNothing(t *testing.T) {
	var s screen
	o := terminal.New(&s, terminal.Options{})
	o.Observe(executor.Event{
		Kind: executor.Warned, Run: "r",
		Text: "a\x1b]0;title\x07b\r\nc\u202ed\u009bK\xff \x1b[1;31mred\x1b[0m \x1b " +
			"key=sk-ant-api03-abcdefghijklm\x1b[mnopqrstuvwxyz0123456789 " + strings.Repeat("x ", 99999),
	})
	got := s.taken()
	assert.True(t, strings.HasPrefix(got, "  warning: ab  c d K\uFFFD red  key=[REDACTED] x x"), got[:100])
	assert.Equal(t, 1, strings.Count(got, "\n"))
	assert.Less(t, len(got), 1100)
	for _, bad := range []string{"\x1b", "\r", "\x07", "\u202e", "\u009b"} {
		assert.NotContains(t, got, bad)
	}
}

func TestColors(t *testing.T) {
	yes := true
	for _, c := range []struct {
		name, noColor string
		o             terminal.Options
		want          bool
	}{
		{"on a terminal", "", terminal.Options{Live: &yes}, true},
		{"not wanted", "1", terminal.Options{Live: &yes}, false},
		{"in a file", "", terminal.Options{}, false},
		{"asked for", "1", terminal.Options{Color: &yes}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("NO_COLOR", c.noColor)
			var s screen
			o := terminal.New(&s, c.o)
			o.Observe(executor.Event{Kind: executor.Pushed, Run: "r"})
			require.NoError(t, o.Close())
			assert.Equal(t, c.want, strings.Contains(s.taken(), "\x1b[32m"))
		})
	}
}

func TestAFileGetsPlainLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(path)
	require.NoError(t, err)
	o := terminal.New(f, terminal.Options{})
	o.Observe(executor.Event{Kind: executor.Pushed, Run: "r"})
	require.NoError(t, o.Close())
	require.NoError(t, f.Close())
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "  pushed\n", string(b))
}
