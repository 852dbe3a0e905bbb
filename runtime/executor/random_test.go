package executor

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func randomReaction(r *rand.Rand, depth int) *taxonomy.Reaction {
	x := &taxonomy.Reaction{
		Name: fmt.Sprint("r", r.Intn(1000)), Action: taxonomy.Action(r.Intn(8)),
		Agent: taxonomy.AgentReaction{
			Extent: taxonomy.Extent(r.Intn(2)), Revert: taxonomy.Revert(r.Intn(3)),
			Session: taxonomy.Session(r.Intn(3)), Resume: taxonomy.Resume(r.Intn(2)),
			AcceptCompletion: r.Intn(2) == 0, FeedBack: r.Intn(2) == 0, To: []string{"", "high"}[r.Intn(2)],
		},
		Shared: taxonomy.Shared(r.Intn(2)), CountFailure: r.Intn(2) == 0, HonorRetryAfter: r.Intn(2) == 0,
		Strategy: "s",
	}
	if r.Intn(2) == 0 {
		x.Policy = &taxonomy.Policy{
			Name: "p", MaxAttempts: r.Intn(5), InitialDelay: time.Duration(r.Intn(100)) * time.Second,
			MaxElapsed: time.Duration(r.Intn(2)*r.Intn(1000)) * time.Second, JitterKind: taxonomy.JitterKind(r.Intn(4)),
			Jitter: r.Float64(), Backoff: taxonomy.Backoff(r.Intn(3)),
			MaxRetryAfter: time.Duration(r.Intn(100)) * time.Second,
		}
	}
	if depth < 4 && r.Intn(3) > 0 {
		x.Then = randomReaction(r, depth+1)
	}
	return x
}

var randomTypes = []string{
	"interrupted", "crash", "limit", "forbidden", "outside_allowed", "denied", "unattended", "exit", "git", "budget",
	"panic", "moved", loop.OpDetect, loop.OpSave, loop.OpRevert, loop.OpCommit, loop.OpPush, loop.OpPR, loop.OpScope,
	loop.OpAvailable, "strategy",
}

var randomOps = []string{
	loop.OpDetect, loop.OpSave, loop.OpRevert, loop.OpCommit, loop.OpPush, loop.OpPR, loop.OpScope,
	loop.OpAvailable, loop.OpBudget, "accept", "strategy",
	loop.OpValidate + "pre_commit", loop.OpValidate + "pre_push", loop.OpValidate + "pre_pr",
}

func randomStep(r *rand.Rand) callStep {
	paths := []string{"a", "b", "c", "forbidden/x", "outside/y", "ask/z", "escape/link", "ignored/i", "old"}
	var files []string
	for range r.Intn(3) {
		files = append(files, paths[r.Intn(len(paths))]+"="+[]string{"-", "1", "2", "3"}[r.Intn(4)])
	}
	st := works(files...)
	switch r.Intn(7) {
	case 0:
		st = breaks(randomTypes[r.Intn(3)], files...)
		st.Err.(*taxonomy.Evidence).RetryAfter = taxonomy.Some(time.Duration(r.Intn(100)) * time.Second)
	case 1:
		st = done(files...)
	case 2:
		st.Panics = true
	case 3:
		st.Answer = Answer{Failure: "oh"}
	case 4:
		st.Answer.Text = "BLOCKED"
	}
	if r.Intn(3) == 0 {
		st.Answer.Session = "s"
	}
	return st
}

func randomStory(r *rand.Rand) story {
	m := map[string]taxonomy.Reaction{}
	for _, typ := range randomTypes {
		if r.Intn(6) > 0 {
			m[typ] = *randomReaction(r, 0)
		}
	}
	var steps []callStep
	for range 1 + r.Intn(6) {
		steps = append(steps, randomStep(r))
	}
	seed := r.Int63()
	return story{"random", m, steps, func(w *simulation, cfg *Config) {
		r := rand.New(rand.NewSource(seed))
		for _, op := range randomOps {
			for range r.Intn(3) * r.Intn(2) {
				var err error
				if r.Intn(2) == 0 {
					err = evidence(op, randomTypes[r.Intn(len(randomTypes))])
				}
				w.Fails[op] = append(w.Fails[op], err)
			}
		}
		if r.Intn(4) == 0 {
			w.CheckWrites = written([]string{"gen=1", "forbidden/gen=1", "a=7"}[r.Intn(3)])
		}
		for range r.Intn(2) * r.Intn(3) {
			w.Shut = append(w.Shut, time.Duration([]int{-1, 1, 2, 3}[r.Intn(4)])*time.Minute)
		}
		w.Yes = r.Intn(2) == 0
		if r.Intn(2) == 0 {
			cfg.Asker = nil
		}
		cfg.ApproveUnattended, cfg.Continue = r.Intn(4) == 0, r.Intn(2) == 0
		cfg.Deliver = Delivery(r.Intn(4))
		cfg.Limits.Iterations, cfg.Limits.Failures, cfg.Limits.Attempts = 1+r.Intn(10), 1+r.Intn(4), r.Intn(6)
		if r.Intn(3) == 0 {
			cfg.Limits.Run = time.Duration(1+r.Intn(600)) * time.Second
		}
	}}
}

// counter stops a run that does not end.
type counter struct {
	loop.Env
	n *int
}

