package main_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/errs"
)

// rung is a tier that always fails, or without evidence never, and counts how often it is called.
type rung struct {
	fails *taxonomy.Evidence
	calls int
}

func (*rung) Name() string                    { return "scripted" }
func (*rung) Available(context.Context) error { return nil }

func (r *rung) Call(context.Context, executor.Request) (executor.Answer, error) {
	r.calls++
	if r.fails != nil {
		return executor.Answer{}, r.fails
	}
	return executor.Answer{Signal: executor.SignalDone}, nil
}

// What a tier itself fails with is dealt with by the executor, as the reactions say: again and then
// the next tier, or that at once. In the other profiles it ends.
func TestTiersOwnInARun(t *testing.T) {
	type run struct {
		calls, next int // of the tier that fails, and of the next
		took        time.Duration
		end         executor.EndReason
	}
	hinted := called(
		"scripted", status(429), func(ev *taxonomy.Evidence) { ev.RetryAfter = taxonomy.Some(2 * time.Minute) })
	late := called("scripted", status(429), func(ev *taxonomy.Evidence) { ev.RetryAfter = taxonomy.Some(time.Hour) })
	once := func(end executor.EndReason) run { return run{1, 0, 0, end} }
	tests := []struct {
		name                   string
		fails                  *taxonomy.Evidence
		bare, inChains, inTask run
	}{
		{"limited", called("scripted", status(429)), run{21, 1, 10 * time.Minute, executor.EndCompleted},
			once(executor.EndFatal), once(executor.EndBlocked)},
		{"limited, and says for how long", hinted, run{6, 1, 10 * time.Minute, executor.EndCompleted},
			once(executor.EndFatal), once(executor.EndBlocked)},
		{"limited for longer than anybody waits", late, run{1, 1, 0, executor.EndCompleted}, once(executor.EndFatal),
			once(executor.EndBlocked)},
		{"down", called("scripted", status(503)), run{4, 1, 14 * time.Second, executor.EndCompleted},
			once(executor.EndFatal), once(executor.EndBlocked)},
		{"turned down", called("scripted", status(401)), run{1, 1, 0, executor.EndCompleted}, once(executor.EndFatal),
			once(executor.EndFatal)},
	}
	for _, tt := range tests {
		for profile, want := range map[taxonomy.ProfileName]run{
			"": tt.bare, errs.ProfileChains: tt.inChains, errs.ProfileTasks: tt.inTask,
		} {
			t.Run(tt.name+" "+string(profile), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					table, err := errs.Table.Profile(profile)
					require.NoError(t, err)
					haiku, sonnet := &rung{fails: tt.fails}, &rung{}
					e, err := executor.New(executor.Config{
						Table: table, Classify: detect.Classifier(errs.Explain, detect.WithTable(table)),
						Tiers:  map[string]executor.Provider{"haiku": haiku, "sonnet": sonnet},
						Random: func() float64 { return 0.5 },
					})
					require.NoError(t, err)
					began := time.Now()
					result := e.Run(t.Context(), executor.Task{Run: "run-1", ID: "1", Prompt: "Carry it out."})
					assert.Equal(t, want, run{haiku.calls, sonnet.calls, time.Since(began), result.EndReason}, "%s",
						result.Error)
				})
			})
		}
	}
}
