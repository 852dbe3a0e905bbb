package executor

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"
)

// killed is the panic of a process that dies.
type killed struct{}

// killer is an Env that ends its process at its n-th point.
type killer struct {
	Env
	n, at int
	step  Step // that was saved last
	what  string
	w     *simulation
	fails map[string][]error // the pending failures of the simulation at the last save
	shut  []time.Duration
	next  int
}

func (k *killer) point(what string) {
	k.at++
	if k.at == k.n {
		k.what = what
		panic(killed{})
	}
}

func (k *killer) Do(e Effect) Outcome {
	k.point("before " + e.Op)
	out := k.Env.Do(e)
	k.point("after " + e.Op)
	return out
}

func (k *killer) Save(s *RunState) {
	k.point("before save " + string(s.Step))
	k.Env.Save(s)
	k.step, k.fails, k.shut, k.next = s.Step, maps.Clone(k.w.Fails), k.w.Shut, k.w.Next
	k.point("after save " + string(s.Step))
}

func (k *killer) Sleep(d time.Duration) bool {
	k.point("before sleep")
	cancelled := k.Env.Sleep(d)
	k.point("after sleep")
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

func TestKillAtEachPoint(t *testing.T) {
	points, duringCall := 0, 0
	for _, st := range stories() {
		w, cfg, _ := play(st)
		counter := &killer{n: -1, w: w}
		s := runState(context.Background(), cfg, aTask, func(e Env) Env { counter.Env = e; return counter })
		exact, end := outcome(w, s, false), outcome(w, s, true)
		commits, restored, strategies := len(w.CommitLog), w.Restored, w.Strategies
		points += counter.at
		for n := 1; n <= counter.at; n++ {
			w, cfg, _ := play(st)
			k := &killer{n: n, w: w}
			if !dies(func() { runState(context.Background(), cfg, aTask, func(e Env) Env { k.Env = e; return k }) }) {
				t.Fatalf("%s: not killed at point %d", st.name, n)
			}
			// The simulation repeats the failures after the last save: a cause that remains fails
			// again.
			if k.fails != nil {
				w.Next, w.Fails, w.Shut = k.next, k.fails, k.shut
			} else {
				fresh, _, _ := play(st)
				w.Next, w.Fails, w.Shut = 0, fresh.Fails, fresh.Shut
			}
			interrupted := k.step == StepCall
			if interrupted { // one more iteration and call
				cfg.Limits.Iterations++
				if len(w.Fails[OpBudget]) > 0 {
					w.Fails[OpBudget] = append([]error{nil}, w.Fails[OpBudget]...)
				}
			}
			w.Open = 0 // places of a dead process expire
			s := runState(context.Background(), cfg, aTask, nil)
			got, want := outcome(w, s, interrupted), exact
			if interrupted {
				duringCall++
				want = end
			}
			if got != want {
				t.Fatalf("%s: killed %s (%d, saved %s): %s", st.name, k.what, n, k.step, difference(got, want))
			}
			if len(w.CommitLog) > commits && !interrupted || twice(w) {
				t.Fatalf("%s: killed %s: %d commits, not %d: %v", st.name, k.what, len(w.CommitLog), commits,
					w.CommitLog)
			}
			if w.Restored > restored && !interrupted {
				t.Fatalf("%s: killed %s: restored %d, not %d", st.name, k.what, w.Restored, restored)
			}
			if w.Strategies > strategies+1 || w.Pushes > 1+len(w.CommitLog) || w.PRs > 1 {
				t.Fatalf("%s: killed %s: %d strategies, %d pushes", st.name, k.what, w.Strategies, w.Pushes)
			}
		}
	}
	t.Log(len(stories()), "stories,", points, "points,", duringCall, "during calls")
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

func difference(got, want string) string {
	for i := 0; i < len(got) && i < len(want); i++ {
		if got[i] != want[i] {
			return fmt.Sprintf("got %q, want %q", got[max(0, i-80):min(len(got), i+80)],
				want[max(0, i-80):min(len(want), i+80)])
		}
	}
	return "one is longer"
}
