//go:build unix

package docs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/cli"
)

// The test program is errgen if it is called by that name. The date is that of the pages.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "errgen" {
		os.Exit(m.Run())
	}
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	os.Exit(cli.Run(context.Background(), os.Args[1:], cli.Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Now: func() time.Time { return now },
	}))
}

// given are the files of the reader that a page begins with, besides an empty module in git.
var given = map[string]map[string]string{
	"catalogue.md": {"taxonomy.yaml": "../examples/shop/taxonomy.yaml"},
	"import.md": {
		"errors.json": "../internal/importer/testdata/nats.json",
		"errors.toml": "../internal/importer/testdata/tidb.toml",
	},
}

// TestCommands does what a reader of each page does, from top to bottom: it writes the files and
// the taxonomies, and runs the commands. The commands of a sh block succeed, and those of a console
// block print what the page shows. With -update the outputs are written.
func TestCommands(t *testing.T) {
	for _, name := range pages(t) {
		text := read(t, name)
		if commandTests[name] != "" || !strings.Contains(text, "```sh\n") && !strings.Contains(text, "```console\n") {
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			r := newReader(t, given[name])
			updated, rest := "", text
			for _, b := range blocks(text) {
				language, file, _ := strings.Cut(b.info, " ")
				switch {
				case strings.HasPrefix(b.info, "yaml complete"):
					r.write("taxonomy.yaml", b.text)
				case strings.Contains(file, "."):
					r.write(file, b.text)
				case b.info == "sh":
					out, err := r.run(b.text)
					assert.NoError(t, err, "%s:%d: %s", name, b.line, out)
				case language == "console":
					shown := r.console(b.text)
					before, after, _ := strings.Cut(rest, "```console\n"+b.text)
					updated, rest = updated+before+"```console\n"+shown, after
					if !*update {
						assert.Equal(t, b.text, shown, "%s:%d", name, b.line)
					}
				}
			}
			if *update {
				require.NoError(t, os.WriteFile(name, []byte(updated+rest), 0o644))
			}
		})
	}
}

// reader is a reader's directory: a module that uses errgen, in git.
type reader struct {
	t   *testing.T
	dir string
	env []string
}

func newReader(t *testing.T, files map[string]string) *reader {
	t.Helper()
	for _, program := range []string{"git", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	self, err := os.Executable()
	require.NoError(t, err)
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	bin := t.TempDir()
	require.NoError(t, os.Symlink(self, filepath.Join(bin, "errgen")))
	goCommand, err := exec.LookPath("go")
	require.NoError(t, err)
	tool := `[ "$1 $2" = "tool errgen" ] && shift 2 && exec errgen "$@"`
	shim := fmt.Sprintf("#!/bin/sh\n%s\nexec %q \"$@\"\n", tool, goCommand)
	require.NoError(t, os.WriteFile(filepath.Join(bin, "go"), []byte(shim), 0o755))
	r := &reader{t: t, dir: t.TempDir(), env: append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"),
		"GOWORK=off", "GOFLAGS=-mod=mod", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a",
		"GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")}
	mod := strings.Replace(read(t, "../go.mod"), "module github.com/errgen/errgen", "module example.com/shop", 1)
	mod += "\nrequire github.com/errgen/errgen v0.0.0\n\nreplace github.com/errgen/errgen => " + root + "\n"
	r.write("go.mod", mod)
	r.write("go.sum", read(t, "../go.sum"))
	for name, from := range files {
		r.write(name, read(t, from))
	}
	out, err := r.run("git init -q -b main\ngit remote add origin .")
	require.NoError(t, err, out)
	return r
}

func (r *reader) write(name, text string) {
	r.t.Helper()
	require.NoError(r.t, os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o644))
}

func (r *reader) run(commands string) (string, error) {
	cmd := exec.CommandContext(r.t.Context(), "sh", "-euc", commands)
	cmd.Dir, cmd.Env = r.dir, append(r.env, "PWD="+r.dir)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// console runs the commands of a block, and returns them with what they print.
func (r *reader) console(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			printed, err := r.run(command)
			if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 { // 1: findings
				assert.NoError(r.t, err, "%s%s", line, printed)
			}
			out.WriteString(line + printed)
		}
	}
	return out.String()
}
