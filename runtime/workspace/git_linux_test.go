package workspace_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/workspace"
)

func TestResumeLeavesLocksOfTheLiving(t *testing.T) {
	t.Run("the file is open", func(t *testing.T) {
		r := newRepo(t)
		s := r.begin(workspace.Options{})
		cmd := exec.Command("sh", "-c", "exec 9> .git/index.lock; echo ready; exec sleep 60")
		cmd.Dir = r.dir
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
		_, err = out.Read(make([]byte, 8))
		require.NoError(t, err)
		ev := evidenceOf(t, s.ws.Resume(s.ctx, s.run, s.checked))
		assert.Contains(t, ev.Text, fmt.Sprintf("process %d has it open", cmd.Process.Pid))
	})
	t.Run("git waits for an editor", func(t *testing.T) {
		r := newRepo(t)
		s := r.begin(workspace.Options{})
		r.write("a.txt", "x\n")
		cmd := exec.Command("git", "commit", "-a")
		cmd.Dir = r.dir
		cmd.Env = append(os.Environ(), "GIT_EDITOR=sleep 60; false")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		require.NoError(t, cmd.Start())
		defer func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); _ = cmd.Wait() }()
		require.Eventually(t, func() bool { return r.exists(".git/COMMIT_EDITMSG") && r.exists(".git/index.lock") },
			2*time.Minute, 10*time.Millisecond)
		ev := evidenceOf(t, s.ws.Resume(s.ctx, s.run, s.checked))
		assert.Contains(t, ev.Text, "process")
		assert.True(t, r.exists(".git/index.lock"))
	})
}

// TestSpecialFiles finds pipes and sockets, opens none, and removes them.
func TestSpecialFiles(t *testing.T) {
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	require.NoError(t, syscall.Mkfifo(r.path("fifo"), 0o644))
	require.NoError(t, os.Remove(r.path("a.txt")))
	require.NoError(t, syscall.Mkfifo(r.path("a.txt"), 0o644))
	require.NoError(t, syscall.Mkfifo(r.path(".gitattributes"), 0o644))
	t.Chdir(r.dir) // the names of sockets are short
	l, err := net.Listen("unix", "socket")
	require.NoError(t, err)
	defer l.Close()
	changes := s.detect()
	assert.Equal(t, []string{"added .gitattributes", "modified a.txt", "added fifo", "added socket"}, listed(changes))
	s.save(changes)
	s.revert(changes)
	assert.Equal(t, "a\n", r.read("a.txt"))
}

// TestCommitsHaveNoSpecialFiles says what is in a commit, and that is no pipe.
func TestCommitsHaveNoSpecialFiles(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("never-known.txt", "n\n")
	s := r.begin(workspace.Options{})
	require.NoError(t, syscall.Mkfifo(r.path("fifo"), 0o644))
	r.remove("a.txt")
	require.NoError(t, syscall.Mkfifo(r.path("a.txt"), 0o644))
	r.remove("run.sh")
	r.mkdir("run.sh")
	r.remove("never-known.txt")
	r.write("dir/b.txt", "B\n")
	changes := s.detect()
	assert.Equal(
		t, []string{"modified a.txt", "modified dir/b.txt", "added fifo", "removed never-known.txt", "modified run.sh"},
		listed(changes))
	s.advance(changes)
	paths := []string{"a.txt", "dir/b.txt", "fifo", "never-known.txt", "run.sh"}
	done, err := s.tryCommit(paths...)
	require.NoError(t, err)
	assert.Equal(
		t, executor.CommitDone{ID: r.git("rev-parse", "HEAD"), Paths: []string{"a.txt", "dir/b.txt", "run.sh"}}, done)
	assert.Equal(t, "D\ta.txt\nM\tdir/b.txt\nD\trun.sh", r.git("diff", "--name-status", "HEAD~", "HEAD"))
	again, err := s.tryCommit(paths...)
	require.NoError(t, err)
	assert.Equal(t, done, again, "it is found")
	found, err := s.ws.Committed(s.ctx, executor.Commit{Run: s.run, Attempt: 1})
	require.NoError(t, err)
	assert.Equal(t, done, found)
	assert.Empty(t, s.detect())
}

// TestCommitAndLocks commits while the index is locked.
func TestCommitAndLocks(t *testing.T) {
	t.Parallel()
	old := time.Now().Add(-3 * time.Hour)
	tests := map[string]struct {
		before, during func(r *repo)
		fails          bool
	}{
		"left behind": {during: func(r *repo) { r.write(".git/index.lock", "") }},
		"left behind, and said to old": {during: func(
			r *repo) {
			r.write(".git/index.lock", "")
			_ = os.Chtimes(r.path(".git/index.lock"), old, old)
		}},
		"older than the run": {before: func(r *repo) { r.write(".git/index.lock", "") }, fails: true},
		"of somebody alive": {
			during: func(r *repo) {
				cmd := exec.Command("sh", "-c", "exec 9> .git/index.lock; echo ready; exec sleep 60")
				cmd.Dir = r.dir
				out, err := cmd.StdoutPipe()
				require.NoError(r.t, err)
				require.NoError(r.t, cmd.Start())
				r.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
				_, err = out.Read(make([]byte, 8))
				require.NoError(r.t, err)
			},
			fails: true,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			if tt.before != nil {
				tt.before(r)
			}
			s := r.begin(workspace.Options{})
			s.work(map[string]string{"a.txt": "work\n"})
			if tt.during != nil {
				tt.during(r)
			}
			_, err := s.tryCommit("a.txt")
			assert.Equal(t, tt.fails, r.exists(".git/index.lock"))
			if !tt.fails {
				require.NoError(t, err)
				return
			}
			assert.Contains(t, evidenceOf(t, err).Text, "wait for it, or remove the file if there is none")
		})
	}
}

