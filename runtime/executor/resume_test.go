package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// killer ends the goroutine that runs a run at its n-th hit, as a kill ends a process.
type killer struct{ hits, at int }

func (k *killer) hit() {
	if k.hits++; k.hits == k.at {
		runtime.Goexit()
	}
}

// around has f between two hits.
func around[T any](k *killer, f func() (T, error)) (T, error) {
	k.hit()
	v, err := f()
	k.hit()
	return v, err
}

func around0(k *killer, f func() error) error {
	_, err := around(k, func() (struct{}, error) { return struct{}{}, f() })
	return err
}

// mortalTree, mortalJournal and mortalProvider are killed before and after whatever they do.
type mortalTree struct {
	*fakeTree
	*killer
}

func (m mortalTree) Begin(ctx context.Context, run string) (Checked, error) {
	return around(m.killer, func() (Checked, error) { return m.fakeTree.Begin(ctx, run) })
}
func (m mortalTree) Detect(ctx context.Context, c Checked) ([]Change, error) {
	return around(m.killer, func() ([]Change, error) { return m.fakeTree.Detect(ctx, c) })
}
func (m mortalTree) Save(ctx context.Context, run string, n int, c Checked, ch []Change) (string, error) {
	return around(m.killer, func() (string, error) { return m.fakeTree.Save(ctx, run, n, c, ch) })
}
func (m mortalTree) Revert(ctx context.Context, c Checked, ch []Change) error {
	return around0(m.killer, func() error { return m.fakeTree.Revert(ctx, c, ch) })
}
func (m mortalTree) Advance(ctx context.Context, run string, c Checked, ch []Change) (Checked, error) {
	return around(m.killer, func() (Checked, error) { return m.fakeTree.Advance(ctx, run, c, ch) })
}
func (m mortalTree) Commit(ctx context.Context, c Commit) (CommitDone, error) {
	return around(m.killer, func() (CommitDone, error) { return m.fakeTree.Commit(ctx, c) })
}
func (m mortalTree) Push(ctx context.Context) error {
	return around0(m.killer, func() error { return m.fakeTree.Push(ctx) })
}
func (m mortalTree) OpenPR(ctx context.Context, title, body string) (string, error) {
	return around(m.killer, func() (string, error) { return m.fakeTree.OpenPR(ctx, title, body) })
}

type mortalJournal struct {
	*fakeJournal
	*killer
}

func (m mortalJournal) Append(ctx context.Context, e Entry) error {
	return around0(m.killer, func() error { return m.fakeJournal.Append(ctx, e) })
}

// mortalProvider plays its next step only when the one before was over.
type mortalProvider struct {
	*fakeProvider
	*killer
	over int
}

func (m *mortalProvider) Call(_ context.Context, req Request) (Answer, error) {
	return around(m.killer, func() (Answer, error) {
		s := m.steps[min(m.over, len(m.steps)-1)]
		m.over++
		for path, content := range s.writes {
			if content == "-" {
				delete(m.tree.files, path)
				continue
			}
			m.tree.files[path] = content
		}
		return s.answer, s.err
	})
}

// valid finds fault with a file called bad.
type valid struct{ tree *fakeTree }

func (v valid) Validate(context.Context, Phase) error {
	if _, ok := v.tree.files["bad"]; ok {
		return &taxonomy.Evidence{Source: "validator", Type: "undo", Text: "bad"}
	}
	return nil
}

type counting struct{ filed, notified int }

func (c *counting) File(context.Context, *Result) error   { c.filed++; return nil }
func (c *counting) Notify(context.Context, *Result) error { c.notified++; return nil }

// mortal is a world whose process can be killed, and started again.
type mortal struct {
	*world
	killer  *killer
	journal *fakeJournal
	told    *counting
}

func newMortal(deliver Delivery) *mortal {
	steps := []step{
		works("a", "forbidden/x"),
		breaks("again", "b", "outside/y"),
		breaks("repeat"),
		{writes: map[string]string{"bad": "bad", "c": "c"}, answer: Answer{Text: "more", Usage: usage(1, 1)}},
		{writes: map[string]string{"bad": "-", "ask/z": "z", "c": "c5"}, answer: Answer{Text: "more"}},
		breaks("wait", "d"),
		{writes: map[string]string{"a": "-", "e": "e"}, answer: Answer{Text: "TASK COMPLETE", Usage: usage(2, 1)}},
	}
	m := &mortal{world: newWorld(reactions(), steps...), killer: &killer{}, journal: &fakeJournal{}, told: &counting{}}
	m.cfg.Provider = &mortalProvider{fakeProvider: m.provider, killer: m.killer}
	m.cfg.Workspace = mortalTree{m.tree, m.killer}
	m.cfg.Journal = mortalJournal{m.journal, m.killer}
	m.cfg.Validator = valid{m.tree}
	m.cfg.ApproveUnattended, m.cfg.Limits.Failures = true, 10
	m.cfg.Deliver = deliver
	m.cfg.Filer, m.cfg.Notifier = m.told, m.told
	return m
}

