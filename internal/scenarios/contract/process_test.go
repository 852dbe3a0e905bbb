package contract_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runVariable makes the test program a process of a run; it holds a [runProcess].
const runVariable = "CONTRACT_RUN"

// runProcess is a process of a run whose world is in a file.
type runProcess struct {
	Runner, Story, Dir string
	// At is the point at which the process kills itself; 0 is never.
	At int
	// Hold makes the process wait in its first call until it is killed.
	Hold bool
}

// memory is what outlives a [runProcess].
type memory struct {
	World  *world
	Saved  progress
	Points []string
	End    *outcome
}

func (p runProcess) path() string { return filepath.Join(p.Dir, "world.json") }

func (p runProcess) story() *story {
	all := stories()
	return all[slices.IndexFunc(all, func(s *story) bool { return s.name == p.Story })]
}

func (p runProcess) load() (m *memory, err error) {
	s := p.story()
	m = &memory{World: newWorld(s), Saved: progress{Fails: map[string]int{}}}
	b, err := os.ReadFile(p.path())
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = json.Unmarshal(b, m)
	}
	m.World.Used = m.Saved.clone() // as in a kill within one process
	return m, err
}

func (p runProcess) save(m *memory) error {
	b, err := json.Marshal(m)
	if err == nil {
		err = os.WriteFile(p.path()+".new", b, 0o600)
	}
	if err != nil {
		return err
	}
	return os.Rename(p.path()+".new", p.path())
}

func playRun(text string) error {
	var p runProcess
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return err
	}
	m, err := p.load()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n := 0
	m.World.cancel = cancel
	m.World.point = func(what string) {
		m.Points = append(m.Points, what)
		if what == "after store" {
			m.Saved = m.World.Used.clone()
		}
		if n++; p.save(m) != nil || n == p.At {
			killSelf()
		}
		if p.Hold && what == "before call" {
			fmt.Println("held")
			select {}
		}
	}
	all := stores()
	r := all[slices.IndexFunc(all, func(r runner) bool { return r.name() == p.Runner })]
	if m.End, err = r.run(life{m.World.story, ctx, m.World, p.Dir}); err != nil {
		return err
	}
	return p.save(m)
}

func killSelf() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}

func childProcess(variable string, v any) *exec.Cmd {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // v is plain data
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), variable+"="+string(text))
	return cmd
}

// killed runs a process, and reports whether it was killed.
func killed(t *testing.T, variable string, v any) bool {
	t.Helper()
	cmd := childProcess(variable, v)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	require.False(t, cmd.ProcessState.Exited(), "%s", out)
	return true
}

// TestKilledProcess kills the process of a run with a signal at its points, and compares what the
// next process comes to with an undisturbed run.
func TestKilledProcess(t *testing.T) {
	for _, r := range stores() {
		t.Run(r.name(), func(t *testing.T) {
			t.Parallel()
			p := runProcess{Runner: r.name(), Story: "forbidden files are reverted and the rest is kept"}
			whole := undisturbed(t, r, p.story())
			stride := 3
			if testing.Short() {
				stride = 24
			}
			for p.At = 2; p.At <= len(whole.points); p.At += stride {
				p.Dir = t.TempDir()
				require.True(t, killed(t, runVariable, p))
				next := p
				next.At = 0
				require.False(t, killed(t, runVariable, next))
				m, err := p.load()
				require.NoError(t, err)
				whole.compare(t, &mortal{world: m.World, end: m.End}, p.At)
			}
		})
	}
}

// TestRunOfAnotherProcess refuses a run that a living process has, without any effect, and carries
// it on when that process is dead.
func TestRunOfAnotherProcess(t *testing.T) {
	for _, r := range stores() {
		t.Run(r.name(), func(t *testing.T) {
			t.Parallel()
			p := runProcess{Runner: r.name(), Story: "each iteration is committed", Dir: t.TempDir(), Hold: true}
			cmd := childProcess(runVariable, p)
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			line, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, "held\n", line)

			m := &mortal{world: newWorld(p.story()), dir: p.Dir}
			m.live(t, r, 0)
			assert.NotEqual(t, "completed", m.end.End)
			require.Len(t, m.end.Errors, 1)
			assert.Contains(t, m.end.Errors[0], " lock ")
			assert.Zero(t, m.Calls)
			assert.Empty(t, m.Commits)

			require.NoError(t, cmd.Process.Kill())
			_ = cmd.Wait()
			p.Hold = false
			require.False(t, killed(t, runVariable, p))
			end, err := p.load()
			require.NoError(t, err)
			assert.Equal(t, "completed", end.End.End)
			assert.True(t, end.End.Resumed)
			assert.Len(t, end.World.Commits, 3)
		})
	}
}
