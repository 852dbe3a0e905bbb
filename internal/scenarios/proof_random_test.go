package scenarios_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// madeWorld is a random story under a random table.
type madeWorld struct {
	*memWorld
	seed  uint64
	table *madeTaxonomy
	clock *memClock
	// cancelAt is the call in which the run is cancelled; 0 is never.
	cancelAt int
	journal  *memStore
}

// madePaths are what an agent may write.
var madePaths = []string{
	"src/a", "src/b", "src/c", "src/draft", "src/main", "-src/main", "src/ask/yes", "src/ask/no", "src/secret/k",
	"src/link",
	"docs/x", "notes", "-mine", ".git/config", "ignored/cache", "ignored/new", "src/bad",
}

// makeWorld makes the story of a seed. A steady one has nothing but the provider fail by chance, so
// that it can be told again from where it was.
func makeWorld(seed uint64, steady bool) *madeWorld {
	rng := rand.New(rand.NewPCG(seed, 7))
	m := makeTaxonomy(rng)
	w := &madeWorld{memWorld: inMemory(m.table(rng), m.classify), seed: seed, table: m, journal: &memStore{}}
	w.clock = w.cfg.Clock.(*memClock)
	for range 14 {
		t := makeTurn(rng)
		t.hangs = t.hangs && !steady // an iteration that is gone on with has all its time again
		w.actor.turns = append(w.actor.turns, t)
	}
	w.cfg.Decode, w.cfg.Store = m.decode, w.journal
	w.cfg.Deliver = executor.Delivery(rng.IntN(4))
	w.cfg.Continue, w.cfg.ApproveUnattended = rng.IntN(2) == 0, rng.IntN(5) == 0
	w.cfg.Limits = executor.Limits{
		Iterations: 1 + rng.IntN(14), Failures: 1 + rng.IntN(5), Attempts: rng.IntN(8),
		Iteration: time.Duration(1+rng.IntN(100)) * time.Second,
	}
	if rng.IntN(3) == 0 {
		w.clock.until = time.Now().Add(time.Duration(1+rng.IntN(200)) * time.Second)
		w.cfg.Limits.Deadline = w.clock.until
	}
	w.cfg.Observer = executor.Observers(w.cfg.Observer, &obedience{tree: w.tree})
	w.cfg.Asker, w.cfg.Validator = consent{w.tree}, byContent{w.tree}
	for _, tier := range m.taxonomy.Tiers {
		if !tier.Person && rng.IntN(3) > 0 {
			w.cfg.Tiers = map[string]executor.Provider{tier.Name: w.actor}
		}
	}
	if rng.IntN(3) == 0 {
		w.cfg.Recoverer = nil
	}
	if steady {
		w.tree.fails = w.byState(rng)
	} else {
		w.unsettle(rng)
	}
	return w
}

// byState has some operations fail after every third turn, so that it does not matter how often
// they are tried.
func (w *madeWorld) byState(rng *rand.Rand) func(op string) error {
	at := map[string]int{}
	for range rng.IntN(3) {
		at[[]string{"detect", "save", "revert", "advance", "commit", "push", "pr"}[rng.IntN(7)]] = rng.IntN(3)
	}
	return func(op string) error {
		if turn, ok := at[op]; !ok || w.actor.next%3 != turn {
			return nil
		}
		return &taxonomy.Evidence{Source: "git", Op: reportedAs(op), Text: "no"}
	}
}

// reportedAs returns the operation that the executor reports for what the tree does.
func reportedAs(op string) string {
	switch op {
	case "begin":
		return "prepare"
	case "detect":
		return "detect_changes"
	case "advance":
		return "save"
	}
	return op
}

// odd reports whether a content is of an odd turn.
func odd(content string) bool {
	return content != "" && strings.ContainsAny(content[len(content)-1:], "13579")
}