func (c counter) Do(e loop.Effect) loop.Outcome {
	if *c.n++; *c.n > 20000 {
		panic("the run does not end")
	}
	return c.Env.Do(e)
}

// killed is the panic of a process that dies.
type killed struct{}

// killer is an loop.Env that ends its process at its n-th point, or after an operation.
type killer struct {
	loop.Env
	n, at int
	after string
}

func (k *killer) point() {
	if k.at++; k.at == k.n {
		panic(killed{})
	}
}

func (k *killer) Do(e loop.Effect) loop.Outcome {
	k.point()
	out := k.Env.Do(e)
	if k.point(); e.Op() == k.after {
		panic(killed{})
	}
	return out
}

func (k *killer) Save(s *RunState) {
	k.point()
	k.Env.Save(s)
	k.point()
}

func (k *killer) Sleep(d time.Duration) bool {
	k.point()
	cancelled := k.Env.Sleep(d)
	k.point()
	return cancelled
}

// dies runs f and reports whether its process was killed.
func dies(f func()) (dead bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(killed); !ok {
				panic(p)
			}
			dead = true
		}
	}()
	f()
	return false
}

// twice reports that an iteration has two commits.
func twice(w *simulation) bool {
	seen := map[int]bool{}
	for _, c := range w.CommitLog {
		if seen[c.Attempt] {
			return true
		}
		seen[c.Attempt] = true
	}
	return false
}

// TestRandomTables runs random tables in random simulations. Each run ends within its limits,
// commits nothing that is forbidden, and loses nothing. Half of them are killed at random points.
func TestRandomTables(t *testing.T) {
	seeds := int64(4000)
	if testing.Short() {
		seeds = 400
	}
	ends := map[EndReason]int{}
	for seed := range seeds {
		r := rand.New(rand.NewSource(seed))
		st := randomStory(r)
		w, cfg, _ := play(st)
		n := 0
		var s *RunState
		for life := 0; ; life++ {
			k := &killer{n: -1}
			if seed%2 == 1 && life < 4 {
				k.n = 1 + r.Intn(60)
			}
			if !dies(func() {
				s = runState(context.Background(), cfg, aTask, func(e loop.Env) loop.Env {
					k.Env = counter{e, &n}
					return k
				})
			}) {
				break
			}
			w.Open = 0
		}
		ends[s.End]++
		for _, problem := range randomProblems(w, &cfg, s, seed%2 == 0) {
			t.Fatalf("seed %d: %s: %s\n%+v", seed, s.End, problem, s.Errors)
		}
	}
	t.Log(ends)
}

func randomProblems(w *simulation, cfg *Config, s *RunState, alive bool) (all []string) {
	problem := func(wrong bool, format string, args ...any) {
		if wrong {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	problem(s.End == "" || s.End == EndCancelled, "end %q", s.End)
	problem(s.Iter.Number > cfg.Limits.Iterations, "%d iterations of %d", s.Iter.Number, cfg.Limits.Iterations)
	problem(s.Failures > cfg.Limits.Failures, "%d failures of %d", s.Failures, cfg.Limits.Failures)
	approved := w.Yes && cfg.Asker != nil || cfg.ApproveUnattended && cfg.Asker == nil
	for p := range w.LastCommit {
		dir, _, _ := strings.Cut(p, "/")
		bad := slices.Contains([]string{"forbidden", "outside", ".git", "ignored", "dirty"}, dir)
		problem(bad || dir == "ask" && !approved, "%s is committed", p)
	}
	problem(w.Disk["dirty"] != "mine", "the user's work is lost")
	problem(len(w.Lost) > 0, "reverted without having been saved: %v", w.Lost)
	completed := s.End == EndCompleted
	problem(completed && len(s.Unchecked) > 0, "completed with unchecked %v", s.Unchecked)
	gaveUp := slices.ContainsFunc(s.Errors, func(e ErrorRecord) bool { return e.Op == loop.OpCommit })
	problem(completed && cfg.Deliver >= DeliverCommits && s.Delivered != s.Checked && w.CheckWrites == nil && !gaveUp,
		"completed with pending changes")
	known := slices.Concat(s.Unchecked, s.Uncommitted)
	undetected := slices.ContainsFunc(s.Warnings, func(x string) bool { return strings.HasPrefix(x, loop.OpDetect) })
	for p, content := range w.Disk {
		dir, _, _ := strings.Cut(p, "/")
		problem(completed && slices.Contains([]string{"forbidden", "outside", ".git"}, dir), "completed with %s", p)
		named := p == "dirty" || dir == "ignored" || slices.Contains(known, p) || w.LastCommit[p] == content
		problem(!named && !undetected && s.End != EndRefused && cfg.Deliver > DeliverNothing && s.Iter.Number > 0,
			"%s is neither unchecked %v nor uncommitted %v", p, s.Unchecked, s.Uncommitted)
	}
	problem(w.PRs > 0 && s.PullRequest == "" && !completed, "an unknown pull request")
	problem(twice(w) || w.PRs > 1 || w.Open != 0, "%d pull requests, %d open, commits %v", w.PRs, w.Open, w.CommitLog)
	problem(alive && s.Iter.Number > 0 && w.Notified != 1, "notified %d times", w.Notified)
	return all
}
