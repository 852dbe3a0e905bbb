package scenarios_test

import (
	"math/rand/v2"
	"os"
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
	"github.com/errgen/errgen/runtime/providers/providertest"
)

// gone is a line for the shell that fails if the process with the number in a file still runs.
func gone(file string) string {
	return "p=$(cat " + file + "); test ! -e /proc/$p || grep -q '^State:.[ZX]' /proc/$p/status"
}

func alive(pid int) bool {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	return fields[0] != "Z" && fields[0] != "X"
}

// TestInterrupted ends an iteration cleanly when the process that runs the executor gets SIGINT.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	s := newStage(t, providertest.CLIHang().Write("docs/a.txt", "a\n").Write("src/main.txt", "two\n").WithChild(false))
	s.scope.Forbidden = []string{"src/**"}
	o := s.order("run-1")
	cmd := o.start(t)
	await(t, "the provider works", func() bool {
		return s.exists("src/main.txt") && s.read("src/main.txt") == "two\n" && s.cli.Child() != 0
	})
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.NoError(t, cmd.Wait())
	r, ok := o.result(t)
	require.True(t, ok)
	assert.Equal(t, []any{executor.StatusCancelled, executor.EndCancelled}, []any{r.Status, r.EndReason})
	assert.Equal(t, []int{1, 1, 0, 0}, counters(&r)[:4], "it is no failure")
	assert.Equal(t, "one\n", s.read("src/main.txt"), "put back")
	assert.Equal(t, "a\n", s.read("docs/a.txt"))
	assert.Equal(t, []string{"docs/a.txt"}, r.UncommittedFiles)
	assert.Empty(t, s.commits())
	assert.Empty(t, processesIn(s.dir), "the provider was ended, with its group")
	s.usersWorkIsThere()
}

// TestLeftRunning is about a process that left the group and outlives us: guarded by the mark and
// the identity that are written down when a call begins, and by Resume ending what they name before
// anything else is begun.
func TestLeftRunning(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	done := providertest.CLIAnswer(theEnd).Write("docs/a.txt", "a\n").Command("sh", "-c", gone(s.cli.Path+".d/child"))
	require.NoError(
		t, s.cli.Add(providertest.CLIHang().WithChild(true).IgnoringTerm().Write("docs/half.txt", "half\n"), done))
	o := s.order("run-1")
	cmd := o.start(t)
	await(t, "the provider works, and is known", func() bool {
		return s.cli.Child() != 0 && s.exists("docs/half.txt") && s.calls() == 1 && o.tracks()
	})
	calls, err := s.cli.Calls()
	require.NoError(t, err)
	left := []int{calls[0].PID, s.cli.Child()}
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	for _, pid := range left {
		require.True(t, alive(pid), "it outlives the executor")
	}
	r := o.run(t)
	assert.Equal(t, executor.EndCompleted, r.EndReason, shown(r))
	assert.Equal(t, []string{"PROVIDER_CRASH again"}, reactionsOf(r), "a call of which nobody saw the end")
	assert.Zero(t, r.Counted)
	for _, pid := range left {
		assert.False(t, alive(pid))
	}
	assert.Equal(t, []string{"docs/a.txt", "docs/half.txt"}, r.CommittedFiles)
	s.usersWorkIsThere()
}

// TestCheckLeftRunning is about a check that outlives us: guarded as TestLeftRunning is.
func TestCheckLeftRunning(t *testing.T) {
	t.Parallel()
	for name, withState := range map[string]bool{"files": false, "state": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, providertest.CLIAnswer(theEnd).Write("docs/a.txt", "a\n"))
			file := filepath.Join(t.TempDir(), "pid")
			o := s.order("run-1")
			o.State = withState
			o.Check = "if [ -e " + file + " ]; then " + gone(file) + "; else echo $$ >" + file + "; exec sleep 600; fi"
			cmd := o.start(t)
			left := 0
			await(t, "the check works", func() bool {
				b, _ := os.ReadFile(file)
				left, _ = strconv.Atoi(strings.TrimSpace(string(b)))
				return left > 0 && o.tracks()
			})
			t.Cleanup(func() { _ = syscall.Kill(left, syscall.SIGKILL) })
			require.NoError(t, cmd.Process.Kill())
			_ = cmd.Wait()
			require.True(t, alive(left), "it outlives the executor")
			r := o.run(t)
			assert.Equal(t, executor.EndCompleted, r.EndReason, shown(r))
			assert.Empty(t, reactionsOf(r), "it was gone when the next one began")
			assert.False(t, alive(left))
			assert.Equal(t, []string{"docs/a.txt"}, r.CommittedFiles)
			assert.Empty(t, processesIn(s.dir))
		})
	}
}

