package temporal_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/worker"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/executor/temporal"
)

// iterations is how many iterations each run of the benchmark has.
const iterations = 5

// BenchmarkRuns measures runs of five iterations whose calls take no time: on a development server
// with one worker, 100 at once, and in this process with a file store.
func BenchmarkRuns(b *testing.B) {
	newHost := func(b *testing.B, change func(*executor.Config)) *executor.Executor {
		cfg := executor.Config{
			Table: errs.Table, Classify: detect.Classifier(errs.Explain), Decode: decode, Provider: &counted{},
		}
		change(&cfg)
		e, err := executor.New(cfg)
		require.NoError(b, err)
		return e
	}
	b.Run("temporal", func(b *testing.B) {
		c := dial(b)
		w := temporal.NewWorker(c, b.Name(), newHost(b, func(*executor.Config) {}), temporal.Options{
			Worker: worker.Options{MaxConcurrentActivityExecutionSize: 100},
		})
		require.NoError(b, w.Start())
		defer w.Stop()
		runs := temporal.Runs{Client: c, Queue: b.Name(), Decode: decode}
		var wg sync.WaitGroup
		slots := make(chan struct{}, 100)
		b.ResetTimer()
		for i := range b.N {
			slots <- struct{}{}
			wg.Go(func() {
				defer func() { <-slots }()
				run := fmt.Sprint("bench-", b.N, "-", i)
				if err := runs.Start(b.Context(), executor.Task{Run: run, ID: "1", Prompt: "Do it."}); err != nil {
					b.Error(err)
				}
				if r, err := runs.Result(b.Context(), run); err != nil || r.EndReason != executor.EndCompleted {
					b.Error(r, err)
				}
			})
		}
		wg.Wait()
		b.StopTimer()
		events := 0
		it := c.GetWorkflowHistory(b.Context(), fmt.Sprint("errgen/bench-", b.N, "-0"), "", false,
			enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for ; it.HasNext(); events++ {
			_, err := it.Next()
			require.NoError(b, err)
		}
		b.ReportMetric(float64(events)/iterations, "events/iteration")
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
	})
	b.Run("local", func(b *testing.B) {
		e := newHost(b, func(c *executor.Config) { c.Store = filestore.New(b.TempDir()) })
		for i := range b.N {
			r := e.Run(b.Context(), executor.Task{Run: fmt.Sprint("bench-", i), ID: "1", Prompt: "Do it."})
			require.Equal(b, executor.EndCompleted, r.EndReason)
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
	})
}

// counted is a provider that says in the last iteration of a run that the task is complete.
type counted struct{}

func (*counted) Name() string { return "claude-cli" }

func (*counted) Available(context.Context) error { return nil }

func (*counted) Call(_ context.Context, r executor.Request) (executor.Answer, error) {
	if r.Iteration < iterations {
		return executor.Answer{Text: "More to do."}, nil
	}
	return executor.Answer{Text: "TASK COMPLETE"}, nil
}
