package executor

import (
	"context"
	"encoding/json"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// tracked is a validator whose first check is a process during which the executor dies.
type tracked struct {
	fakeValidator
	left  Process
	ended []Process
	late  func(Process) error
}

func (v *tracked) ValidateTracked(ctx context.Context, phase Phase, started func(Process) error) error {
	if v.left.PID == 0 {
		return v.Validate(ctx, phase)
	}
	_ = started(Process{PID: v.left.PID - 1, Start: "before"})
	_ = started(v.left)
	v.left, v.late = Process{}, started
	runtime.Goexit()
	return nil
}

func (v *tracked) End(_ context.Context, p Process) error {
	if len(v.seen) > 0 {
		return assert.AnError
	}
	v.ended = append(v.ended, p)
	return nil
}

func TestACheckLeftBehindIsEnded(t *testing.T) {
	left := Process{PID: 7, Start: "then"}
	for name, tt := range map[string]struct {
		change    func(m *mortal)
		validator []Process
		provider  []Process
		want      EndReason
	}{
		"by its validator": {func(*mortal) {}, []Process{left}, nil, EndCompleted},
		"by the provider, when the checks are others now": {func(m *mortal) { m.cfg.Validator = &fakeValidator{} }, nil,
			[]Process{left}, EndCompleted},
		"by nobody": {func(m *mortal) { m.cfg.Provider, m.cfg.Validator = m.provider, nil }, nil, nil, EndFatal},
		"by its validator before a refusal": {func(m *mortal) {
			m.journal.replace(func(b *Begun) { b.Prompt = "x" })
		}, []Process{left}, nil, EndRefused},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMortal(DeliverCommits)
			p, v := &ender{fakeProvider: m.provider}, &tracked{left: left}
			m.cfg.Provider, m.cfg.Validator = p, v
			m.provider.steps = []step{done("a")}
			require.Nil(t, m.live(t, 0))
			before := len(m.journal.lines)
			require.NoError(t, v.late(Process{PID: 8}))
			assert.Len(t, m.journal.lines, before, "the check is over")
			tt.change(m)
			r := m.live(t, 0)
			assert.Equal(t, tt.want, r.EndReason)
			assert.Equal(t, tt.validator, v.ended)
			assert.Equal(t, tt.provider, p.ended)
			if tt.want == EndFatal {
				assert.Contains(t, r.Error, "no validator can end the process that was left running")
			}
		})
	}
}

// TestFoldOfProcesses has a process be left as long as no entry says that what it did is over.
func TestFoldOfProcesses(t *testing.T) {
	call := Entry{Point: PointProcess, Iteration: 1, Process: &Process{PID: 7}}
	check := Entry{Point: PointProcess, Iteration: 1, Process: &Process{PID: 8}, Op: opValidate + string(PreCommit)}
	started := Entry{Point: PointStarted, Iteration: 1, Started: &Started{Call: 1}}
	answered := Entry{Point: PointAnswered, Iteration: 1, Answered: &Answered{Call: 1}}
	over := map[string]Entry{
		"judged":    {Point: PointReverting, Iteration: 1, Judged: &Judged{}},
		"committed": {Point: PointCommitting, Iteration: 1, Committing: &Committing{}},
		"approved":  {Point: PointApproved, Iteration: 1},
		"closed":    {Point: PointClosed, Iteration: 1, Closed: &Closed{}},
		"called":    {Point: PointStarted, Iteration: 2, Started: &Started{Call: 1}},
	}
	assert.Equal(t, 7, fold([]Entry{started, call}).process.PID)
	assert.Nil(t, fold([]Entry{started, call, answered}).process)
	assert.Equal(t, 8, fold([]Entry{started, call, answered, check}).process.PID)
	for name, e := range over {
		p := fold([]Entry{started, call, answered, check, e})
		assert.Nil(t, p.process, name)
		assert.False(t, p.check, name)
	}
	p := fold([]Entry{started, call, answered, check, over["called"], call})
	assert.Equal(t, 7, p.process.PID)
	assert.False(t, p.check)
}

