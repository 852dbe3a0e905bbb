package executor

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestSetup(t *testing.T) {
	tellAll(t, []story{
		{name: "tried again in place", steps: []step{done()}, want: EndCompleted,
			change: func(w *world) { w.tree.fail["begin"] = []error{gitFails("prepare", "again")} },
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, 1, r.Iterations)
				assert.Zero(t, r.Counted, "none of this is an iteration")
				assert.Equal(t, 1, r.ErrorCount)
			}},
		{name: "not for ever", steps: []step{done()}, want: EndMaxFailures, change: func(w *world) {
			w.provider.available = []error{fails("again"), fails("again"), fails("again")}
		}, check: func(t *testing.T, w *world, r *Result) { assert.Equal(t, "again", r.ErrorCode) }},
		{name: "not available", steps: []step{done()}, want: EndFatal,
			change: func(w *world) { w.provider.available = []error{fails("stop_all")} },
			check: func(t *testing.T, w *world, r *Result) {
				assert.True(t, r.EndsRun)
				assert.Empty(t, w.provider.calls)
				assert.Zero(t, r.Iterations)
			}},
		{name: "locked, by nothing known", steps: []step{done()}, want: EndFatal,
			change: func(w *world) { w.tree.fail["lock"] = []error{errors.New("held")} }},
		{name: "locked, for a while", steps: []step{done()}, want: EndCompleted,
			change: func(w *world) { w.tree.fail["lock"] = []error{gitFails("lock", "wait")} },
			check:  func(t *testing.T, w *world, r *Result) { assert.Equal(t, Duration(5*time.Second), r.Waited) }},
	})
}

func TestRunNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"run": true, "Run-1_a.b": true, strings.Repeat("a", 100): true, strings.Repeat("a", 101): false, "..": false,
		"a/b": false, "-x": false, "a b": false, "ä": false,
	} {
		w := newWorld(reactions(), done())
		e, err := New(w.cfg)
		assert.NoError(t, err)
		r := e.Run(context.Background(), Task{Run: name})
		assert.Equal(t, ok, r.EndReason == EndCompleted, name)
		if !ok {
			assert.Equal(t, EndRefused, r.EndReason)
			assert.Equal(t, "refused", r.ErrorCode)
		}
	}
	e, err := New(newWorld(nil, done()).cfg)
	assert.NoError(t, err)
	assert.NotEmpty(t, e.Run(context.Background(), Task{}).Run)
}

func TestSetupWithTiersAndStrategies(t *testing.T) {
	table := map[string]taxonomy.Reaction{
		"up": {Action: taxonomy.Escalate},
		"mend": {Action: taxonomy.Recover, Strategy: "mend", Policy: three,
			Then: &taxonomy.Reaction{Action: taxonomy.Block}},
		"go_on": {Action: taxonomy.Continue},
	}
	m := tableOf(table, taxonomy.Tier{Name: "high"})
	w := worldOf(m, done())
	high := &fakeProvider{name: "high", tree: w.tree, steps: []step{done("a")}, available: []error{fails("go_on")}}
	s := &strategist{errs: []error{nil, errors.New("no")}}
	w.cfg.Tiers, w.cfg.Recoverer = map[string]Provider{"high": high}, s
	w.provider.available = []error{fails("up")}
	w.tree.fail["begin"] = []error{fails("mend")}
	r := w.run(t)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Empty(t, w.provider.calls)
	assert.Len(t, high.calls, 1)
	assert.Len(t, s.seen, 1)
	assert.Len(t, r.Warnings, 1, "went on without knowing whether it is there")

	w.tree.fail["begin"] = []error{fails("mend")}
	assert.Equal(t, EndRetriesUsedUp, w.run(t).EndReason, "a strategy that fails")
}

// TestHostSetup has the host's own setup be the first thing of a run, under the rules of any other.
func TestHostSetup(t *testing.T) {
	table := reactions()
	table["load_config"] = taxonomy.Reaction{Action: taxonomy.Abort, Extent: taxonomy.ExtentRun}
	var tries int
	failing := func(all ...error) func(w *world) {
		return func(w *world) {
			tries = 0
			w.cfg.Setup = func(context.Context) error {
				tries++
				if tries > len(all) {
					return nil
				}
				return all[tries-1]
			}
		}
	}
	told := &notified{}
	for _, s := range []story{
		{name: "well", want: EndCompleted, change: failing()},
		{name: "again in place", want: EndCompleted, change: failing(fails("again")),
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, 2, tries)
				assert.Equal(t, 1, r.ErrorCount)
			}},
		{name: "after a wait", want: EndCompleted, change: failing(fails("wait")),
			check: func(t *testing.T, _ *world, r *Result) {
				assert.Equal(t, Duration(5*time.Second), r.Waited)
			}},
		{name: "nothing to go on with", want: EndBlocked, change: failing(fails("go_on"))},
		{name: "of the configuration by default", want: EndFatal, change: failing(errors.New("no such setting")),
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, "load_config", r.ErrorCode)
				assert.Equal(t, []string{"load_config", "config"}, []string{r.Errors[0].Op, r.Errors[0].Source})
				assert.True(t, r.EndsRun)
				assert.Empty(t, w.tree.ops, "it is the first of all")
				assert.Equal(t, r, told.last)
				assert.Contains(t, w.events.kinds(), ErrorClassified)
			}},
		{name: "a panic", want: EndMaxFailures, change: func(
			w *world) {
			w.cfg.Setup = func(context.Context) error { panic("oh") }
		}},
		{name: "without a provider", want: EndFatal, change: func(w *world) {
			failing(fails("stop"))(w)
			w.cfg.Provider, w.cfg.Lanes = nil, &lanesSeen{}
		}, check: func(t *testing.T, _ *world, r *Result) { assert.Equal(t, "stop", r.ErrorCode) }},
		{name: "nobody to escalate to", want: EndLadderUsedUp, change: func(w *world) {
			failing(fails("up"))(w)
			w.cfg.Provider = nil
		}},
		{name: "well, but without a provider", want: EndFatal, change: func(w *world) {
			failing()(w)
			w.cfg.Provider = nil
		}, check: func(t *testing.T, _ *world, r *Result) { assert.Equal(t, "load_config", r.ErrorCode) }},
	} {
		t.Run(s.name, func(t *testing.T) {
			table["up"] = taxonomy.Reaction{Action: taxonomy.Escalate}
			w := newWorld(table, done())
			w.cfg.Notifier = told
			s.change(w)
			r := w.run(t)
			assert.Equal(t, s.want, r.EndReason, "%+v", r)
			if s.check != nil {
				s.check(t, w, r)
			}
		})
	}
}

// notified keeps the last result that people were told.
type notified struct{ last *Result }

func (n *notified) Notify(_ context.Context, r *Result) error { n.last = r; return nil }
