package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRelease prepares a version of the last commit, and uses each module as its users do.
func TestRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("builds every module")
	}
	dir := t.TempDir()
	p, err := newProxy(dir)
	require.NoError(t, err)
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	clone := command{dir: filepath.Join(dir, "errgen"), env: p.env}
	_, err = command{dir: root}.output("git", "clone", "-q", "--no-tags", root, clone.dir)
	require.NoError(t, err)
	modules, err := prepare(clone, p, "v0.1.0", time.Now())
	require.NoError(t, err)

	for _, m := range append([]nested{{}}, modules...) {
		t.Run("module "+m.dir, func(t *testing.T) {
			mod, err := os.ReadFile(filepath.Join(clone.dir, m.dir, "go.mod"))
			require.NoError(t, err)
			assert.NotContains(t, string(mod), "v0.0.0\n")
			assert.NotContains(t, string(mod), "replace")
			assert.NoError(t, consume(p, m.path(), "v0.1.0"))
		})
	}
	t.Run("quick start", func(t *testing.T) { assert.NoError(t, quickStart(clone.dir, p)) })
	t.Run("go install of errgenvet", func(t *testing.T) {
		c, err := emptyModule(p)
		require.NoError(t, err)
		c.env = append(c.env, "GOBIN="+c.dir)
		_, err = c.output("go", "install", rootModule+"/vet/cmd/errgenvet@v0.1.0")
		require.NoError(t, err)
		assert.FileExists(t, filepath.Join(c.dir, "errgenvet"))
	})
}

// repository returns a repository with two modules and one commit.
func repository(t *testing.T, changelog string) command {
	t.Helper()
	git := command{dir: t.TempDir(), env: []string{"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com"}}
	for name, content := range map[string]string{
		"CHANGELOG.md":       changelog,
		"go.mod":             "module github.com/errgen/errgen\n\ngo 1.26.0\n",
		"errgen.go":          "package errgen\n",
		"go.work":            "go 1.26.0\n\nuse (\n\t.\n\t./bench\n\t./runtime/rpc\n)\n",
		"bench/go.mod":       "module github.com/errgen/errgen/bench\n",
		"runtime/rpc/rpc.go": "package rpc\n\nimport _ \"github.com/errgen/errgen\"\n",
		"runtime/rpc/go.mod": "module github.com/errgen/errgen/runtime/rpc\n\ngo 1.26.0\n\n" +
			"require github.com/errgen/errgen v0.0.0\n\nreplace github.com/errgen/errgen => ../..\n",
	} {
		path := filepath.Join(git.dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"commit", "-q", "-m", "first"}} {
		_, err := git.output("git", args...)
		require.NoError(t, err)
	}
	return git
}

const changelog = "# Changelog\n\n## v0.2.0 (unreleased)\n\nNews.\n"

// TestPublish looks at the commits and tags that a release adds to a repository.
func TestPublish(t *testing.T) {
	git := repository(t, changelog)
	dir := t.TempDir()
	p, err := newProxy(dir)
	require.NoError(t, err)
	clone := command{dir: filepath.Join(dir, "errgen"), env: append(p.env, git.env...)}
	_, err = git.output("git", "clone", "-q", git.dir, clone.dir)
	require.NoError(t, err)
	modules, err := prepare(clone, p, "v0.2.0", time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	require.Len(t, modules, 1)
	require.NoError(t, publish(git, clone.dir, []string{"v0.2.0", "runtime/rpc/v0.2.0"}))

	show := func(object string) string {
		out, err := git.output("git", "show", object)
		require.NoError(t, err)
		return out
	}
	assert.Contains(t, show("main:CHANGELOG.md"), "\n## v0.2.0 (2026-12-01)\n")
	assert.Contains(t, show("main:runtime/rpc/go.mod"), "replace", "the main branch works without a published version")
	assert.Equal(t, "module github.com/errgen/errgen/runtime/rpc\n\ngo 1.26.0\n\n"+
		"require github.com/errgen/errgen v0.2.0\n", show("runtime/rpc/v0.2.0:runtime/rpc/go.mod"))
	assert.Contains(t, show("runtime/rpc/v0.2.0:runtime/rpc/go.sum"), "github.com/errgen/errgen v0.2.0 h1:")
	parent, err := git.output("git", "rev-parse", "v0.2.0^", "runtime/rpc/v0.2.0^", "main")
	require.NoError(t, err)
	assert.Regexp(t, `^(\w+)\n(\w+)\n(\w+)\n$`, parent)
	assert.Equal(t, parent[:40], parent[82:122])
}

func TestRefusedReleases(t *testing.T) {
	for _, tt := range []struct {
		name    string
		version string
		tag     string
		file    string // a file that is not committed
		want    string
	}{
		{name: "no version", version: "0.2.0", want: `"0.2.0" is not a version such as v0.1.0`},
		{name: "a version that is not canonical", version: "v0.2", want: `"v0.2" is not a version such as v0.1.0`},
		{name: "a version that exists", version: "v0.2.0", tag: "v0.2.0",
			want: "v0.2.0 does not follow the tag v0.2.0"},
		{name: "an earlier version", version: "v0.2.0", tag: "v0.3.0", want: "v0.2.0 does not follow the tag v0.3.0"},
		{name: "a change", version: "v0.2.0", file: "x.go", want: "the tree has changes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			git := repository(t, changelog)
			if tt.tag != "" {
				_, err := git.output("git", "tag", tt.tag)
				require.NoError(t, err)
			}
			if tt.file != "" {
				require.NoError(t, os.WriteFile(filepath.Join(git.dir, tt.file), nil, 0o644))
			}
			assert.ErrorContains(t, checkVersion(git, tt.version), tt.want)
		})
	}
}

