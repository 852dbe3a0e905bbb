package scenarios_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// crowdKinds are the stories of a crowd, with what their counters come to: iterations and calls,
// apart from those that were limited, and failures that counted.
var crowdKinds = []struct {
	turns []turn
	want  [3]int
}{
	{[]turn{worksOn("src/a"), endsWith("src/b")}, [3]int{2, 2, 0}},
	{[]turn{breaksWith(apiSays(taxonomy.Evidence{Text: "no"})), breaksWith(apiStatus(500)), endsWith("src/a")},
		[3]int{3, 3, 2}},
	{[]turn{worksOn("src/a", "src/secret/k", "docs/x"), endsWith("src/b")}, [3]int{2, 2, 1}},
	{[]turn{{hangs: true, writes: []string{"src/a"}}, endsWith()}, [3]int{2, 2, 1}},
	{[]turn{breaksWith(apiStatus(404))}, [3]int{1, 1, 0}},
}

// busy is a provider that lets nobody in for half of each minute.
type busy struct{ *actor }

func (b busy) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	if left := 30*time.Second - time.Duration(time.Now().Unix()%60)*time.Second; left > 0 {
		return executor.Answer{}, apiLimits(left)
	}
	return b.actor.Call(ctx, req)
}

// A thousand runs in one process share a credential that is limited again and again. Each ends as
// if it were alone, and none waits much longer than the others.
func TestCrowd(t *testing.T) {
	const runs = 1000
	before := heap()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		lanes := retry.NewSharedWait(nil, noJitter)
		worlds, results := make([]*memWorld, runs), make([]*executor.Result, runs)
		var all sync.WaitGroup
		for i := range worlds {
			w := inMemory(errs.Table, detect.Classifier(errs.Explain), crowdKinds[i%len(crowdKinds)].turns...)
			w.cfg.Admission.Lanes, w.cfg.Limits.Iteration, w.cfg.Provider = lanes, 10*time.Minute, busy{w.actor}
			w.task.Run = fmt.Sprint("run-", i)
			worlds[i] = w
			all.Go(func() { results[i] = w.run(context.Background()) })
		}
		all.Wait()
		for i, r := range results {
			kind := crowdKinds[i%len(crowdKinds)]
			want, end := kind.want, executor.EndCompleted
			if kind.want[0] == 1 {
				end = executor.EndFatal
			}
			waits := r.Reactions["wait"]
			require.Equal(t, end, r.EndReason, "run %d", i)
			require.Equal(t, want, [3]int{r.Iterations - waits, r.Calls - waits, r.Counted}, "run %d", i)
			require.Empty(t, worlds[i].tree.wrong)
			require.Less(t, r.EndedAt.Sub(began), 15*time.Minute, "run %d", i)
		}
	})
	assert.Less(t, heap(), before+100<<20)
}

// heap returns how many bytes are in use.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