// live runs the run until it ends, or is killed.
func (m *mortal) live(t *testing.T, killAt int) *Result {
	t.Helper()
	m.killer.hits, m.killer.at = 0, killAt
	e, err := New(m.cfg)
	require.NoError(t, err)
	var r *Result
	over := make(chan struct{})
	go func() {
		defer close(over)
		r = e.Run(context.Background(), aTask)
	}()
	<-over
	m.tree.locked = false
	return r
}

// plain is what two results of the same story have in common, whenever their process died: all but
// times and refs.
func plain(r *Result) string {
	c := *r
	c.Waits, c.Waited = nil, 0
	c.Resumed, c.SavedRefs, c.StartedAt, c.EndedAt = false, nil, time.Time{}, time.Time{}
	b, _ := json.MarshalIndent(c, "", " ")
	return string(b)
}

func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	for _, deliver := range []Delivery{DeliverNothing, DeliverPullRequest} {
		whole := newMortal(deliver)
		want := whole.live(t, 0)
		require.Equal(t, EndCompleted, want.EndReason, plain(want))
		require.Greater(t, whole.killer.hits, 100)
		for at := 1; at <= whole.killer.hits; at++ {
			t.Run(fmt.Sprintf("%d killed at %d", deliver, at), func(t *testing.T) {
				m := newMortal(deliver)
				require.Nil(t, m.live(t, at))
				sameEnd(t, whole, m, want, m.live(t, 0))
			})
		}
	}
}

// TestKilledBeforeAnEnd kills runs that end otherwise, also between their last iteration and their
// outcome.
func TestKilledBeforeAnEnd(t *testing.T) {
	t.Parallel()
	for name, last := range map[string]step{
		"fatal":          breaks("stop_all", "forbidden"),
		"failures":       breaks("again"),
		"blocked":        breaks("block"),
		"blocked_signal": {answer: Answer{Text: "BLOCKED: which?"}},
		"used up":        breaks("wait"),
		"uncategorized":  {answer: Answer{Failure: "no idea"}},
	} {
		t.Run(name, func(t *testing.T) {
			story := func() *mortal {
				m := newMortal(DeliverCommits)
				m.provider.steps = []step{works("a"), last}
				return m
			}
			whole := story()
			want := whole.live(t, 0)
			for at := 1; at <= whole.killer.hits; at++ {
				m := story()
				require.Nil(t, m.live(t, at))
				sameEnd(t, whole, m, want, m.live(t, 0))
			}
		})
	}
}

func TestKilledTwice(t *testing.T) {
	t.Parallel()
	whole := newMortal(DeliverPullRequest)
	want := whole.live(t, 0)
	for at := 1; at <= whole.killer.hits; at += 5 {
		for then := 1; then < 40; then += 4 {
			m := newMortal(DeliverPullRequest)
			require.Nil(t, m.live(t, at))
			got := m.live(t, then)
			if got == nil {
				got = m.live(t, 0)
			}
			sameEnd(t, whole, m, want, got)
		}
	}
}

// sameEnd asserts that a run that was killed came to what it would have come to. Where a call was
// lost there is an iteration more, and what the call did is committed by the next that answers, if
// there is one.
func sameEnd(t *testing.T, whole, m *mortal, want, got *Result) {
	t.Helper()
	require.NotNil(t, got)
	assert.Equal(t, want.EndReason, got.EndReason)
	assert.Equal(t, whole.tree.files, m.tree.files)
	attempts := map[int]bool{}
	for _, c := range m.tree.commits {
		assert.False(t, attempts[c.Attempt], "committed twice")
		attempts[c.Attempt] = true
	}
	assert.GreaterOrEqual(t, m.told.notified, 1)
	assert.GreaterOrEqual(t, m.told.filed, 1)
	lost := slices.ContainsFunc(got.Errors, func(e ErrorRecord) bool { return e.Op == opResume })
	if lost && want.EndReason != EndCompleted {
		return
	}
	assert.Equal(t, whole.tree.head, m.tree.head)
	assert.Equal(t, want.UncommittedFiles, got.UncommittedFiles)
	assert.Equal(t, want.PullRequest, got.PullRequest)
	assert.Equal(t, want.Pushed, got.Pushed)
	if !lost {
		assert.Equal(t, plain(want), plain(got))
	}
}

func TestResumeOfAnEndedRun(t *testing.T) {
	m := newMortal(DeliverCommits)
	m.provider.steps = []step{breaks("stop")}
	first := m.live(t, 0)
	again := m.live(t, 0)
	assert.True(t, again.Resumed)
	assert.Equal(t, plain(first), plain(again))
	assert.Equal(t, 1, m.told.notified)
	assert.Equal(t, 1, m.told.filed)
	assert.Equal(t, "stop", taxonomy.CodeOf(again.Err))
}