func makeTurn(rng *rand.Rand) turn {
	t := turn{says: executor.Answer{Text: "more to do", Session: []string{"", "s1", "s2"}[rng.IntN(3)]}}
	for range rng.IntN(4) {
		// What is allowed comes more often, so that stories get on.
		at := rng.IntN(len(madePaths))
		if rng.IntN(2) == 0 {
			at = rng.IntN(4)
		}
		t.writes = append(t.writes, madePaths[at])
	}
	t.says.Usage.InputTokens = taxonomy.Some(int64(rng.IntN(100)))
	switch rng.IntN(12) {
	case 0, 1, 2:
		t.says.Text = "well\nTASK COMPLETE"
	case 3:
		t.says.Text = "BLOCKED: what now?"
	case 4, 5, 6:
		t.fails = makeFailure(rng)
	case 7:
		t.says.Failure = "no more than a text"
	case 8:
		t.hangs, t.panics = rng.IntN(2) == 0, rng.IntN(3) == 0
	}
	return t
}

func makeFailure(rng *rand.Rand) error {
	ev := &taxonomy.Evidence{Source: "claude-cli", Op: "call", Type: fmt.Sprint("C", rng.IntN(madeCodes+2)), Text: "no"}
	switch rng.IntN(6) {
	case 0:
		ev.RetryAfter = taxonomy.Some(time.Duration(rng.IntN(90)) * time.Second)
	case 1:
		ev.Files = []string{"src/a", "docs/x"}
	case 2:
		ev.Credential = "other"
	case 3:
		return errors.New("a plain error")
	}
	return ev
}

// unsettle has everything fail now and then, and the run be cancelled.
func (w *madeWorld) unsettle(rng *rand.Rand) {
	fails := func(op string, chance int) error {
		if rng.IntN(chance) > 0 {
			return nil
		}
		return &taxonomy.Evidence{Source: "git", Op: op, Type: fmt.Sprint("C", rng.IntN(2*madeCodes)), Text: "no"}
	}
	w.tree.fails = func(op string) error { return fails(reportedAs(op), 30) }
	w.cfg.Validator = byChance{byContent{w.tree},
		func(phase executor.Phase) error { return fails("validate_"+string(phase), 6) }}
	w.cfg.Admission.Budget = byBudget(func() error { return fails("budget", 15) })
	for range 20 {
		w.cfg.Guard.(*memGuard).fails = append(w.cfg.Guard.(*memGuard).fails, fails("scope", 15))
		w.mended = append(w.mended, fails("call", 3))
		w.actor.missing = append(w.actor.missing, fails("available", 25))
	}
	w.actor.missing = append(w.actor.missing, nil)
	if rng.IntN(6) == 0 {
		w.cancelAt = 1 + rng.IntN(6)
	}
	w.journal.fails = func() error { return fails("state_write", 10) }
}

// live runs the story to its end.
func (w *madeWorld) live() *executor.Result {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	calls := 0
	w.actor.around = func(call func()) {
		if calls++; calls == w.cancelAt {
			cancel()
		}
		call()
	}
	return w.run(ctx)
}

// Random stories under random tables end within their limits, and nothing happens in them that
// never must.
func TestRandomStories(t *testing.T) {
	t.Parallel()
	const seeds = 2000
	counts := map[executor.EndReason]int{}
	synctest.Test(t, func(t *testing.T) {
		for seed := uint64(0); seed < seeds && !t.Failed(); seed++ {
			if testing.Short() && seed%10 != 0 {
				continue
			}
			w := makeWorld(seed, false)
			r := w.live()
			w.check(t, r)
			counts[r.EndReason]++
		}
	})
	if testing.Short() {
		return // too few to come to each end
	}
	for _, reason := range []executor.EndReason{
		executor.EndCompleted, executor.EndFatal, executor.EndMaxFailures, executor.EndAttemptsUsedUp,
		executor.EndRetriesUsedUp,
		executor.EndMaxIterations, executor.EndDeadline, executor.EndBlocked, executor.EndBlockedSignal,
		executor.EndLadderUsedUp,
		executor.EndCancelled,
	} {
		assert.NotZero(t, counts[reason], "no story ends as %s", reason)
	}
}

