package gittree_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/gittree"
)

// TestSaves lists and shows saved attempts while the run is at work, after it, and after
// it was forgotten.
func TestSaves(t *testing.T) {
	t.Parallel()
	ctx, opts := t.Context(), gittree.Options{Watch: watchedFiles{}}
	r := newRepo(t, "")
	tr := r.open()
	checked, err := tr.begin()
	require.NoError(t, err)
	r.sh("echo A > a.txt; echo PASSWORD=stolen > .env; rm dir/b.txt")
	changes, err := tr.detect(checked)
	require.NoError(t, err)
	ref, err := tr.save(3, checked)
	require.NoError(t, err)
	again, err := tr.save(3, checked)
	require.NoError(t, err)
	assert.Equal(t, ref, again, "the same trees have one reference")
	require.NoError(t, tr.revert(checked, changes))

	list := func() []string {
		t.Helper()
		saves, err := gittree.Saves(ctx, r.dir, "run", opts)
		require.NoError(t, err)
		var out []string
		for _, s := range saves {
			line := s.Name
			for _, c := range s.Changes {
				line += "; " + described(c)
			}
			assert.False(t, s.At.IsZero())
			out = append(out, line)
		}
		return out
	}
	const third = "3; modified .env; modified a.txt; removed dir/b.txt"
	assert.Equal(t, []string{third}, list())
	require.NoError(t, tr.Close(true))
	assert.Equal(t, []string{third}, list())

	var patch strings.Builder
	require.NoError(t, gittree.ShowSaved(ctx, r.dir, "run", "3", "", &patch, opts))
	assert.Contains(t, patch.String(), "-a\n+A\n")
	// As the documentation says, git restores a file.
	r.sh("git --git-dir=.git/errgen/run --work-tree=. restore --source=refs/attempts/3 a.txt .env")
	assert.Equal(t, "A\nb\nPASSWORD=stolen", r.sh("cat a.txt dir/b.txt .env"))

	for _, c := range []struct{ run, name, path, want string }{
		{"other", "3", "", "prepare/name"}, {"run", "9", "", "save/name"}, {"run", "3", "none", "save/name"},
	} {
		err := gittree.ShowSaved(ctx, r.dir, c.run, c.name, c.path, &patch, opts)
		require.Error(t, err)
		assert.Equal(t, c.want, evidenceOf(t, err))
	}
}

// TestRestoreSaved restores files of a saved attempt if that overwrites no changes.
func TestRestoreSaved(t *testing.T) {
	t.Parallel()
	ctx, opts := t.Context(), gittree.Options{}
	r := newRepo(t, "git stash -q -u")
	tr := r.open()
	checked, err := tr.begin()
	require.NoError(t, err)
	r.sh("echo A > a.txt; echo PASSWORD=stolen > .env; rm dir/b.txt; echo n > x.txt")
	changes, err := tr.detect(checked)
	require.NoError(t, err)
	_, err = tr.save(3, checked)
	require.NoError(t, err)
	require.NoError(t, tr.revert(checked, changes))

	restore := func(paths ...string) (restored []string, failure string) {
		restored, err := gittree.RestoreSaved(ctx, r.dir, "run", "3", paths, opts)
		if err != nil {
			failure = evidenceOf(t, err)
		}
		return restored, failure
	}
	_, err = gittree.RestoreSaved(ctx, r.dir, "run", "3", nil, opts)
	require.ErrorIs(t, err, gittree.ErrInUse, "the run is at work")
	require.NoError(t, tr.Close(true))
	const unchanged = "a\nb\nPASSWORD=secret"
	for _, c := range []struct {
		name, before, after string
		paths               []string
		failure             string
	}{
		{"a changed file", "echo mine > a.txt", "git checkout -q a.txt", nil, "revert/refused"},
		{"an untracked file", "echo mine > x.txt", "rm x.txt", nil, "revert/refused"},
		{"a staged file", "echo mine > z; git add z", "git rm -qf z", nil, "revert/refused"},
		{"another file", "", "", []string{"src/s.txt"}, "revert/name"},
		{"an ignored file", "", "", []string{".env"}, "revert/name"},
	} {
		r.sh(c.before)
		was := r.state()
		_, failure := restore(c.paths...)
		assert.Equal(t, c.failure, failure, c.name)
		assert.Equal(t, was, r.state(), c.name)
		r.sh(c.after)
	}
	require.Equal(t, unchanged, r.sh("cat a.txt dir/b.txt .env"))

	restored, failure := restore("a.txt")
	assert.Empty(t, failure)
	assert.Equal(t, []string{"a.txt"}, restored)
	assert.Equal(t, " M a.txt", r.sh("git status --porcelain"))
	r.sh("git commit -qam A")
	restored, failure = restore()
	assert.Empty(t, failure)
	assert.Equal(t, []string{"a.txt", "dir/b.txt", "x.txt"}, restored)
	assert.Equal(t, " D dir/b.txt\n?? x.txt", r.sh("git status --porcelain"))
	assert.Equal(t, "A\nn\nPASSWORD=secret", r.sh("cat a.txt x.txt .env"))
	saves, err := gittree.Saves(ctx, r.dir, "run", opts)
	require.NoError(t, err)
	assert.Len(t, saves, 1, "the attempt stays")
}

