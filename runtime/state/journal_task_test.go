package state_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/state"
)

// heldByRun asserts that err is that another run of a process is at the task.
func heldByRun(t *testing.T, s *state.Store, err error, pid int, task, run string) {
	t.Helper()
	ev := evidenceOf(t, err)
	assert.Equal(t, []string{"executor", "lock", "", strconv.Itoa(pid), filepath.Join(s.Path()+".locks", "tasks")},
		[]string{ev.Source, ev.Op, ev.Type, ev.Attribute("pid"), filepath.Dir(ev.Attribute("path"))}, "%v", err)
	assert.NotEmpty(t, ev.Attribute("host"))
	assert.NotEmpty(t, ev.Attribute("since"))
	assert.Regexp(t, fmt.Sprintf(`^task %s is held by process %d on .+ since \d{4}-\S+ \(run %s\)$`, task, pid, run),
		ev.Text)
}

// A task has one run at a time, whichever comes first: one that is gone on with, or a new one.
func TestTaskHasOneRun(t *testing.T) {
	s := newStore(t)
	other := openStore(t, s.Path())
	keep(t, s, "old", begunEntry("old", "t"), startedEntry(1, 1, 1))

	old, _ := openJournal(t, s, "old")
	fresh, _ := openJournal(t, other, "fresh")
	for range 2 {
		heldByRun(t, s, fresh.Append(t.Context(), begunEntry("fresh", "t")), os.Getpid(), "t", "old")
	}
	assert.Equal(t, "old", rows(t, s, "SELECT run FROM runs"), "nothing was written")
	require.NoError(t, old.Close())
	require.NoError(t, fresh.Append(t.Context(), begunEntry("fresh", "t")))

	again := s.Journal()
	_, err := again.Open(t.Context(), "old")
	heldByRun(t, s, err, os.Getpid(), "t", "fresh")
	runs, err := s.Runs(t.Context(), "t")
	require.NoError(t, err)
	for _, r := range runs {
		assert.Equal(t, r.Name == "fresh", r.Holder != nil, "what was refused is let go of")
	}
	same, _ := openJournal(t, s, "elsewhere")
	require.NoError(t, same.Append(t.Context(), begunEntry("elsewhere", "t2")),
		"tasks have nothing to do with each other")

	require.NoError(t, fresh.Append(t.Context(), endedEntry(2, 0, executor.EndCompleted)))
	require.NoError(t, fresh.Close())
	_, err = again.Open(t.Context(), "old")
	require.NoError(t, err)
	_, entries := openJournal(t, s, "fresh")
	assert.Len(t, entries, 2, "what a run has come to can be read whoever is at the task")
	require.NoError(t, again.Close())
}

// A run whose first entry cannot be written has not begun, and has no task.
func TestTaskOfARunThatDoesNotBegin(t *testing.T) {
	s := newStore(t)
	j, _ := openJournal(t, s, "a")
	require.Error(t, j.Append(t.Context(), begunEntry("another", "t")))
	require.Error(t, j.Append(t.Context(), begunEntry("a", "")))
	k, _ := openJournal(t, s, "b")
	require.NoError(t, k.Append(t.Context(), begunEntry("b", "t")))
	require.NoError(t, j.Append(t.Context(), begunEntry("a", "u")))
}

// IDs of tasks are any text, and are no paths.
func TestLocksOfStrangeTasks(t *testing.T) {
	s := newStore(t)
	ids := []string{"../../x", "a/b", "A", "a", " ", ".", "CON", strings.Repeat("x", 1024)}
	for i, id := range ids {
		name := fmt.Sprint("r", i)
		j, _ := openJournal(t, s, name)
		require.NoError(t, j.Append(t.Context(), begunEntry(name, id)), "%q", id)
		k, _ := openJournal(t, s, "k"+name)
		ev := evidenceOf(t, k.Append(t.Context(), begunEntry("k"+name, id)))
		assert.Equal(t, "lock", ev.Op, "%q", id)
		assert.Less(t, len(ev.Text), 1000)
	}
	left, err := filepath.Glob(filepath.Join(s.Path()+".locks", "tasks", "*.lock"))
	require.NoError(t, err)
	assert.Len(t, left, len(ids))
}

// A living process is told of whatever its run is called, and the task of a dead one is taken over
// at once.
func TestTaskOfAnotherProcess(t *testing.T) {
	s := newStore(t)
	keep(t, s, "a", begunEntry("a", "t"))
	cmd := state.JournalChild(t, s.Path(), "a")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "held\n", line)

	j, _ := openJournal(t, s, "b")
	heldByRun(t, s, j.Append(t.Context(), begunEntry("b", "t")), cmd.Process.Pid, "t", "a")
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	_ = in.Close()
	require.NoError(t, j.Append(t.Context(), begunEntry("b", "t")))

	second := state.JournalChild(t, s.Path(), "a")
	said, err := second.Output()
	require.Error(t, err)
	assert.Contains(t, string(said), fmt.Sprintf("task t is held by process %d", os.Getpid()))
}

// waiting is a provider that says when it is called, and answers when it may.
type waiting struct{ called, answer chan struct{} }

func (w *waiting) Name() string                    { return "waiting" }
func (w *waiting) Available(context.Context) error { return nil }
func (w *waiting) Call(context.Context, executor.Request) (executor.Answer, error) {
	close(w.called)
	<-w.answer
	return executor.Answer{Signal: executor.SignalDone}, nil
}

// Of two runs of one task one is done, and the other ends before it calls anybody, as one does
// whose name is taken.
func TestTwoRunsOfATask(t *testing.T) {
	s := newStore(t)
	runs := func(p executor.Provider, run string) *executor.Result {
		e, err := executor.New(executor.Config{
			Table: errs.Table, Classify: detect.Classifier(errs.Explain), Journal: s.Journal(), Provider: p,
			Decode: func(b []byte) (error, error) { return errs.UnmarshalError(b) },
		})
		require.NoError(t, err)
		return e.Run(t.Context(), executor.Task{ID: "t", Run: run, Prompt: "do it"})
	}
	first := &waiting{called: make(chan struct{}), answer: make(chan struct{})}
	ended := make(chan *executor.Result)
	go func() { ended <- runs(first, "a") }()
	<-first.called
	var refused []*executor.Result
	for _, run := range []string{"a", "b"} {
		refused = append(refused, runs(&waiting{}, run)) // which would panic if it were called
	}
	close(first.answer)
	assert.Equal(t, executor.StatusCompleted, (<-ended).Status)
	for i, what := range []string{"run a", "task t"} {
		r := refused[i]
		assert.Equal(t, []string{"failed", "fatal", "PERMISSION_FILE_ACCESS"},
			[]string{string(r.Status), string(r.EndReason), r.ErrorCode})
		assert.Contains(t, r.Error, fmt.Sprintf("%s is held by process %d", what, os.Getpid()))
		require.Len(t, r.Errors, 1)
		assert.Equal(t, []string{"executor", "lock"}, []string{r.Errors[0].Source, r.Errors[0].Op})
		assert.Zero(t, r.Calls)
	}
	assert.Contains(t, refused[1].Error, "(run a)")
	assert.Equal(t, "a", rows(t, s, "SELECT run FROM runs"))
	r := runs(&waiting{called: make(chan struct{}), answer: first.answer}, "b")
	assert.Equal(t, executor.StatusCompleted, r.Status)
}
