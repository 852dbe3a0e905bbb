package workspace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/workspace"
)

// TestForward forwards the person's branch only if that overwrites nothing.
func TestForward(t *testing.T) {
	const merge = "git merge errgen/run"
	for _, c := range []struct{ name, change, meanwhile, why, next string }{
		{"nothing in the way", "echo A > a.txt", "", "", ""},
		{"a changed file", "echo A > dirty.txt", "", `"dirty.txt" has uncommitted changes`, merge},
		{"a staged file", "echo A > staged.txt", "", `"staged.txt" has uncommitted changes`, merge},
		{"a file that the person removed", "echo A > a.txt", "rm a.txt", `"a.txt" has uncommitted changes`, merge},
		{"an untracked file", "echo A > mine.txt", "", `"mine.txt" exists and is not tracked`, merge},
		{"an untracked file of equal content", "echo mine > mine.txt", "",
			`"mine.txt" exists and is not tracked`, merge},
		{"an ignored file", "echo > .gitignore; echo A > x.log; git add -A", "echo mine > x.log",
			`"x.log" exists and is not tracked`, merge},
		{"an untracked file instead of a directory", "mkdir new; echo A > new/x", "echo mine > new",
			"git merge --ff-only refuses", merge},
		{"a commit of the person", "echo A > a.txt", "git commit -qam more",
			"main has commits that the run did not begin with", merge},
		{"an amended commit", "echo A > a.txt", "git stash -q; git commit -q --amend -m amended",
			"main has commits that the run did not begin with", merge},
		{"another branch", "echo A > a.txt", "git checkout -qb side", "main is not checked out", "git switch " +
			"main && " + merge},
		{"a rebase", "echo A > a.txt", "git stash -q; echo 2 > a.txt; git commit -qam 2\n" +
			"GIT_SEQUENCE_EDITOR='sed -i s/pick/edit/' git rebase -q -i HEAD~1", "main is not checked out",
			"git switch main && " + merge},
		{"a merge", "echo A > a.txt", "git stash -q; git checkout -qb s; git commit -q --allow-empty -m s\n" +
			"git checkout -q main; git merge -q --no-ff --no-commit s", "git merge --ff-only refuses", merge},
		{"autostash", "echo A > dirty.txt", "git config merge.autoStash true",
			`"dirty.txt" has uncommitted changes`, merge},
		{"signatures are required", "echo A > a.txt", "git config merge.verifySignatures true",
			"git merge --ff-only refuses", merge},
		{"a file becomes a directory", "rm a.txt; mkdir a.txt; echo x > a.txt/x", "", "", ""},
		{"a branch that is checked out elsewhere", "echo A > a.txt", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "")
			tr := r.open("run")
			tip := tr.work(1, c.change)
			r.sh(c.meanwhile)
			const state = "git status --porcelain; git rev-parse HEAD; git stash list"
			files, git := filesOf(t, r.dir), r.sh(state)
			for range 2 {
				d := tr.deliver()
				assert.Equal(t, c.why, d.why)
				assert.Equal(t, c.next, d.next)
				if c.why != "" {
					assert.Empty(t, difference(files, filesOf(t, r.dir)))
					assert.Equal(t, git, r.sh(state))
					assert.Equal(t, tip, r.sh("git rev-parse errgen/run"))
				} else {
					assert.Equal(t, tip, r.sh("git rev-parse HEAD"))
					assert.Empty(t, r.sh("git branch --list 'errgen/*'"))
				}
			}
			require.NoError(t, tr.Close(true))
		})
	}
}

// TestForwardKeepsBranchOfBeginning keeps the branch that the person worked on, even if the result
// has its name and another branch contains it.
func TestForwardKeepsBranchOfBeginning(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "git stash -q -u; git stash drop -q; git checkout -qb feature")
	tr := r.open("run", func(o *workspace.Options) { o.Branch = "feature" })
	tip := tr.work(1, "echo A > a.txt")
	r.sh("git checkout -q main")
	_, err := tr.Deliver(tr.ctx)
	require.NoError(t, err)
	r.sh("git merge -q feature")
	why, _, err := tr.Forward(tr.ctx)
	require.NoError(t, err)
	assert.Empty(t, why)
	assert.Equal(t, tip, r.sh("git rev-parse feature"))
	require.NoError(t, tr.Close(true))
}

