package workspace_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/workspace"
)

// TestWhatIsStagedStaysStaged has calls do to the user's index what they like, and nothing else.
func TestWhatIsStagedStaysStaged(t *testing.T) {
	t.Parallel()
	for name, does := range map[string]func(r *repo){
		"stages all":          func(r *repo) { r.git("add", "-A") },
		"unstages all":        func(r *repo) { r.git("reset", "-q") },
		"removes it":          func(r *repo) { r.remove(".git/index") },
		"writes garbage":      func(r *repo) { r.write(".git/index", "garbage") },
		"empties it":          func(r *repo) { r.write(".git/index", "") },
		"makes it something":  func(r *repo) { r.remove(".git/index"); r.mkdir(".git/index/x") },
		"hides a file":        func(r *repo) { r.git("update-index", "--assume-unchanged", "a.txt") },
		"skips a file":        func(r *repo) { r.git("update-index", "--skip-worktree", "dir/b.txt") },
		"removes from it":     func(r *repo) { r.git("rm", "-qf", "--cached", "a.txt", "staged.txt") },
		"unstages, collected": func(r *repo) { r.git("reset", "-q"); r.git("gc", "-q", "--prune=now") },
		"leaves its lock":     func(r *repo) { r.git("reset", "-q"); r.write(".git/index.lock", "") },
	} {
		for _, works := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := newRepo(t)
				r.write("staged.txt", "staged\n")
				r.write("a.txt", "staged\n")
				r.git("add", "staged.txt", "a.txt")
				r.write("a.txt", "and changed\n")
				r.write("mine.txt", "mine\n")
				s := r.begin(workspace.Options{})
				was, index := r.git("status", "--porcelain"), r.git("ls-files", "-s", "-v")
				if works {
					r.write("dir/b.txt", "work\n")
				}
				does(r)
				changes := s.detect()
				if name == "leaves its lock" && r.exists(".git/index.lock") {
					t.Skip("it is not known here whether somebody has it")
				}
				assert.Equal(t, index, r.git("ls-files", "-s", "-v"))
				assert.Equal(t, "staged", r.git("show", ":a.txt"))
				if !works {
					assert.Empty(t, changes)
					assert.Equal(t, was, r.git("status", "--porcelain"))
					return
				}
				assert.Equal(t, []string{"modified dir/b.txt"}, listed(changes))
				s.advance(changes)
				does(r)
				s.commit("dir/b.txt")
				assert.Equal(t, was, r.git("status", "--porcelain"), "by a check, before the commit")
				does(r)
				assert.Empty(t, s.detect())
				assert.Equal(t, was, r.git("status", "--porcelain"), "the commit is in it")
				assert.Equal(t, "work", r.git("show", ":dir/b.txt"))
				r.git("fsck", "--no-progress")
			})
		}
	}
}

// TestIndexThatSaysTheSame leaves an index alone in which only times of files are others.
func TestIndexThatSaysTheSame(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	r.write("a.txt", "a\n")
	r.git("status")
	index := r.read(".git/index")
	assert.Empty(t, s.detect())
	assert.Equal(t, index, r.read(".git/index"))
}

// TestNoIndex has a call stage in a repository that has no index yet.
func TestNoIndex(t *testing.T) {
	t.Parallel()
	r := emptyRepo(t)
	s := r.begin(workspace.Options{})
	r.write("new.txt", "n\n")
	r.git("add", "-A")
	changes := s.detect()
	assert.Equal(t, []string{"added new.txt"}, listed(changes))
	assert.Equal(t, "?? new.txt", r.git("status", "--porcelain"))
	s.advance(changes)
	s.commit("new.txt")
	assert.Empty(t, s.detect())
	assert.Empty(t, r.git("status", "--porcelain"))
}

// TestIndexWithoutItsCopy leaves the index alone when what was staged is not known any more.
func TestIndexWithoutItsCopy(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	r.write("a.txt", "x\n")
	r.git("add", "a.txt")
	require.NoError(t, os.WriteFile(r.path(".git/errgen/runs/run-1/index"), []byte("theirs"), 0o600))
	s.detect()
	assert.Equal(t, "x", r.git("show", ":a.txt"))
	r.remove(".git/errgen/runs/run-1/index")
	s.detect()
	assert.Equal(t, "x", r.git("show", ":a.txt"))
}

// TestNoFilterRunsBeforeTheJudgement puts an index back under a configuration that a call has
// brought.
func TestNoFilterRunsBeforeTheJudgement(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	ran := r.path("../filter-ran")
	r.git("config", "filter.x.clean", "touch "+ran+"; cat")
	r.git("config", "core.fsmonitor", "touch "+ran)
	r.write(".gitattributes", "* filter=x\n")
	r.write("a.txt", "other\n")
	r.git("-c", "core.fsmonitor=", "rm", "-q", "--cached", "dir/b.txt")
	require.NoError(t, os.RemoveAll(ran))
	assert.Equal(t, []string{"modified .git/config git", "added .gitattributes", "modified a.txt"}, listed(s.detect()))
	assert.NoFileExists(t, ran)
	assert.Contains(t, r.git("-c", "core.fsmonitor=", "ls-files"), "dir/b.txt")
}

// TestCommitLeavesOtherStagedFiles commits a change of a file that was staged only, and of one that
// becomes again what was committed before: the commit has neither, so that they stay staged.
func TestCommitLeavesOtherStagedFiles(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("staged.txt", "staged\n")
	r.write("a.txt", "staged\n")
	r.git("add", "staged.txt", "a.txt")
	s := r.begin(workspace.Options{})
	s.work(map[string]string{"staged.txt": "", "a.txt": "a\n", "dir/b.txt": "work\n"})
	done, err := s.tryCommit("staged.txt", "a.txt", "dir/b.txt")
	require.NoError(t, err)
	assert.Equal(t, []string{"dir/b.txt"}, done.Paths)
	assert.Equal(t, "MM a.txt\nAD staged.txt", r.git("status", "--porcelain"))
	assert.Empty(t, s.detect())
	assert.Equal(t, "MM a.txt\nAD staged.txt", r.git("status", "--porcelain"))
}

// TestStageIsNotTakenBack has a run end after its task's file was moved.
func TestStageIsNotTakenBack(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	require.NoError(t, os.Rename(r.path("a.txt"), r.path("done.txt")))
	require.NoError(t, s.ws.Stage(s.ctx, []string{"a.txt", "done.txt"}))
	require.NoError(t, s.ws.Release(s.ctx, s.run))
	assert.Equal(t, "R  a.txt -> done.txt", r.git("status", "--porcelain"))
	assert.Empty(t, r.git("for-each-ref", "refs/errgen"))
}
