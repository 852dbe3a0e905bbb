package workspace_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/workspace"
)

// withRemote gives the repository a remote that has its first commit.
func (r *repo) withRemote() string {
	r.t.Helper()
	remote := filepath.Join(r.t.TempDir(), "remote.git")
	r.git("init", "-q", "--bare", remote)
	r.git("remote", "add", "origin", remote)
	r.git("push", "-q", "-u", "origin", "main")
	return remote
}

func TestPush(t *testing.T) {
	r := newRepo(t)
	remote := r.withRemote()
	r.git("tag", "-am", "x", "v1")
	r.write(".git/hooks/pre-push", "#!/bin/sh\ntouch ../ran\nexit 1\n")
	r.chmod(".git/hooks/pre-push", 0o755)
	s := r.begin(workspace.Options{})
	s.work(map[string]string{"a.txt": "x\n"})
	s.save(nil)
	id := s.commit("a.txt")
	require.NoError(t, s.ws.Push(s.ctx))
	assert.Equal(
		t, id+" refs/heads/main", r.git("--git-dir", remote, "for-each-ref", "--format=%(objectname) %(refname)"),
		"and nothing else")
	assert.NoFileExists(t, r.path("../ran"))
	assert.Empty(t, s.detect())
	require.NoError(t, s.ws.Push(s.ctx), "twice")
}

func TestPushElsewhere(t *testing.T) {
	r := newRepo(t)
	remote := r.withRemote()
	r.git("checkout", "-q", "-b", "side")
	s := r.begin(workspace.Options{})
	require.NoError(t, s.ws.Push(s.ctx), "a branch without an upstream")
	assert.NotEmpty(t, r.git("--git-dir", remote, "rev-parse", "refs/heads/side"))
	r.git("branch", "-q", "--set-upstream-to=origin/main")
	s = r.begin(workspace.Options{})
	s.work(map[string]string{"a.txt": "x\n"})
	id := s.commit("a.txt")
	require.NoError(t, s.ws.Push(s.ctx))
	assert.Equal(t, id, r.git("--git-dir", remote, "rev-parse", "refs/heads/main"))
}

func TestPushFails(t *testing.T) {
	tests := map[string]struct {
		before func(r *repo, remote string)
		text   string
	}{
		"the remote has moved on": {
			before: func(r *repo, remote string) {
				other := filepath.Join(r.t.TempDir(), "other")
				r.git("clone", "-q", remote, other)
				r.git("-C", other, "commit", "-q", "--allow-empty", "-m", "other's")
				r.git("-C", other, "push", "-q")
			},
			text: "[rejected]",
		},
		"the remote is gone": {before: func(_ *repo, remote string) { _ = os.RemoveAll(remote) },
			text: "does not appear to be a git repository"},
		"there is no branch": {before: func(r *repo, _ string) { r.git("checkout", "-q", "--detach") },
			text: "detached"},
		"a remote is an option": {before: func(
			r *repo, _ string) {
			r.git("config", "branch.main.remote", "--upload-pack=touch ran")
		}, text: "--upload-pack"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			remote := r.withRemote()
			tt.before(r, remote)
			s := r.begin(workspace.Options{})
			s.work(map[string]string{"a.txt": "x\n"})
			s.commit("a.txt")
			ev := evidenceOf(t, s.ws.Push(s.ctx))
			assert.Equal(t, "push", ev.Op)
			assert.Contains(t, ev.Text, tt.text)
			assert.False(t, r.exists("ran"))
		})
	}
}

func TestOpenPR(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the command is a program of Unix")
	}
	r := newRepo(t)
	r.withRemote()
	script := filepath.Join(t.TempDir(), "pr")
	write := func(body string) { writeProgram(t, script, "#!/bin/sh\n"+body) }
	opts := workspace.Options{PR: []string{script, "--title={title}", "--head={branch}", "--base={base}"}}
	s := r.begin(opts)

	write(`printf '%s\n' "$@" > ../args; cat > ../body; echo creating; echo https://example.com/pr/1; echo bye`)
	url, err := s.ws.OpenPR(s.ctx, "--web; `touch x` {branch}\nsecond", "body\x00 --x\n")
	require.NoError(t, err)
	assert.Equal(t, "https://example.com/pr/1", url)
	assert.Equal(t, "--title=--web; `touch x` {branch}\n--head=main\n--base=main\n", r.read("../args"))
	assert.Equal(t, "body  --x", r.read("../body"))

	write("echo no commits between >&2; exit 1")
	_, err = s.ws.OpenPR(s.ctx, "title", "body")
	ev := evidenceOf(t, err)
	assert.Equal(t, "pr", ev.Op)
	assert.Equal(t, "no commits between", ev.Text)

	_, err = workspace.Open(s.ctx, r.dir, workspace.Options{PR: []string{"gh", "{title}"}})
	require.Error(t, err)
	s = r.begin(workspace.Options{})
	_, err = s.ws.OpenPR(s.ctx, "title", "body")
	assert.Equal(t, "pr", evidenceOf(t, err).Op)
}
