package executor

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// The reactions of the tests, by the type of evidence that has them.
func reactions() map[string]taxonomy.Reaction {
	once := &taxonomy.Policy{MaxAttempts: 2, InitialDelay: time.Second, Backoff: taxonomy.Constant}
	return map[string]taxonomy.Reaction{
		"again":    {Action: taxonomy.Retry, CountFailure: true},
		"stop":     {Action: taxonomy.Abort},
		"stop_all": {Action: taxonomy.Abort, Extent: taxonomy.ExtentRun},
		"block":    {Action: taxonomy.Block},
		"go_on":    {Action: taxonomy.Continue},
		"wait": {Action: taxonomy.Retry,
			Policy: &taxonomy.Policy{MaxAttempts: 4, InitialDelay: 5 * time.Second, Backoff: taxonomy.Constant}},
		"repeat": {Action: taxonomy.RetryOperation, Policy: once,
			Then: &taxonomy.Reaction{Name: "go_on", Action: taxonomy.Continue}},
		"forbidden": {Action: taxonomy.Retry, CountFailure: true, Revert: taxonomy.RevertFiles,
			AcceptCompletion: true, FeedBack: true},
		"outside_allowed": {Action: taxonomy.Retry, CountFailure: true, Revert: taxonomy.RevertFiles, FeedBack: true},
		"denied":          {Action: taxonomy.Abort, Revert: taxonomy.RevertFiles},
		"unattended":      {Action: taxonomy.Abort, Revert: taxonomy.RevertFiles},
		"revert":          {Action: taxonomy.Abort, Extent: taxonomy.ExtentRun},
		"save":            {Action: taxonomy.Abort},
		"detect_changes":  {Action: taxonomy.Retry, CountFailure: true},
		"scope":           {Action: taxonomy.Retry, CountFailure: true},
		"correct":         {Action: taxonomy.Retry, CountFailure: true, FeedBack: true},
		"undo":            {Action: taxonomy.Retry, CountFailure: true, Revert: taxonomy.RevertIteration},
		"commit": {Action: taxonomy.RetryOperation, Policy: once,
			Then: &taxonomy.Reaction{Name: "go_on", Action: taxonomy.Continue}},
		"push": {Action: taxonomy.RetryOperation, Policy: once,
			Then: &taxonomy.Reaction{Name: "go_on", Action: taxonomy.Continue}},
		"timeout":     {Action: taxonomy.Retry, CountFailure: true},
		"interrupted": {Action: taxonomy.Retry, CountFailure: true},
		"refused":     {Action: taxonomy.Abort, Extent: taxonomy.ExtentRun},
		"panic":       {Action: taxonomy.Retry, CountFailure: true},
	}
}

// story is what happens in a run and what it comes to.
type story struct {
	name   string
	steps  []step
	change func(w *world)
	want   EndReason
	check  func(t *testing.T, w *world, r *Result)
}

func tellAll(t *testing.T, stories []story) {
	t.Helper()
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			w := newWorld(reactions(), s.steps...)
			if s.change != nil {
				s.change(w)
			}
			r := w.run(t)
			assert.Equal(t, s.want, r.EndReason, "%+v", r)
			assert.Equal(t, s.want.Status(), r.Status)
			assert.False(t, w.tree.locked)
			if s.check != nil {
				s.check(t, w, r)
			}
		})
	}
}

