//go:build unix

package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/state"
)

// The work continues if its output is not read.
func TestClosedOutput(t *testing.T) {
	for _, c := range []struct {
		name, agent string
		args        []string
		code        int
	}{
		{"done", "echo TASK_COMPLETE\n", nil, exitDone},
		{"done, with the log", "echo TASK_COMPLETE\n", []string{"-v"}, exitDone},
		{"JSON", "echo TASK_COMPLETE\n", []string{"-json"}, exitDone},
		{"failed", "echo TASK_FAILED\n", nil, exitLeft},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := begin(t, oneTask, "max_retries: 1\n", c.agent)
			r, w, err := os.Pipe()
			require.NoError(t, err)
			require.NoError(t, r.Close())
			cmd, _ := p.process(c.args...)
			cmd.Stdout, cmd.Stderr = w, w
			require.NoError(t, cmd.Start())
			require.NoError(t, w.Close())
			_ = cmd.Wait()
			assert.Equal(t, c.code, cmd.ProcessState.ExitCode(), cmd.ProcessState.String())
			assert.Len(t, p.attempts("TASK-001"), 1)
			p.see(func(s *state.Store) {
				left, err := s.Unfinished(t.Context())
				require.NoError(t, err)
				assert.Empty(t, left)
			})
		})
	}
}

// A question is listed until the task's text has the answer.
func TestQuestion(t *testing.T) {
	for _, ending := range []string{"exit 0\n", "exit 1\n"} {
		p := begin(
			t, oneTask, "", "if ! grep -q 'The second' prompt.txt; then echo '**TASK_BLOCKED**: which of them?'; "+
				ending+"fi\necho TASK_COMPLETE\n")
		got := p.do("-json")
		o := got.outcome(t)
		require.Equal(t, exitLeft, got.code, got.hints)
		assert.Equal(t, "which of them?", o.Tasks[0].Question)
		assert.Equal(t, state.TaskBlocked, o.Tasks[0].Status)
		status := p.do("-status")
		assert.Contains(t, status.out, "question of TASK-001: which of them?")

		p.write("spec/tasks.md", oneTask+"\nThe second one.\n")
		require.Equal(t, exitDone, p.do().code)
		assert.NotContains(t, p.do("-status").out, "question")
	}
}

// With -json, the reason why nothing is done is JSON, too.
func TestHeldInJSON(t *testing.T) {
	p := begin(
		t, threeTasks, "stop_file: stop\n",
		"[ $n = 1 ] && [ $SPECRUNNER_TASK = TASK-002 ] && touch stop\necho TASK_COMPLETE\n")
	p.do()
	held := p.do("-json")
	o := held.outcome(t)
	assert.Equal(t, exitLeft, held.code)
	require.Len(t, o.Errors, 1)
	assert.Contains(t, o.Errors[0], "the stop file")
	assert.Equal(t, 2, o.Done)
	assert.Equal(t, 3, o.All)

	p = begin(t, oneTask, "", hang+"echo TASK_COMPLETE\n")
	cmd, _, _ := p.hanging()
	busy := p.do("-json")
	o = busy.outcome(t)
	assert.Equal(t, exitLeft, busy.code)
	require.Len(t, o.Errors, 1)
	assert.Contains(t, o.Errors[0], "another process is at work")
	assert.NotNil(t, o.Tasks)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
}
