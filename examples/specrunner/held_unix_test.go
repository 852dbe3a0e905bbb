//go:build unix

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/state"
)

// A program that is no specrunner is at a task: that is no failure of the state, and the agent is
// not called.
func TestTaskThatAnotherProgramHas(t *testing.T) {
	p := begin(t, threeTasks, "", "echo TASK_COMPLETE\n")
	s, err := state.Open(t.Context(), p.path(state.DefaultPath), state.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close()) }()
	j := s.Journal()
	_, err = j.Open(t.Context(), "theirs")
	require.NoError(t, err)
	begun := &executor.Begun{Version: 1, Run: "theirs", Task: "TASK-001"}
	require.NoError(t, j.Append(t.Context(), executor.Entry{Point: executor.PointBegun, Begun: begun}))

	got := p.do("-json")
	assert.Equal(t, exitLeft, got.code, got.hints)
	o := got.outcome(t)
	require.Len(t, o.Tasks, 1)
	assert.Contains(t, o.Tasks[0].Error, "task TASK-001 is held by process")
	assert.Contains(t, o.Tasks[0].Error, "(run theirs)")
	assert.Empty(t, p.calls())
	require.NoError(t, j.Close())
	assert.Equal(t, exitDone, p.do().code)
}

// What stands beside a state of another name is not its older form.
func TestStatusBesideSomeoneElsesJSON(t *testing.T) {
	p := begin(t, threeTasks, "", "echo TASK_COMPLETE\n")
	p.write("package.json", `{"name": "mine"}`)
	assert.Equal(t, exitDone, p.do("-state=package.db", "-status").code)
	assert.NoFileExists(t, p.path("package.db"))
	assert.Equal(t, exitDone, p.do("-state=package.db").code)
	assert.FileExists(t, p.path("package.json"))
}
