package workspace_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/workspace"
)

// perm returns the permissions of what is at a path.
func (r *repo) perm(p string) os.FileMode {
	r.t.Helper()
	info, err := os.Lstat(r.path(p))
	require.NoError(r.t, err)
	return info.Mode().Perm()
}

// TestPipeIsMadeAgain puts a pipe of the user's back, whatever was done to it.
func TestPipeIsMadeAgain(t *testing.T) {
	t.Parallel()
	for name, does := range map[string]func(r *repo){
		"removed":                      func(r *repo) { r.remove("d/pipe") },
		"removed, with its directory":  func(r *repo) { r.remove("d") },
		"a file in its place":          func(r *repo) { r.remove("d/pipe"); r.write("d/pipe", "x") },
		"a directory in its place":     func(r *repo) { r.remove("d/pipe"); r.write("d/pipe/x", "x") },
		"a link in place of all of it": func(r *repo) { r.remove("d/pipe"); r.link("../a.txt", "d/pipe") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			r.mkdir("d")
			require.NoError(t, syscall.Mkfifo(r.path("d/pipe"), 0o600))
			r.chmod("d/pipe", 0o622)
			s := r.begin(workspace.Options{})
			does(r)
			s.reopen(workspace.Options{})
			changes := s.detect()
			s.save(changes)
			s.revert(changes)
			info, err := os.Lstat(r.path("d/pipe"))
			require.NoError(t, err)
			assert.Equal(t, os.ModeNamedPipe|0o622, info.Mode())
			assert.Equal(t, "a\n", r.read("a.txt"))
		})
	}
}

// TestSocketsAreNamed says which sockets have to be made again by hand, and puts all else back.
func TestSocketsAreNamed(t *testing.T) {
	r := newRepo(t)
	t.Chdir(r.dir) // the names of sockets are short
	for n := range 7 {
		l, err := net.Listen("unix", fmt.Sprintf("socket%d", n))
		require.NoError(t, err)
		defer l.Close()
	}
	s := r.begin(workspace.Options{})
	require.Empty(t, s.detect())
	for n := range 7 {
		r.remove(fmt.Sprintf("socket%d", n))
	}
	r.write("a.txt", "A\n")
	changes := s.detect()
	s.save(changes)
	ev := evidenceOf(t, s.ws.Revert(s.ctx, s.checked, changes))
	assert.Len(t, ev.Files, 7)
	assert.Equal(
		t, `sockets and devices cannot be put back, make them again by hand: "socket0", "socket1", "socket2", `+
			`"socket3", "socket4" (and 2 more)`, ev.Text)
	assert.Equal(t, "a\n", r.read("a.txt"))

	// A pipe in place of one is no socket.
	require.NoError(t, syscall.Mkfifo(r.path("socket0"), 0o644))
	assert.Contains(t, listed(s.detect()), "modified socket0")
}