// TestDeliverKeepsBranch neither overwrites nor removes a branch of the result that a person uses.
func TestDeliverKeepsBranch(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	tr := r.open("run")
	tr.work(1, "echo A > a.txt")
	branch, err := tr.Deliver(tr.ctx)
	require.NoError(t, err)
	assert.Equal(t, "errgen/run", branch)
	r.sh("git worktree add -q ../look errgen/run")
	why, _, err := tr.Forward(tr.ctx)
	require.NoError(t, err)
	assert.Empty(t, why)
	assert.Equal(t, "errgen/run", r.sh("git branch --list --format='%(refname:short)' 'errgen/*'"))
	assert.Equal(t, "A", r.sh("git -C ../look status --porcelain; cat ../look/a.txt"))

	tr.work(2, "echo B > a.txt")
	r.sh("git worktree remove ../look; git update-ref refs/heads/errgen/run $(git commit-tree -m theirs HEAD^{tree})")
	_, err = tr.Deliver(tr.ctx)
	assert.Equal(t, "deliver/", evidenceOf(t, err), "it never overwrites")
	assert.Equal(t, "theirs", r.sh("git log -1 --format=%s errgen/run"))
	require.NoError(t, tr.Close(true))
	assert.DirExists(t, tr.Dir(), "not everything is delivered")
}

// TestMeanwhile lets a person work during a run: nothing of it is reverted, and the run does not
// need anything of it.
func TestMeanwhile(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "git branch old")
	tr := r.open("run")
	checked := tr.snapshot()
	require.NoError(t, tr.BeforeCall(tr.ctx))
	tr.sh("echo A > a.txt")
	r.sh("git stash -q -u; git checkout -q --orphan e; git rm -rqf .; git commit -q --allow-empty -m e; git " +
		"branch -D main old\n" +
		"git stash clear; git reflog expire --expire=now --all; git gc -q --prune=now; git fetch . HEAD -q\n" +
		"git worktree add -q ../other -b theirs; mkdir -p .git/runs; echo s > .git/runs/state\n" +
		"echo hook > .git/hooks/pre-commit; echo x >> .git/info/exclude; git config a.b c; rm .git/hooks/*.sample")
	changed, err := tr.AfterCall(tr.ctx)
	require.NoError(t, err)
	text := strings.Join(changed, "\n")
	for _, want := range []string{"HEAD moved from refs/heads/main", ".git/config changed",
		".git/hooks/pre-commit changed",
		".git/info/exclude changed"} {
		assert.Contains(t, text, want)
	}
	was := fingerprint(t, r.dir)
	id := tr.commit(1, tr.detect(checked))
	require.Empty(t, difference(was, fingerprint(t, r.dir)))
	d := tr.deliver()
	assert.Equal(t, delivered{"errgen/run", "main is not checked out", "git switch main && git merge errgen/run"}, d)
	assert.Equal(t, id+"\ns", r.sh("git rev-parse errgen/run; cat .git/runs/state; git -C ../other status "+
		"--porcelain\n"+
		"git fsck --no-dangling --no-progress 2>/dev/null"))
	require.NoError(t, tr.Close(true))
	assert.NoDirExists(t, tr.Home())
}

