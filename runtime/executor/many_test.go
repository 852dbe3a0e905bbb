package executor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// mixed is a provider that several runs share. How a run goes follows from its number of calls
// alone.
type mixed struct {
	mu    sync.Mutex
	calls map[string]int
}

func (*mixed) Name() string                    { return "mixed" }
func (*mixed) Available(context.Context) error { return nil }
func (m *mixed) Call(_ context.Context, req Request) (Answer, error) {
	m.mu.Lock()
	m.calls[req.Prompt]++
	n := m.calls[req.Prompt]
	m.mu.Unlock()
	switch n {
	case 1:
		return Answer{}, fails("limit")
	case 2:
		return Answer{Usage: usage(1, 1)}, fails("again")
	case 3:
		return Answer{Text: strings.Repeat("x", 256<<10)}, fails("repeat")
	case 4:
		return Answer{Text: "more"}, nil
	case 5:
		panic("oh")
	}
	return Answer{Signal: SignalDone, Usage: usage(1, 1)}, nil
}

func TestAThousandRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const runs = 1000
		table := reactions()
		table["limit"] = taxonomy.Reaction{Action: taxonomy.Retry, Shared: taxonomy.SharedCredential, Policy: three}
		w := newWorld(table, done())
		w.cfg.Workspace, w.cfg.Deliver, w.cfg.Observer = nil, DeliverNothing, nil
		w.cfg.Clock, w.cfg.Lanes = retry.System, retry.NewSharedWait(retry.System, nil)
		w.cfg.Provider = &mixed{calls: map[string]int{}}
		e, err := New(w.cfg)
		require.NoError(t, err)
		results := make([]*Result, runs)
		var all sync.WaitGroup
		for i := range results {
			all.Go(func() {
				results[i] = e.Run(t.Context(), Task{Run: fmt.Sprint("run", i), Prompt: fmt.Sprint("prompt ", i, ".")})
			})
		}
		all.Wait()
		for _, r := range results {
			require.Equal(t, EndCompleted, r.EndReason, plain(r))
			require.Equal(t, []int{5, 6, 2, 4}, []int{r.Iterations, r.Calls, r.Counted, r.ErrorCount})
			require.Equal(t, usage(2, 2), r.Usage)
		}
		var mem runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&mem)
		assert.Less(t, mem.HeapAlloc, uint64(128<<20), "with all results at hand, which is half of what was answered")
		runtime.KeepAlive(results)
	})
}

// TestALongRunIsBounded has a run of many failures, of which the result keeps the first and the
// last.
func TestALongRunIsBounded(t *testing.T) {
	w := newWorld(
		map[string]taxonomy.Reaction{"wait": {Action: taxonomy.Retry,
			Policy: &taxonomy.Policy{MaxAttempts: 1 << 30, InitialDelay: time.Second, Backoff: taxonomy.Constant}}},
		breaks("wait", "forbidden"))
	w.cfg.Limits.Iterations = 2000
	w.cfg.Observer = nil
	w.cfg.Guard = nil
	r := w.run(t)
	assert.Equal(t, EndMaxIterations, r.EndReason)
	assert.Equal(t, 2000, r.ErrorCount)
	assert.Len(t, r.Errors, maxListed)
	assert.Equal(t, 1, r.Errors[0].Iteration)
	assert.Equal(t, 2000, r.Errors[maxListed-1].Iteration)
	assert.Equal(t, Duration(1999*time.Second), r.Waited)
}

// TestRandomTables runs random stories against random reactions: each ends within its limits, and
// commits nothing that is forbidden or was not validated.
func TestRandomTables(t *testing.T) {
	seeds := 1500
	if testing.Short() {
		seeds = 300
	}
	ends := map[EndReason]int{}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		ends[randomRun(t, rng, seed)]++
	}
	for _, reason := range []EndReason{EndCompleted, EndFatal, EndMaxFailures, EndAttemptsUsedUp, EndRetriesUsedUp,
		EndMaxIterations, EndBlocked, EndBlockedSignal, EndLadderUsedUp, EndDeadline} {
		assert.NotZero(t, ends[reason], reason)
	}
}

var randomTypes = []string{"t1", "t2", "t3", "forbidden", "outside_allowed", "denied", "unattended", "revert", "save",
	"detect_changes", "scope", "commit", "push", "pr", "available", "prepare", "lock", "panic"}

