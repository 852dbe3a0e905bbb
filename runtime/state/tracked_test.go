package state

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(
		t.Context(), "git", append([]string{"-c", "user.name=n", "-c", "user.email=e", "-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestTracked(t *testing.T) {
	const name = "a[b]*.db" // a pattern, if it were taken for one
	for _, test := range []struct {
		name    string
		tracked string
		refused bool
	}{
		{"nothing", "", false},
		{"the database", name, true},
		{"its log", name + "-wal", true},
		{"its index", name + "-shm", true},
		{"another file", "ab.db", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			dir := filepath.Join(root, "spec")
			path := filepath.Join(dir, name)
			git(t, root, "init", "-q")
			require.NoError(t, opened(t, path, Options{}).Close(), "nothing is tracked yet")
			if test.tracked != "" {
				file := filepath.Join(dir, test.tracked)
				if test.tracked != name {
					require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
				}
				git(t, root, "--literal-pathspecs", "add", "-f", "--", file)
				if test.tracked != name {
					require.NoError(t, os.Remove(file))
				}
			}
			link := filepath.Join(t.TempDir(), "link.db")
			require.NoError(t, os.Symlink(path, link))
			for _, p := range []string{path, link} {
				s, err := Open(t.Context(), p, Options{})
				if !test.refused {
					require.NoError(t, err)
					require.NoError(t, s.Close())
					continue
				}
				ev := evidenceOf(t, err)
				assert.Equal(t, []string{"executor", "resume", "refused", "tracked", path},
					[]string{ev.Source, ev.Op, ev.Type, ev.Attribute("reason"), ev.Attribute("path")})
			}
			s, err := Open(t.Context(), path, Options{ReadOnly: true})
			require.NoError(t, err, "it can be looked at")
			require.NoError(t, s.Close())
		})
	}
}

// TestGitIsNotStarted opens states beside a program named git that must not run, or of which
// nothing can be learnt.
func TestGitIsNotStarted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("scripts are no programs here")
	}
	bin := t.TempDir()
	ran := filepath.Join(bin, "ran")
	require.NoError(t, os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\n: >'"+ran+"'\nexit 128\n"), 0o755))
	repository := t.TempDir()
	git(t, repository, "init", "-q")

	t.Setenv("PATH", bin)
	opened(t, filepath.Join(t.TempDir(), "state.db"), Options{})
	assert.NoFileExists(t, ran, "there is no repository")
	opened(t, filepath.Join(repository, "one.db"), Options{})
	assert.FileExists(t, ran)
	t.Setenv("PATH", t.TempDir())
	opened(t, filepath.Join(repository, "two.db"), Options{})
}

// TestGitRunsNothing opens a state in a repository whose configuration names programs.
func TestGitRunsNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("scripts are no programs here")
	}
	root := t.TempDir()
	git(t, root, "init", "-q")
	ran := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(root, "planted")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\n: >'"+ran+"'\n"), 0o755))
	git(t, root, "config", "core.fsmonitor", script)
	git(t, root, "config", "core.hooksPath", root)
	require.NoError(t, os.WriteFile(filepath.Join(root, "tracked"), nil, 0o600))
	git(t, root, "-c", "core.fsmonitor=false", "add", "tracked")
	t.Setenv("GIT_DIR", filepath.Join(root, "elsewhere"))
	opened(t, filepath.Join(root, "state.db"), Options{})
	assert.NoFileExists(t, ran)
}