// TestRestoreSavedRefuses overwrites no file that git status does not compare.
func TestRestoreSavedRefuses(t *testing.T) {
	const submodule = "git init -q ../up; echo u > ../up/u; git -C ../up add u; git -C ../up commit -qm up\n" +
		"git submodule add -q ../up sub; git config -f .gitmodules submodule.sub.ignore all; git commit -qam sub"
	for _, c := range []struct {
		name, before, change string
		after, file          string // what a person changes after the run
	}{
		{"a file that is ignored now", "", "echo n > x.txt",
			"echo x.txt >> .gitignore; git commit -qam i; echo mine > x.txt", "x.txt"},
		{"a file that the repository excludes now", "", "echo n > x.txt",
			"echo x.txt >> .git/info/exclude; echo mine > x.txt", "x.txt"},
		{"an ignored directory", "", "echo n > node_modules", "mkdir node_modules; echo mine > node_modules/f",
			"node_modules/f"},
		{"an ignored file above the file", "", "mkdir out; echo n > out/f",
			"echo out >> .gitignore; git commit -qam i; echo mine > out", "out"},
		{"a file outside of the sparse checkout", "", "echo A > a.txt",
			"git update-index --skip-worktree a.txt; echo mine > a.txt", "a.txt"},
		{"a file that is assumed to be unchanged", "", "rm a.txt",
			"git update-index --assume-unchanged a.txt; echo mine > a.txt", "a.txt"},
		{"a file of a submodule", submodule, "echo A > sub/u", "echo mine > sub/u", "sub/u"},
		{"an ignored file of a submodule", submodule, "echo A > sub/v",
			"echo v >> .git/modules/sub/info/exclude; echo mine > sub/v", "sub/v"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "git stash -q -u\n"+c.before)
			tr := r.open()
			checked, err := tr.begin()
			require.NoError(t, err)
			r.sh(c.change)
			changes, err := tr.detect(checked)
			require.NoError(t, err)
			_, err = tr.save(3, checked)
			require.NoError(t, err)
			require.NoError(t, tr.revert(checked, changes))
			require.NoError(t, tr.Close(false))
			r.sh(c.after)
			was := r.state()
			_, err = gittree.RestoreSaved(t.Context(), r.dir, "run", "3", nil, gittree.Options{})
			require.Error(t, err)
			assert.Equal(t, "revert/refused", evidenceOf(t, err))
			assert.Equal(t, was, r.state())
			assert.Equal(t, "mine", r.sh("cat "+c.file))
		})
	}
}

// TestSaveKeepsCommits keeps the commits of an agent that are reverted, also after a collection.
func TestSaveKeepsCommits(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	tr := r.open()
	checked, err := tr.begin()
	require.NoError(t, err)
	r.sh("echo A > a.txt; git commit -qam agents")
	changes, err := tr.detect(checked)
	require.NoError(t, err)
	ref, err := tr.save(1, checked)
	require.NoError(t, err)
	require.NoError(t, tr.revert(checked, changes))
	r.sh("git reflog expire --expire=now --all; git gc -q --prune=now")
	assert.Contains(t, r.sh("git --git-dir=.git/errgen/run log --format=%s "+ref), "agents")
	require.NoError(t, tr.close())
}