// TestDeadRuns keeps the work of dead processes in their clones. The next run does not see it, and
// nothing that they planted runs in the person's repository.
func TestDeadRuns(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	was := fingerprint(t, r.dir)
	for range 3 {
		tr := r.open("dead")
		require.NoError(t, tr.BeforeCall(tr.ctx))
		tr.sh("echo mess > mess.txt; git config core.fsmonitor 'touch ../armed'; git config core.worktree " +
			"/elsewhere\n" +
			"printf '#!/bin/sh\\ntouch ../armed' > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit")
		require.NoError(t, tr.Close(false)) // a process that dies does not even do this
	}
	require.Empty(t, difference(was, fingerprint(t, r.dir)))
	made, used := r.workspace("dead").Exists()
	assert.True(t, made && used)
	next := r.open("next")
	warnings := next.Warnings()
	require.Len(t, warnings, 2)
	base := r.sh("git rev-parse --short=7 HEAD")
	assert.Equal(t, "the run begins at "+base+" without your 3 uncommitted files", warnings[0])
	what, commands, _ := strings.Cut(warnings[1], "; ")
	assert.Equal(t, "run dead has not ended, or is not delivered: to continue, begin it again by its name, with "+
		"its store", what)
	show, remove, _ := strings.Cut(commands, " shows its work, ")
	r.sh(show)
	assert.Equal(t, "rm -rf '"+r.workspace("dead").Home()+"' removes it", remove)
	assert.Contains(t, show, base)
	assert.NoFileExists(t, filepath.Join(next.Dir(), "mess.txt"))
	require.NoError(t, next.Discard())
	made, used = next.Exists()
	assert.False(t, made || used, "a dry run leaves no clone")
	r.sh("git status; git commit -qam mine")
	again := r.open("dead")
	assert.FileExists(t, filepath.Join(again.Dir(), "mess.txt"))
	assert.Equal(t, "?? mess.txt", again.sh("git status --porcelain"))
	for _, dir := range []string{filepath.Dir(r.dir), again.Home()} {
		assert.NoFileExists(t, filepath.Join(dir, "armed"))
	}
	old, err := os.ReadDir(filepath.Join(again.Home(), "old"))
	require.NoError(t, err)
	assert.Len(t, old, 3)
	require.NoError(t, again.Close(false))
}

// TestDamaged refuses a clone that is not complete, with the directory, and touches nothing of it.
func TestDamaged(t *testing.T) {
	for _, c := range []struct{ name, damage, want string }{
		{"an invalid run.json", "echo '{' > run.json", "prepare/clone"},
		{"an empty run.json", "> run.json", "prepare/clone"},
		{"no files", "rm -r tree", "prepare/clone"},
		{"no index", "rm git/index", "prepare/clone"},
		{"an invalid index", "echo x > git/index", "prepare/clone"},
		{"no objects", "rm -rf git/objects", "prepare/clone"},
		{"an empty repository", "rm -rf git; git init -q --bare git", "prepare/clone"},
		{"the state of a run in place", "sed -i 's/\"Person\":null/\"Person\":{}/' run.json", "prepare/refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "")
			tr := r.open("run")
			tr.work(1, "echo A > a.txt")
			require.NoError(t, tr.Close(false))
			_, err := shell(tr.Home(), c.damage)
			require.NoError(t, err)
			was := fingerprint(t, tr.Home())
			_, err = r.workspace("run").Open(t.Context(), "run")
			assert.Equal(t, c.want, evidenceOf(t, err))
			assert.Empty(t, difference(was, fingerprint(t, tr.Home())))
			require.NoError(t, workspace.Remove(t.Context(), r.dir, "run", filepath.Join(filepath.Dir(r.dir),
				"trees")))
			assert.NoDirExists(t, tr.Home())
		})
	}
	r := newRepo(t, "")
	tr := r.open("run")
	_, err := tr.Diff(tr.ctx, tr.snapshot(), executor.Tree(strings.Repeat("ab", 20)))
	assert.Equal(t, "detect_changes/missing", evidenceOf(t, err), "a state without its clone")
	_, err = r.workspace("run").Open(t.Context(), "run")
	assert.Equal(t, "lock/held", evidenceOf(t, err))
	require.NoError(t, tr.BeforeCall(tr.ctx))
	tr.sh("GIT_DIR=../git GIT_WORK_TREE=. git update-index --assume-unchanged a.txt; echo A > a.txt")
	_, err = tr.Snapshot(tr.ctx)
	assert.Equal(t, "detect_changes/store", evidenceOf(t, err), "the agent used the repository of the run")
	require.NoError(t, tr.Close(false))
}

