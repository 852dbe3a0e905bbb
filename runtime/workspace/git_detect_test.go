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

// TestDetectAndRevert goes through what can happen to files: each is found as it is, and put back
// byte for byte.
func TestDetectAndRevert(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before func(r *repo)
		change func(r *repo)
		want   []string
		after  func(t *testing.T, r *repo)
	}{
		"nothing": {want: []string{}},
		"a file is changed": {
			change: func(r *repo) { r.write("a.txt", "A\n") },
			want:   []string{"modified a.txt"},
			after:  func(t *testing.T, r *repo) { assert.Equal(t, "a\n", r.read("a.txt")) },
		},
		"of the same size, with the old times": {
			change: func(r *repo) {
				info, err := os.Stat(r.path("a.txt"))
				require.NoError(r.t, err)
				r.write("a.txt", "x\n")
				require.NoError(r.t, os.Chtimes(r.path("a.txt"), info.ModTime(), info.ModTime()))
			},
			want: []string{"modified a.txt"},
		},
		"a file is added": {
			change: func(r *repo) { r.write("new.txt", "n") },
			want:   []string{"added new.txt"},
			after:  func(t *testing.T, r *repo) { assert.False(t, r.exists("new.txt")) },
		},
		"with directories": {
			change: func(r *repo) { r.write("x/y/z.txt", "n") },
			want:   []string{"added x/y/z.txt"},
			after:  func(t *testing.T, r *repo) { assert.False(t, r.exists("x")) },
		},
		"a file is removed with its directory": {
			change: func(r *repo) { r.remove("dir") },
			want:   []string{"removed dir/b.txt"},
			after:  func(t *testing.T, r *repo) { assert.Equal(t, "b\n", r.read("dir/b.txt")) },
		},
		"a file is removed and its directory stays": {
			change: func(r *repo) { r.remove("dir/b.txt") },
			want:   []string{"removed dir/b.txt"},
		},
		"a file is renamed": {
			change: func(r *repo) { require.NoError(r.t, os.Rename(r.path("a.txt"), r.path("c.txt"))) },
			want:   []string{"removed a.txt", "added c.txt"},
		},
		"a file is renamed in case": {
			change: func(r *repo) { require.NoError(r.t, os.Rename(r.path("a.txt"), r.path("A.txt"))) },
			want:   []string{"added A.txt", "removed a.txt"},
		},
		"a file becomes a program": {
			change: func(r *repo) { r.chmod("a.txt", 0o755) },
			want:   []string{"modified a.txt"},
			after: func(t *testing.T, r *repo) {
				info, err := os.Stat(r.path("a.txt"))
				require.NoError(t, err)
				assert.Equal(t, os.FileMode(0o644), info.Mode().Perm())
			},
		},
		"a program is changed": {
			change: func(r *repo) { r.write("run.sh", "x") },
			want:   []string{"modified run.sh"},
			after: func(t *testing.T, r *repo) {
				info, err := os.Stat(r.path("run.sh"))
				require.NoError(t, err)
				assert.Equal(t, os.FileMode(0o755), info.Mode().Perm())
			},
		},
		"a file becomes a directory": {
			change: func(r *repo) { r.remove("a.txt"); r.write("a.txt/x", "x") },
			want:   []string{"removed a.txt", "added a.txt/x"},
			after:  func(t *testing.T, r *repo) { assert.Equal(t, "a\n", r.read("a.txt")) },
		},
		"a file becomes an empty directory": {
			change: func(r *repo) { r.remove("a.txt"); require.NoError(r.t, os.Mkdir(r.path("a.txt"), 0o755)) },
			want:   []string{"modified a.txt"},
			after:  func(t *testing.T, r *repo) { assert.Equal(t, "a\n", r.read("a.txt")) },
		},
		"a directory becomes a file": {
			change: func(r *repo) { r.remove("dir"); r.write("dir", "d") },
			want:   []string{"added dir", "removed dir/b.txt"},
			after:  func(t *testing.T, r *repo) { assert.Equal(t, "b\n", r.read("dir/b.txt")) },
		},
		"a directory becomes a link to another": {
			change: func(r *repo) {
				r.write("other/b.txt", "other")
				r.remove("dir")
				r.link("other", "dir")
			},
			want: []string{"added dir", "removed dir/b.txt", "added other/b.txt"},
		},
		"a link that leads out": {
			change: func(r *repo) { r.link("/etc/passwd", "l") },
			want:   []string{"added l escapes"},
			after:  func(t *testing.T, r *repo) { assert.False(t, r.exists("l")); assert.FileExists(t, "/etc/passwd") },
		},
		"a link that leads out by dots": {
			change: func(r *repo) { r.link("../../x", "dir/l") },
			want:   []string{"added dir/l escapes"},
		},
		"a link that leads out by another": {
			change: func(r *repo) { r.link("..", "dir/up"); r.link("dir/up/../x", "l") },
			want:   []string{"added dir/up", "added l escapes"},
		},
		"a link into git's directory": {
			change: func(r *repo) { r.link(".git/config", "l") },
			want:   []string{"added l escapes"},
		},
		"a link that leads to itself": {
			change: func(r *repo) { r.link("l", "l") },
			want:   []string{"added l escapes"},
		},
		"links that stay": {
			change: func(r *repo) { r.link("dir/b.txt", "l"); r.link(r.path("a.txt"), "m"); r.link("nothing", "n") },
			want:   []string{"added l", "added m", "added n"},
		},
		"a link is changed": {
			before: func(r *repo) { r.link("a.txt", "l") },
			change: func(r *repo) { r.remove("l"); r.link("dir", "l") },
			want:   []string{"modified l"},
			after: func(t *testing.T, r *repo) {
				target, err := os.Readlink(r.path("l"))
				require.NoError(t, err)
				assert.Equal(t, "a.txt", target)
			},
		},
		"a file becomes a link": {
			change: func(r *repo) { r.remove("a.txt"); r.link("dir/b.txt", "a.txt") },
			want:   []string{"modified a.txt"},
			after: func(t *testing.T, r *repo) {
				assert.Equal(t, "a\n", r.read("a.txt"))
				assert.Equal(t, "b\n", r.read("dir/b.txt"))
			},
		},
		"names of all kinds": {
			before: func(r *repo) { r.write("old\n\"q\"\\", "1"); r.write("-o\xff", "1") },
			change: func(r *repo) {
				r.write("-rf", "x")
				r.write("--exec=x", "x")
				r.write("line\nbreak", "x")
				r.write("\"quoted\"", "x")
				r.write("\xff\xfe", "x")
				r.write(":(glob)*", "x")
				r.write(":x", "x")
				r.write("*", "x")
				r.write(" ", "x")
				r.write("old\n\"q\"\\", "2")
				r.write("-o\xff", "2")
			},
			want: []string{
				"added  ", "added \"quoted\"", "added *", "added --exec=x", "modified -o\xff", "added -rf",
				"added :(glob)*", "added :x", "added line\nbreak",
				"modified old\n\"q\"\\", "added \xff\xfe",
			},
			after: func(t *testing.T, r *repo) {
				assert.Equal(t, "1", r.read("old\n\"q\"\\"))
				assert.Equal(t, "1", r.read("-o\xff"))
			},
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
		"what a user has not committed is not touched": {
			before: func(r *repo) { r.write("a.txt", "mine\n"); r.write("untracked", "mine\n"); r.remove("dir/b.txt") },
			change: func(r *repo) { r.write("x", "x") },
			want:   []string{"added x"},
			after: func(t *testing.T, r *repo) {
				assert.Equal(t, "mine\n", r.read("a.txt"))
				assert.False(t, r.exists("dir/b.txt"))
			},
		},
		"a file is changed that the user had changed": {
			before: func(r *repo) { r.write("a.txt", "mine\n"); r.write("untracked", "mine\n") },
			change: func(r *repo) { r.write("a.txt", "theirs\n"); r.remove("untracked") },
			want:   []string{"modified a.txt", "removed untracked"},
			after: func(t *testing.T, r *repo) {
				assert.Equal(t, "mine\n", r.read("a.txt"))
				assert.Equal(t, "mine\n", r.read("untracked"))
			},
		},
		"what is ignored is passed over": {
			before: func(r *repo) { r.write(".gitignore", "*.log\nnode_modules/\n") },
			change: func(r *repo) {
				r.write("x.log", "x")
				r.write("node_modules/a/b.js", "x")
				r.write("sub/node_modules/c", "x")
			},
			want:  []string{},
			after: func(t *testing.T, r *repo) { assert.True(t, r.exists("x.log")) },
		},
		"but not if the rule is new": {
			change: func(r *repo) {
				r.write(".gitignore", "hidden*\n")
				r.write("hidden", "x")
				r.write("hidden-dir/y", "x")
			},
			want:  []string{"added .gitignore", "added hidden ignored", "added hidden-dir ignored"},
			after: func(t *testing.T, r *repo) { assert.False(t, r.exists("hidden-dir")) },
		},
		"nor if it hides itself": {
			change: func(r *repo) { r.write("evil/.gitignore", "*\n"); r.write("evil/x", "x") },
			want:   []string{"added evil/.gitignore ignored", "added evil/x ignored"},
			after:  func(t *testing.T, r *repo) { assert.False(t, r.exists("evil")) },
		},
		"a file of the user's that is not ignored any more is not an addition": {
			before: func(r *repo) { r.write(".gitignore", "mine\n"); r.write("mine", "mine") },
			change: func(r *repo) { r.write(".gitignore", "") },
			want:   []string{"modified .gitignore"},
			after:  func(t *testing.T, r *repo) { assert.Equal(t, "mine", r.read("mine")) },
		},
		"watched files are seen although they are ignored": {
			before: func(r *repo) {
				r.write(".gitignore", ".env\nbuild/\n")
				r.write(".env", "KEY=1")
				r.chmod(".env", 0o600)
				r.write("build/.env", "KEY=2")
			},
			change: func(r *repo) {
				r.write(".env", "KEY=x")
				r.remove("build/.env")
				r.write("build/deep/.env", "KEY=3")
				r.write("build/out", "x")
			},
			want: []string{"modified .env ignored", "removed build/.env ignored", "added build/deep/.env ignored"},
			after: func(t *testing.T, r *repo) {
				assert.Equal(t, "KEY=1", r.read(".env"))
				info, err := os.Stat(r.path(".env"))
				require.NoError(t, err)
				assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
				assert.Equal(t, "KEY=2", r.read("build/.env"))
				assert.True(t, r.exists("build/out"), "what nobody watches stays")
			},
		},
		"another repository in the tree": {
			change: func(r *repo) { r.git("init", "-q", "sub"); r.write("sub/x.txt", "x") },
			want:   []string{"added sub/.git git", "added sub/x.txt"},
			after:  func(t *testing.T, r *repo) { assert.False(t, r.exists("sub")) },
		},
		"a file .git in the tree": {
			change: func(r *repo) { r.write("sub/.git", "gitdir: /elsewhere"); r.write("sub/x.txt", "x") },
			want:   []string{"added sub/.git git", "added sub/x.txt"},
		},
		"a repository that was there": {
			before: func(r *repo) { r.git("init", "-q", "sub"); r.write("sub/x.txt", "x") },
			change: func(r *repo) {
				r.write("sub/x.txt", "y")
				r.write("sub/.git/hooks/pre-commit", "evil")
				r.git("-C", "sub", "config", "x.y", "z")
			},
			want: []string{"modified sub/.git/config git", "added sub/.git/hooks/pre-commit git", "modified sub/x.txt"},
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
