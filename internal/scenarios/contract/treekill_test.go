package contract_test

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
)

// treeVariable makes the test program a process that has a working tree; it holds a [treeProcess].
const treeVariable = "CONTRACT_TREE"

// treeProcess carries out one iteration in a repository.
type treeProcess struct {
	Maker, Home, Git string
}

// treeProgress is what the process notes of its iteration, so that another one can continue.
type treeProgress struct {
	Checked, Saved, Next, Commit string
	Called                       bool
}

// treeAgent does all that an agent may do, and must not.
const treeAgent = `echo A > a.txt; echo S > src/s.txt; mkdir src/new; echo n > src/new/n.txt
rm dir/b.txt; echo stolen > .env
echo theirs > dirty.txt; rm mine.txt; ln -s /etc/passwd src/link; echo x > out.txt; git add -A
git commit -qm 'attempt 1

Errgen-Run: run
Errgen-Attempt: 1'; git config core.fsmonitor ./x; git checkout -qb agents`

func (p treeProcess) note() string { return filepath.Join(p.Home, "progress.json") }

func playTree(text string) error {
	var p treeProcess
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return err
	}
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
	all := trees()
	m := all[slices.IndexFunc(all, func(m treeMaker) bool { return m.name == p.Maker })]
	dir := filepath.Join(p.Home, "repo")
	tr, err := m.open(ctx, dir, done.Checked, p.Git)
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
		changes, err := tr.detect(done.Checked)
		if err == nil {
			done.Saved, err = tr.save(1, done.Checked, changes)
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
		if i := slices.IndexFunc(changes, func(c treeChange) bool { return !allowedChange(c) }); i >= 0 {
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

func allowedChange(c treeChange) bool {
	return strings.HasPrefix(c.path, "src/") && !c.git && !c.escapes
}

// TestTreeKilled kills the process of an iteration before and after each command of git, and
// compares what the next process comes to with an undisturbed iteration.
func TestTreeKilled(t *testing.T) {
	git, err := exec.LookPath("git")
	require.NoError(t, err)
	for _, m := range trees() {
		t.Run(m.name, func(t *testing.T) {
			first := newRepo(t, "")
			whole := copyRepo(t, first)
			p := treeProcess{Maker: m.name, Home: filepath.Dir(whole.dir), Git: "git"}
			require.NoError(t, p.play(t.Context()))
			want := whole.ended()
			assert.Contains(t, want, "A\tsrc/new/n.txt\nM\tsrc/s.txt")
			stride := 1
			if testing.Short() {
				stride = 9
			}
			for shard := range 4 {
				t.Run(fmt.Sprint(shard), func(t *testing.T) {
					t.Parallel()
					for n := 1 + shard*stride; ; n += 4 * stride {
						r := copyRepo(t, first)
						p := treeProcess{Maker: m.name, Home: filepath.Dir(r.dir)}
						p.Git = filepath.Join(p.Home, "git")
						writeProgram(t, p.Git, killingGit(p.Home, git, n))
						wasKilled := killed(t, treeVariable, p)
						p.Git = "git"
						require.NoError(t, p.play(t.Context()), "killed at %d", n)
						require.Equal(t, want, r.ended(), "killed at %d", n)
						if !wasKilled {
							require.Greater(t, n, 4*stride, "hardly any command was killed")
							return
						}
					}
				})
			}
		})
	}
}

// killingGit is a git that kills its caller at the nth command: before it, if n is odd, or after.
func killingGit(home, git string, n int) string {
	kill := fmt.Sprintf(`if [ $n = %d ]; then kill -9 $PPID; exit 1; fi`, (n+1)/2)
	count := fmt.Sprintf("n=$(($(cat %[1]s 2>/dev/null || echo 0) + 1)); echo $n > %[1]s", filepath.Join(home, "calls"))
	if n%2 == 1 {
		return fmt.Sprintf("#!/bin/sh\n%s\n%s\nexec %s \"$@\"\n", count, kill, git)
	}
	return fmt.Sprintf("#!/bin/sh\n%s\n%s \"$@\"\ncode=$?\n%s\nexit $code\n", count, git, kill)
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
	files, _, _ := strings.Cut(r.state(), "refs/heads/main ")
	return files + r.sh(`git log --format='%T %s' --name-status; git branch; git ls-files -s; git status --porcelain
git config --list --local; find .git -name '*.lock' -size +0; git fsck --no-dangling --no-progress`)
}
