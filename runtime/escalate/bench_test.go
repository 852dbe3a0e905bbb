package escalate_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// quick is a tier that says at once that it is done.
type quick struct{}

func (quick) Name() string                    { return "quick" }
func (quick) Available(context.Context) error { return nil }

func (quick) Call(_ context.Context, req executor.Request) (executor.Answer, error) {
	return executor.Answer{Text: "All of it.\nSTEP DONE " + escalate.Mark(req.Prompt), Signal: executor.SignalDone}, nil
}

// well finds that all is well.
type well struct{}

func (well) Prerequisites(_ context.Context, all []plan.Prerequisite) []escalate.Verification {
	return make([]escalate.Verification, len(all))
}
func (well) Gate(context.Context, []plan.Command) []*taxonomy.Evidence       { return nil }
func (well) Criteria(context.Context, []plan.Criterion) []*taxonomy.Evidence { return nil }

// A step that counts at once, beside the call of the executor that it is made of, and a whole plan
// with its state on disk.
func BenchmarkStep(b *testing.B) {
	m := tablesOf(rowsOfTests(), tiersOfTests()...)
	calls := executor.Config{Table: taxonomy.Table{Taxonomy: m.taxonomy}, Classify: m.classify, Decode: m.decode}
	b.Run("executor", func(b *testing.B) {
		c := calls
		c.Provider = quick{}
		e, err := executor.New(c)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if r := e.Run(
				b.Context(),
				executor.Task{Run: "run", ID: "1", Prompt: "Do it."}); r.EndReason != executor.EndCompleted {
				b.Fatal(r.Error)
			}
		}
	})
	for _, n := range []int{1, 100} {
		b.Run(fmt.Sprintf("plan of %d", n), func(b *testing.B) { benchmarkPlan(b, calls, n, nil) })
	}
	for _, n := range []int{10, 100} {
		b.Run(fmt.Sprintf("plan of %d, kept", n), func(b *testing.B) {
			j, err := escalate.NewFileJournal(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			benchmarkPlan(b, calls, n, j)
		})
	}
}

func benchmarkPlan(b *testing.B, calls executor.Config, steps int, j escalate.Journal) {
	calls.Tiers = map[string]executor.Provider{"low": quick{}}
	r, err := escalate.New(escalate.Config{Calls: calls, Verifier: well{}, Journal: j})
	if err != nil {
		b.Fatal(err)
	}
	var p plan.Plan
	for i := range steps {
		p.Steps = append(p.Steps, plan.Step{
			ID: fmt.Sprint(i + 1), Instructions: "Do it.", Criteria: []plan.Criterion{{Kind: plan.Exists, Path: "a"}},
		})
	}
	b.ReportAllocs()
	runs := 0
	for b.Loop() {
		runs++
		if res := r.Run(b.Context(), fmt.Sprintf("run-%d", runs), p); res.EndReason != escalate.EndCompleted {
			b.Fatal(res.Error)
		}
	}
	b.ReportMetric(float64(b.Elapsed()/time.Microsecond)/float64(runs*steps), "µs/step")
}