func TestEnds(t *testing.T) {
	tellAll(t, []story{
		{name: "completed", steps: []step{done("a")}, want: EndCompleted,
			check: func(t *testing.T, _ *world, r *Result) {
				assert.Empty(t, r.Error)
				assert.Empty(t, r.ErrorCode)
			}},
		{name: "fatal", steps: []step{breaks("stop")}, want: EndFatal, check: func(t *testing.T, _ *world, r *Result) {
			assert.Equal(t, "stop", r.ErrorCode)
			assert.Equal(t, "test", r.ErrorCategory)
			assert.JSONEq(t, `{}`, string(r.ErrorDetails))
			assert.Zero(t, r.Failures)
			assert.False(t, r.EndsRun)
			assert.Error(t, r.Err)
		}},
		{name: "fatal to every task", steps: []step{breaks("stop_all")}, want: EndFatal,
			check: func(t *testing.T, _ *world, r *Result) {
				assert.True(t, r.EndsRun)
			}},
		{name: "too many failures in a row", steps: []step{breaks("again")}, want: EndMaxFailures,
			check: func(t *testing.T, _ *world, r *Result) {
				assert.Equal(t, 3, r.Failures)
				assert.Equal(t, 3, r.Iterations)
				assert.Equal(t, "again", r.ErrorCode, "the last error, and not that there were too many")
			}},
		{name: "a success in between resets the counter",
			steps: []step{breaks("again"), breaks("again"), works("a"), breaks("again"), breaks("again"), done()},
			want:  EndCompleted,
			check: func(
				t *testing.T, _ *world, r *Result) {
				assert.Equal(t, 4, r.Counted)
				assert.Zero(t, r.Failures)
			}},
		{name: "the task's attempts", steps: []step{breaks("again"), works("a"), breaks("again")},
			want:   EndAttemptsUsedUp,
			change: func(w *world) { w.cfg.Limits.Attempts = 2 }},
		{name: "blocked", steps: []step{breaks("block")}, want: EndBlocked},
		{name: "a policy used up", steps: []step{breaks("wait")}, want: EndRetriesUsedUp,
			check: func(t *testing.T, _ *world, r *Result) {
				assert.Equal(t, 4, r.Iterations)
				assert.Equal(t, Duration(15*time.Second), r.Waited, "no wait before an end")
				assert.Zero(t, r.Failures)
			}},
		{name: "iterations", steps: []step{works()}, want: EndMaxIterations,
			change: func(w *world) { w.cfg.Limits.Iterations = 4 },
			check:  func(t *testing.T, _ *world, r *Result) { assert.Equal(t, 4, r.Iterations) }},
		{name: "both limits: failures are named", steps: []step{breaks("again")}, want: EndMaxFailures,
			change: func(w *world) { w.cfg.Limits.Iterations = 3 }},
		{name: "a person is asked for", steps: []step{{answer: Answer{Text: "hm\nBLOCKED: which one?\n"}}},
			want: EndBlockedSignal,
			check: func(t *testing.T, _ *world, r *Result) {
				assert.Equal(t, "which one?", r.Question)
				assert.Empty(t, r.ErrorCode)
			}},
		{name: "a person is asked for by other means",
			steps: []step{{answer: Answer{Signal: SignalBlocked, Question: "which?"}}}, want: EndBlockedSignal,
			check: func(t *testing.T, _ *world, r *Result) { assert.Equal(t, "which?", r.Question) }},
		{name: "the category comes before the marker",
			steps: []step{{answer: Answer{Text: "BLOCKED: no"}, err: fails("again")}, done()}, want: EndCompleted},
		{name: "without a category the marker counts",
			steps: []step{{answer: Answer{Failure: "it failed\nBLOCKED: why?"}}}, want: EndBlockedSignal},
		{name: "a word in a line is no marker",
			steps: []step{{answer: Answer{Failure: "it is BLOCKED: by that"}}, done()}, want: EndCompleted,
			check: func(t *testing.T, _ *world, r *Result) {
				assert.Equal(t, "uncategorized", r.Errors[0].Reaction)
				assert.Equal(t, 1, r.Counted)
			}},
		{name: "done, in a sentence, is no marker",
			steps: []step{{answer: Answer{Text: "I will say TASK COMPLETE later"}}, done()}, want: EndCompleted,
			check: func(t *testing.T, _ *world, r *Result) { assert.Equal(t, 2, r.Iterations) }},
		{name: "no time left", steps: []step{breaks("wait")}, want: EndDeadline,
			change: func(w *world) { w.cfg.Limits.Run = 7 * time.Second },
			check: func(t *testing.T, _ *world, r *Result) {
				assert.Equal(t, 2, r.Iterations)
				assert.Equal(t, "wait", r.ErrorCode)
			}},
		{name: "the deadline is past", steps: []step{done()}, want: EndDeadline,
			change: func(w *world) { w.cfg.Limits.Deadline = now0.Add(-time.Second) }},
		{name: "dry run", steps: []step{done()}, want: EndDryRun, change: func(w *world) { w.cfg.DryRun = true },
			check: func(t *testing.T, w *world, r *Result) {
				assert.Contains(t, r.Text, "Do it.")
				assert.Empty(t, w.provider.calls)
			}},
		{name: "a call that goes on has not answered", steps: []step{breaks("go_on", "a"), done()}, want: EndCompleted,
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, 2, r.Iterations)
				assert.Len(t, w.tree.commits, 1, "nothing is committed after a call that failed")
				assert.Equal(t, []string{"a"}, r.CommittedFiles, "but with the next one")
			}},
	})
}