func FuzzStories(f *testing.F) {
	for seed := range uint64(10) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		synctest.Test(t, func(t *testing.T) {
			w := makeWorld(seed, false)
			w.check(t, w.live())
		})
	})
}

// check checks what holds for every run.
func (w *madeWorld) check(t *testing.T, r *executor.Result) {
	t.Helper()
	failed := t.Failed()
	w.checkLimits(t, r)
	w.checkFiles(t, r)
	w.checkResult(t, r)
	if t.Failed() && !failed {
		b, _ := json.MarshalIndent(r, "", " ")
		t.Logf("seed %d\n%s\n%s", w.seed, strings.Join(w.lines, "\n"), b)
	}
}

func (w *madeWorld) checkLimits(t *testing.T, r *executor.Result) {
	t.Helper()
	l := w.cfg.Limits
	assert.LessOrEqual(t, r.Iterations, l.Iterations)
	assert.LessOrEqual(t, r.Failures, l.Failures)
	if l.Attempts > 0 {
		assert.LessOrEqual(t, r.Counted, l.Attempts)
	}
	// Within an iteration each code has a chain of four reactions, each of five calls at most.
	assert.LessOrEqual(t, r.Calls, r.Iterations*(madeCodes+2)*4*5)
	assert.Empty(t, w.clock.late, "waits that end after the deadline")
	assert.False(t, w.tree.locked)
}

func (w *madeWorld) checkFiles(t *testing.T, r *executor.Result) {
	t.Helper()
	assert.Empty(t, w.tree.wrong)
	for path, content := range usersFiles {
		is, there := w.tree.files[path]
		agents := strings.HasPrefix(is, path+" of turn ")
		removed := !there && slices.Contains(madePaths, "-"+path)
		assert.True(t, is == content || agents || removed, "%s is %q", path, is)
	}
	var committed []string
	for _, c := range w.tree.commits {
		committed = append(committed, c.Paths...)
	}
	slices.Sort(committed)
	assert.Equal(t, slices.Compact(committed), r.CommittedFiles)
	assert.Len(t, r.Commits, len(w.tree.commits))
	if r.EndReason == executor.EndCompleted {
		assert.Empty(t, r.UncheckedFiles)
	}
	w.checkListed(t, r)
}

// checkListed checks that the result lists what the agent has changed and no commit has.
func (w *madeWorld) checkListed(t *testing.T, r *executor.Result) {
	t.Helper()
	if w.cfg.Deliver == executor.DeliverNothing || r.Iterations == 0 || r.State.Undetected ||
		slices.ContainsFunc(r.Errors, func(e executor.ErrorRecord) bool { return e.Op == "detect_changes" }) {
		return
	}
	for path, content := range w.tree.files {
		agents := strings.HasPrefix(content, path+" of turn ")
		ignored := strings.HasPrefix(path, "ignored/")
		if agents && !ignored && w.tree.head[path] != content {
			assert.True(t, slices.Contains(r.UncommittedFiles, path) ||
				slices.Contains(r.UncheckedFiles, path), "nothing is said of %s", path)
		}
	}
}

func (w *madeWorld) checkResult(t *testing.T, r *executor.Result) {
	t.Helper()
	assert.NotEmpty(t, r.EndReason)
	assert.Equal(t, r.EndReason.Status(), r.Status)
	if r.ErrorCount == len(r.Errors) {
		counted := map[int]bool{}
		for _, e := range r.Errors {
			if e.Counted {
				counted[e.Iteration] = true
			}
		}
		assert.Len(t, counted, r.Counted)
	}
	reactions := 0
	for _, n := range r.Reactions {
		reactions += n
	}
	assert.Equal(t, r.ErrorCount, reactions)
	if r.Status == executor.StatusCompleted {
		assert.Empty(t, r.Error)
	}
	b, err := json.Marshal(r)
	require.NoError(t, err)
	var back executor.Result
	require.NoError(t, json.Unmarshal(b, &back))
	again, err := json.Marshal(&back)
	require.NoError(t, err)
	assert.JSONEq(t, string(b), string(again))
}