// TestForget leaves nothing in git's directory, unless attempts were saved.
func TestForget(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	tr := r.open()
	require.NoError(t, tr.Close(true))
	assert.Equal(t, "tree.lock", r.sh("ls -A .git/errgen"))
}

func TestAttempt(t *testing.T) {
	failure := errors.New("no")
	for _, c := range []struct {
		name, fix, check string
		fixErr, judgeErr error
		want             error
		files, after     string
	}{
		{"a fix that works", "echo fixed > a.txt", "grep fixed a.txt; echo x > dir/new", nil, nil, nil,
			"modified a.txt", "fixed"},
		{"a fix that does nothing", "true", "true", nil, nil, nil, "", "a"},
		{"a failing check", "echo worse > a.txt; rm dir/b.txt", "false", nil, nil, new(exec.ExitError),
			"modified a.txt, removed dir/b.txt", "a"},
		{"a failing fix", "echo worse > a.txt", "true", failure, nil, failure, "modified a.txt", "a"},
		{"a change that is not allowed", "echo worse > a.txt", "true", nil, failure, failure, "modified a.txt", "a"},
		{"a commit by the fix", "echo worse > a.txt; git commit -qam fix", "true", nil, nil, gittree.ErrMoved,
			"modified a.txt", "a"},
		{"a .gitignore that hides files", "echo '*' > .gitignore; echo x > hidden; echo worse > a.txt", "false",
			nil, nil,
			new(exec.ExitError), "modified .gitignore, modified a.txt, added hidden", "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "")
			tr := r.open()
			was := r.state()
			sh := func(script string, err error) func(context.Context) error {
				return func(ctx context.Context) error {
					cmd := exec.CommandContext(ctx, "sh", "-ec", script)
					cmd.Dir = r.dir
					return errors.Join(cmd.Run(), err)
				}
			}
			got, err := tr.Attempt(t.Context(), gittree.Attempt{Name: "fix", Fix: sh(c.fix, c.fixErr),
				Check: sh(c.check, nil),
				Judge: func([]gittree.Change) error { return c.judgeErr }})
			var exit *exec.ExitError
			switch {
			case c.want == nil:
				require.NoError(t, err)
			case errors.As(c.want, &exit):
				require.ErrorAs(t, err, &exit)
			default:
				require.ErrorIs(t, err, c.want)
			}
			var files []string
			for _, change := range got.Changes {
				files = append(files, described(change))
			}
			if c.want != nil {
				assert.Equal(t, was, r.state())
				assert.NotEmpty(t, got.Saved)
				assert.Equal(t, c.files, strings.Join(files, ", "))
			}
			assert.Equal(t, c.after, r.sh("cat a.txt"))
			require.NoError(t, tr.close())
		})
	}
}

// attemptVariable makes the test program a process that dies during an attempt; it holds a
// directory.
const attemptVariable = "GITTREE_ATTEMPT"

func playAttempt(text string) error {
	var dir string
	if err := json.Unmarshal([]byte(text), &dir); err != nil {
		return err
	}
	tr, err := openTree(context.Background(), dir, "git")
	if err != nil {
		return err
	}
	_, err = tr.Attempt(context.Background(), gittree.Attempt{Name: "fix", Fix: func(context.Context) error {
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("half"), 0o600); err != nil {
			return err
		}
		killSelf()
		return nil
	}})
	return err
}

// TestAttemptKilled restores the working tree before the next attempt.
func TestAttemptKilled(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	require.True(t, killed(t, attemptVariable, r.dir))
	assert.Equal(t, "half", r.sh("cat a.txt"))
	tr := r.open()
	_, err := tr.Attempt(t.Context(), gittree.Attempt{Name: "fix", Fix: func(context.Context) error {
		assert.Equal(t, "a", r.sh("cat a.txt"))
		return nil
	}})
	require.NoError(t, err)
	saves, err := gittree.Saves(t.Context(), r.dir, "run", gittree.Options{})
	require.NoError(t, err)
	assert.Len(t, saves, 1)
	require.NoError(t, tr.close())
}
