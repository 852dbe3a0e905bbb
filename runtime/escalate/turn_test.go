package escalate

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filejournal"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/scope"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// outcome names what came of a call.
func (t turned) outcome() string {
	switch {
	case t.answered:
		return "answered"
	case t.cancelled:
		return "cancelled"
	case t.interrupted:
		return "interrupted"
	case t.own:
		return "own"
	case t.timedOut:
		return "timed out"
	}
	return "step"
}

// O25, B-O08: one answer ends a call, whatever it says. O20: it comes as it was said.
func TestTurnAnswered(t *testing.T) {
	for _, text := range []string{
		"STEP DONE", "BLOCKED: who knows?", "TASK COMPLETE", "",
		strings.Repeat("a line of a long report\n", 3000) + "STEP FAILED",
	} {
		dir := gitRepo(t)
		p := &actor{acts: []acts{says(text).writes(t, "b.txt", "b", "a.txt", "changed")}}
		r := begunRun(t, nil, dir, p)
		before := r.checked
		got := r.turn(t.Context(), first())
		assert.Equal(t, "answered", got.outcome(), "%v", got.err)
		assert.Equal(t, text, got.text)
		assert.Equal(t, []string{"Do it."}, p.prompts)
		assert.Equal(t, []string{"a.txt", "b.txt"}, got.files)
		assert.Len(t, got.changes, 2)
		assert.Equal(t, map[string]string{"a.txt": "changed", "b.txt": "b"}, filesIn(t, dir), "it stays where it is")
		assert.Equal(t, before, r.checked)
		left, err := r.left(t.Context(), r.checked)
		require.NoError(t, err)
		assert.Equal(t, got.changes, left, "what was judged is what differs")
		require.NoError(t, got.err)
	}
}

// The tier's own failures are tried again and waited for, and are no failures of the step.
func TestTurnOwnFailures(t *testing.T) {
	once := &taxonomy.Policy{Name: "once", MaxAttempts: 2, InitialDelay: time.Second, Backoff: taxonomy.Constant,
		MaxRetryAfter: time.Hour}
	up := &taxonomy.Reaction{Name: "up", Action: taxonomy.Escalate, Then: &taxonomy.Reaction{Name: "abort"}}
	again := func(then *taxonomy.Reaction) reactions {
		return reactions{"limited": {Action: taxonomy.Retry, Policy: once, Then: then, HonorRetryAfter: true}}
	}
	limited := failsWith(taxonomy.Evidence{Type: "limited", RetryAfter: taxonomy.Some(7 * time.Second)})
	long := failsWith(taxonomy.Evidence{Type: "limited", RetryAfter: taxonomy.Some(30 * time.Minute)})
	for _, tt := range []struct {
		name      string
		reactions reactions
		acts      []acts
		available error
		budget    error
		want      string
		end       executor.EndReason
		waits     []time.Duration
	}{
		{name: "answers after the wait that was asked for", reactions: again(nil), acts: []acts{limited, says("x")},
			want: "answered", end: executor.EndCompleted, waits: []time.Duration{7 * time.Second}},
		{name: "used up, and nothing else is said", reactions: again(nil), acts: []acts{limited, limited}, want: "own",
			end: executor.EndRetriesUsedUp, waits: []time.Duration{7 * time.Second}},
		{name: "used up, and then a higher tier", reactions: again(up), acts: []acts{limited, limited}, want: "own",
			end: executor.EndLadderUsedUp, waits: []time.Duration{7 * time.Second}},
		{name: "a wait longer than a tier may take", reactions: again(nil), acts: []acts{long}, want: "own",
			end: executor.EndDeadline},
		{name: "such a wait, and then a higher tier", reactions: again(up), acts: []acts{long}, want: "own",
			end: executor.EndLadderUsedUp},
		{name: "a reaction that hands over", reactions: reactions{"limited": *up}, acts: []acts{limited}, want: "own",
			end: executor.EndLadderUsedUp},
		{name: "a reaction that aborts", reactions: reactions{"limited": {}}, acts: []acts{limited}, want: "own",
			end: executor.EndFatal},
		{name: "a reaction that blocks", reactions: reactions{"limited": {Action: taxonomy.Block}},
			acts: []acts{limited}, want: "own", end: executor.EndBlocked},
		{name: "without a place in the taxonomy", acts: []acts{limited}, want: "own", end: executor.EndFatal},
		{name: "an answer that says that it failed, and is blocked",
			acts: []acts{func(context.Context, executor.Request) (executor.Answer, error) {
				return executor.Answer{Failure: "BLOCKED: no more"}, nil
			}}, want: "own", end: executor.EndBlockedSignal},
		{name: "it panics", reactions: reactions{"panic": {Action: taxonomy.Block}},
			acts: []acts{func(context.Context, executor.Request) (executor.Answer, error) { panic("boom") }},
			want: "own", end: executor.EndBlocked},
		{name: "it is not there", available: errors.New("not installed"), want: "own", end: executor.EndFatal},
		{name: "it is not there, and hands over", reactions: reactions{"available": *up},
			available: errors.New("not installed"), want: "own", end: executor.EndLadderUsedUp},
		{name: "no budget", reactions: reactions{"budget": {Action: taxonomy.Block}}, budget: errors.New("too dear"),
			want: "own", end: executor.EndBlocked},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &actor{acts: tt.acts, available: func(context.Context) error { return tt.available }}
			clock := &instant{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
			r := bareRun(tt.reactions.wired(), p)
			r.cfg.Calls.Clock = clock
			if tt.budget != nil {
				r.cfg.Calls.Budget = budget{tt.budget}
			}
			got := r.turn(t.Context(), first())
			assert.Equal(t, tt.want, got.outcome(), "%v", got.err)
			assert.Equal(t, tt.end, got.end)
			assert.Equal(t, tt.waits, clock.waits)
			assert.Equal(t, tt.want != "answered", got.err != nil)
			assert.Empty(t, p.acts, "all of them were called for")
		})
	}
}

