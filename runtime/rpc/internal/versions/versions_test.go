// Package versions_test runs programs of three releases of a service against each other.
package versions_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/devserver"
)

var releases = []string{"r1", "r2", "r3"}

// observation is what a client gets for a failure of a server.
type observation struct {
	Failure, Transport string
	Code, Sent, Type   string
	Handled            string // the first of the handled codes that errors.Is finds
	Unknown            bool
	Calls              int
	Wait               string
	HTTP, GRPC         int
	Effect             string
}

// effects are what the codes of a release declare, by failure. A client observes no other effect,
// whatever its own release declares.
var effects = map[string]map[string]string{
	"r2": {"timeout": "unknown", "down": "none"},
	"r3": {"timeout": "unknown", "down": "none"},
}

// message is what the TypeScript of a release reads.
type message struct {
	Failure, Transport string
	Code, Sent         string
	Category           string
	Retryable          bool
	HTTP               int
}

func TestMain(m *testing.M) {
	code := m.Run()
	devserver.Stop()
	os.Exit(code)
}

// TestReleases generates a package for each release of a service that splits a code, renames one on
// the wire, moves codes to another category and removes one. It builds a program from each, and lets
// the client of each release call the server of each. The table in docs/evolution.md is what they
// get. The TypeScript of each release reads the same errors.
func TestReleases(t *testing.T) {
	if testing.Short() {
		t.Skip("builds three programs")
	}
	failures := []string{"timeout", "down", "busy", "locked", "refused", "expired"}
	transports := []string{"http", "grpc", "connect", "json", "sqlite", "temporal"}
	var temporalServer, scripts []string
	t.Run("temporal server", func(t *testing.T) {
		temporalServer = []string{devserver.Address(t)}
		transports = append(transports, "temporal server")
	})
	programs := build(t)
	assertFindings(t, programs["errgen"])
	dir := t.TempDir()
	t.Run("typescript", func(t *testing.T) {
		compileTypeScript(t, programs["errgen"], dir)
		scripts = []string{dir}
	})
	table := []string{"| server | client | " + strings.Join(failures, " | ") + " |",
		"|---|---" + strings.Repeat("|---", len(failures)) + "|"}
	first := make(map[string]observation) // what the first release gets from itself
	for _, server := range releases {
		addresses, stored := serve(t, programs[server], temporalServer...), t.TempDir()
		run(t, programs[server], "store", stored)
		for _, client := range releases {
			args := slices.Concat([]string{"call", stored}, addresses, temporalServer)
			got := make(map[string]map[string]observation) // by failure and transport
			for _, o := range lines[observation](t, run(t, programs[client], args...)) {
				if got[o.Failure] == nil {
					got[o.Failure] = make(map[string]observation)
				}
				got[o.Failure][o.Transport] = o
			}
			row := fmt.Sprintf("| %s | %s |", server, client)
			for _, failure := range failures {
				o := got[failure]["http"]
				if server == "r1" && client == "r1" {
					first[failure] = o
				}
				require.ElementsMatch(t, transports, slices.Collect(maps.Keys(got[failure])))
				for transport, other := range got[failure] {
					at := fmt.Sprintf("%s to %s, %s over %s", server, client, failure, transport)
					assert.Equal(t, cell(o), cell(other), at)
					assert.Equal(t, o.Sent, other.Sent, at)
					assert.Equal(t, o.Type, other.Type, at)
					assert.Equal(t, first[failure].Calls > 1, other.Calls > 1, "%s: retried as at first", at)
					assert.Equal(t, cmp.Or(effects[server][failure], "unspecified"), other.Effect, at)
					if failure == "busy" {
						assert.Equal(t, "2s", other.Wait, at)
					}
				}
				assert.NotEqual(t, 500, o.HTTP)
				assert.NotEqual(t, 2, got[failure]["grpc"].GRPC)
				row += " " + cell(o) + " |"
			}
			table = append(table, row)
			// A code that moved has the type of the client's release.
			assert.Equal(t, map[string]string{"r1": "*errs.PaymentError", "r2": "*errs.PaymentError",
				"r3": "*errs.CardError"}[client], got["refused"]["http"].Type)
			for _, dir := range scripts {
				names := strings.Join(failures, ",")
				assertRead(t, got, run(t, "node", filepath.Join(dir, client, "read.js"), addresses[0], stored, names))
			}
		}
	}
	page, err := os.ReadFile(filepath.Join(root(t), "docs/evolution.md"))
	require.NoError(t, err)
	assert.True(t, strings.Contains(string(page), strings.Join(table, "\n")),
		"docs/evolution.md has another table:\n%s",
		strings.Join(table, "\n"))
}

