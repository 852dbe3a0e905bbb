package main

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/config"
	"github.com/errgen/errgen/runtime/executor/recovery"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

// clock is a clock on which waits take no time. It records them.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	if d > 0 {
		c.slept = append(c.slept, d)
	}
	return nil
}

// handled is the result of an operation.
type handled struct {
	recovery.Outcome
	waits    []time.Duration
	records  []recovery.Record
	reporter *report.Reporter
	log      string
}

// ran returns the names of the strategies that ran.
func (h *handled) ran() (names []string) {
	for _, r := range h.records {
		names = append(names, r.Strategy)
	}
	return names
}

// tableOf returns the table of a skill with the block error-handling.
func tableOf(t *testing.T, block string) taxonomy.Table {
	t.Helper()
	var sk struct {
		Handling handling `yaml:"error-handling"`
	}
	warnings, err := config.Parse("skill.yaml", []byte("error-handling:\n"+block), &sk)
	require.NoError(t, err)
	require.Empty(t, warnings)
	table, err := (&skill{Handling: sk.Handling}).table("")
	require.NoError(t, err)
	return table
}

// handle handles an operation of source that fails a given number of times, as a skill with the
// block error-handling does. The skill has no tools, and waits take no time.
func handle(t *testing.T, block, source string, failure error, times int) *handled {
	t.Helper()
	table := tableOf(t, block)
	c := newClock()
	out := &handled{reporter: report.NewReporter(report.ReporterOptions{Clock: c})}
	still := func() float64 { return 0.5 }
	standard, err := recovery.New(recovery.Options{
		Clock: c, Random: still, MaxWait: maxWait,
		Recorded: func(r recovery.Record) { out.records = append(out.records, r) },
	})
	require.NoError(t, err)
	var log bytes.Buffer
	h, err := recovery.NewHandler(recovery.Config{
		Table: table, Classify: detect.Classifier(errs.Explain, detect.WithTable(table)), Clock: c,
		Recoverer: strategies{standard},
		Sink:      out.reporter,
		Observer: executor.Slog(
			slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			table,
		),
	})
	require.NoError(t, err)
	out.Outcome = h.Handle(t.Context(), recovery.Op{Name: "work", Source: source, Do: func(context.Context) error {
		if times--; times >= 0 {
			return failure
		}
		return nil
	}})
	out.waits, out.log = c.slept, log.String()
	return out
}

const always = 1 << 20

func seconds(all ...float64) (waits []time.Duration) {
	for _, s := range all {
		waits = append(waits, time.Duration(s*float64(time.Second)))
	}
	return waits
}

// assertWaits compares waits that have a jitter of 10 %.
func assertWaits(t *testing.T, want, got []time.Duration) {
	t.Helper()
	require.Len(t, got, len(want), "%s of %s", got, want)
	for i := range want {
		assert.InDelta(t, float64(want[i]), float64(got[i]), .1*float64(want[i])+1, "wait %d", i+1)
	}
}

// repeated returns a list of n equal values.
func repeated[T any](n int, what T) (all []T) {
	for range n {
		all = append(all, what)
	}
	return all
}

// TestSeedIntegration checks that a failure is detected, reported, recovered without tools, and
// retried.
func TestSeedIntegration(t *testing.T) {
	t.Run("D174 B-D25", func(t *testing.T) {
		got := handle(t, "  profile: default\n", "llm", &evidence{Source: "llm", Text: "Rate limit exceeded"}, 1)
		require.NoError(t, got.Err)
		assert.True(t, got.Recovered)
		assert.Equal(t, 2, got.Calls)
		assert.Equal(t, seconds(60), got.waits, "D97")

		require.Len(t, got.records, 1)
		assert.True(t, got.records[0].Successful)
		assert.Equal(t, recovery.ActionWait, got.records[0].Action)
		assert.Equal(t, "Waited 60000ms for rate limit to reset", got.records[0].Message)

		reported := got.reporter.Errors(report.Query{})
		require.Len(t, reported, 1)
		assert.Equal(t, "llm_rate_limit", reported[0].Code)
		yes := true
		want := &report.Recovery{Attempts: 1, MaxAttempts: 3, Strategy: "wait_for_rate_limit", Successful: &yes}
		assert.Equal(t, want, reported[0].Recovery, "D94")
		m := got.reporter.Metrics()
		assert.Equal(t, []int{1, 1, 0}, []int{m.RecoveryAttempts, m.SuccessfulRecoveries, m.FailedRecoveries}, "D135")
		assert.Zero(t, m.RetryAttempts, "a strategy has seen to it")
	})
	t.Run("D157", func(t *testing.T) {
		got := handle(t, "  profile: default\n", "github", &evidence{Source: "github", Status: 404, Text: "Not Found"},
			always)
		assert.False(t, got.Success())
		assert.Equal(t, 1, got.Calls, "D108 D173")
		b, err := got.MarshalJSON()
		require.NoError(t, err)
		assert.JSONEq(t, `{"success":false,"error":"`+got.Message()+`","metadata":{"errorId":"`+got.Occurrence.ID+
			`","category":"github","errorCode":"github_not_found","severity":"high"}}`, string(b))
		assert.Equal(t, got.reporter.Errors(report.Query{})[0].ID, got.Occurrence.ID)
	})
}

