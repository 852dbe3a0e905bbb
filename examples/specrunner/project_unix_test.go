//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/state"
)

// project is a directory with tasks, and an agent that is a shell script.
type project struct {
	t   *testing.T
	dir string
}

const threeTasks = `### TASK-001: One
P0 | TODO

Do one.

### TASK-002: Two
P0 | TODO
**Depends on:** [TASK-001]

Do two.

### TASK-003: Three
P0 | TODO

Do three.
`

// begin makes a project. The agent's script notes each of its calls beforehand.
func begin(t *testing.T, tasks, config, agent string) *project {
	t.Helper()
	return &project{t, files(t, map[string]string{
		"spec/tasks.md":  tasks,
		"specrunner.yml": "agent: {command: [sh, agent.sh], grace: 100ms}\nretry_delay: 0s\n" + config,
		"agent.sh": "cat >prompt.txt\necho $SPECRUNNER_TASK >>calls.txt\nn=$(grep -c $SPECRUNNER_TASK " +
			"calls.txt)\n" + agent,
	})}
}

func (p *project) do(args ...string) ended { return do(append([]string{"-dir=" + p.dir}, args...)...) }

// process returns the real program, as a process that is still to be started.
func (p *project) process(args ...string) (*exec.Cmd, *strings.Builder) {
	self, err := os.Executable()
	require.NoError(p.t, err)
	cmd := exec.CommandContext(p.t.Context(), self, append([]string{"-dir=" + p.dir}, args...)...)
	cmd.Env = append(os.Environ(), beMain+"=1", "GORACE=atexit_sleep_ms=0")
	cmd.WaitDelay = 10 * time.Second
	hints := &strings.Builder{}
	cmd.Stderr = hints
	return cmd, hints
}

func (p *project) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p *project) write(name, text string) {
	require.NoError(p.t, os.WriteFile(p.path(name), []byte(text), 0o600))
}

func (p *project) read(name string) string {
	b, err := os.ReadFile(p.path(name))
	require.NoError(p.t, err)
	return string(b)
}

// calls returns the tasks that the agent was called for, in order.
func (p *project) calls() []string {
	b, err := os.ReadFile(p.path("calls.txt"))
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(p.t, err)
	return strings.Fields(string(b))
}

// see opens the state to look at it.
func (p *project) see(f func(*state.Store)) {
	p.t.Helper()
	s, err := state.Open(p.t.Context(), p.path("spec/.executor-state.db"), state.Options{ReadOnly: true})
	require.NoError(p.t, err)
	defer func() { assert.NoError(p.t, s.Close()) }()
	f(s)
}

func (p *project) attempts(task string) (all []state.Attempt) {
	p.t.Helper()
	p.see(func(s *state.Store) {
		var err error
		all, err = s.AllAttempts(p.t.Context(), task)
		require.NoError(p.t, err)
	})
	return all
}

func (p *project) status(task string) (status state.TaskStatus) {
	p.t.Helper()
	p.see(func(s *state.Store) {
		known, err := s.Task(p.t.Context(), task)
		require.NoError(p.t, err)
		status = known.Status
	})
	return status
}

// until waits for something that another process does.
func (p *project) until(what string, is func() bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 2*time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-ctx.Done():
			require.Fail(p.t, "it did not come about", what)
		case <-tick.C:
		}
	}
}

// at reports whether the unfinished run is in a state.
func (p *project) at(is func(*executor.RunState) bool) func() bool {
	return func() bool {
		s, err := state.Open(p.t.Context(), p.path("spec/.executor-state.db"), state.Options{ReadOnly: true})
		if err != nil {
			return false
		}
		defer func() { _ = s.Close() }()
		runs, err := s.Unfinished(p.t.Context())
		if err != nil || len(runs) != 1 {
			return false
		}
		st, err := s.RunStore().Peek(p.t.Context(), runs[0].Run)
		return err == nil && st != nil && is(st)
	}
}

// registered reports whether a process is registered in the run.
func registered(st *executor.RunState) bool { return len(st.Processes) > 0 }

// hang is a part of an agent that does not end in its first call.
const hang = "if [ $n = 1 ]; then echo $$ >pid; exec sleep 1000; fi\n"

// hanging starts the program and waits until its agent is at work and known.
func (p *project) hanging(args ...string) (*exec.Cmd, *strings.Builder, int) {
	p.t.Helper()
	cmd, hints := p.process(args...)
	require.NoError(p.t, cmd.Start())
	p.until("the agent is called", p.at(registered))
	pid := 0
	p.until("the agent writes its pid", func() bool {
		b, _ := os.ReadFile(p.path("pid"))
		pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		return pid > 0
	})
	p.t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	return cmd, hints, pid
}

// running reports whether a process runs; a zombie does not.
func running(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err == nil {
		_, after, _ := strings.Cut(string(b), ") ")
		return !strings.HasPrefix(after, "Z")
	}
	return syscall.Kill(pid, 0) == nil
}
