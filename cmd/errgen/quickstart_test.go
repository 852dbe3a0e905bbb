package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// root is the root of the module.
const root = "../.."

// TestQuickStart does in a new module what README.md tells a reader to do, word for word. The
// errgen that it gets is the tree as it stands, served from the file system.
func TestQuickStart(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module from nothing")
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	commands := shell(t, string(readme), "## Quick start", "sh")
	require.Contains(t, commands, "go get -tool github.com/errgen/errgen/cmd/errgen@")

	shop := consumer{t: t, dir: t.TempDir(), env: moduleEnv(t)}
	shop.run("go", "mod", "init", "example.com/shop")
	out := shop.run("sh", "-euc", commands)
	assert.Regexp(t, `(?m)^ok\s+example.com/shop/errs\s`, out, "what was generated has passed its own tests")
	assert.FileExists(t, filepath.Join(shop.dir, "taxonomy.yaml"))

	assert.Empty(t, shop.run("go", "tool", "errgen", "check"))
	assert.Empty(t, shop.run("go", "vet", "./..."))
	assert.Empty(t, shop.run("gofmt", "-l", "."))
	shop.run("go", "generate", "./...")
	assert.Empty(t, shop.run("go", "tool", "errgen", "check"))
	assert.Empty(t, shop.run("go", "mod", "tidy", "-diff"))
}

// TestQuickStartFromAClone does the same with a clone in place of a version, and adds a module.
func TestQuickStartFromAClone(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	first, rest, ok := strings.Cut(shell(t, string(readme), "## Quick start", "sh"), "\n")
	require.True(t, ok)
	require.Contains(t, first, "go get -tool")
	clone, err := filepath.Abs(root)
	require.NoError(t, err)
	beside := t.TempDir()
	require.NoError(t, os.Symlink(clone, filepath.Join(beside, "errgen")))

	shop := consumer{t: t, dir: filepath.Join(beside, "shop"), env: append(os.Environ(), "GOWORK=off", "GOFLAGS=")}
	require.NoError(t, os.Mkdir(shop.dir, 0o755))
	shop.run("go", "mod", "init", "example.com/shop")
	out := shop.run("sh", "-euc", shell(t, string(readme), "### From a clone", "bash")+rest)
	assert.Regexp(t, `(?m)^ok\s+example.com/shop/errs\s`, out)
	assert.Empty(t, shop.run("go", "mod", "tidy", "-diff"))

	importState := "package shop\n\nimport _ \"github.com/errgen/errgen/runtime/executor/state\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(shop.dir, "state.go"), []byte(importState), 0o644))
	shop.run("sh", "-euc", shell(t, string(readme), "### Modules", "shell"))
	shop.run("go", "build", "./...")
}

// shell returns the blocks of a language of a section of a page, one after the other.
func shell(t *testing.T, page, heading, language string) string {
	t.Helper()
	_, section, ok := strings.Cut(page, "\n"+heading+"\n")
	require.True(t, ok, "no section %q", heading)
	section, _, _ = strings.Cut(section, "\n## ")
	var commands strings.Builder
	for {
		_, block, ok := strings.Cut(section, "\n```"+language+"\n")
		if !ok {
			return commands.String()
		}
		block, section, ok = strings.Cut(block, "\n```\n")
		require.True(t, ok, "a block is not closed")
		commands.WriteString(block + "\n")
	}
}

// consumer is a module of its own that uses errgen.
type consumer struct {
	t   *testing.T
	dir string
	env []string
}

// run runs a command that has to succeed and returns what it printed.
func (c consumer) run(name string, args ...string) string {
	c.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = c.dir, append(c.env, "PWD="+c.dir)
	out, err := cmd.CombinedOutput()
	require.NoError(c.t, err, "%s %s\n%s", name, strings.Join(args, " "), out)
	return string(out)
}

// moduleEnv returns an environment in which the go command gets errgen from this tree, and every
// other module from the module cache of this test. Its own module cache is new, so it contains no
// earlier errgen. Compiled packages do not contain their directory, so the build cache is used.
func moduleEnv(t *testing.T) []string {
	t.Helper()
	cache := goEnv(t, "GOMODCACHE")
	proxies := []string{fileURL(serve(t)), fileURL(filepath.Join(cache, "cache", "download")), goEnv(t, "GOPROXY")}
	return append(os.Environ(),
		"GOPROXY="+strings.Join(proxies, ","), "GOMODCACHE="+t.TempDir(), "GOCACHE="+goEnv(t, "GOCACHE"),
		"GOFLAGS=-modcacherw -trimpath", "GONOSUMDB=*", "GONOSUMCHECK=1", "GOSUMDB=off", "GOPRIVATE=", "GONOPROXY=none",
		"GOWORK=off", "GOTOOLCHAIN=local")
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

func fileURL(dir string) string {
	path := filepath.ToSlash(dir)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "file://" + path
}

// serve lays the tree out as a module proxy does, and returns the directory.
func serve(t *testing.T) string {
	t.Helper()
	m := module.Version{Path: "github.com/errgen/errgen", Version: "v0.0.1"}
	proxy := t.TempDir()
	dir := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	for name, content := range map[string]string{
		"list":              m.Version + "\n",
		m.Version + ".info": `{"Version":"` + m.Version + `","Time":"2026-01-01T00:00:00Z"}`,
		m.Version + ".mod":  string(mod),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	f, err := os.Create(filepath.Join(dir, m.Version+".zip"))
	require.NoError(t, err)
	require.NoError(t, zip.CreateFromDir(f, m, root))
	require.NoError(t, f.Close())
	return proxy
}
