package workspace_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/executor/workspace"
)

// childVariable makes the test program a process that carries out a run; it holds a [child].
const childVariable = "WORKSPACE_CHILD"

// child carries out a run in the repository Home/repo, and delivers. It is killed at a step.
type child struct {
	Home, Git string
	At        int  // the step at which the process is killed; 0 is never
	Deliver   bool // only deliver
}

var steps atomic.Int64

// step counts a point at which the process can be killed.
func (c child) step(string) {
	if steps.Add(1) != int64(c.At) {
		return
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}

// countingStore counts the points before and after each save.
type countingStore struct {
	executor.Store
	child
}

func (s countingStore) Save(ctx context.Context, st *executor.RunState) error {
	s.step("save")
	err := s.Store.Save(ctx, st)
	s.step("saved")
	return err
}

// scriptedAgent plays the next script at each call. A file has the number of calls, so that another
// process continues.
type scriptedAgent struct{ home string }

var scripts = []string{
	"echo S > src/s.txt; echo stolen > .env; rm dir/b.txt; git add -A; git commit -qm evil\n" +
		"git config core.fsmonitor 'touch ../ran'; rm -rf .git/refs",
	"echo n > src/new.txt; echo S2 > src/s.txt; mkdir -p src/d; echo x > src/d/x",
	"printf 'n\\nm\\n' > src/new.txt; rm -f run.sh; echo done > src/done.txt",
}

func (scriptedAgent) Name() string                    { return "agent" }
func (scriptedAgent) Available(context.Context) error { return nil }
func (a scriptedAgent) Call(_ context.Context, req executor.Request) (executor.Answer, error) {
	file := filepath.Join(a.home, "calls")
	b, _ := os.ReadFile(file)
	n := len(b)
	out, err := shell(req.Dir, scripts[min(n, len(scripts)-1)])
	if err != nil && n < len(scripts)-1 {
		return executor.Answer{}, fmt.Errorf("%w: %s", err, out)
	}
	if err := os.WriteFile(file, append(b, '.'), 0o600); err != nil {
		return executor.Answer{}, err
	}
	answer := executor.Answer{Text: "more"}
	if n >= len(scripts)-1 {
		answer.Signal = executor.SignalDone
	}
	return answer, nil
}

func playChild(text string) error {
	var c child
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	workspace.SetBeforeStep(c.step)
	ctx := context.Background()
	w, err := workspace.New(ctx, filepath.Join(c.Home, "repo"), "run", workspace.Options{Binary: c.Git,
		Home: filepath.Join(c.Home, "trees"), Share: []string{".env"}, Setup: [][]string{{"sh", "-c", "echo x > " +
			"setup.log"}}})
	if err != nil {
		return err
	}
	if c.Deliver {
		if err := os.WriteFile(filepath.Join(c.Home, "pid"), fmt.Appendln(nil, os.Getpid()), 0o600); err != nil {
			return err
		}
		return deliverAgain(ctx, w)
	}
	guard, err := scope.New(scope.Config{Allowed: []string{"src/**", "run.sh"}, Forbidden: []string{"**/.env"}})
	if err != nil {
		return err
	}
	e, err := executor.New(executor.Config{Table: errs.Table, Classify: detect.Classifier(errs.Explain),
		Decode:   func(b []byte) (error, error) { return errs.UnmarshalError(b) },
		Provider: scriptedAgent{c.Home}, Workspace: w, Guard: guard, Deliver: executor.DeliverCommits,
		Store: countingStore{filestore.New(filepath.Join(c.Home, "states")), c}})
	if err != nil {
		return err
	}
	task := executor.Task{Run: "run", ID: "1", Title: "Work", Prompt: "Work"}
	done := filepath.Join(c.Home, "done")
	if _, err := os.Stat(done); err == nil { // a person does not start a completed run again
		return deliverAgain(ctx, w)
	}
	r := e.Run(ctx, task)
	for range 5 {
		if r.EndReason == executor.EndCompleted {
			break
		}
		r = e.Reopen(ctx, task, executor.Reopening{})
	}
	if r.EndReason != executor.EndCompleted {
		return fmt.Errorf("%s: %w %v", r.EndReason, r.Err, r.Errors)
	}
	if err := os.WriteFile(done, nil, 0o600); err != nil {
		return err
	}
	return deliverAgain(ctx, w)
}

// deliverAgain delivers if the run has a clone.
func deliverAgain(ctx context.Context, w *workspace.Workspace) error {
	if made, _ := w.Exists(); !made {
		return nil
	}
	s, err := w.Open(ctx, "run")
	if err != nil {
		return err
	}
	d, err := deliver(ctx, s.(*workspace.Space))
	if err == nil && d.why != "" {
		err = errors.New(d.why)
	}
	return errors.Join(err, s.Close(true))
}

func (c child) run() (killed bool, err error) {
	b, err := json.Marshal(c)
	if err != nil {
		return false, err
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+string(b))
	out, err := cmd.CombinedOutput()
	if err != nil && !cmd.ProcessState.Exited() {
		return true, nil
	}
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return false, err
}

// ended is what the person has after the run.
func (r *repo) ended() []string {
	return append(filesOf(r.t, r.dir), strings.Split(r.sh("git log -1 --format=%T; git log --format=%s\n"+
		"git diff --name-status $(git rev-list --max-parents=0 HEAD) HEAD; git branch; git tag; git stash list; "+
		"git ls-files -s\n"+
		"git status --porcelain; git config --list --local | grep -v smudge; find .git -name '*.lock'\n"+
		"git fsck --no-dangling --no-progress; ls .git/hooks | wc -l"), "\n")...)
}

// personsFiles is what no run may change at any time.
func (r *repo) personsFiles() string {
	return r.sh("cat dirty.txt staged.txt mine.txt .env old.log; git show :staged.txt; git config --list " +
		"--local | grep -v smudge")
}

// killingGit is a git that does something at the nth command, and kills its caller.
func killingGit(t *testing.T, home string, n int, do string) string {
	t.Helper()
	path := filepath.Join(home, "git")
	script := fmt.Sprintf("#!/bin/sh\nn=$(($(cat %[1]s/n 2>/dev/null || echo 0) + 1)); echo $n > %[1]s/n\n"+
		"if [ $n = %[2]d ]; then %[3]s\nkill -9 $PPID; exit 1; fi\nexec git \"$@\"\n", home, n, do)
	syscall.ForkLock.RLock() // a child that inherits the open file would make it busy
	defer syscall.ForkLock.RUnlock()
	require.NoError(t, os.WriteFile(path, []byte(script), 0o755))
	return path
}

// slowFiles is a person's filter, so that git can be killed at each file that it writes.
const slowFiles = "echo '*.txt filter=slow' > .git/info/attributes; echo cat > ../smudge; git config " +
	"filter.slow.clean cat\n"

// TestKilled kills a run before each step, after each git command, and together with git. The next
// process of the run ends it as if it was not disturbed. With -short, it tests a sample.
func TestKilled(t *testing.T) {
	t.Parallel()
	first := newRepo(t, slowFiles+"touch .git/mark; git update-ref refs/keep main; git status >/dev/null")
	copyTo := func(t *testing.T) *repo {
		t.Helper()
		base, err := filepath.EvalSymlinks(t.TempDir())
		require.NoError(t, err)
		out, err := shell(filepath.Dir(first.dir), "cp -a repo smudge "+base)
		require.NoError(t, err, out)
		r := &repo{t, filepath.Join(base, "repo")}
		r.sh("git config filter.slow.smudge 'sh " + base + "/smudge'")
		return r
	}
	undisturbed := copyTo(t)
	killed, err := child{Home: filepath.Dir(undisturbed.dir), Git: "git"}.run()
	require.False(t, killed)
	require.NoError(t, err)
	want, persons := undisturbed.ended(), undisturbed.personsFiles()
	assert.Equal(t, "Work\nWork\nfirst", undisturbed.sh("git log --format=%s"))

	var points atomic.Int64
	for _, mode := range []struct {
		name string
		make func(t *testing.T, home string, n int) child
	}{
		{"before a step", func(_ *testing.T, home string, n int) child {
			return child{Home: home, Git: "git",
				At: n}
		}},
		{"after a git command", func(t *testing.T, home string, n int) child {
			return child{Home: home, Git: killingGit(t, home, n, `git "$@"`)}
		}},
		{"with its git", func(t *testing.T, home string, n int) child { // at its first file, or at its end
			return child{Home: home, Git: killingGit(t, home, n, "echo $PPID > "+home+"/pid\n"+
				"echo 'kill -9 $(cat "+home+"/pid); kill -9 0' > "+home+"/smudge; git \"$@\"; echo cat > "+
				""+home+"/smudge")}
		}},
	} {
		t.Run(mode.name, func(t *testing.T) {
			stride := int64(1)
			if testing.Short() {
				stride = 17
			}
			var next atomic.Int64
			var all sync.WaitGroup
			for range 2 {
				all.Go(func() {
					for {
						n := int(next.Add(stride))
						r := copyTo(t)
						home := filepath.Dir(r.dir)
						killed, err := mode.make(t, home, n).run()
						if !assert.NoError(t, err, "%s %d", mode.name, n) || !killed {
							return
						}
						points.Add(1)
						assert.Equal(t, persons, r.personsFiles(), "%s %d: the person lost something", mode.name, n)
						assert.NoError(t, os.WriteFile(filepath.Join(home, "smudge"), []byte("cat\n"), 0o600))
						killed, err = child{Home: home, Git: "git"}.run()
						assert.False(t, killed)
						if assert.NoError(t, err, "%s %d: resumed", mode.name, n) {
							assert.Empty(t, difference(want, r.ended()), "%s %d", mode.name, n)
						}
						assert.NoError(t, os.RemoveAll(home))
					}
				})
			}
			all.Wait()
		})
	}
	t.Logf("killed at %d points", points.Load())
	if !testing.Short() {
		assert.GreaterOrEqual(t, points.Load(), int64(400))
	}
}

// TestKilledWhileFilesAreWritten kills git merge, and its caller, at the nth file that it writes in
// the person's working tree. The next process restores the files, also one that became a directory,
// and delivers.
func TestKilledWhileFilesAreWritten(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 4; n++ {
		r := newRepo(t, slowFiles+"git config filter.slow.smudge \"sh $(dirname $PWD)/smudge\"")
		home := filepath.Dir(r.dir)
		tr := r.open("run", func(o *workspace.Options) { o.Share, o.Watch = []string{".env"}, nil })
		tr.work(1, "echo A > a.txt; echo B > dir/b.txt; echo S > src/s.txt; echo n > src/new.txt; rm run.sh\n"+
			"mkdir run.sh; echo x > run.sh/x")
		require.NoError(t, tr.Close(false))
		was := r.sh("git status --porcelain")
		script := fmt.Sprintf("n=$(($(cat %[1]s/m 2>/dev/null || echo 0) + 1)); echo $n > %[1]s/m\n"+
			"if [ $n = %[2]d ]; then kill -9 $(cat %[1]s/pid); kill -9 0; fi; cat\n", home, n)
		require.NoError(t, os.WriteFile(filepath.Join(home, "smudge"), []byte(script), 0o600))
		killed, err := child{Home: home, Git: "git", Deliver: true}.run()
		require.NoError(t, err)
		require.True(t, killed, "%d", n)
		require.FileExists(t, filepath.Join(r.dir, ".git/index.lock"))
		require.NoError(t, os.WriteFile(filepath.Join(home, "smudge"), []byte("cat\n"), 0o600))
		if n == 4 { // after run.sh became a directory
			r.sh("echo mine > run.sh/mine")
		}
		tr = r.open("run", func(o *workspace.Options) { o.Share, o.Watch = []string{".env"}, nil })
		if n == 4 {
			require.Equal(t, "mine", r.sh("cat run.sh/mine"), "later changes of the person stay")
			r.sh("rm -r run.sh; git checkout -q run.sh")
		}
		require.Equal(t, was, r.sh("git status --porcelain"), "the files are restored")
		require.Empty(t, tr.deliver().why)
		require.NoError(t, tr.Close(true))
		require.Equal(t, was, r.sh("git status --porcelain"))
		require.Equal(t, "A\nB\nS\nn\nx", r.sh("cat a.txt dir/b.txt src/s.txt src/new.txt run.sh/x"))
	}
}