func TestResumeRefused(t *testing.T) {
	begun := func(change func(m *mortal)) *Result {
		m := newMortal(DeliverCommits)
		m.provider.steps = []step{works("a")}
		m.cfg.Limits.Iterations = 10
		require.Nil(t, m.live(t, 60))
		change(m)
		return m.live(t, 0)
	}
	tests := []struct {
		name   string
		change func(m *mortal)
		text   string
	}{
		{"another prompt", func(m *mortal) { m.journal.replace(func(b *Begun) { b.Prompt = "x" }) }, "prompt"},
		{"another tree", func(m *mortal) { m.journal.replace(func(b *Begun) { b.Dir = "elsewhere" }) }, "elsewhere"},
		{"another version", func(m *mortal) { m.journal.replace(func(b *Begun) { b.Version = 2 }) }, "version"},
		{"iterations at the limit", func(m *mortal) { m.journal.cut(PointClosed, 2); m.cfg.Limits.Iterations = 2 },
			"more than the 2 that are done"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := begun(tt.change)
			assert.Equal(t, EndRefused, r.EndReason)
			assert.Equal(t, StatusFailed, r.Status)
			assert.Equal(t, "refused", r.ErrorCode)
			assert.Contains(t, r.Error, tt.text)
		})
	}
}

// replace changes how the run began.
func (j *fakeJournal) replace(change func(*Begun)) {
	var e Entry
	_ = json.Unmarshal(j.lines[0], &e)
	change(e.Begun)
	j.lines[0], _ = json.Marshal(e)
}

// cut forgets what comes after the n-th entry of a point.
func (j *fakeJournal) cut(p Point, n int) {
	for i, line := range j.lines {
		var e Entry
		_ = json.Unmarshal(line, &e)
		if e.Point == p {
			n--
		}
		if n == 0 {
			j.lines = j.lines[:i+1]
			return
		}
	}
}

func TestTheCounterIsRecounted(t *testing.T) {
	p := fold([]Entry{
		{Point: PointBegun, Begun: &Begun{Version: 1}},
		{Point: PointClosed, Iteration: 1, Closed: &Closed{Count: true, Failures: 7, Counted: 9}},
		{Point: PointClosed, Iteration: 2, Closed: &Closed{Clean: true, Failures: 7, Counted: 9}},
		{Point: PointClosed, Iteration: 3, Closed: &Closed{Count: true, Failures: 7, Counted: 9}},
		{Point: PointClosed, Iteration: 4, Closed: &Closed{Failures: 7, Counted: 9}},
	})
	assert.Equal(t, 1, p.state.Failures)
	assert.Equal(t, 2, p.state.Counted)
	assert.Equal(t, 4, p.closed)
}

func TestFoldOfNonsense(t *testing.T) {
	for _, point := range []Point{PointBegun, PointStarted, PointProcess, PointAnswered, PointApproved, PointReverting,
		PointCommitting,
		PointCommitted, PointPushed, PointPROpened, PointClosed, PointEnded, PointNotified, "else"} {
		assert.NotPanics(t, func() { fold([]Entry{{Point: point}}) })
	}
}

// ender is a provider whose process outlives it.
type ender struct {
	*fakeProvider
	ended []Process
}

func (e *ender) End(_ context.Context, p Process) error { e.ended = append(e.ended, p); return nil }

func TestAProcessLeftBehindIsEnded(t *testing.T) {
	m := newMortal(DeliverCommits)
	e := &ender{fakeProvider: m.provider}
	m.cfg.Provider = e
	m.provider.steps = []step{{do: func(_ context.Context, req Request) (Answer, error) {
		_ = req.Started(Process{PID: 7, Start: "then"})
		runtime.Goexit()
		return Answer{}, nil
	}}, done("a")}
	require.Nil(t, m.live(t, 0))
	r := m.live(t, 0)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Equal(t, []Process{{PID: 7, Start: "then"}}, e.ended)
	assert.Equal(t, "interrupted", r.Errors[0].Code)
	assert.Zero(t, r.Counted, "an interrupted iteration never counts")
}

func TestAJournalThatFails(t *testing.T) {
	whole := newMortal(DeliverCommits)
	want := whole.live(t, 0)
	m := newMortal(DeliverCommits)
	m.journal.fail = func(n int, e Entry) error {
		if n > 3 && n < 20 {
			return errors.New("disk full")
		}
		return nil
	}
	got := m.live(t, 0)
	assert.NotEmpty(t, got.Warnings)
	got.Warnings = nil
	assert.Equal(t, plain(want), plain(got))
	assert.Equal(t, len(whole.journal.lines), len(m.journal.lines), "what could not be written was written later")
}

func TestResultAsJSON(t *testing.T) {
	m := newMortal(DeliverCommits)
	r := m.live(t, 0)
	b, err := json.Marshal(r)
	require.NoError(t, err)
	assert.Contains(t, string(b), `"took":"5s"`)
	var back Result
	require.NoError(t, json.Unmarshal(b, &back))
	assert.Equal(t, plain(r), plain(&back))
}