func TestChangelogWithoutTheVersion(t *testing.T) {
	name := filepath.Join(t.TempDir(), "CHANGELOG.md")
	require.NoError(t, os.WriteFile(name, []byte(changelog), 0o644))
	err := dateChangelog(name, "v0.3.0", time.Now())
	assert.ErrorContains(t, err, `CHANGELOG.md has no section "## v0.3.0 (unreleased)"`)
}

// TestAPI removes an exported function after a tag.
func TestAPI(t *testing.T) {
	if testing.Short() {
		t.Skip("builds apidiff")
	}
	makefile, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	_, tool, _ := strings.Cut(string(makefile), "\nAPIDIFF     := ")
	tool, _, _ = strings.Cut(tool, "\n")
	git := repository(t, changelog)
	write := func(name, text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(git.dir, name), []byte(text), 0o644))
	}
	git.env = append(git.env, "GOWORK=off")
	require.NoError(t, checkAPI(git, tool), "there is no tag")
	write("runtime/rpc/rpc.go", "package rpc\n\n// F is exported.\nfunc F() {}\n")
	require.NoError(t, git.commit("add F"))
	for _, tag := range []string{"v0.1.0", "v0.2.0-rc.1"} {
		_, err = git.output("git", "tag", tag)
		require.NoError(t, err)
	}
	write("runtime/rpc/rpc.go", "package rpc\n\n// F is exported.\nfunc F() {}\n\n// G is exported.\nfunc G() {}\n")
	write("CHANGELOG.md", "# Changelog\n\n## v0.1.1 (unreleased)\n")
	require.NoError(t, checkAPI(git, tool), "an addition")
	write("runtime/rpc/rpc.go", "package rpc\n")
	assert.EqualError(t, checkAPI(git, tool), "these changes of the Go API are not allowed in v0.1.1")
	write("CHANGELOG.md", changelog)
	assert.NoError(t, checkAPI(git, tool), "v0.2.0 may break programs")
}

// TestReproducible builds the command twice from the last commit, in different directories and with
// empty build caches.
func TestReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library twice")
	}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	var built [2][]byte
	for i := range built {
		clone := command{dir: filepath.Join(t.TempDir(), strings.Repeat("x", i+1)),
			env: []string{"GOWORK=off", "GOCACHE=" + t.TempDir()}}
		_, err := command{dir: root}.output("git", "clone", "-q", root, clone.dir)
		require.NoError(t, err)
		_, err = clone.output("go", "build", "-trimpath", "-o", "program", "./cmd/errgen")
		require.NoError(t, err)
		built[i], err = os.ReadFile(filepath.Join(clone.dir, "program"))
		require.NoError(t, err)
		assert.NotContains(t, string(built[i]), clone.dir)
	}
	assert.True(t, bytes.Equal(built[0], built[1]))
}