func TestSafety(t *testing.T) {
	tellAll(t, []story{
		{name: "forbidden files are put back", steps: []step{works("a", "forbidden"), done()}, want: EndCompleted,
			check: func(t *testing.T, w *world, r *Result) {
				assert.NotContains(t, w.tree.files, "forbidden")
				assert.Equal(t, []string{"a"}, r.CommittedFiles)
				assert.Len(t, r.SavedRefs, 1)
				assert.Contains(t, w.provider.prompts()[1], "forbidden", "it is fed back")
				assert.Equal(t, 1, r.Counted)
			}},
		{name: "a failed call's changes are judged, too", steps: []step{breaks("again", "forbidden", "a"), done()},
			want: EndCompleted, check: func(t *testing.T, w *world, r *Result) {
				assert.NotContains(t, w.tree.files, "forbidden")
				assert.Equal(t, 1, r.Counted, "once an iteration")
				assert.Equal(t, 2, r.ErrorCount)
			}},
		{name: "completion is accepted when what is left is valid", steps: []step{done("a", "forbidden")},
			want: EndCompleted, check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, []string{"a"}, r.CommittedFiles)
				assert.Zero(t, r.Counted)
			}},
		{name: "and otherwise counts", steps: []step{done("a", "forbidden"), done()}, want: EndCompleted,
			change: func(w *world) {
				w.cfg.Validator = &fakeValidator{errs: map[Phase][]error{
					PreCommit: {&taxonomy.Evidence{Source: "validator", Type: "correct"}},
				}}
			},
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, 1, r.Counted)
				assert.Equal(t, 2, r.Iterations)
			}},
		{name: "completion is not accepted where the reaction does not", steps: []step{done("a", "outside"), done("b")},
			want: EndCompleted, check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, 2, r.Iterations)
				assert.Equal(t, []string{"a", "b"}, r.CommittedFiles, "in one commit")
				assert.Len(t, r.Commits, 1)
			}},
		{name: "forbidden and outside is forbidden, with all files",
			steps: []step{works("forbidden", "outside"), done()}, want: EndCompleted,
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, 1, r.ErrorCount)
				assert.Equal(t, "forbidden", r.Errors[0].Code)
				assert.Equal(t, []string{"forbidden", "outside"}, r.Errors[0].Files)
			}},
		{name: "git itself", steps: []step{works(".git/config"), done()}, want: EndCompleted,
			change: func(w *world) { w.cfg.Guard = nil }, check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, "forbidden", r.Errors[0].Code)
				assert.NotContains(t, w.tree.files, ".git/config")
			}},
		{name: "nobody to ask is a denial", steps: []step{works("ask")}, want: EndFatal,
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, "unattended", r.ErrorCode)
				assert.NotContains(t, w.tree.files, "ask")
				assert.Zero(t, r.Failures)
			}},
		{name: "unless it was said otherwise", steps: []step{done("ask")}, want: EndCompleted,
			change: func(w *world) { w.cfg.ApproveUnattended = true }},
		{name: "denied", steps: []step{works("ask")}, want: EndFatal,
			change: func(w *world) { w.cfg.Asker = &fakeAsker{answers: []bool{false}} },
			check:  func(t *testing.T, w *world, r *Result) { assert.Equal(t, "denied", r.ErrorCode) }},
		{name: "approved once, and remembered", steps: []step{works("ask"), works("ask"), done("ask", "ask2")},
			want:   EndCompleted,
			change: func(w *world) { w.cfg.Asker = &fakeAsker{answers: []bool{true, true}} },
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, [][]string{{"ask"}, {"ask2"}}, w.cfg.Asker.(*fakeAsker).asked)
			}},
		{name: "a denial whose revert fails is the revert's failure", steps: []step{works("ask")}, want: EndFatal,
			change: func(w *world) { w.tree.fail["revert"] = []error{gitFails("revert")} },
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, "revert", r.ErrorCode)
				assert.True(t, r.EndsRun)
				assert.Equal(t, []string{"ask"}, r.UncheckedFiles)
				assert.Equal(t, 2, r.ErrorCount, "the denial is there, too")
			}},
		{name: "what cannot be saved is not reverted", steps: []step{works("forbidden")}, want: EndFatal,
			change: func(w *world) { w.tree.fail["save"] = []error{gitFails("save")} },
			check: func(t *testing.T, w *world, r *Result) {
				assert.Contains(t, w.tree.files, "forbidden")
				assert.NotContains(t, w.tree.ops, "revert")
			}},
		{name: "a failed detection is not: no changes", steps: []step{done("forbidden"), done()}, want: EndCompleted,
			change: func(w *world) { w.tree.fail["detect"] = []error{gitFails("detect_changes")} },
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, 2, r.Iterations)
				assert.NotContains(t, w.tree.head, "forbidden")
			}},
		{name: "a guard that fails has allowed nothing", steps: []step{done("a"), done()}, want: EndCompleted,
			change: func(w *world) { w.cfg.Guard = &fakeGuard{errs: []error{errors.New("no")}} },
			check:  func(t *testing.T, w *world, r *Result) { assert.Equal(t, 2, r.Iterations) }},
		{name: "a guard that says nothing has forbidden all", steps: []step{works("a"), done()}, want: EndCompleted,
			change: func(w *world) { w.cfg.Guard = verdicts(0) },
			check:  func(t *testing.T, w *world, r *Result) { assert.Empty(t, r.CommittedFiles) }},
		{name: "a verdict that there is not", steps: []step{works("a"), done()}, want: EndCompleted,
			change: func(w *world) { w.cfg.Guard = verdicts(99) },
			check:  func(t *testing.T, w *world, r *Result) { assert.Empty(t, r.CommittedFiles) }},
		{name: "too few verdicts", steps: []step{works("a"), done()}, want: EndMaxFailures,
			change: func(w *world) { w.cfg.Guard = verdicts() },
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, "scope", r.ErrorCode)
				assert.Equal(t, []string{"a"}, r.UncheckedFiles)
				assert.Empty(t, w.tree.commits)
			}},
		{name: "what is unchecked is judged again", steps: []step{breaks("again", "a"), done()}, want: EndCompleted,
			change: func(w *world) { w.cfg.Guard = &fakeGuard{errs: []error{errors.New("no")}} },
			check:  func(t *testing.T, w *world, r *Result) { assert.Equal(t, []string{"a"}, r.CommittedFiles) }},
		{name: "ignored files are judged, and not committed", steps: []step{done("ignored/x", "a")}, want: EndCompleted,
			check: func(t *testing.T, w *world, r *Result) { assert.Equal(t, []string{"a"}, r.CommittedFiles) }},
		{name: "revert of an iteration", steps: []step{works("a"), breaks("undo", "b", "a"), done()},
			want: EndCompleted, check: func(t *testing.T, w *world, r *Result) {
				assert.NotContains(t, w.tree.files, "b")
				assert.Contains(t, w.tree.files["a"], "call 1", "only what this iteration changed")
			}},
		{name: "revert of files that nobody names takes back the iteration",
			steps: []step{breaks("forbidden", "a"), done()}, want: EndCompleted,
			check: func(t *testing.T, w *world, r *Result) { assert.NotContains(t, w.tree.files, "a") }},
	})
}

