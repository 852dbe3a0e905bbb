//go:build unix

package main

import (
	"database/sql"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/state"
)

func TestStopFile(t *testing.T) {
	for name, agent := range map[string]string{
		"between attempts": "[ $n = 1 ] && touch stop && exit 1\necho TASK_COMPLETE\n",
		"between tasks":    "touch stop\necho TASK_COMPLETE\n",
	} {
		t.Run(name, func(t *testing.T) {
			p := begin(t, threeTasks, "stop_file: stop\n", agent)
			got := p.do("-json")
			assert.Equal(t, exitLeft, got.code)
			assert.Contains(t, got.outcome(t).Why, "the stop file")
			assert.Equal(t, []string{"TASK-001"}, p.calls())
			assert.FileExists(t, p.path("stop"), "the program does not remove it")
			assert.Len(t, p.attempts("TASK-001"), 1)

			held := p.do()
			assert.Equal(t, exitLeft, held.code)
			assert.Contains(t, held.hints, "is removed")
			assert.Len(t, p.calls(), 1)
			p.write("agent.sh", "echo TASK_COMPLETE\n")
			require.NoError(t, os.Remove(p.path("stop")))
			assert.Equal(t, exitDone, p.do().code)
		})
	}
}

func TestStopFileInAWait(t *testing.T) {
	p := begin(t, oneTask, "", "exit 1\n")
	p.write("specrunner.yml", "agent: {command: [sh, agent.sh]}\nretry_delay: 1h\nstop_file: halt\n")
	cmd, hints := p.process()
	require.NoError(t, cmd.Start())
	p.until("the first attempt ends", p.at(func(st *executor.RunState) bool { return st.Step == "wait" }))
	p.write("halt", "")
	_ = cmd.Wait()
	assert.Equal(t, exitLeft, cmd.ProcessState.ExitCode(), hints)
	assert.Equal(t, state.TaskPending, p.status("TASK-001"))
}

func TestKilledAndResumed(t *testing.T) {
	p := begin(t, threeTasks, "", hang+"echo TASK_COMPLETE\n")
	p.write("agent.sh", strings.Replace(p.read("agent.sh"), "$n = 1 ]", "$SPECRUNNER_TASK$n = TASK-0011 ]", 1))
	cmd, _, agent := p.hanging()
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()

	plain := p.do()
	assert.Equal(t, exitLeft, plain.code)
	assert.Contains(t, plain.hints, "run TASK-001.1.1 of task TASK-001 was interrupted")
	assert.Contains(t, plain.hints, "-resume")
	assert.Contains(t, plain.hints, "-reset TASK-001")
	assert.Regexp(t, `(?m)^TASK-001 +interrupted `, p.do("-status").out)
	require.True(t, running(agent), "a start without -resume ends nothing")

	got := p.do("-resume")
	require.Equal(t, exitDone, got.code, got.out+got.hints)
	assert.False(t, running(agent), "the old agent was ended")
	assert.Equal(t, []string{"TASK-001", "TASK-001", "TASK-002", "TASK-003"}, p.calls())
	attempts := p.attempts("TASK-001")
	require.Len(t, attempts, 2)
	assert.False(t, attempts[0].Success)
	assert.False(t, attempts[0].Counted.Or(true), "an interruption does not count")
	assert.True(t, attempts[1].Success)
	assert.Equal(t, "TASK-001.1.1", attempts[1].Run)
}

// A hook that survives the program is ended before the next one begins.
func TestKilledInAHook(t *testing.T) {
	for name, args := range map[string][]string{"resumed": {"-resume"}, "reset": {"-reset=TASK-001"}} {
		t.Run(name, func(t *testing.T) {
			const config = "hooks: {grace: 100ms, post_done: [{run: [sh, hook.sh]}]}\n"
			p := begin(t, oneTask, config, "echo TASK_COMPLETE\n")
			p.write("hook.sh", "if [ ! -e pid ]; then echo $$ >pid; exec sleep 600; fi\np=$(cat pid)\n"+
				"test ! -e /proc/$p || grep -q '^State:.[ZX]' /proc/$p/status\n")
			cmd, _, hook := p.hanging()
			p.until("the hook is known", p.at(registered))
			require.NoError(t, cmd.Process.Kill())
			_ = cmd.Wait()
			require.True(t, running(hook), "it survives the program")
			got := p.do(args...)
			require.Equal(t, exitDone, got.code, got.out+got.hints)
			assert.False(t, running(hook), "the old agent was ended")
			if name == "resumed" {
				assert.Equal(t, []string{"TASK-001"}, p.calls(), "the answer was kept")
				assert.Len(t, p.attempts("TASK-001"), 1)
			}
		})
	}
}