// TestPolicyNumbers checks that without strategies the waits are those of the policies.
func TestPolicyNumbers(t *testing.T) {
	tests := []struct {
		row, code, source string
		failure           evidence
		waits             []time.Duration
	}{
		{"D114", "llm_rate_limit", "llm", answered("llm", 429), seconds(1, 2)},
		{"D114", "llm_timeout", "llm", answered("llm", 408), seconds(1, 2)},
		{"D115", "github_rate_limit", "github", answered("github", 429), seconds(1, 2, 4, 8)},
		{"D115", "github_timeout", "github", evidence{Source: "github", Type: "timeout"}, seconds(1, 2, 4, 8)},
		{"D115", "github_server_error", "github", answered("github", 500), seconds(1, 2, 4, 8)},
		{"D116", "tool_timeout", "tool", evidence{Source: "tool", ExitCode: taxonomy.Some(124)}, seconds(.5, 1)},
		{"D116", "network_error", "network", evidence{Source: "network", Type: "network"}, seconds(.5, 1)},
		{"D117", "verification_failed", "verification", evidence{Source: "verification", ExitCode: taxonomy.Some(1)},
			seconds(2, 4)},
	}
	for _, tt := range tests {
		t.Run(tt.row+" "+tt.code, func(t *testing.T) {
			got := handle(t, "  recovery: {enable_automatic_recovery: false}\n", tt.source, &tt.failure, always)
			require.Equal(t, tt.code, taxonomy.CodeOf(got.Err))
			assertWaits(t, tt.waits, got.waits)
			assert.Equal(t, len(tt.waits)+1, got.Calls, "D107 D109 D168")
			assert.Empty(t, got.records)
		})
	}
	t.Run("D172", func(t *testing.T) {
		got := handle(t, "  recovery: {enable_automatic_recovery: false}\n", "llm",
			&evidence{Source: "llm", Text: "Rate limit exceeded"}, 2)
		require.NoError(t, got.Err)
		assert.Equal(t, 3, got.Calls)
		m := got.reporter.Metrics()
		assert.Equal(t, []int{2, 1, 0}, []int{m.RetryAttempts, m.SuccessfulRetries, m.FailedRetries}, "D136")
	})
}

// TestProfilesRun checks the result of each profile, for a rate limit and for a failure that is
// retried by the numbers of its policy.
func TestProfilesRun(t *testing.T) {
	minutes := func(n int) []time.Duration { return repeated(n, time.Minute) }
	nine := seconds(1, 2, 4, 8, 16, 32, 64, 120, 120)
	dns := &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "none.invalid"}}
	tests := []struct {
		row, profile string
		strategies   int
		limited      []time.Duration // waits
		resolving    []time.Duration
		backoffs     []time.Duration // of a model that does not answer in time
	}{
		{"D145", "default", 3, append(minutes(3), seconds(1, 2)...), seconds(1, 2), seconds(1, 2, 4, 1, 2)},
		{"D146", "strict", 0, nil, nil, nil},
		{"D147", "lenient", 5, append(minutes(5), seconds(.5, 1, 2, 4)...), seconds(.5, 1, 2, 4),
			seconds(1, 2, 4, 8, 16, .5, 1, 2, 4)},
		{"D148 B-D24", "fast", 0, seconds(.1), seconds(.1), seconds(.1)},
		{"D149", "thorough", 10, append(minutes(10), nine...), nine,
			append(seconds(1, 2, 4, 8, 16, 30, 30, 30, 30, 30), nine...)},
	}
	for _, tt := range tests {
		block := "  profile: " + tt.profile + "\n"
		t.Run(tt.row+" "+tt.profile+" limit", func(t *testing.T) {
			got := handle(t, block, "llm", &evidence{Source: "llm", Status: 429}, always)
			assert.Equal(t, "llm_rate_limit", taxonomy.CodeOf(got.Err))
			assertWaits(t, tt.limited, got.waits)
			assert.Equal(t, repeated(tt.strategies, "wait_for_rate_limit"), got.ran(), "D166")
		})
		t.Run(tt.row+" "+tt.profile+" name", func(t *testing.T) {
			got := handle(t, block, "network", dns, always)
			assert.Equal(t, "dns_error", taxonomy.CodeOf(got.Err))
			assertWaits(t, tt.resolving, got.waits)
		})
		t.Run(tt.row+" "+tt.profile+" timeout D98 B-D15", func(t *testing.T) {
			got := handle(t, block, "llm", &evidence{Source: "llm", Status: 408}, always)
			assert.Equal(t, "llm_timeout", taxonomy.CodeOf(got.Err))
			assertWaits(t, tt.backoffs, got.waits)
			assert.Equal(t, repeated(tt.strategies, "retry_with_backoff"), got.ran())
		})
	}
}

