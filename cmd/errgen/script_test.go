package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain lets the scripts run this test's own binary as errgen.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"errgen": main})
}

// TestScript runs testdata/script: the behaviour of the command, one subject a file. With UPDATE=1
// the outputs that the scripts expect are written anew.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		UpdateScripts:       os.Getenv("UPDATE") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// A program with the race detector would wait for a second before it ends; the command
			// is a program of one goroutine by then.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			dir, err := filepath.Abs(root)
			env.Setenv("ROOT", dir)
			return err
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status": status,
			"files":  files,
			"sarif":  checkSARIF,
		},
	})
}

// status runs a command and wants the exit status given: status 2 errgen generate.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command [argument ...]")
	}
	got := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

// files checks that a directory contains exactly the given files: files errs doc_gen.go own.go. A
// name that ends in * matches all names with that beginning.
func files(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: files dir [name ...]")
	}
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	used := make(map[string]bool)
	for _, e := range entries {
		if e.Name() == ".tmp" { // testscript's own
			continue
		}
		pattern := match(args[1:], e.Name())
		if pattern == "" {
			ts.Fatalf("%s holds %s", args[0], e.Name())
		}
		used[pattern] = true
	}
	for _, pattern := range args[1:] {
		if !used[pattern] {
			ts.Fatalf("%s does not hold %s", args[0], pattern)
		}
	}
}

// checkSARIF checks a file by the schema of SARIF: sarif stdout.
func checkSARIF(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sarif file")
	}
	schema, err := sarifSchema()
	ts.Check(err)
	log, err := jsonschema.UnmarshalJSON(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	ts.Check(schema.Validate(log))
}

// sarifSchema is the schema of the OASIS standard, errata 01, without spaces:
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json
var sarifSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	return jsonschema.NewCompiler().Compile("testdata/sarif-schema-2.1.0.json")
})

// TestSARIFOfErrgenvet checks the output of errgenvet, in its module, by the schema.
func TestSARIFOfErrgenvet(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "run", "./cmd/errgenvet", "-C", "internal/infer/testdata",
		"-format", "sarif", "./findings")
	cmd.Dir, cmd.Env = "../../vet", append(os.Environ(), "GOWORK=") // the fixtures need the workspace
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Logf("%s", exit.Stderr)
	}
	log, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
	require.NoError(t, err, string(out))
	schema, err := sarifSchema()
	require.NoError(t, err)
	assert.NoError(t, schema.Validate(log))
	assert.Contains(t, string(out), `"ruleId"`)
}

func match(patterns []string, name string) string {
	for _, p := range patterns {
		if ok, err := filepath.Match(p, name); ok && err == nil {
			return p
		}
	}
	return ""
}