func TestInterrupted(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			p := begin(t, oneTask, "", hang+"echo TASK_COMPLETE\n")
			cmd, hints, agent := p.hanging("-json")
			require.NoError(t, cmd.Process.Signal(signal))
			_ = cmd.Wait()
			assert.Equal(t, exitLeft, cmd.ProcessState.ExitCode(), hints)
			assert.Contains(t, hints.String(), "interrupted")
			assert.False(t, running(agent))
			assert.Equal(t, state.TaskPending, p.status("TASK-001"))
			assert.Equal(t, exitDone, p.do().code, "there is nothing to resume")
		})
	}
}

func TestTwoAtOnce(t *testing.T) {
	p := begin(t, oneTask, "", hang+"echo TASK_COMPLETE\n")
	cmd, _, _ := p.hanging()
	for _, args := range [][]string{nil, {"-resume"}, {"-reset=TASK-001"}} {
		got := p.do(args...)
		assert.Equal(t, exitLeft, got.code, got.hints)
		assert.Contains(t, got.hints, "process "+strconv.Itoa(cmd.Process.Pid))
	}
	assert.Regexp(t, `(?m)^TASK-001 +running `, p.do("-status").out, "-status needs no claim")
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	assert.Equal(t, exitDone, p.do("-resume").code, "the claim of a dead process is free")
}

// alter changes the state while the program has it open.
func (p *project) alter(statement string) {
	p.t.Helper()
	db, err := sql.Open("sqlite", "file:"+p.path("spec/.executor-state.db")+"?_pragma=busy_timeout(10000)")
	require.NoError(p.t, err)
	defer func() { assert.NoError(p.t, db.Close()) }()
	_, err = db.ExecContext(p.t.Context(), statement)
	require.NoError(p.t, err)
}

// If the state cannot be written, the run ends. Acknowledged results are there, and no others.
func TestStateWriteFailure(t *testing.T) {
	for _, step := range []string{"call", "over"} {
		t.Run(step, func(t *testing.T) {
			p := begin(t, strings.ReplaceAll(threeTasks, "**Depends on:** [TASK-001]\n", ""), "",
				"if [ $SPECRUNNER_TASK = TASK-001 ]; then touch there; until [ -e go ]; do sleep 0.01; done; "+
					"fi\necho TASK_COMPLETE\n")
			cmd, hints := p.process()
			require.NoError(t, cmd.Start())
			p.until("the agent is called", func() bool { _, err := os.Stat(p.path("there")); return err == nil })
			p.alter("CREATE TRIGGER broken BEFORE UPDATE ON runs WHEN NEW.run LIKE 'TASK-002%' AND NEW.phase = '" +
				step + "' BEGIN SELECT RAISE(ABORT, 'the disk is on fire'); END")
			p.write("go", "")
			_ = cmd.Wait()
			assert.Equal(t, exitBroken, cmd.ProcessState.ExitCode(), hints)
			assert.Contains(t, hints.String(), "the state cannot be written")
			assert.Contains(t, hints.String(), "the disk is on fire")
			p.alter("DROP TRIGGER broken")
			assert.Equal(t, state.TaskCompleted, p.status("TASK-001"))
			assert.NotEqual(t, state.TaskCompleted, p.status("TASK-002"), "an unsaved result does not count")
			assert.Empty(t, p.attempts("TASK-003"), "no further task begins")

			again := p.do("-resume")
			assert.Equal(t, exitDone, again.code, again.out+again.hints)
			won := 0
			for _, a := range p.attempts("TASK-002") {
				if a.Success {
					won++
				}
				assert.False(t, a.Counted.Or(false))
			}
			assert.Equal(t, 1, won)
		})
	}
}
