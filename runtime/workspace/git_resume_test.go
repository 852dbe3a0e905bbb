package workspace_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/workspace"
)

func TestResumeRemovesDeadLocks(t *testing.T) {
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	s.work(map[string]string{"a.txt": "x\n"})
	for _, lock := range []string{".git/index.lock", ".git/HEAD.lock", ".git/refs/heads/main.lock",
		".git/packed-refs.lock", ".git/refs/errgen/run-1/1.lock"} {
		r.write(lock, "")
	}
	s.reopen(workspace.Options{})
	assert.False(t, r.exists(".git/index.lock"))
	s.commit("a.txt")
}

func TestResumeLeavesLocks(t *testing.T) {
	tests := map[string]struct {
		before func(t *testing.T, r *repo)
		text   string
	}{
		"older than the run": {
			before: func(t *testing.T, r *repo) {
				old := time.Now().Add(-time.Hour)
				require.NoError(t, os.Chtimes(r.path(".git/index.lock"), old, old))
			},
			text: "older",
		},
		"not a file": {
			before: func(_ *testing.T, r *repo) { r.remove(".git/index.lock"); r.link("/dev/null", ".git/index.lock") },
			text:   "not a file",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			s := r.begin(workspace.Options{})
			r.write(".git/index.lock", "")
			tt.before(t, r)
			ev := evidenceOf(t, s.ws.Resume(s.ctx, s.run, s.checked))
			assert.Equal(t, "executor", ev.Source)
			assert.Equal(t, "resume", ev.Op)
			assert.Contains(t, ev.Text, tt.text)
			assert.Equal(t, r.path(".git/index.lock"), ev.Attribute("path"))
			assert.True(t, r.exists(".git/index.lock"))
		})
	}
}