// assertRead compares what TypeScript reads with what the Go program of its release gets.
func assertRead(t *testing.T, want map[string]map[string]observation, out string) {
	t.Helper()
	messages := lines[message](t, out)
	require.Len(t, messages, 2*len(want))
	for _, m := range messages {
		o := want[m.Failure][m.Transport]
		at := fmt.Sprintf("%s over %s", m.Failure, m.Transport)
		code, sent := o.Code, ""
		if o.Unknown {
			code, sent = "", o.Code
		} else if o.Sent != o.Code {
			sent = o.Sent
		}
		assert.Equal(t, code, m.Code, at)
		assert.Equal(t, sent, m.Sent, at)
		assert.Equal(t, o.Calls > 1, m.Retryable, at)
		if m.Transport == "http" && sent == "" { // the document has the status of the code that was sent
			assert.Equal(t, o.HTTP, m.HTTP, at)
		}
		category := map[string]string{"*errs.PaymentError": "payment", "*errs.CardError": "card"}[o.Type]
		assert.Equal(t, category, m.Category, at)
	}
}

// assertFindings checks that the findings about the releases are those that docs/evolution.md names.
func assertFindings(t *testing.T, errgen string) {
	t.Helper()
	taxonomy := func(release string) string { return filepath.Join("testdata", release, "taxonomy.yaml") }
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{[]string{"breaking", "-against", taxonomy("r1"), taxonomy("r2")}, []string{"W-changed-split"}},
		{[]string{"breaking", "-against", taxonomy("r2"), taxonomy("r3")},
			[]string{"W-changed-code-value", "E-break-code-moved"}},
		{[]string{"lint", taxonomy("r3")}, []string{"W-deprecated-parent"}},
	} {
		// The status is 1 if there are errors.
		out, _ := exec.Command(errgen, slices.Insert(tt.args, 1, "-format", "json")...).Output()
		var ids []string
		for _, finding := range lines[struct{ ID string }](t, string(out)) {
			ids = append(ids, finding.ID)
		}
		assert.ElementsMatch(t, tt.want, ids, tt.args)
	}
}

// lines decodes the JSON of each line.
func lines[T any](t *testing.T, out string) (list []T) {
	t.Helper()
	for line := range strings.Lines(out) {
		var v T
		require.NoError(t, json.Unmarshal([]byte(line), &v), line)
		list = append(list, v)
	}
	return list
}

// compileTypeScript writes the TypeScript of each release to a directory, with a program that reads
// errors with it.
func compileTypeScript(t *testing.T, errgen, dir string) {
	t.Helper()
	tsc := filepath.Join(root(t), "build/node/node_modules/.bin/tsc")
	if _, err := os.Stat(tsc); err != nil {
		if os.Getenv("ERRGEN_NODE") == "required" {
			t.Fatal(err)
		}
		t.Skip(`run "make node" to test with Node: `, err)
	}
	write(t, filepath.Join(dir, "package.json"), `{"type": "module"}`)
	args := []string{"--strict", "--target", "es2022", "--lib", "es2022,dom", "--module", "nodenext"}
	for _, release := range releases {
		to := filepath.Join(dir, release)
		require.NoError(t, os.CopyFS(to, os.DirFS("testdata/typescript")))
		run(t, errgen, "typescript", "-o", filepath.Join(to, "errors.ts"),
			filepath.Join("testdata", release, "taxonomy.yaml"))
		args = append(args, filepath.Join(to, "read.ts"))
	}
	run(t, tsc, append(args, filepath.Join(dir, releases[0], "node.d.ts"))...)
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
		return fmt.Sprintf("%s ×%d", code, o.Calls)
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
	programs["errgen"] = errgen
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
	require.NoError(t, err, "%s\n%s%s", strings.Join(slices.Insert(args, 0, program), " "), problems.String(), out)
	return string(out)
}

// serve starts a server and returns its addresses.
func serve(t *testing.T, program string, temporalServer ...string) []string {
	t.Helper()
	cmd := exec.Command(program, append([]string{"serve"}, temporalServer...)...)
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
