// Package versions_test runs programs of three releases of a service against each other.
package versions_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var releases = []string{"r1", "r2", "r3"}

// observation is what a client gets for a failure of a server.
type observation struct {
	Failure, Transport string
	Code, Sent         string
	Handled            string // the first of the handled codes that errors.Is finds
	Unknown            bool
	Calls              int
	Wait               string
	HTTP, GRPC         int
}

// TestReleases generates a package for each release of a service that splits a code, renames one on
// the wire and removes one, builds a program from each, and lets the client of each release call
// the server of each. The table in docs/evolution.md is what they get.
func TestReleases(t *testing.T) {
	if testing.Short() {
		t.Skip("builds three programs")
	}
	programs := build(t)
	table := []string{"| server | client | timeout | down | busy | locked | refused |", "|---|---|---|---|---|---|---|"}
	first := make(map[string]observation) // what the first release gets from itself
	for _, server := range releases {
		addresses, stored := serve(t, programs[server]), t.TempDir()
		run(t, programs[server], "store", stored)
		for _, client := range releases {
			out := run(t, programs[client], append(append([]string{"call"}, addresses...), stored)...)
			got := make(map[string]map[string]observation) // by failure and transport
			for line := range strings.Lines(out) {
				var o observation
				require.NoError(t, json.Unmarshal([]byte(line), &o))
				if got[o.Failure] == nil {
					got[o.Failure] = make(map[string]observation)
				}
				got[o.Failure][o.Transport] = o
			}
			row := fmt.Sprintf("| %s | %s |", server, client)
			for _, failure := range []string{"timeout", "down", "busy", "locked", "refused"} {
				o := got[failure]["http"]
				if server == "r1" && client == "r1" {
					first[failure] = o
				}
				require.Len(t, got[failure], 6)
				for transport, other := range got[failure] {
					at := fmt.Sprintf("%s to %s, %s over %s", server, client, failure, transport)
					assert.Equal(t, cell(o), cell(other), at)
					assert.Equal(t, o.Sent, other.Sent, at)
					assert.Equal(t, first[failure].Calls > 1, other.Calls > 1, "%s: retried as at first", at)
					if failure == "busy" {
						assert.Equal(t, "2s", other.Wait, at)
					}
				}
				assert.NotEqual(t, 500, o.HTTP)
				assert.NotEqual(t, 2, got[failure]["grpc"].GRPC)
				row += " " + cell(o) + " |"
			}
			table = append(table, row)
		}
	}
	page, err := os.ReadFile(filepath.Join(root(t), "docs/evolution.md"))
	require.NoError(t, err)
	assert.Contains(t, string(page), strings.Join(table, "\n"), "docs/evolution.md has another table:\n%s",
		strings.Join(table, "\n"))
}

// cell returns the text of an observation in the table.
func cell(o observation) string {
	code := o.Handled
	if code == "" {
		code = "unknown `" + o.Code + "`"
	} else {
		code = "`" + code + "`"
	}
	if o.Calls > 1 {
		return fmt.Sprintf("%s, %d calls", code, o.Calls)
	}
	return code
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../../..")
	require.NoError(t, err)
	return dir
}

// build returns the programs of the releases. Their module is added to a copy of the workspace.
func build(t *testing.T) map[string]string {
	t.Helper()
	dir, programs := t.TempDir(), make(map[string]string)
	workspace, err := os.ReadFile(filepath.Join(root(t), "go.work"))
	require.NoError(t, err)
	text := regexp.MustCompile(`(?m)^\t\.`).ReplaceAllString(string(workspace), "\t"+root(t))
	write(t, filepath.Join(dir, "go.work"), strings.Replace(text, "use (", "use (\n\t.", 1))
	sums, err := os.ReadFile(filepath.Join(root(t), "go.work.sum"))
	require.NoError(t, err)
	write(t, filepath.Join(dir, "go.work.sum"), string(sums))
	write(t, filepath.Join(dir, "go.mod"), "module example.org/versions\n\ngo 1.26.0\n")
	errgen := filepath.Join(dir, "errgen")
	goRun(t, root(t), "build", "-o", errgen, "./cmd/errgen")
	peer, err := os.ReadFile("testdata/peer/main.go")
	require.NoError(t, err)
	for _, release := range releases {
		to := filepath.Join(dir, release)
		require.NoError(t, os.CopyFS(to, os.DirFS(filepath.Join("testdata", release))))
		run(t, errgen, "generate", "-o", filepath.Join(to, "errs"), filepath.Join(to, "taxonomy.yaml"))
		write(t, filepath.Join(to, "main.go"), strings.ReplaceAll(string(peer), "RELEASE", release))
		programs[release] = filepath.Join(dir, release, "peer")
		goRun(t, dir, "build", "-o", programs[release], "./"+release)
	}
	return programs
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// goRun runs the go command in a directory, with the workspace of that directory.
func goRun(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK="+filepath.Join(dir, "go.work"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "go %s\n%s", strings.Join(args, " "), out)
}

// run runs a program and returns what it prints.
func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	require.NoError(t, err, "%s\n%s", strings.Join(slices.Insert(args, 0, program), " "), problems.String())
	return string(out)
}

// serve starts a server and returns its addresses.
func serve(t *testing.T, program string) []string {
	t.Helper()
	cmd := exec.Command(program, "serve")
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		assert.NoError(t, stdin.Close())
		assert.NoError(t, cmd.Wait())
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	return strings.Fields(line)
}
