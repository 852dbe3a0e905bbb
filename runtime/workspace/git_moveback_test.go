package workspace_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/workspace"
)

const commits = "git commit -q --allow-empty -m x"

// moves are ways to move HEAD and branches, with how many commands it takes to move them back.
var moves = []struct {
	name, before, do string
	want             int
	kept             int // commits that nothing else would have
}{
	{"nothing", "true", "true", 0, 0},
	{"a commit", "true", commits, 2, 1},
	{"a branch", "true", "git branch mine", 1, 0},
	{"a branch that is checked out", "true", "git checkout -q -b other", 2, 0},
	{"a branch, with a commit", "true", "git checkout -q -b other && " + commits, 3, 1},
	{"commits here and there", "true", commits + " && git checkout -q -b feature && " + commits, 5, 2},
	{"one commit, two branches", "true", "git checkout -q -b other && " + commits + " && git branch another", 4, 1},
	{"a commit that a tag has already", commits + " && git tag mark && git reset -q --hard HEAD~",
		"git branch mine mark", 1, 0},
	{"a commit that only a reflog has", commits + " && git reset -q --hard HEAD~", "git branch mine HEAD@{1}", 2, 1},
	{"another name for a branch is removed, deep", "git symbolic-ref refs/heads/alias refs/heads/main",
		"git symbolic-ref -d refs/heads/alias && git branch alias/x/y", 2, 0},
	{"odd names", "true",
		`git checkout -q -b "it's;\$(id)&x" && git branch "a|b" && git branch '#!%"' && git branch "$(printf ` +
			`'z\342\200\213\377')" && git branch é`, 6, 0},
	{"a branch that is like an option", "true", "git update-ref refs/heads/-d HEAD", 1, 0},
	{"another branch is removed", "git branch other", "git branch -q -D other", 1, 0},
	{"an odd one is removed", `git branch "$(printf 'it\047s;\n' | tr -d '\n')"`, `git branch -q -D "it's;"`, 1, 0},
	{"all are moved", "git branch other", commits + " && git branch -q -f other", 3, 1},
	{"detached", "true", "git checkout -q --detach && " + commits, 2, 1},
	{"no longer detached", "git checkout -q --detach", "git checkout -q main", 1, 0},
	{"detached elsewhere", "git checkout -q --detach", commits, 2, 1},
	{"the first commit", "git checkout -q --orphan fresh", commits, 2, 1},
	{"a directory in place of a branch", "git branch keep", "git branch -q -D keep && git checkout -q -b keep/x && " +
		commits, 4, 1},
	{"a branch in place of a directory", "git branch keep/x && git branch keep/y/z",
		"git branch -q -D keep/x keep/y/z && git branch keep", 3, 0},
	{"the branch that is checked out becomes a directory", "true", "git branch -m main main/sub && " + commits, 4, 1},
	{"the one that is checked out, and is deep", "git checkout -q -b a/b/c", "git branch -m a/b/c a && " + commits, 4,
		1},
	{"unborn, and its name a directory", "git checkout -q --orphan fresh", "git branch fresh/x main", 1, 0},
	{"names change places", "git branch a && git branch b/c",
		"git branch -q -D a b/c && git branch a/b && git branch b", 4, 0},
	{"packed", "git branch keep && git pack-refs --all",
		"git branch -q -D keep && git branch keep/x && git pack-refs --all", 2, 0},
	{"another name for a branch", "true", "git symbolic-ref refs/heads/alias refs/heads/main", 1, 0},
	{"another name for no branch", "true", "git symbolic-ref refs/heads/alias refs/heads/none", 1, 0},
	{"another name for a branch is removed", "git symbolic-ref refs/heads/alias refs/heads/main",
		"git symbolic-ref -d refs/heads/alias && git branch alias/x", 2, 0},
	{"a branch becomes another name", "git branch other", "git symbolic-ref refs/heads/other refs/heads/main", 1, 0},
	{"another name becomes a branch", "git symbolic-ref refs/heads/other refs/heads/main",
		"git update-ref --no-deref refs/heads/other HEAD", 1, 0},
	{"on another name", "git symbolic-ref refs/heads/alias refs/heads/main && git symbolic-ref HEAD refs/heads/alias",
		"git symbolic-ref -d refs/heads/alias && git symbolic-ref HEAD refs/heads/main && git branch -m main " +
			"alias/x && " + commits, 5, 1},
}