func TestDelivery(t *testing.T) {
	invalid := func(phase Phase) func(*world) {
		return func(w *world) {
			w.cfg.Deliver = DeliverPullRequest
			w.cfg.Validator = &fakeValidator{errs: map[Phase][]error{phase: {&taxonomy.Evidence{Source: "validator",
				Type: "correct", Text: "line 7 is wrong"}}}}
		}
	}
	fail := func(op string, n int) func(*world) {
		return func(w *world) {
			w.cfg.Deliver = DeliverPullRequest
			for range n {
				w.tree.fail[op] = append(w.tree.fail[op], gitFails(op))
			}
		}
	}
	tellAll(t, []story{
		{name: "validation is fed back without a claim, too", steps: []step{works("a"), done()},
			change: invalid(PreCommit), want: EndCompleted,
			check: func(t *testing.T, w *world, r *Result) {
				assert.Contains(t, w.provider.prompts()[1], "line 7 is wrong")
				assert.Len(t, r.Commits, 1)
				assert.Equal(t, 1, r.Counted)
			}},
		{name: "before the push", steps: []step{done("a")}, change: invalid(PrePush), want: EndCompleted,
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, 2, r.Iterations)
				assert.Equal(t, 1, w.tree.pushes)
			}},
		{name: "before the pull request", steps: []step{done("a")}, change: invalid(PrePR), want: EndCompleted,
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, 2, r.Iterations)
				assert.Equal(t, 1, w.tree.prs)
			}},
		{name: "a commit is tried once more", steps: []step{done("a")}, change: fail("commit", 1), want: EndCompleted,
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, []string{"a"}, r.CommittedFiles)
				assert.Equal(t, Duration(time.Second), r.Waited)
				assert.True(t, r.Errors[0].Overcome)
			}},
		{name: "and then given up", steps: []step{works("a"), done("b")}, change: fail("commit", 2), want: EndCompleted,
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, []string{"b"}, r.CommittedFiles)
				assert.Equal(t, []string{"a"}, r.UncommittedFiles, "it is not tried again")
				assert.NotEmpty(t, r.Warnings)
				assert.Zero(t, r.Counted)
			}},
		{name: "a push given up", steps: []step{done("a")}, change: fail("push", 2), want: EndCompleted,
			check: func(t *testing.T, w *world, r *Result) {
				assert.False(t, r.Pushed)
				assert.NotEmpty(t, r.Warnings)
				assert.Empty(t, r.PullRequest)
			}},
		{name: "a pull request without a category is tried once more", steps: []step{done("a")}, change: fail("pr", 1),
			want:  EndCompleted,
			check: func(t *testing.T, w *world, r *Result) { assert.NotEmpty(t, r.PullRequest) }},
		{name: "nothing to be delivered", steps: []step{works("a"), done("b")},
			change: func(w *world) { w.cfg.Deliver = DeliverNothing }, want: EndCompleted,
			check: func(t *testing.T, w *world, r *Result) {
				assert.Empty(t, w.tree.commits)
				assert.Equal(t, []string{"a", "b"}, r.UncommittedFiles)
			}},
		{name: "invalid work is taken back", steps: []step{works("a"), done("b")}, want: EndCompleted,
			change: func(w *world) {
				w.cfg.Validator = &fakeValidator{errs: map[Phase][]error{
					PreCommit: {&taxonomy.Evidence{Source: "validator", Type: "undo"}},
				}}
			},
			check: func(t *testing.T, w *world, r *Result) {
				assert.NotContains(t, w.tree.files, "a")
				assert.Equal(t, []string{"b"}, r.CommittedFiles)
			}},
		{name: "no files at all", steps: []step{works(), done()}, change: func(w *world) {
			w.cfg.Workspace, w.cfg.Deliver = nil, DeliverNothing
		}, want: EndCompleted},
	})
}

type fakeAsker struct {
	answers []bool
	asked   [][]string
}

func (a *fakeAsker) Ask(_ context.Context, q Question) (bool, error) {
	a.asked = append(a.asked, q.Paths)
	yes := a.answers[0]
	a.answers = a.answers[1:]
	return yes, nil
}

// verdicts is a guard that always says the same, whatever it is asked; then it allows.
func verdicts(first ...Verdict) Guard { return &fixedGuard{first} }

type fixedGuard struct{ all []Verdict }

func (*fixedGuard) Mode() string                                         { return "" }
func (g *fixedGuard) Judge(context.Context, []Change) ([]Verdict, error) { return g.all, nil }