// TestSwitches checks that a skill's error-handling decides what happens. D144 D154 B-D24 B-D25
func TestSwitches(t *testing.T) {
	limit := func() *evidence { return &evidence{Source: "llm", Text: "Rate limit exceeded"} }
	tests := []struct {
		name, block string
		check       func(t *testing.T, got *handled)
	}{
		{"as the profile is", "  profile: default\n", func(t *testing.T, got *handled) {
			o := got.Occurrence
			assert.Equal(t, []string{"llm_rate_limit", "high", "retryable"},
				[]string{o.Code, o.Severity, o.Recoverability})
			assert.Len(t, got.records, 3)
			assert.NotEmpty(t, o.Stack)
			assert.NotEmpty(t, o.Context)
		}},
		{"no patterns", "  detection: {enable_pattern_matching: false}\n", func(t *testing.T, got *handled) {
			assert.Equal(t, "llm_server_error", got.Occurrence.Code)
		}},
		{"no severity", "  detection: {enable_severity_inference: false}\n", func(t *testing.T, got *handled) {
			assert.Empty(t, got.Occurrence.Severity)
			assert.Equal(t, "retryable", got.Occurrence.Recoverability)
		}},
		{"no recoverability", "  detection: {enable_recoverability_inference: false}\n",
			func(t *testing.T, got *handled) {
				assert.NotEqual(t, "retryable", got.Occurrence.Recoverability)
				assert.Equal(t, "high", got.Occurrence.Severity)
			}},
		{"recovery off beats the list",
			"  recovery: {enable_automatic_recovery: false, allowed_strategies: [wait_for_rate_limit]}\n",
			func(t *testing.T, got *handled) {
				assert.Empty(t, got.records)
				assert.Equal(t, 3, got.Calls, "retries are another switch")
			}},
		{"fewer attempts", "  recovery: {max_recovery_attempts: 1}\n",
			func(t *testing.T, got *handled) { assert.Len(t, got.records, 1) }},
		{"no attempts", "  recovery: {max_recovery_attempts: 0}\n",
			func(t *testing.T, got *handled) { assert.Empty(t, got.records) }},
		{"another strategy", "  recovery: {allowed_strategies: [retry_with_backoff]}\n",
			func(t *testing.T, got *handled) { assert.Empty(t, got.records) }},
		{"no strategy", "  recovery: {allowed_strategies: []}\n",
			func(t *testing.T, got *handled) { assert.Empty(t, got.records) }},
		{"no retry", "  retry: {enabled: false}\n", func(t *testing.T, got *handled) {
			assert.Len(t, got.records, 3)
			assert.Equal(t, 4, got.Calls)
		}},
		{"neither", "  retry: {enabled: false}\n  recovery: {enable_automatic_recovery: false}\n",
			func(t *testing.T, got *handled) {
				assert.Equal(t, 1, got.Calls)
			}},
		{"no stack", "  reporting: {include_stack_trace: false}\n", func(t *testing.T, got *handled) {
			assert.Empty(t, got.Occurrence.Stack)
			assert.NotEmpty(t, got.Occurrence.Context)
		}},
		{"no context", "  reporting: {include_context: false}\n", func(t *testing.T, got *handled) {
			assert.Empty(t, got.Occurrence.Context)
			assert.NotContains(t, got.log, "Rate limit exceeded\\\"")
		}},
		{"all is logged", "  reporting: {log_level: debug}\n", func(t *testing.T, got *handled) {
			for _, level := range []string{"DEBUG", "INFO", "ERROR"} {
				assert.Contains(t, got.log, "level="+level)
			}
		}},
		{"only errors are logged", "  reporting: {log_level: error}\n", func(t *testing.T, got *handled) {
			assert.Contains(t, got.log, "level=ERROR")
			for line := range strings.Lines(got.log) {
				assert.Contains(t, line, "level=ERROR")
			}
		}},
		{"a change over another profile", "  profile: strict\n  retry: {enabled: true, max_attempts: 3}\n",
			func(t *testing.T, got *handled) {
				assert.Equal(t, 3, got.Calls)
				assert.Empty(t, got.records)
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.check(t, handle(t, tt.block, "llm", limit(), always)) })
	}
	t.Run("numbers", func(t *testing.T) {
		dns := &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "none.invalid"}}
		block := "  retry: {max_attempts: 5, initial_delay_ms: 100, max_delay_ms: 250, backoff_multiplier: 2}\n"
		assertWaits(t, seconds(.1, .2, .25, .25), handle(t, block, "network", dns, always).waits)
		// The other fields are those of the profile.
		assertWaits(t, seconds(.1, .2), handle(t, "  retry: {initial_delay_ms: 100}\n", "network", dns, always).waits)
	})
}