// The commands that are named move HEAD and all branches back, whatever they are called, change no
// file, and lose no commit.
func TestMoveBack(t *testing.T) {
	t.Parallel()
	for _, tt := range moves {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			sh(t, r, tt.before)
			where := "cat .git/HEAD && git for-each-ref refs/heads && git status --porcelain"
			all := "git rev-list --all | sort"
			before := sh(t, r, where)
			g, err := workspace.Open(t.Context(), r.dir, workspace.Options{})
			require.NoError(t, err)
			_, err = g.Begin(t.Context(), "r")
			require.NoError(t, err)
			sh(t, r, tt.do)
			had := sh(t, r, all)
			commands, err := g.MoveBack(t.Context(), "r")
			require.NoError(t, err)
			assert.Len(t, commands, tt.want, "%q", commands)
			t.Log(strings.Join(commands, "\n"))
			sh(t, r, strings.Join(append(commands, "true"), " && "))
			assert.Equal(t, before, sh(t, r, where))
			assert.Subset(t, strings.Fields(sh(t, r, "git rev-list --all | sort")), strings.Fields(had))
			assert.Len(t, strings.Fields(sh(t, r, "git for-each-ref '--format=%(refname)' refs/errgen/r/kept")),
				tt.kept)
			commands, err = g.MoveBack(t.Context(), "r")
			require.NoError(t, err)
			assert.Empty(t, commands)
			sh(t, r, "git fsck --no-progress --no-dangling")
		})
	}
}

// What a call does is put back by the run itself alike.
func TestRevertOfNames(t *testing.T) {
	t.Parallel()
	for _, tt := range moves {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			sh(t, r, tt.before)
			where := "cat .git/HEAD && git for-each-ref refs/heads && git status --porcelain"
			before := sh(t, r, where)
			s := r.begin(workspace.Options{})
			sh(t, r, tt.do)
			changes := s.detect()
			s.save(changes)
			s.revert(changes)
			assert.Equal(t, before, sh(t, r, where))
		})
	}
}

// Without HEAD there is no repository for git.
func TestMoveBackOfHead(t *testing.T) {
	t.Parallel()
	for _, do := range []string{"rm .git/HEAD", "echo x >.git/HEAD"} {
		r := newRepo(t)
		head := r.read(".git/HEAD")
		g, err := workspace.Open(t.Context(), r.dir, workspace.Options{})
		require.NoError(t, err)
		_, err = g.Begin(t.Context(), "r")
		require.NoError(t, err)
		sh(t, r, "git branch mine && "+do)
		commands, err := g.MoveBack(t.Context(), "r")
		require.NoError(t, err)
		require.Len(t, commands, 1)
		sh(t, r, commands[0])
		assert.Equal(t, head, r.read(".git/HEAD"))
		commands, err = g.MoveBack(t.Context(), "r")
		require.NoError(t, err)
		require.Len(t, commands, 1)
		sh(t, r, commands[0])
		assert.Equal(t, "main", r.git("branch", "--format=%(refname:short)"))
	}
}

// A branch of another working tree stays; when its name is in the way it gets another one.
func TestMoveBackBesideOthers(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	sh(t, r, "git branch keep && git branch keep-x")
	s := r.begin(workspace.Options{})
	sh(t, r, "git branch -q -D keep && git worktree add -q -b keep/x "+t.TempDir()+"/other && git branch one-more && "+
		commits)
	commands, err := s.ws.MoveBack(s.ctx, s.run)
	require.NoError(t, err)
	sh(t, r, strings.Join(commands, " && "))
	assert.Equal(t, "keep\nkeep-x\nkeep-x-2\nmain", r.git("branch", "--format=%(refname:short)"))
	assert.Contains(t, r.git("worktree", "list"), "[keep-x-2]")
	assert.Empty(t, listed(s.detect()))
}

// What has moved once more since the commands were named is left alone.
func TestMoveBackTooLate(t *testing.T) {
	t.Parallel()
	for _, do := range []string{commits, "git checkout -q -b other && " + commits,
		"git checkout -q --detach && " + commits} {
		r := newRepo(t)
		s := r.begin(workspace.Options{})
		sh(t, r, do)
		commands, err := s.ws.MoveBack(s.ctx, s.run)
		require.NoError(t, err)
		sh(t, r, "git commit -q --allow-empty -m later")
		later := r.git("rev-parse", "HEAD")
		if !strings.Contains(do, "detach") { // where HEAD is on a branch again there is nothing to compare it with
			sh(t, r, "! { "+strings.Join(commands, " && ")+"; }")
			assert.Contains(t, r.git("rev-list", "--branches"), later)
		}
		commands, err = s.ws.MoveBack(s.ctx, s.run)
		require.NoError(t, err)
		sh(t, r, strings.Join(commands, " && "))
		assert.Contains(t, r.git("rev-list", "--all"), later)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	reset := r.git("rev-parse", "HEAD")
	sh(t, r,
		commits+
			" && git tag mark && git reset -q --hard HEAD~ && git commit -q --allow-empty -m logged && git reset "+
			"-q --hard HEAD~ && git branch side")
	logged, tagged := r.git("rev-parse", "HEAD@{1}"), r.git("rev-parse", "mark")
	s := r.begin(workspace.Options{})
	sh(t, r, "git commit -q --allow-empty -m fresh")
	fresh := r.git("rev-parse", "HEAD")
	all := []string{reset, fresh, logged, tagged, "--all", strings.Repeat("a", 40), ""}
	got, err := s.ws.New(s.ctx, s.run, all)
	require.NoError(t, err)
	assert.Equal(t, []string{fresh}, got)
	got, err = s.ws.New(s.ctx, s.run, nil)
	require.NoError(t, err)
	assert.Empty(t, got)
	_, err = s.ws.New(s.ctx, "unknown", all)
	require.Error(t, err)
}
