package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// root is the root of the module.
const root = "../.."

// TestQuickStartFromAClone does in a new module what README.md tells a reader of a clone to do, word
// for word, and adds a nested module. internal/release tests the quick start with a version.
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