// TestDirectoriesThatAreShut finds and puts back what is in directories of which a call has taken
// the rights from their owner, and gives the directories the permissions that they had.
func TestDirectoriesThatAreShut(t *testing.T) {
	if !asNobody(t) {
		return
	}
	for name, does := range map[string]func(r *repo){
		"shut":               func(r *repo) { r.chmod("dir", 0) },
		"shut, with changes": func(r *repo) { r.remove("dir/b.txt"); r.write("dir/new", "n"); r.chmod("dir", 0) },
		"no writing":         func(r *repo) { r.write("dir/b.txt", "B\n"); r.chmod("dir", 0o555) },
		"no searching":       func(r *repo) { r.write("dir/b.txt", "B\n"); r.chmod("dir", 0o444) },
		"one in the other":   func(r *repo) { r.remove("own/sub/x"); r.chmod("own/sub", 0); r.chmod("own", 0) },
		"the tree itself":    func(r *repo) { r.write("a.txt", "A\n"); r.chmod("", 0) },
		"git's hooks":        func(r *repo) { r.write(".git/hooks/evil", "x"); r.chmod(".git/hooks", 0) },
		"a new one": func(
			r *repo) {
			r.write("new/sub/x", "x")
			r.chmod("new/sub", 0)
			r.chmod("new", 0o100)
		},
		"made anew, more open": func(r *repo) { r.remove("own"); r.write("own/sub/x", "y\n") },
		"a file":               func(r *repo) { r.write("a.txt", "A\n"); r.chmod("a.txt", 0) },
		"a new file":           func(r *repo) { r.write("new.txt", "n\n"); r.chmod("new.txt", 0o200) },
		"a link to another place": func(
			r *repo) {
			r.remove("own")
			r.link("../outside", "own")
			r.write("a.txt", "A\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			outside := filepath.Join(filepath.Dir(r.dir), "outside")
			require.NoError(t, os.Mkdir(outside, 0o500))
			r.write("own/sub/x", "x\n")
			r.chmod("own/sub", 0o555)
			r.chmod("own", 0o750)
			r.chmod("dir", 0o755)
			root, hooks := r.perm(""), r.perm(".git/hooks")
			s := r.begin(workspace.Options{})
			require.Empty(t, s.detect())
			r.chmod("own/sub", 0o755)
			does(r)
			if name != "the tree itself" { // which no command can be started in
				s.reopen(workspace.Options{})
			}
			changes := s.detect()
			s.save(changes)
			s.revert(append(changes, s.detect()...))
			assert.Equal(t, "b\n", r.read("dir/b.txt"))
			assert.Equal(t, "x\n", r.read("own/sub/x"))
			assert.Equal(t, "a\n", r.read("a.txt"))
			assert.False(t, r.exists("new"))
			assert.Equal(t, os.FileMode(0o755), r.perm("dir"))
			if len(changes) > 0 {
				assert.Equal(t, os.FileMode(0o750), r.perm("own"))
				assert.Equal(t, os.FileMode(0o555), r.perm("own/sub"))
			}
			assert.Equal(t, root, r.perm(""))
			assert.Equal(t, hooks, r.perm(".git/hooks"))
			info, err := os.Stat(outside)
			require.NoError(t, err)
			assert.Equal(t, os.FileMode(0o500), info.Mode().Perm())
			r.chmod("own/sub", 0o755)
		})
	}
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	r.chmod("dir", 0)
	_, err := s.ws.Look(s.ctx, s.checked)
	assert.Equal(t, "EACCES", evidenceOf(t, err).Errno)
	assert.Zero(t, r.perm("dir"), "who only looks changes nothing")
	r.chmod("dir", 0o755)
}

// TestLocksThatAreLeft removes the locks of git commands that were killed, and no others.
func TestLocksThatAreLeft(t *testing.T) {
	t.Parallel()
	locks := []string{
		".git/index.lock", ".git/HEAD.lock", ".git/config.lock", ".git/packed-refs.lock", ".git/refs/heads/main.lock",
		".git/refs/tags/a/b.lock", ".git/modules/sub/index.lock", ".git/modules/sub/refs/heads/main.lock",
	}
	for _, changed := range []bool{false, true} {
		r := withSubmodule(t)
		r.write(".git/refs/heads/old.lock", "")
		r.write(".git/modules/sub/HEAD.lock", "")
		s := r.begin(workspace.Options{})
		for _, lock := range locks {
			r.write(lock, "")
		}
		if changed {
			r.write("a.txt", "A\n")
			_, err := s.ws.Look(s.ctx, s.checked)
			require.NoError(t, err)
			assert.True(t, r.exists(locks[0]), "who only looks changes nothing")
		}
		s.revert(s.detect())
		for _, lock := range locks {
			assert.False(t, r.exists(lock), lock)
		}
		assert.True(t, r.exists(".git/refs/heads/old.lock"), "it was there before")
		assert.True(t, r.exists(".git/modules/sub/HEAD.lock"), "it was there before")
	}

	r := newRepo(t)
	s := r.begin(workspace.Options{})
	f, err := os.Create(r.path(".git/HEAD.lock"))
	require.NoError(t, err)
	cmd := exec.Command("sh", "-c", "echo ready; read line")
	cmd.ExtraFiles = []*os.File{f}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	require.NoError(t, f.Close())
	_, err = out.Read(make([]byte, 8))
	require.NoError(t, err)
	assert.Empty(t, s.detect())
	assert.True(t, r.exists(".git/HEAD.lock"), "somebody alive has it")
	require.NoError(t, in.Close())
	_ = cmd.Wait()
	assert.Empty(t, s.detect())
	assert.False(t, r.exists(".git/HEAD.lock"))
}

// withSubmodule returns a repository with a submodule in sub.
func withSubmodule(t *testing.T) *repo {
	t.Helper()
	r, lib := newRepo(t), emptyRepo(t)
	lib.write("lib.txt", "lib\n")
	lib.write("other.txt", "other\n")
	lib.git("add", "-A")
	lib.git("commit", "-qm", "lib")
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.dir, "sub")
	r.git("commit", "-qm", "submodule")
	return r
}