// TestUpdate merges a person's commit into the clone of a blocked run, which can be forwarded then.
func TestUpdate(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "git commit -qam all")
	tr := r.open("run")
	tr.work(1, "echo A > a.txt")
	tr.sh("echo pending > src/s.txt")
	r.sh("echo fixed > run.sh; git commit -qm fix run.sh")
	for range 2 {
		require.NoError(t, tr.Update(tr.ctx))
	}
	assert.Equal(t, "fixed\nA\n M src/s.txt", tr.sh("cat run.sh a.txt; git status --porcelain"))
	require.NoError(t, tr.Close(false))
	tr = r.open("run")
	require.NoError(t, tr.Update(tr.ctx))
	require.Empty(t, tr.deliver().why)

	r.sh("echo other > src/s.txt; git commit -qm other src/s.txt")
	was := filesOf(t, tr.Dir())
	assert.Equal(t, "prepare/conflict", evidenceOf(t, tr.Update(tr.ctx)), "the file has uncommitted changes")
	tr.work(2, "true")
	assert.Equal(t, "prepare/conflict", evidenceOf(t, tr.Update(tr.ctx)), "the commits conflict")
	assert.Empty(t, difference(was, filesOf(t, tr.Dir())))
	require.NoError(t, tr.Close(false))
}

// TestSaved lists and shows saved attempts during the run, and after it.
func TestSaved(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	tr := r.open("run")
	checked := tr.snapshot()
	tr.sh("echo A > a.txt; echo PASSWORD=stolen > .env; rm dir/b.txt")
	changes := tr.detect(checked)
	for range 2 {
		ref, err := tr.Save(tr.ctx, "3", checked, tr.found)
		require.NoError(t, err)
		assert.Equal(t, "refs/attempts/3", ref)
	}
	ref, err := tr.Save(tr.ctx, "3", tr.found, checked)
	require.NoError(t, err)
	assert.Regexp(t, "^refs/attempts/3-[0-9a-f]{7}$", ref, "another tree")
	for _, name := range []string{"", "a/../b", "a b", "-x.lock", "a..b"} {
		_, err := tr.Save(tr.ctx, name, checked, tr.found)
		assert.Equal(t, "save/name", evidenceOf(t, err), name)
	}
	tr.revert(checked, changes)
	tr.work(1, "echo B > src/s.txt")
	require.Empty(t, tr.deliver().why)
	w := r.workspace("run")
	for range 2 {
		all, err := w.Saved(t.Context())
		require.NoError(t, err)
		require.Len(t, all, 2)
		assert.Equal(t, "3", all[0].Name)
		assert.False(t, all[0].At.IsZero())
		assert.Equal(t, []string{"modified .env", "modified a.txt", "removed dir/b.txt"}, listed(all[0].Changes))
		var patch bytes.Buffer
		require.NoError(t, w.ShowSaved(t.Context(), "3", "", &patch))
		assert.Contains(t, patch.String(), "-a\n+A\n")
		patch.Reset()
		require.NoError(t, w.ShowSaved(t.Context(), "refs/attempts/3", "a.txt", &patch))
		assert.Equal(t, "A\n", patch.String())
		for _, x := range [][2]string{{"4", ""}, {"3", "none"}, {"../heads/errgen/run", ""}} {
			assert.Equal(t, "save/name", evidenceOf(t, w.ShowSaved(t.Context(), x[0], x[1], &patch)))
		}
		require.NoError(t, tr.Close(true)) // the attempts stay
		assert.NoDirExists(t, tr.Dir())
	}
	next := r.open("run")
	assert.Equal(t, "B", next.sh("cat src/s.txt"), "a next run of the name gets a new clone")
	require.NoError(t, next.Close(true))
}

