package handler

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// still is a source of chance that changes nothing.
func still() float64 { return 0.5 }

// made returns a handler of the tests' taxonomy.
func made(t testing.TB, change func(*Config)) *Handler {
	t.Helper()
	k := kindsOf(reactions())
	cfg := Config{Table: k.table(), Classify: k.classify, Clock: newClock(), Random: still}
	if change != nil {
		change(&cfg)
	}
	h, err := New(cfg)
	require.NoError(t, err)
	return h
}

func TestHandle(t *testing.T) {
	second := time.Second
	tests := []struct {
		row, name string
		plays     []string
		calls     int
		end       executor.EndReason
		failure   string // its code
		recovered bool
		waits     []time.Duration
	}{
		{"D155", "success", []string{""}, 1, executor.EndCompleted, "", false, nil},
		{"D172", "fails twice, then succeeds", []string{"again", "again", ""}, 3, executor.EndCompleted, "", true,
			[]time.Duration{second, 2 * second}},
		{"D107 D109 D168", "used up", []string{"again"}, 3, executor.EndFatal, "again", false,
			[]time.Duration{second, 2 * second}},
		{"D108 D167 D173", "not retried", []string{"never"}, 1, executor.EndFatal, "never", false, nil},
		{"D169", "another failure on the way", []string{"again", "never"}, 2, executor.EndFatal, "never", false,
			[]time.Duration{second}},
		{"", "an iteration of its own", []string{"iterate", "iterate", ""}, 3, executor.EndCompleted, "", true,
			[]time.Duration{second, 2 * second}},
		{"", "somebody has to help", []string{"ask"}, 1, executor.EndBlocked, "ask", false, nil},
		{"D163", "nobody runs strategies", []string{"mend"}, 1, executor.EndFatal, "mend", false, nil},
		{"", "no policy bounds it", []string{"endless"}, 10_000, executor.EndMaxFailures, "endless", false, nil},
	}
	for _, tt := range tests {
		t.Run(tt.row+" "+tt.name, func(t *testing.T) {
			c := newClock()
			h := made(t, func(cfg *Config) { cfg.Clock = c })
			out := h.Handle(t.Context(), Op{Name: "op", Source: "fake", Do: plays(tt.plays...)})
			assert.Equal(t, tt.calls, out.Calls)
			assert.Equal(t, tt.end, out.Result.EndReason)
			assert.Equal(t, tt.failure, taxonomy.CodeOf(out.Err))
			assert.Equal(t, tt.failure == "", out.Success())
			assert.Equal(t, tt.recovered, out.Recovered)
			assert.Equal(t, tt.waits, c.slept)
		})
	}
}

func TestUnknownFailure(t *testing.T) {
	raw := errors.New("new")
	out := made(t, nil).
		Handle(t.Context(), Op{Name: "op", Source: "fake", Do: func(context.Context) error { return raw }})
	assert.False(t, out.Success())
	require.ErrorIs(t, out.Err, raw)
	assert.Equal(t, 1, out.Calls)
}

func TestNothingToDo(t *testing.T) {
	out := made(t, nil).Handle(t.Context(), Op{Name: "op"})
	assert.ErrorContains(t, out.Err, "handle op: there is nothing to do")
	assert.NotEmpty(t, out.Message())
}

func TestNew(t *testing.T) {
	k := kindsOf(reactions())
	tests := map[string]struct {
		cfg  Config
		want []string
	}{
		"empty": {Config{}, []string{"no Table", "no Classify"}},
		"negative": {Config{Table: k.table(), Classify: k.classify, Timeout: -1, Grace: -1},
			[]string{"Timeout is -1ns", "Grace is -1ns"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := New(tt.cfg)
			for _, want := range tt.want {
				assert.ErrorContains(t, err, want)
			}
		})
	}
}

// recoverer runs one strategy.
type recoverer func(ctx context.Context, failed taxonomy.RecoveryRequest) error

func (r recoverer) Recover(ctx context.Context, failed taxonomy.RecoveryRequest) error {
	return r(ctx, failed)
}

func TestStrategy(t *testing.T) {
	tests := []struct {
		row, name string
		strategy  func(call int) error
		plays     []string
		runs      int
		calls     int
		success   bool
	}{
		{"D156", "helps", func(int) error { return nil }, []string{"mend", ""}, 1, 2, true},
		{"D165 D166", "never helps, but says so", func(int) error { return nil }, []string{"mend"}, 3, 4, false},
		{"D164 D95", "fails", func(int) error { return errors.New("no") }, []string{"mend", ""}, 1, 1, false},
		{"D95", "panics", func(int) error { panic("no") }, []string{"mend", ""}, 1, 1, false},
	}
	for _, tt := range tests {
		t.Run(tt.row+" "+tt.name, func(t *testing.T) {
			var attempts []int
			h := made(t, func(cfg *Config) {
				cfg.Recoverer = recoverer(func(_ context.Context, failed taxonomy.RecoveryRequest) error {
					assert.Equal(t, "mend", failed.Reaction.Strategy)
					attempts = append(attempts, failed.Attempt)
					return tt.strategy(len(attempts))
				})
			})
			out := h.Handle(t.Context(), Op{Name: "op", Source: "fake", Do: plays(tt.plays...)})
			assert.Len(t, attempts, tt.runs)
			assert.Equal(t, tt.calls, out.Calls)
			assert.Equal(t, tt.success, out.Success())
			for i, n := range attempts {
				assert.Equal(t, i+1, n)
			}
		})
	}
}

// TestProfile: what the profile allows is what happens. D144 B-D24
func TestProfile(t *testing.T) {
	retries := taxonomy.RetryDefaults{Enabled: true}
	tests := []struct {
		name    string
		profile taxonomy.Profile
		plays   string
		calls   int
	}{
		{"recovery off beats the list",
			taxonomy.Profile{Retry: retries, Recovery: taxonomy.Recovery{Allowed: []string{"mend"}}}, "mend", 1},
		{"not in the list",
			taxonomy.Profile{Retry: retries, Recovery: taxonomy.Recovery{Enabled: true, Allowed: []string{"other"}}},
			"mend", 1},
		{"an empty list",
			taxonomy.Profile{Retry: retries, Recovery: taxonomy.Recovery{Enabled: true, Allowed: []string{}}}, "mend",
			1},
		{"at most", taxonomy.Profile{Retry: retries, Recovery: taxonomy.Recovery{Enabled: true, MaxAttempts: 2}},
			"mend", 3},
		{"retry off", taxonomy.Profile{Recovery: taxonomy.Recovery{Enabled: true}}, "again", 1},
		{"retry on", taxonomy.Profile{Retry: retries}, "again", 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := made(t, func(cfg *Config) {
				cfg.Table.Overlay = &tt.profile
				cfg.Recoverer = recoverer(func(context.Context, taxonomy.RecoveryRequest) error { return nil })
			})
			assert.Equal(t, tt.calls, h.Handle(t.Context(), Op{Name: "op", Source: "fake", Do: plays(tt.plays)}).Calls)
		})
	}
}

func BenchmarkBare(b *testing.B) {
	do := plays("")
	for b.Loop() {
		if do(b.Context()) != nil {
			b.Fatal("it failed")
		}
	}
}

func BenchmarkHandle(b *testing.B) {
	h := made(b, func(c *Config) { c.Clock, c.Random = nil, nil })
	op := Op{Name: "op", Source: "fake", Do: plays("")}
	b.ReportAllocs()
	for b.Loop() {
		if out := h.Handle(b.Context(), op); !out.Success() {
			b.Fatal(out.Err)
		}
	}
}