func randomRun(t *testing.T, rng *rand.Rand, seed int) EndReason {
	table := map[string]taxonomy.Reaction{}
	for _, typ := range randomTypes {
		if rng.IntN(10) > 0 {
			table[typ] = randomReaction(rng, 3)
		}
	}
	tiers := []taxonomy.Tier{{Name: "a"}, {Name: "b"}, {Name: "p", Person: true}}[:rng.IntN(4)]
	m := tableOf(table, tiers...)
	*m.taxonomy.Uncategorized = randomReaction(rng, 2)
	w := worldOf(m)
	for range 12 {
		w.provider.steps = append(w.provider.steps, randomStep(rng))
	}
	for _, op := range []string{"lock", "begin", "detect", "save", "revert", "advance", "commit", "push", "pr"} {
		for range rng.IntN(4) {
			var err error
			if rng.IntN(3) == 0 {
				err = gitFails(op, randomTypes[rng.IntN(len(randomTypes))])
			}
			w.tree.fail[op] = append(w.tree.fail[op], err)
		}
	}
	if len(tiers) > 0 {
		w.cfg.Tiers = map[string]Provider{"a": w.provider}
	}
	w.cfg.Deliver = Delivery(rng.IntN(4))
	w.cfg.Continue = rng.IntN(2) == 0
	w.cfg.Limits = Limits{Iterations: 1 + rng.IntN(15), Failures: 1 + rng.IntN(5), Attempts: rng.IntN(6),
		Run: time.Duration(rng.IntN(4)) * 3 * time.Second}
	if rng.IntN(2) == 0 {
		w.cfg.Recoverer = &strategist{errs: []error{nil, fails("t1"), nil}}
	}
	w.cfg.Random = rng.Float64
	r := w.run(t)
	assert.LessOrEqual(t, r.Iterations, w.cfg.Limits.Iterations, seed)
	assert.LessOrEqual(t, r.Failures, w.cfg.Limits.Failures, seed)
	assert.NotEmpty(t, r.EndReason, seed)
	for path := range w.tree.head {
		bad := strings.HasPrefix(path, "forbidden") || strings.HasPrefix(path, "outside") ||
			strings.HasPrefix(path, "ask") || strings.HasPrefix(path, ".git/")
		assert.False(t, bad, "%d committed %s", seed, path)
	}
	assert.False(t, r.EndReason == EndCompleted && len(r.UncheckedFiles) > 0, seed)
	return r.EndReason
}

func randomReaction(rng *rand.Rand, depth int) taxonomy.Reaction {
	r := taxonomy.Reaction{
		Name: fmt.Sprint("r", rng.IntN(1000)), Action: taxonomy.Action(rng.IntN(7)),
		Revert: taxonomy.Revert(rng.IntN(3)), Session: taxonomy.Session(rng.IntN(3)),
		Resume: taxonomy.Resume(rng.IntN(2)), CountFailure: rng.IntN(2) == 0, HonorRetryAfter: rng.IntN(2) == 0,
		FeedBack: rng.IntN(2) == 0, AcceptCompletion: rng.IntN(2) == 0,
	}
	if rng.IntN(2) == 0 {
		r.Policy = &taxonomy.Policy{MaxAttempts: rng.IntN(5), InitialDelay: time.Duration(rng.IntN(3)) * time.Second,
			MaxElapsed: time.Duration(rng.IntN(3)) * time.Minute}
	}
	if depth > 0 && rng.IntN(2) == 0 {
		then := randomReaction(rng, depth-1)
		r.Then = &then
	}
	return r
}

func randomStep(rng *rand.Rand) step {
	paths := []string{"a", "b", "forbidden", "outside", "ask", ".git/config", "ignored/x"}
	rng.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	s := step{writes: written(slices.Clone(paths[:rng.IntN(3)]))}
	switch rng.IntN(8) {
	case 0, 1:
		s.answer.Signal = SignalDone
	case 2:
		s.answer.Signal = Signal(rng.IntN(4))
	case 3:
		s.answer.Failure = "failed"
	case 4, 5:
		s.err = fails(fmt.Sprint("t", 1+rng.IntN(3)))
	}
	s.answer.Session = []string{"", "s"}[rng.IntN(2)]
	return s
}