type budget struct{ err error }

func (b budget) Allow(context.Context, executor.Bill) error { return b.err }

// A ladder with a person above does not make an escalation of the tier's own failure one to that
// person.
func TestHandsOver(t *testing.T) {
	chain := func(actions ...taxonomy.Action) taxonomy.Reaction {
		var next *taxonomy.Reaction
		for i := len(actions) - 1; i >= 0; i-- {
			next = &taxonomy.Reaction{Name: "x", Action: actions[i], Then: next}
		}
		return *next
	}
	endless := taxonomy.Reaction{Action: taxonomy.Retry}
	endless.Then = &endless
	for _, tt := range []struct {
		reaction taxonomy.Reaction
		want     bool
	}{
		{chain(taxonomy.Escalate), true},
		{chain(taxonomy.Escalate, taxonomy.Abort), true},
		{chain(taxonomy.Retry, taxonomy.RetryOperation, taxonomy.Recover, taxonomy.Escalate), true},
		{chain(taxonomy.Retry), false},
		{chain(taxonomy.Block, taxonomy.Escalate), false},
		{chain(taxonomy.Retry, taxonomy.Abort, taxonomy.Escalate), false},
		{chain(taxonomy.Continue), false},
		{taxonomy.Reaction{}, false},
		{endless, false},
	} {
		assert.Equal(t, tt.want, handsOver(tt.reaction), "%+v", tt.reaction)
	}
}

// O31: a tier that does not answer in its time has failed at the step, whatever is done about
// timeouts; one that is only waited for has not.
func TestTurnTime(t *testing.T) {
	for _, tt := range []struct {
		name      string
		reactions reactions
		acts      []acts
		available func(context.Context) error
		lane      time.Duration
		want      string
	}{
		{name: "hangs, and aborts", reactions: reactions{"timeout": {}}, acts: []acts{hangs}, want: "timed out"},
		{name: "hangs, and tries again", reactions: reactions{"timeout": {Action: taxonomy.Retry}}, acts: []acts{hangs},
			want: "timed out"},
		{name: "hangs, and blocks", reactions: reactions{"timeout": {Action: taxonomy.Block}}, acts: []acts{hangs},
			want: "timed out"},
		{name: "hangs after a failure of its own",
			reactions: reactions{"limited": {Action: taxonomy.Retry}, "timeout": {Action: taxonomy.Retry}},
			acts:      []acts{failsWith(taxonomy.Evidence{Type: "limited"}), hangs}, want: "timed out"},
		{name: "hangs when it is asked whether it is there",
			reactions: reactions{"available": {Action: taxonomy.Block}},
			available: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, want: "own"},
		{name: "its lane is closed for longer", reactions: reactions{"timeout": {Action: taxonomy.Block}},
			lane: time.Hour, want: "own"},
		{name: "its lane is closed for less", acts: []acts{says("x")}, lane: time.Minute, want: "answered"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &actor{acts: tt.acts, available: tt.available}
				r := bareRun(tt.reactions.wired(), p)
				if tt.lane > 0 {
					r.cfg.Calls.Lanes = retry.NewSharedWait(nil, nil)
					require.NoError(t, r.cfg.Calls.Lanes.Pause(t.Context(), "actor/", time.Now().Add(tt.lane)))
				}
				began := time.Now()
				got := r.turn(t.Context(), first())
				assert.Equal(t, tt.want, got.outcome(), "%v", got.err)
				assert.LessOrEqual(t, time.Since(began), 10*time.Minute)
				if got.timedOut {
					ev, ok := errors.AsType[*taxonomy.Evidence](got.err)
					require.True(t, ok)
					assert.Equal(t, []string{"agent", "execute", "timeout", "low", "1", "600000"},
						[]string{ev.Source, ev.Op, ev.Type, ev.Attribute("tier"), ev.Attribute("step"),
							ev.Attribute("timeout_ms")})
				}
				assert.Empty(t, p.acts)
			})
		})
	}
}