// TestList lists the clones of a working tree without a store, writes a patch of one, and removes
// it.
func TestList(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	home := filepath.Join(filepath.Dir(r.dir), "trees")
	list := func() (out []string) {
		all, err := workspace.List(t.Context(), r.dir, home)
		require.NoError(t, err)
		for _, c := range all {
			assert.Positive(t, c.Size())
			assert.False(t, c.Updated.IsZero())
			out = append(out, c.Run+" "+c.State)
		}
		return out
	}
	assert.Empty(t, list())
	alive, dead, done := r.open("alive"), r.open("dead"), r.open("done")
	alive.work(1, "echo A > a.txt")
	dead.work(1, "echo A > a.txt; printf '\\0' > bin; git add -A")
	dead.sh("echo n > new.txt; echo x > x.log; echo stolen > .env")
	require.NoError(t, dead.Close(false))
	done.work(1, "echo D > src/s.txt")
	require.Empty(t, done.deliver().why)
	require.NoError(t, done.Close(false))
	half := filepath.Join(filepath.Dir(dead.Home()), "half")
	require.NoError(t, os.MkdirAll(filepath.Join(half, "tree"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(half, "tree", "a.txt"), []byte("x"), 0o600))
	assert.Equal(t, []string{"alive alive", "dead dead", "done delivered", "half unfinished"}, list())

	var patch bytes.Buffer
	require.NoError(t, dead.Patch(t.Context(), &patch))
	require.NoError(t, os.WriteFile(filepath.Join(home, "p"), patch.Bytes(), 0o600))
	r.sh("git apply ../trees/p")
	assert.Equal(t, "A\nn\nPASSWORD=secret", r.sh("cat a.txt new.txt; test -e bin; test ! -e x.log; cat .env"))
	assert.Equal(t, "lock/held", evidenceOf(t, alive.Patch(t.Context(), &patch)))
	assert.Equal(t, "lock/held", evidenceOf(t, workspace.Remove(t.Context(), r.dir, "alive", home)))
	for _, run := range []string{"dead", "done", "half"} {
		require.NoError(t, workspace.Remove(t.Context(), r.dir, run, home))
	}
	assert.Equal(t, "prepare/name", evidenceOf(t, workspace.Remove(t.Context(), r.dir, "dead", home)))
	assert.Equal(t, []string{"alive alive"}, list())
	require.NoError(t, alive.Close(false))
}

// TestInPlace works in the person's clean working tree, and refuses to deliver if the agent changed
// what git reads there.
func TestInPlace(t *testing.T) {
	const clean = "git stash -q -u; git stash drop -q; git init -q --bare ../up; git remote add origin ../up; "
	inPlace := func(o *workspace.Options) { o.InPlace = true }
	t.Run("delivers", func(t *testing.T) {
		t.Parallel()
		r := newRepo(t, clean+"git push -q -u origin main")
		tr := r.open("run", inPlace)
		assert.Equal(t, r.dir, tr.Dir())
		_, err := r.workspace("other", inPlace).Open(t.Context(), "other")
		assert.Equal(t, "lock/held", evidenceOf(t, err), "the working tree is locked")
		checked := tr.snapshot()
		tr.sh("echo bad > a.txt; rm -r dir; git add -A")
		tr.revert(checked, tr.detect(checked))
		id := tr.work(1, "echo A > a.txt; git init -q sub; echo n > sub/x")
		assert.Equal(t, id+"\nM\ta.txt\nA\tsub/x", r.sh("git show --name-status --format=%H | grep .; git "+
			"status --porcelain"))
		assert.Equal(t, delivered{}, tr.deliver())
		require.NoError(t, tr.Push(tr.ctx))
		assert.Equal(t, id, r.sh("git --git-dir=../up rev-parse main"))
		require.NoError(t, tr.Close(true))
		assert.NoDirExists(t, tr.Home())
	})
	for _, c := range []struct{ name, change string }{
		{"a commit", "git commit -q --allow-empty -m evil"},
		{"another branch", "git checkout -qb evil"},
		{"a configuration", "git config core.fsmonitor 'touch ../ran'"},
		{"a filter", "git config filter.x.clean 'touch ../ran; cat'; echo '* filter=x' > .git/info/attributes"},
		{"a hook", "printf '#!/bin/sh\\ntouch ../ran\\n' > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, clean)
			tr := r.open("run", inPlace)
			require.NoError(t, tr.BeforeCall(tr.ctx))
			tr.sh("echo A > a.txt; " + c.change)
			head := r.sh("git -c core.fsmonitor=false rev-parse HEAD")
			now := tr.snapshot()
			_, err := tr.Commit(tr.ctx, executor.Commit{Attempt: 1, Tree: now, Paths: []string{"a.txt"},
				Message: "m"})
			assert.Equal(t, "commit/moved", evidenceOf(t, err))
			assert.Equal(t, "push/moved", evidenceOf(t, tr.Push(tr.ctx)))
			require.NoError(t, tr.Close(true))
			assert.NoFileExists(t, filepath.Join(filepath.Dir(r.dir), "ran"))
			assert.Equal(t, head, r.sh("git -c core.fsmonitor=false rev-parse HEAD"))
			assert.DirExists(t, tr.Home())
		})
	}
}