// TestKilledAtRandom kills the process that runs the executor again and again, and begins it anew.
func TestKilledAtRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	t.Parallel()
	for name, withState := range map[string]bool{"files": false, "state": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killedAtRandom(t, withState)
		})
	}
}

func killedAtRandom(t *testing.T, withState bool) {
	t.Helper()
	most := 30
	if withState {
		most = 10
	}
	s := newStage(t, providertest.CLIAnswer(theEnd).
		Command("sh", "-c", "mkdir -p docs; date +%s%N >> docs/log.txt; echo two > src/main.txt; echo x > .env.local").
		Always())
	s.scope.Forbidden = []string{"src/**", ".env.local"}
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	journal := t.TempDir()
	for kills, run, died := 0, 1, 0; kills < most || died > 0; {
		o := s.order("run-" + strconv.Itoa(run))
		o.Journal, o.State = journal, withState
		if died == 2 || kills == most { // a third death in one iteration refuses the run
			r := o.run(t)
			require.Equal(t, executor.EndCompleted, r.EndReason, shown(r))
			run, died = run+1, 0
			continue
		}
		cmd := o.start(t)
		timer := time.AfterFunc(time.Duration(random.IntN(1200))*time.Millisecond,
			func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
		_ = cmd.Wait()
		if !timer.Stop() {
			kills, died = kills+1, died+1
			continue
		}
		r, ok := o.result(t)
		require.True(t, ok)
		require.Equal(t, executor.EndCompleted, r.EndReason, shown(&r))
		run, died = run+1, 0
	}
	if withState {
		store, err := state.Open(t.Context(), filepath.Join(journal, "state.db"), state.Options{})
		require.NoError(t, err)
		left, err := store.Unfinished(t.Context())
		require.NoError(t, err)
		assert.Empty(t, left, "each run came to its end")
		require.NoError(t, store.Close())
	}
	s.usersWorkIsThere()
	assert.Equal(t, "one\n", s.read("src/main.txt"))
	assert.False(t, s.exists(".env.local"))
	assert.False(t, s.exists(".git/index.lock"))
	assert.Equal(t, "", s.git("status", "--porcelain", "--", "docs", "src"), "all that is allowed is committed")
	assert.Equal(t, "", s.git("fsck", "--no-dangling", "--no-progress"))
	seen := map[string]bool{}
	for _, c := range strings.Split(
		s.git("log",
			"--format=%(trailers:key=Errgen-Run,valueonly,separator=)/%(trailers:key=Errgen-Attempt,valueonly,"+
				"separator=)", "HEAD~"+strconv.Itoa(len(s.commits()))+".."), "\n") {
		assert.False(t, seen[c], "%s was committed twice", c)
		seen[c] = true
	}
	for _, names := range strings.Split(
		s.git("log", "--format=", "--name-only", "HEAD~"+strconv.Itoa(len(s.commits()))+".."), "\n") {
		assert.Equal(t, "docs/log.txt", names)
	}
	assert.Empty(t, processesIn(s.dir))
}

// TestLockLeftBehind continues a killed run although a lock of git appeared in the person's
// repository. The lock stays, because the run did not make it.
func TestLockLeftBehind(t *testing.T) {
	t.Parallel()
	s := newStage(t, providertest.CLIHang(), providertest.CLIAnswer(theEnd).Write("docs/a.txt", "a\n"))
	o := s.order("run-1")
	cmd := o.start(t)
	await(t, "the provider works, and is known", func() bool { return s.calls() == 1 && o.tracks() })
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	s.write(".git/index.lock", "")
	r := o.run(t)
	s.usersWorkIsThere()
	assert.Equal(t, executor.EndCompleted, r.EndReason, shown(r))
	assert.Equal(t, []string{"docs/a.txt"}, r.CommittedFiles)
	assert.True(t, s.exists(".git/index.lock"), "it is not ours")
	assert.Equal(t, []string{"docs/a.txt"}, s.committed(), "on the branch of the run or forwarded")
}
