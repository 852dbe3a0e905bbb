package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const small = `errgen: 1
package: errs
categories: {user: {doc: Users., codes: {A_CODE: {doc: A code., message: a}}}}
`

// call runs the command in dir.
func call(t *testing.T, dir, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	status = Run(t.Context(), args, Env{Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &err, Dir: dir})
	return status, out.String(), err.String()
}

// Relative paths are relative to the directory that was handed in, whatever the process's own is.
func TestDir(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "taxonomy.yaml"), []byte(small), 0o644))
	status, stdout, stderr := call(t, dir, "", "generate", "-o", "out")
	assert.Equal(t, exitClean, status)
	assert.Empty(t, stdout)
	assert.Empty(t, stderr)
	assert.FileExists(t, filepath.Join(dir, "out", "doc_gen.go"))

	status, _, _ = call(t, dir, small, "generate", "-")
	assert.Equal(t, exitClean, status)
	assert.FileExists(t, filepath.Join(dir, "errs", "doc_gen.go"))
}

type brokenPipe struct{}

var errBroken = errors.New("broken")

func (brokenPipe) Write([]byte) (int, error) { return 0, errBroken }
func (brokenPipe) Read([]byte) (int, error)  { return 0, errBroken }

// A result that could not be written must not look like success.
func TestOutputThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "taxonomy.yaml"), []byte(small), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "faulty.yaml"), []byte("errgen: 2\n"), 0o644))
	require.NoError(
		t, os.WriteFile(filepath.Join(dir, "released.yaml"), []byte(strings.ReplaceAll(small, "A_CODE", "B_CODE")),
			0o644))
	for _, args := range [][]string{
		{"list"}, {"list", "-format=json"}, {"explain", "A_CODE"}, {"explain", "A_CODE", "-format=json"}, {"help"},
		{"version"},
		{"init", "-"}, {"check"}, {"check", "-format=json"}, {"lint", "faulty.yaml"}, {"schema"},
		{"explain", "E-unknown-key"},
		{"breaking", "-against", "released.yaml"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			var stderr bytes.Buffer
			status := Run(t.Context(), args, Env{Stdout: brokenPipe{}, Stderr: &stderr, Dir: dir})
			assert.Equal(t, exitTrouble, status)
			assert.Contains(t, stderr.String(), "broken")
		})
	}
}

func TestStdinThatCannotBeRead(t *testing.T) {
	var stderr bytes.Buffer
	status := Run(t.Context(), []string{"lint", "-"}, Env{Stdin: brokenPipe{}, Stderr: &stderr})
	assert.Equal(t, exitTrouble, status)
	assert.Equal(t, "errgen: read taxonomy from standard input: broken\n", stderr.String())
}

// A run that is to end before the first file is written writes none.
func TestCancelled(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stderr bytes.Buffer
	status := Run(ctx, []string{"generate", "-"}, Env{Stdin: strings.NewReader(small), Stderr: &stderr, Dir: dir})
	assert.Equal(t, exitTrouble, status)
	assert.Equal(t, "errgen: generate: context canceled\n", stderr.String())
	assert.NoDirExists(t, filepath.Join(dir, "errs"))
}

// TestEndlessInput checks that input without an end is read up to a limit.
func TestEndlessInput(t *testing.T) {
	var stdout bytes.Buffer
	status := Run(t.Context(), []string{"lint", "-"}, Env{Stdin: endless{}, Stdout: &stdout})
	assert.Equal(t, exitFindings, status)
	assert.Contains(t, stdout.String(), "[E-yaml]")
}

type endless struct{}

var hashes = bytes.Repeat([]byte("#"), 1<<20)

func (endless) Read(p []byte) (int, error) { return copy(p, hashes), nil }

func TestParse(t *testing.T) {
	tests := map[string]struct {
		args []string
		want []string
		o    string
	}{
		"nothing":             {nil, nil, ""},
		"flags first":         {[]string{"-o", "d", "a"}, []string{"a"}, "d"},
		"flags last":          {[]string{"a", "-o", "d"}, []string{"a"}, "d"},
		"flags between":       {[]string{"a", "-o=d", "b"}, []string{"a", "b"}, "d"},
		"two hyphens":         {[]string{"a", "--o", "d"}, []string{"a"}, "d"},
		"standard input":      {[]string{"-", "-o", "d"}, []string{"-"}, "d"},
		"the end of flags":    {[]string{"a", "--", "-o", "d"}, []string{"a", "-o", "d"}, ""},
		"only the end":        {[]string{"--"}, nil, ""},
		"the last flag holds": {[]string{"-o", "c", "a", "-o", "d"}, []string{"a"}, "d"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			fs := flag.NewFlagSet("test", flag.ContinueOnError)
			o := fs.String("o", "", "")
			got, err := parse(fs, tt.args)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.o, *o)
		})
	}
}

// TestReadme looks for each command in the list of the README.
func TestReadme(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	for _, c := range commands() {
		assert.Regexp(t, `(?m)^errgen `+c.name+`\b`, string(page))
	}
}