// TestHooks runs a person's hooks only if that is configured, as they are in the person's
// repository.
func TestHooks(t *testing.T) {
	const hooks = "mkdir .husky; git config core.hooksPath .husky; for h in pre-commit commit-msg post-commit " +
		"pre-push; do\n" +
		"printf '#!/bin/sh\\necho %s $(git diff --cached --name-only) >> '$(dirname $PWD)/ran'\\n' $h > .husky/$h\n" +
		"chmod 755 .husky/$h; done; git init -q --bare ../up; git remote add origin ../up\n"
	for _, c := range []struct {
		name, before string
		hooks        bool
		ran, err     string
	}{
		{"not by default", "", false, "", ""},
		{"of the person", "", true, "pre-commit a.txt\ncommit-msg a.txt\npre-push staged.txt\n", ""},
		{"one that refuses", "echo 'exit 1' >> .husky/pre-commit", true, "pre-commit a.txt\n", "commit/"},
		{"one that changes the commit", "echo 'echo x > a.txt; git add a.txt' >> .husky/pre-commit", true,
			"pre-commit a.txt\ncommit-msg a.txt\n", "commit/moved"},
		{"one that writes the message", "echo 'echo more >> $1' >> .husky/commit-msg", true,
			"pre-commit a.txt\ncommit-msg a.txt\npre-push staged.txt\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, hooks+c.before)
			tr := r.open("run", func(o *workspace.Options) { o.Hooks = c.hooks })
			tr.sh("echo A > a.txt; mkdir .husky; echo 'touch evil' > .husky/pre-commit; chmod 755 .husky/pre-commit")
			now := tr.snapshot()
			_, err := tr.Commit(tr.ctx, executor.Commit{Attempt: 1, Tree: now, Paths: []string{"a.txt"},
				Message: "m"})
			if c.err != "" {
				assert.Equal(t, c.err, evidenceOf(t, err))
			} else {
				require.NoError(t, err)
				require.NoError(t, tr.Push(tr.ctx))
				assert.Equal(t, "A", r.sh("git --git-dir=../up show errgen/run:a.txt"))
				assert.Equal(t, c.name == "one that writes the message",
					strings.Contains(r.sh("git log -1 --format=%B errgen/run"), "more"))
			}
			ran, _ := os.ReadFile(filepath.Join(filepath.Dir(r.dir), "ran"))
			assert.Equal(t, c.ran, string(ran))
			require.NoError(t, tr.Close(false))
		})
	}
}

