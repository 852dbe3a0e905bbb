package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the files of testdata anew")

func TestClassify(t *testing.T) {
	tests := []struct {
		name  string // of the file in testdata that holds the output
		args  string
		input string
	}{
		{"rate-limit.txt", "-status 429 -source github", ""},
		{"rate-limit.json", "-status 403 -source github -attr ratelimit-remaining=0 -json",
			"API rate limit exceeded for user ID 1"},
		{"types.txt", "-source tool -exit-code 2", "src/app.ts(12,5): error TS2345: no\nFAIL\n"},
		{"fast.txt", "-profile fast -source llm", "Rate limit exceeded"},
		{"unmatched.txt", "", "something new"},
		{"nothing.txt", "", ""},
		{"system.txt", "-source system -signal SIGKILL", ""},
		{"quota.json", "-json -source llm -status 429",
			`{"error":{"message":"Out of credits","type":"insufficient_quota","code":"insufficient_quota"}}`},
		{"wait.txt", "-source llm -status 429", "Retry after 30 seconds"},
		{"success.txt", "-source tool -exit-code 0", "0 tests failed"},
		{"success.json", "-source tool -exit-code 0 -json", `{"type":"error"}`},
		{"file.txt", "-errno ENOENT -op load -code E7 -type failed", ""},
		{"hostile.json", "-source tool -json",
			"\x1b[2J\x1b]0;title\a\nBuild failed: \u202e\xff token=ghp_0123456789abcdefghijABCDEFGHIJ012345"},
		{"hostile.txt", "-source tool",
			"\x1b[2J\x1b]0;title\a\nBuild failed: \u202e\xff token=ghp_0123456789abcdefghijABCDEFGHIJ012345"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			require.NoError(t, classify(strings.Fields(tt.args), strings.NewReader(tt.input), &out, io.Discard))
			path := filepath.Join("testdata", tt.name)
			if *update {
				require.NoError(t, os.WriteFile(path, out.Bytes(), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, string(want), out.String())
			assert.NotContains(t, out.String(), "\x1b", "nothing that a terminal obeys")
			assert.NotContains(t, out.String(), "\u202e", "nothing that turns the direction of reading")
			assert.NotContains(t, out.String(), "ghp_0123", "no secret")
			if strings.HasSuffix(tt.name, ".json") {
				assert.True(t, json.Valid(out.Bytes()))
			}
		})
	}
}

func TestUsageOfClassify(t *testing.T) {
	tests := map[string]string{
		"-status many":     "invalid value",
		"-exit-code many":  "it must be a number",
		"-attr colour":     "it must be NAME=VALUE",
		"-attr =red":       "it must be NAME=VALUE",
		"-colour red":      "flag provided but not defined",
		"-profile careful": "no profile",
		"something":        "unexpected argument",
	}
	for args, want := range tests {
		t.Run(args, func(t *testing.T) {
			err := classify(strings.Fields(args), nil, io.Discard, io.Discard)
			assert.ErrorContains(t, err, want)
		})
	}
	var hints bytes.Buffer
	require.ErrorIs(t, classify([]string{"-h"}, nil, io.Discard, &hints), flag.ErrHelp)
	assert.Contains(t, hints.String(), "-exit-code number")
}

func TestBrokenInputAndOutput(t *testing.T) {
	broken := errors.New("broken")
	require.ErrorIs(t, classify(nil, iotest.ErrReader(broken), io.Discard, io.Discard), broken)
	for _, args := range [][]string{nil, {"-json"}} {
		require.ErrorIs(t, classify(args, nil, writer(func([]byte) (int, error) { return 0, broken }), io.Discard),
			broken)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

// TestFindings: what the taxonomy gets wrong is found when it is generated from, and never skipped
// at run time.
func TestFindings(t *testing.T) {
	tests := []struct {
		row, old, new, finding string
	}{
		{"D162 a pattern that does not compile", `'(?i)\brate[ _-]?limit\b'`,
			`'(?i)\brate[ _-]?limit('`, "E-regexp"},
		{"B-D01 a code that is not declared", "fallback: {code: SYSTEM_ERROR", "fallback: {code: DEPENDENCY_MISSING",
			"E-unknown-name"},
		{"B-D13 a strategy that is not declared", "strategy: fix_build", "strategy: wait_and_retry", "E-unknown-name"},
	}
	src, err := os.ReadFile("taxonomy.yaml")
	require.NoError(t, err)
	for _, tt := range tests {
		t.Run(tt.row, func(t *testing.T) {
			broken := strings.Replace(string(src), tt.old, tt.new, 1)
			require.NotEqual(t, string(src), broken)
			cmd := exec.Command("go", "tool", "errgen", "lint", "-")
			cmd.Stdin = strings.NewReader(broken)
			out, err := cmd.CombinedOutput()
			require.Error(t, err)
			assert.Contains(t, string(out), tt.finding)
		})
	}
}
