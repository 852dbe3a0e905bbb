package workspace_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/workspace"
)

// TestEmptyDirectories finds and reverts changes of directories without files.
func TestEmptyDirectories(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before func(r *repo)
		change func(r *repo)
		want   []string
		after  func(t *testing.T, r *repo)
	}{
		"a file becomes an empty directory": {
			change: func(r *repo) { r.remove("a.txt"); require.NoError(r.t, os.Mkdir(r.path("a.txt"), 0o755)) },
			want:   []string{"modified a.txt"},
			after:  func(t *testing.T, r *repo) { assert.Equal(t, "a\n", r.read("a.txt")) },
		},
		"an empty directory is added": {
			change: func(r *repo) { require.NoError(r.t, os.MkdirAll(r.path("e/f"), 0o755)) },
			want:   []string{"added e/f"},
			after:  func(t *testing.T, r *repo) { assert.False(t, r.exists("e")) },
		},
		"an empty directory is removed": {
			before: func(r *repo) { require.NoError(r.t, os.MkdirAll(r.path("e/f"), 0o755)) },
			change: func(r *repo) { r.remove("e") },
			want:   []string{"removed e/f"},
			after:  func(t *testing.T, r *repo) { assert.DirExists(t, r.path("e/f")) },
		},
		"a user's empty directory stays": {
			before: func(r *repo) { require.NoError(r.t, os.MkdirAll(r.path("e/f"), 0o755)) },
			change: func(r *repo) { r.write("e/f/x", "x") },
			want:   []string{"added e/f/x"},
			after:  func(t *testing.T, r *repo) { assert.DirExists(t, r.path("e/f")) },
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			if tt.before != nil {
				tt.before(r)
			}
			s := r.begin(workspace.Options{Watch: named(".env")})
			require.Empty(t, listed(s.detect()), "nothing has happened yet")
			if tt.change != nil {
				tt.change(r)
			}
			status := r.git("status", "--porcelain")
			changes := s.detect()
			require.ElementsMatch(t, tt.want, listed(changes))
			s.reopen(workspace.Options{Watch: named(".env")})
			again := s.detect()
			require.Equal(t, changes, again, "another process finds the same")
			ref := s.save(changes)
			require.Equal(t, status, r.git("status", "--porcelain"), "saving changes nothing")
			require.NotEmpty(t, r.git("rev-parse", ref))
			s.revert(changes)
			if tt.after != nil {
				tt.after(t, r)
			}
		})
	}
}

// TestDetectRacing changes a file again and again within one tick of the clock, without a change of
// size.
func TestDetectRacing(t *testing.T) {
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	for i := range 200 {
		r.write("a.txt", string(rune('b'+i%20))+"\n")
		require.Equal(t, []string{"modified a.txt"}, listed(s.detect()))
		r.write("a.txt", "a\n")
		require.Empty(t, s.detect())
	}
}

// TestDetectAfterQuiet sees what keeps size and times of a file that was known for long.
func TestDetectAfterQuiet(t *testing.T) {
	r := newRepo(t)
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(r.path("a.txt"), old, old))
	s := r.begin(workspace.Options{})
	require.Eventually(t, func() bool { // until the file's content is believed without reading it
		s.detect()
		return workspace.Believed(s.ws, "a.txt")
	}, 2*time.Minute, 10*time.Millisecond)
	r.write("a.txt", "x\n")
	require.NoError(t, os.Chtimes(r.path("a.txt"), old, old))
	require.Equal(t, []string{"modified a.txt"}, listed(s.detect()))
}

// TestAdvance takes allowed changes in, and only those that are as they were judged.
func TestAdvance(t *testing.T) {
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	r.write("a.txt", "A\n")
	r.write("new.txt", "n\n")
	r.write("later.txt", "1\n")
	r.remove("dir/b.txt")
	changes := s.detect()
	require.Equal(t, []string{"modified a.txt", "removed dir/b.txt", "added later.txt", "added new.txt"},
		listed(changes))
	r.write("later.txt", "2\n")
	s.advance(changes)
	left := s.detect()
	require.Equal(t, []string{"added later.txt"}, listed(left), "it was not judged as it is")
	s.revert(left)
	r.remove("a.txt")
	r.write("dir/b.txt", "b2\n")
	s.revert(s.detect())
	assert.Equal(t, "A\n", r.read("a.txt"))
	assert.False(t, r.exists("dir/b.txt"))

	same, err := s.ws.Advance(s.ctx, s.run, s.checked, []executor.Change{{Path: "a.txt", Kind: executor.Modified}})
	require.NoError(t, err)
	assert.Equal(t, s.checked, same, "what was put back changes nothing")
}