func TestOpenPR(t *testing.T) {
	const open = "cat > ../body; printf '%s\\n' \"$@\" > ../args; echo https://example.com/pr/1"
	for _, c := range []struct {
		name             string
		pr, find         []string
		want, err, given string
	}{
		{"a new one", []string{"sh", "-c", open, "x", "--title={title}", "to {base} from {branch}"}, nil,
			"https://example.com/pr/1", "", "--title=Title ; rm\nto main from errgen/run\n"},
		{"one that is open", []string{"false"}, []string{"echo", "https://example.com/pr/7"},
			"https://example.com/pr/7", "", ""},
		{"a failing command", []string{"false"}, nil, "", "pr/", ""},
		{"no command", nil, nil, "", "pr/unset", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "")
			tr := r.open("run", func(o *workspace.Options) { o.PR, o.FindPR = c.pr, c.find })
			url, err := tr.OpenPR(t.Context(), "Title ; rm\nsecond line", "body $(touch ran)")
			assert.Equal(t, c.want, url)
			if c.err != "" {
				assert.Equal(t, c.err, evidenceOf(t, err))
			} else {
				require.NoError(t, err)
			}
			given, _ := os.ReadFile(filepath.Join(r.dir, "../args"))
			assert.Equal(t, c.given, string(given))
			require.NoError(t, tr.Close(false))
		})
	}
}

// TestAttempt keeps a fix only if it works.
func TestAttempt(t *testing.T) {
	failure := errors.New("no")
	for _, c := range []struct {
		name, fix, check string
		judge            error
		fails            bool
		files            []string
		after            string
	}{
		{"a fix that works", "echo fixed > a.txt", "grep -q fixed a.txt; echo x > dir/new", nil, false,
			[]string{"added dir/new", "modified a.txt"}, "fixed"},
		{"a fix that does nothing", "true", "true", nil, false, []string{}, "a"},
		{"a failing check", "echo worse > a.txt; rm dir/b.txt", "false", nil, true,
			[]string{"modified a.txt", "removed dir/b.txt"}, "a"},
		{"a failing fix", "echo worse > a.txt; false", "true", nil, true, []string{"modified a.txt"}, "a"},
		{"a change that is not allowed", "echo worse > a.txt", "true", failure, true, []string{"modified " +
			"a.txt"}, "a"},
		{"a commit by the fix", "echo fixed > a.txt; git commit -qam fix", "true", nil, false,
			[]string{"modified a.txt"}, "fixed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "")
			tr := r.open("run")
			was := filesOf(t, tr.Dir())
			sh := func(script string) func(context.Context) error {
				return func(context.Context) error {
					_, err := shell(tr.Dir(), script)
					return err
				}
			}
			changes, saved, err := tr.Attempt(t.Context(), "fix", func([]executor.Change) error { return c.judge },
				sh(c.fix), sh(c.check))
			assert.Equal(t, c.fails, err != nil)
			assert.Equal(t, c.files, listed(changes))
			assert.Equal(t, c.fails, saved != "")
			if c.fails {
				assert.Empty(t, difference(was, filesOf(t, tr.Dir())))
			}
			assert.Equal(t, c.after, tr.sh("cat a.txt"))
			require.NoError(t, tr.Close(false))
		})
	}
	r := newRepo(t, "")
	tr := r.open("run")
	allow := func([]executor.Change) error { return nil }
	_, _, err := tr.Attempt(t.Context(), "fix", allow, func(context.Context) error {
		tr.sh("echo half > a.txt")
		_, err := shell(tr.Home(), "cp git/refs/errgen/attempt ../../../attempt")
		return err
	})
	require.NoError(t, err)
	require.NoError(t, tr.Close(false))
	_, err = shell(tr.Home(), "cp ../../../attempt git/refs/errgen") // as if the process had died in the fix
	require.NoError(t, err)
	tr = r.open("run")
	_, _, err = tr.Attempt(t.Context(), "fix", allow, func(context.Context) error {
		assert.Equal(t, "a", tr.sh("cat a.txt"))
		return nil
	})
	require.NoError(t, err)
	require.NoError(t, tr.Close(false))
}

