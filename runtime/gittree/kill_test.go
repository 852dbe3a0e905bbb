package gittree_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/gittree"
)

// treeVariable makes the test program a process that has a working tree; it holds a [treeProcess].
const treeVariable = "CONTRACT_TREE"

// treeProcess carries out one iteration in a repository.
type treeProcess struct {
	Home, Git string
	At        int // the process is killed before this change of a file; 0 is never
}

// treeProgress is what the process notes of its iteration, so that another one can continue.
type treeProgress struct {
	Checked, Next gittree.Tree
	Saved, Commit string
	Called        bool
}

// treeAgent does all that an agent may do, and must not.
const treeAgent = `echo A > a.txt; echo S > src/s.txt; mkdir src/new; echo n > src/new/n.txt
rm dir/b.txt; echo stolen > .env
echo theirs > dirty.txt; rm mine.txt; ln -s /etc/passwd src/link; echo x > out.txt; git add -A
git commit -qm 'attempt 1

Errgen-Run: run
Errgen-Attempt: 1'; git config core.fsmonitor ./x; git checkout -qb agents`

// killAt kills this process before the nth change of a file.
func killAt(n int) {
	gittree.SetBeforeStep(func(step string) {
		if strings.HasPrefix(step, "git ") {
			return
		}
		if n--; n == 0 {
			killSelf()
		}
	})
}

func killSelf() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}

func (p treeProcess) note() string { return filepath.Join(p.Home, "progress.json") }

func playTree(text string) error {
	var p treeProcess
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return err
	}
	killAt(p.At)
	return p.play(context.Background())
}

// play begins or continues the iteration.
func (p treeProcess) play(ctx context.Context) error {
	var done treeProgress
	b, err := os.ReadFile(p.note())
	if err == nil {
		err = json.Unmarshal(b, &done)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir := filepath.Join(p.Home, "repo")
	tr, err := openTree(ctx, dir, p.Git)
	if err != nil {
		return err
	}
	step := func(missing bool, do func() error) {
		if err != nil || !missing {
			return
		}
		if err = do(); err != nil {
			return
		}
		b, _ := json.Marshal(done) // strings can always be encoded
		if err = os.WriteFile(p.note()+".new", b, 0o600); err == nil {
			err = os.Rename(p.note()+".new", p.note())
		}
	}
	step(done.Checked == "", func() (err error) { done.Checked, err = tr.begin(); return err })
	step(!done.Called, func() error {
		cmd := exec.Command("sh", "-ec", treeAgent)
		cmd.Dir, done.Called = dir, true
		return cmd.Run()
	})
	step(done.Saved == "", func() error {
		_, err := tr.detect(done.Checked)
		if err == nil {
			done.Saved, err = tr.save(1, done.Checked)
		}
		return err
	})
	step(done.Next == "", func() error {
		changes, err := tr.detect(done.Checked)
		if err == nil {
			err = tr.revert(done.Checked, slices.DeleteFunc(slices.Clone(changes), allowedChange))
		}
		if err == nil {
			changes, err = tr.detect(done.Checked)
		}
		if i := slices.IndexFunc(changes, func(c gittree.Change) bool { return !allowedChange(c) }); i >= 0 {
			err = fmt.Errorf("%v is left", changes[i])
		}
		if err == nil {
			done.Next, err = tr.accept(done.Checked, changes)
		}
		return err
	})
	step(done.Commit == "", func() (err error) {
		done.Commit, err = tr.commit(1, done.Next, []string{"src/new/n.txt", "src/s.txt"})
		return err
	})
	return errors.Join(err, tr.close())
}

func allowedChange(c gittree.Change) bool {
	return strings.HasPrefix(c.Path, "src/") && !ofGit(c) && !c.Escapes
}

// TestTreeKilled kills the process of an iteration at each point, and compares what the next
// process comes to with an undisturbed iteration.
func TestTreeKilled(t *testing.T) {
	git, err := exec.LookPath("git")
	require.NoError(t, err)
	first := newRepo(t, "")
	whole := copyRepo(t, first)
	require.NoError(t, treeProcess{Home: filepath.Dir(whole.dir), Git: "git"}.play(t.Context()))
	want := whole.ended()
	assert.Contains(t, want, "A\tsrc/new/n.txt\nM\tsrc/s.txt")
	for _, mode := range []struct {
		name   string
		stride int // of the sample in -short
		script func(home string, n int) string
	}{
		{"before each git command", 40, func(home string, n int) string {
			return killingGit(home, n, "",
				"exec "+git+` "$@"`)
		}},
		{"after each git command", 40, func(home string, n int) string {
			return killingGit(home, n, git+` "$@"`,
				"exec "+git+` "$@"`)
		}},
		{"with the git command", 40, func(home string, n int) string {
			return killingGit(home, n, git+` "$@" & sleep 0.00$((n % 8)); kill -9 $!`, "exec "+git+` "$@"`)
		}},
		{"before each change of a file", 24, nil},
	} {
		t.Run(mode.name, func(t *testing.T) {
			t.Parallel()
			killedAtEach(t, mode.stride, func(n int) (wasKilled bool) {
				r := copyRepo(t, first)
				p := treeProcess{Home: filepath.Dir(r.dir), Git: "git", At: n}
				if mode.script != nil {
					p.Git, p.At = filepath.Join(p.Home, "git"), 0
					writeProgram(t, p.Git, mode.script(p.Home, n))
				}
				wasKilled = killed(t, treeVariable, p)
				p.Git, p.At = "git", 0
				require.False(t, killed(t, treeVariable, p), "killed at %d", n)
				require.Equal(t, want, r.ended(), "killed at %d", n)
				require.NoError(t, os.RemoveAll(p.Home))
				return wasKilled
			})
		})
	}
}

// killedAtEach calls try for each point at which a process can be killed, until it is not killed.
// With -short, it takes one of stride points.
func killedAtEach(t *testing.T, stride int, try func(n int) (wasKilled bool)) {
	t.Helper()
	if !testing.Short() {
		stride = 1
	}
	n := 1
	for try(n) {
		n += stride
	}
	require.Greater(t, n, 2*stride, "hardly any point was killed")
}

// killingGit is a git that kills its caller at the nth command, after doing something.
func killingGit(home string, n int, do, git string) string {
	count := filepath.Join(home, "calls")
	return fmt.Sprintf("#!/bin/sh\nn=$(($(cat %[1]s 2>/dev/null || echo 0) + 1)); echo $n > %[1]s\n"+
		"if [ $n = %[2]d ]; then %[3]s\nkill -9 $PPID; exit 1; fi\n%[4]s\n", count, n, do, git)
}

// killed runs a process, and reports whether it was killed.
func killed(t *testing.T, variable string, v any) bool {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), variable+"="+string(b))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	require.False(t, cmd.ProcessState.Exited(), "%s", out)
	return true
}

// writeProgram writes a program. No process is started meanwhile, because it would inherit the open
// file, and a file that is open for writing cannot be executed.
func writeProgram(t *testing.T, path, content string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o755))
}

func copyRepo(t *testing.T, from *repo) *repo {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	r := &repo{t, filepath.Join(base, "repo")}
	out, err := exec.Command("cp", "-a", from.dir, r.dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return r
}

// ended returns how the iteration has ended, apart from what depends on the time.
func (r *repo) ended() string {
	r.t.Helper()
	files, _, _ := strings.Cut(r.state(), "refs/heads/")
	return files + r.sh(`git log --format='%T %s' --name-status; git branch; git ls-files -s; git status --porcelain
git config --list --local; find .git -name '*.lock' -size +0; git fsck --no-dangling --no-progress`)
}