// TestLockOfTheDead takes the working tree of a run whose process was killed, and whose child still
// has the lock for a moment.
func TestLockOfTheDead(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	dead := exec.Command("true")
	require.NoError(t, dead.Run())
	host, err := os.Hostname()
	require.NoError(t, err)
	r.write(".git/errgen/tree.holder",
		fmt.Sprintf(`{"run":"run-0","pid":%d,"start":"another","host":%q}`, dead.Process.Pid, host))
	cmd := exec.Command("flock", "--no-fork", r.path(".git/errgen/tree.lock"), "sh", "-c", "echo ready; read line")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	if err := cmd.Start(); err != nil {
		t.Skip("no program takes the lock: ", err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	_, err = out.Read(make([]byte, 8))
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	_, err = s.ws.Lock(ctx, "run-1")
	require.ErrorIs(t, err, context.Canceled)
	impatient, err := workspace.Open(s.ctx, r.dir, workspace.Options{})
	require.NoError(t, err)
	workspace.Impatient(impatient)
	_, err = impatient.Lock(s.ctx, "run-1")
	assert.ErrorIs(t, err, workspace.ErrHeld)

	workspace.Patient(s.ws)
	taken := make(chan error, 1)
	go func() {
		unlock, err := s.ws.Lock(s.ctx, "run-1")
		if err == nil {
			err = unlock()
		}
		taken <- err
	}()
	require.NoError(t, in.Close())
	require.NoError(t, <-taken)
}

// asNobody runs a test again as a user who has no special rights.
func asNobody(t *testing.T) bool {
	t.Helper()
	if os.Getuid() != 0 {
		return true
	}
	dir, err := os.MkdirTemp("/tmp", "nobody")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	require.NoError(t, os.Chmod(dir, 0o777))
	self, err := os.Executable()
	require.NoError(t, err)
	program := filepath.Join(dir, "test")
	b, err := os.ReadFile(self)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(program, b, 0o755))
	cmd := exec.Command(program, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "PASS")
	return false
}

// TestUnreadable says that a file or a directory of the user's cannot be read, and never that
// nothing has changed.
func TestUnreadable(t *testing.T) {
	if !asNobody(t) {
		return
	}
	for _, p := range []string{"a.txt", "dir", "new"} {
		r := newRepo(t)
		if p == "new" {
			r.write(p, "x")
		}
		r.chmod(p, 0)
		ws, err := workspace.Open(t.Context(), r.dir, workspace.Options{})
		require.NoError(t, err)
		_, err = ws.Begin(t.Context(), "run-1")
		ev := evidenceOf(t, err)
		assert.Equal(t, "prepare", ev.Op)
		assert.Equal(t, "EACCES", ev.Errno)
		assert.Equal(t, []string{p}, ev.Files)
		r.chmod(p, 0o755)
	}
	r := newRepo(t)
	r.write(".gitignore", "data/\n")
	r.write("data/x", "x")
	r.chmod("data", 0)
	s := r.begin(workspace.Options{Watch: named(".env")})
	assert.Empty(t, s.detect(), "what could not be read from the beginning")
	r.chmod("data", 0o755)
	r.write("data/.env", "x")
	assert.Equal(t, []string{"added data/.env ignored"}, listed(s.detect()))
}

// TestFullDisk has every operation fail on a full disk, lose nothing, and work when there is room
// again.
func TestFullDisk(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skip("no small disk: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	r := &repo{t: t, dir: dir}
	r.git("init", "-q")
	big := strings.Repeat("0123456789abcdef", 4096)
	r.write("a.txt", "a\n")
	r.write("big.txt", big)
	r.git("add", "-A")
	r.git("commit", "-qm", "first")
	s := r.begin(workspace.Options{})
	s.work(map[string]string{"work.txt": "w\n"})
	r.remove("big.txt")
	r.write("a.txt", "agent's\n")
	changes := s.detect()
	fill := func() {
		f, err := os.Create(r.path(".git/fill"))
		require.NoError(t, err)
		defer f.Close()
		for {
			if _, err := f.Write(make([]byte, 1024)); err != nil {
				return
			}
		}
	}
	fill()
	_, err := s.ws.Save(s.ctx, s.run, 1, s.checked, changes)
	assert.Equal(t, "save", evidenceOf(t, err).Op)
	ev := evidenceOf(t, s.ws.Revert(s.ctx, s.checked, changes))
	assert.Equal(t, "revert", ev.Op)
	_, err = s.ws.Advance(s.ctx, s.run, s.checked, changes)
	require.Error(t, err)
	head := r.git("rev-parse", "HEAD")
	_, err = s.tryCommit("work.txt")
	ev = evidenceOf(t, err)
	assert.Equal(t, "commit", ev.Op)
	assert.Contains(t, ev.Error(), "o space left on device")
	assert.Equal(t, head, r.git("rev-parse", "HEAD"))
	assert.Equal(t, "agent's\n", r.read("a.txt"))
	r.remove(".git/fill")
	s.save(changes)
	s.revert(changes)
	assert.Equal(t, big, r.read("big.txt"))
	s.commit("work.txt")
	r.git("fsck", "--no-progress")
}