// What a tier must not touch fails the step, once, with the guard's own error, whatever the
// executor would do about it.
func TestTurnForbidden(t *testing.T) {
	scope, err := scope.New(scope.Config{Forbidden: []string{"secret/"}})
	require.NoError(t, err)
	undo := taxonomy.Reaction{Action: taxonomy.Retry, Revert: taxonomy.RevertFiles, FeedBack: true}
	accept := undo
	accept.AcceptCompletion = true
	recover := taxonomy.Reaction{Action: taxonomy.Recover, Strategy: "mend"}
	for _, tt := range []struct {
		name     string
		reaction taxonomy.Reaction
		want     string
		files    []string
	}{
		{"again", taxonomy.Reaction{Action: taxonomy.Retry}, "step", nil},
		{"put back and again", undo, "step", nil},
		{"aborts", taxonomy.Reaction{}, "step", nil},
		{"blocks", taxonomy.Reaction{Action: taxonomy.Block}, "step", nil},
		{"goes on", taxonomy.Reaction{Action: taxonomy.Continue}, "step", nil},
		{"hands over", taxonomy.Reaction{Action: taxonomy.Escalate}, "step", nil},
		{"runs a strategy, which is left to the escalation", recover, "step", nil},
		{"what is left may count", accept, "answered", []string{"b.txt"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := gitRepo(t)
			p := &actor{acts: []acts{says("done").writes(t, "secret/key", "x", "b.txt", "b"), says("again")}}
			r := begunRun(t, reactions{"forbidden": tt.reaction}, dir, p)
			r.cfg.Calls.Guard = scope
			menders := &mender{}
			r.cfg.Calls.Recoverer = menders
			got := r.turn(t.Context(), first())
			assert.Equal(t, tt.want, got.outcome(), "%v", got.err)
			assert.Equal(t, tt.files, got.files)
			assert.Len(t, p.prompts, 1)
			assert.Zero(t, menders.runs)
			if tt.want == "step" {
				assert.Equal(t, "forbidden", taxonomy.CodeOf(got.err))
				assert.Equal(t, []string{"secret/key"}, taxonomy.HintsOf(got.err).Files)
			}
			ref, files, err := r.putBack(t.Context(), r.checked, 1)
			require.NoError(t, err)
			assert.NotEmpty(t, ref)
			assert.Contains(t, files, "b.txt")
			assert.Equal(t, map[string]string{"a.txt": "a\n"}, filesIn(t, dir))
			assert.Equal(t, "b", git(t, dir, "show", ref+":b.txt"))
		})
	}
}

type mender struct{ runs int }

func (s *mender) Recover(context.Context, taxonomy.RecoveryRequest) error {
	s.runs++
	return nil
}

// A strategy that mends what stands in a tier's way runs; one against what the tier has answered is
// left to the escalation.
func TestTurnStrategies(t *testing.T) {
	all := reactions{"limited": {Action: taxonomy.Recover, Strategy: "mend",
		Policy: &taxonomy.Policy{Name: "p", MaxAttempts: 3}}}
	s := &mender{}
	r := bareRun(all.wired(), &actor{acts: []acts{failsWith(taxonomy.Evidence{Type: "limited"}), says("x")}})
	r.cfg.Calls.Clock, r.cfg.Calls.Recoverer = &instant{now: time.Now()}, s
	assert.Equal(t, "answered", r.turn(t.Context(), first()).outcome())
	assert.Equal(t, 1, s.runs)
}

// A tier that commits by itself, or plants a hook, has touched git itself: both are put back, and
// no hook is run.
func TestTurnGitItself(t *testing.T) {
	for _, tt := range []struct {
		name string
		act  func(t *testing.T) acts
		path string
	}{
		{"commits", func(t *testing.T) acts {
			return says("done").runs(t, "commit", "-qam", "mine").writes(t, "a.txt", "mine\n")
		}, ".git/refs/heads/main"},
		{"plants a hook", func(t *testing.T) acts {
			return says("done").writes(t, ".git/hooks/pre-commit", "#!/bin/sh\ntouch hooked\n", "b.txt", "b")
		}, ".git/hooks/pre-commit"},
		{"configures git",
			func(t *testing.T) acts { return says("done").runs(t, "config", "core.fsmonitor", "./evil") },
			".git/config"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := gitRepo(t)
			head := git(t, dir, "rev-parse", "HEAD")
			r := begunRun(t, reactions{"forbidden": {Action: taxonomy.Retry}}, dir, &actor{acts: []acts{tt.act(t)}})
			r.cfg.Calls.Journal = filejournal.New(t.TempDir())
			got := r.turn(t.Context(), first())
			assert.Equal(t, "step", got.outcome(), "%v", got.err)
			assert.Equal(t, []string{tt.path}, taxonomy.HintsOf(got.err).Files)
			ref, _, err := r.putBack(t.Context(), r.checked, 1)
			require.NoError(t, err)
			assert.Equal(t, head, git(t, dir, "rev-parse", "HEAD"))
			assert.Equal(t, map[string]string{"a.txt": "a\n"}, filesIn(t, dir))
			assert.Empty(t, git(t, dir, "status", "--porcelain"))
			assert.NotEmpty(t, git(t, dir, "rev-parse", ref))
			assert.NoFileExists(t, filepath.Join(dir, ".git", "hooks", "pre-commit"))
		})
	}
}