// TestSubmoduleStaysStaged puts the index of a submodule, and of a repository in the tree, back as
// the tree's own.
func TestSubmoduleStaysStaged(t *testing.T) {
	t.Parallel()
	for name, does := range map[string]func(r *repo, sub string){
		"stages all": func(r *repo, sub string) { r.git("-C", sub, "add", "-A") },
		"commits": func(r *repo, sub string) {
			r.git("-C", sub, "add", "-A")
			r.git("-C", sub, "commit", "-qm", "agent's")
		},
		"unstages":        func(r *repo, sub string) { r.git("-C", sub, "reset", "-q") },
		"removes it":      func(r *repo, sub string) { r.remove(r.git("-C", sub, "rev-parse", "--git-path", "index")) },
		"leaves its lock": func(r *repo, sub string) { r.git("-C", sub, "reset", "-q"); r.write(lockOf(sub), "") },
		"works": func(
			r *repo, sub string) {
			r.write(sub+"/other.txt", "o\n")
			r.git("-C", sub, "add", "-A")
		},
	} {
		for _, sub := range []string{"sub", "nested"} {
			t.Run(name+" "+sub, func(t *testing.T) {
				t.Parallel()
				r := withSubmodule(t)
				r.git("clone", "-q", "sub", "nested")
				for _, d := range []string{"sub", "nested"} {
					r.write(d+"/lib.txt", "changed\n")
					r.write(d+"/staged.txt", "staged\n")
					r.git("-C", d, "add", "staged.txt")
				}
				s := r.begin(workspace.Options{})
				require.Empty(t, listed(s.detect()))
				was, index := r.git("-C", sub, "status", "--porcelain"), r.git("-C", sub, "ls-files", "-s", "-v")
				does(r, sub)
				s.reopen(workspace.Options{})
				changes := s.detect()
				s.save(changes)
				s.revert(changes)
				assert.Equal(t, index, r.git("-C", sub, "ls-files", "-s", "-v"))
				assert.Equal(t, was, r.git("-C", sub, "status", "--porcelain"))
				assert.False(t, r.exists(lockOf(sub)))
			})
		}
	}
}

func lockOf(sub string) string {
	if sub == "sub" {
		return ".git/modules/sub/index.lock"
	}
	return sub + "/.git/index.lock"
}

// TestReflogsStay puts back what a call has taken out of reflogs, and keeps what only they know of.
func TestReflogsStay(t *testing.T) {
	t.Parallel()
	for name, does := range map[string]func(r *repo){
		"expires and collects": func(
			r *repo) {
			r.git("reflog", "expire", "--expire=now", "--all")
			r.git("gc", "-q", "--prune=now")
		},
		"removes them":     func(r *repo) { r.remove(".git/logs"); r.git("gc", "-q", "--prune=now") },
		"removes a branch": func(r *repo) { r.git("branch", "-qD", "side"); r.git("gc", "-q", "--prune=now") },
		"commits":          func(r *repo) { r.git("commit", "-q", "--allow-empty", "-m", "agent's") },
		"drops the first":  func(r *repo) { r.git("reflog", "delete", "HEAD@{2}") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			r.git("branch", "side")
			r.write("a.txt", "precious\n")
			r.git("commit", "-qam", "precious")
			lost := r.git("rev-parse", "HEAD")
			r.git("reset", "-q", "--hard", "HEAD~")
			s := r.begin(workspace.Options{})
			require.Empty(t, listed(s.detect()))
			logs := [2]string{r.read(".git/logs/HEAD"), r.read(".git/logs/refs/heads/main")}
			side := r.read(".git/logs/refs/heads/side")
			does(r)
			s.reopen(workspace.Options{})
			changes := s.detect()
			s.save(changes)
			s.revert(changes)
			assert.True(t, strings.HasPrefix(r.read(".git/logs/HEAD"), logs[0]))
			assert.True(t, strings.HasPrefix(r.read(".git/logs/refs/heads/main"), logs[1]))
			assert.True(t, strings.HasPrefix(r.read(".git/logs/refs/heads/side"), side))
			assert.Equal(t, "commit", r.git("cat-file", "-t", lost))
			r.git("fsck", "--no-dangling", "--no-progress")

			s.work(map[string]string{"a.txt": "work\n"})
			s.commit("a.txt")
			log := r.read(".git/logs/HEAD")
			require.Empty(t, s.detect())
			assert.Equal(t, log, r.read(".git/logs/HEAD"), "what has come to it stays")
			require.NoError(t, s.ws.Release(s.ctx, s.run))
			assert.Empty(t, r.git("for-each-ref", "refs/errgen/run-1/checked"))
		})
	}
}