// TestDeliverWhileAWorktreeIsAdded delivers while git worktree add has not yet written the commit of
// the new working tree. Git refuses every fetch at that moment.
func TestDeliverWhileAWorktreeIsAdded(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "git worktree add -q --detach ../w")
	head := filepath.Join(r.dir, ".git/worktrees/w/HEAD")
	commit := r.sh("cat " + head)
	binary := filepath.Join(t.TempDir(), "git")
	script := fmt.Sprintf("#!/bin/sh\ngit \"$@\"; code=$?\ncase \" $* \" in *' fetch '*) echo %s > %s;; esac\n"+
		"exit $code\n", commit, head)
	require.NoError(t, os.WriteFile(binary, []byte(script), 0o755))
	tr := r.open("run", func(o *workspace.Options) { o.Binary = binary })
	checked := tr.snapshot()
	tr.sh("echo x > a.txt")
	tr.commit(1, tr.detect(checked))
	r.sh("echo " + strings.Repeat("0", len(commit)) + " > " + head)
	assert.Equal(t, "errgen/run", tr.deliver().branch)
	assert.Equal(t, "x", r.sh("cat a.txt"))
}

// TestEightRuns works for eight runs in one repository at the same time, while a person commits,
// stashes, rebases, fetches and adds working trees. Each result is forwarded, or a branch.
func TestEightRuns(t *testing.T) {
	t.Parallel()
	const n = 8
	r := newRepo(t, "git stash -q -u; git stash drop -q; git clone -q --bare . ../up; git remote add origin ../up")
	var runs, person sync.WaitGroup
	end := make(chan struct{})
	person.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-end:
				return
			default:
			}
			_, _ = shell(r.dir, fmt.Sprintf("echo %[1]d > person.txt; git add person.txt; git commit -qm "+
				"p%[1]d; git fetch -q\n"+
				"echo x > dirty.txt; git stash -q; git rebase -q HEAD~ --exec true; git worktree add -q "+
				"--detach ../w%[1]d\n"+
				"git stash pop -q; git checkout -q dirty.txt; git pack-refs --all; git gc -q --auto", i))
		}
	})
	results := make([]delivered, n)
	for i := range n {
		runs.Go(func() {
			ctx := t.Context()
			run := fmt.Sprint("run", i)
			w, err := workspace.New(ctx, r.dir, run, r.options())
			if !assert.NoError(t, err) {
				return
			}
			opened, err := w.Open(ctx, run)
			if !assert.NoError(t, err) {
				return
			}
			s := opened.(*workspace.Space)
			for attempt := range 2 {
				if _, err := shell(s.Dir(), fmt.Sprintf("echo %d >> src/%d.txt", attempt,
					i)); !assert.NoError(t, err) {
					return
				}
				now, err := s.Snapshot(ctx)
				assert.NoError(t, err)
				_, err = s.Commit(ctx, executor.Commit{Attempt: attempt, Tree: now, Message: run,
					Paths: []string{fmt.Sprintf("src/%d.txt", i)}})
				assert.NoError(t, err)
			}
			results[i], err = deliver(ctx, s)
			assert.NoError(t, err)
			assert.NoError(t, s.Close(true))
		})
	}
	runs.Wait()
	close(end)
	person.Wait()
	r.sh("rm -f .git/index.lock; git rebase --abort 2>/dev/null || true; git checkout -qf main; git stash clear")
	for i, d := range results {
		if d.why != "" {
			assert.Contains(t, d.next, "git merge errgen/run"+fmt.Sprint(i))
			r.sh("git merge -q -m m errgen/run" + fmt.Sprint(i))
		}
		assert.Equal(t, "0\n1", r.sh(fmt.Sprintf("cat src/%d.txt", i)))
	}
	assert.Empty(t, r.sh("git fsck --no-dangling --no-progress 2>&1 | grep -v notice || true"))
}