// TestRefusedEndsWhatIsLeft has nothing of a run that died go on when the run does not.
func TestRefusedEndsWhatIsLeft(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(m *mortal)
		ended  int
	}{
		"prompt": {func(m *mortal) { m.journal.replace(func(b *Begun) { b.Prompt = "x" }) },
			1},
		"task":       {func(m *mortal) { m.journal.replace(func(b *Begun) { b.Task = "x" }) }, 1},
		"dir":        {func(m *mortal) { m.journal.replace(func(b *Begun) { b.Dir = "x" }) }, 1},
		"iterations": {func(m *mortal) { m.cfg.Limits.Iterations = 1 }, 1},
		"a journal that is not understood": {func(m *mortal) { m.journal.replace(func(b *Begun) { b.Version = 2 }) },
			0},
		"nobody can": {func(m *mortal) {
			m.cfg.Provider = m.provider
			m.journal.replace(func(b *Begun) { b.Prompt = "x" })
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMortal(DeliverCommits)
			e := &ender{fakeProvider: m.provider}
			m.cfg.Provider = e
			m.provider.steps = []step{works("a"), {do: func(_ context.Context, req Request) (Answer, error) {
				_ = req.Started(Process{PID: 7, Start: "then"})
				runtime.Goexit()
				return Answer{}, nil
			}}, done("a")}
			require.Nil(t, m.live(t, 0))
			if name == "iterations" {
				m.journal.drop(PointStarted, 2)
			}
			tt.change(m)
			before := len(m.journal.lines)
			r := m.live(t, 0)
			assert.Equal(t, EndRefused, r.EndReason)
			assert.Len(t, e.ended, tt.ended)
			assert.Len(t, m.journal.lines, before)
			assert.Len(t, m.provider.calls, 2)
			if name == "nobody can" {
				require.Len(t, r.Warnings, 1)
				assert.Contains(t, r.Warnings[0], "end what was left running")
			}
		})
	}
}

// TestARefusalHasWords is for taxonomies that show what is said, and no attributes.
func TestARefusalHasWords(t *testing.T) {
	w := newWorld(reactions(), done("a"))
	j := &fakeJournal{}
	w.cfg.Journal = j
	assert.Equal(t, EndCompleted, w.run(t).EndReason)
	var seen *taxonomy.Evidence
	classify := w.cfg.Classify
	//lint:ignore ST1008 it is a Classifier
	w.cfg.Classify = func(err error, source, op string) (error, string) {
		seen, _ = err.(*taxonomy.Evidence)
		return classify(err, source, op)
	}
	j.replace(func(b *Begun) { b.Prompt = "x" })
	assert.Equal(t, EndRefused, w.run(t).EndReason)
	require.NotNil(t, seen)
	assert.Equal(
		t, `the run is refused: task is "another prompt", expected the prompt with which the run of this name was `+
			`begun`, seen.Text)
	assert.Equal(t, "task", seen.Attribute("field"))
}

// TestAClockThatWasAhead has a wait that was written down by a wrong clock be no longer than it was
// meant.
func TestAClockThatWasAhead(t *testing.T) {
	const years = 5 * 365 * 24 * time.Hour
	for name, tt := range map[string]struct {
		off, dead time.Duration
		want      time.Duration
	}{
		"right":                  {0, 0, 5 * time.Second},
		"right, and a while ago": {0, 2 * time.Second, 3 * time.Second},
		"right, and over":        {0, time.Hour, 0},
		"ahead":                  {years, 0, 5 * time.Second},
		"behind":                 {-years, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMortal(DeliverNothing)
			m.provider.steps = []step{breaks("wait"), done()}
			now := m.clock.now
			m.clock.now = now.Add(tt.off)
			m.cfg.Observer = observing(func(e Event) {
				if e.Kind == Waiting {
					runtime.Goexit()
				}
			})
			require.Nil(t, m.live(t, 0))
			m.cfg.Observer = nil
			m.clock.now = now.Add(tt.dead)
			r := m.live(t, 0)
			assert.Equal(t, EndCompleted, r.EndReason)
			assert.Equal(t, Duration(tt.want), r.Waited)
		})
	}
}

// observing is an observer of one func.
type observing func(Event)

func (o observing) Observe(e Event) { o(e) }

// drop takes the n-th entry of a point out.
func (j *fakeJournal) drop(p Point, n int) {
	for i, line := range j.lines {
		var e Entry
		_ = json.Unmarshal(line, &e)
		if e.Point == p {
			n--
		}
		if n == 0 {
			j.lines = append(j.lines[:i], j.lines[i+1:]...)
			return
		}
	}
}
