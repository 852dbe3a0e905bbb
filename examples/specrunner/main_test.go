package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata anew")

func TestRun(t *testing.T) {
	tests := []struct {
		golden string
		args   []string
		in     string
	}{
		{"rate_limit.txt", []string{"-exit-code", "1"}, "You've hit your limit · resets 3pm\n"},
		{"rate_limit.json", []string{"-status", "429", "-profile", "phase1", "-json"}, ""},
		{"timeout.txt", []string{"-type", "timeout", "-attr", "limit=30m"}, ""},
		{"tests.json", []string{"-source", "post_done", "-type", "tests", "-exit-code", "1", "-output", "testdata/failed_tests.txt", "-json"}, ""},
		{"task_failed.txt", []string{"-exit-code", "0", "-output", "testdata/answer.txt"}, ""},
		{"context.txt", []string{"-exit-code", "1"}, "Error: context window exceeded\n"},
		{"hook.txt", []string{"-source", "pre_start", "-op", "prepare", "-exit-code", "128"}, "fatal: not a git repository\n"},
		{"unknown.txt", []string{"-signal", "SIGKILL"}, ""},
		{"success.txt", []string{"-exit-code", "0"}, "warning: a new version is out\n"},
		{"success.json", []string{"-exit-code", "0", "-json"}, ""},
		{"escapes.txt", []string{"-exit-code", "1"}, "\x1b]0;owned\x07\x1b[2Jpanic: \u202eback\u009b31m\U000e0001\xff\n"},
		{"escapes.json", []string{"-exit-code", "1", "-json"}, "\x1b]0;owned\x07\x1b[2Jpanic: \u202eback\u009b31m\U000e0001\xff\n"},
		{"secret.json", []string{"-exit-code", "1", "-json"}, "panic: Authorization: Bearer 0a1b2c3d4e5f60718293a4b5c6d7e8f9\n"},
	}
	for _, tt := range tests {
		t.Run(tt.golden, func(t *testing.T) {
			var out bytes.Buffer
			require.NoError(t, run(tt.args, strings.NewReader(tt.in), &out, io.Discard))
			name := filepath.Join("testdata", tt.golden)
			if *update {
				require.NoError(t, os.WriteFile(name, out.Bytes(), 0o644))
			}
			want, err := os.ReadFile(name)
			require.NoError(t, err)
			assert.Equal(t, string(want), out.String())
			assert.NotContains(t, out.String(), "\x1b", "no escape reaches the terminal")
			assert.NotContains(t, out.String(), "0a1b2c3d", "no secret is shown")
			if strings.HasSuffix(tt.golden, ".json") {
				assert.True(t, json.Valid(out.Bytes()))
			}
		})
	}
}

func TestRunRefuses(t *testing.T) {
	tests := []struct {
		name string
		args []string
		in   io.Reader
		want string
	}{
		{"an unknown flag", []string{"-colour"}, nil, "not defined: -colour"},
		{"no number", []string{"-exit-code", "one"}, nil, "not a number"},
		{"no pair", []string{"-attr", "limit"}, nil, "not key=value"},
		{"an argument", []string{"limits"}, nil, `unexpected argument "limits"`},
		{"a source that is not declared", []string{"-source", "agnet"}, nil, `unknown source; there are agent, pre_start, post_done`},
		{"a profile that is not declared", []string{"-profile", "phase2"}, nil, "phase2"},
		{"a file that is not there", []string{"-output", "testdata/none.txt"}, nil, "testdata/none.txt"},
		{"a directory", []string{"-output", "testdata"}, nil, "testdata"},
		{"input that breaks off", nil, broken{}, "read standard input: broken pipe"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			err := run(tt.args, tt.in, &out, io.Discard)
			assert.ErrorContains(t, err, tt.want)
			assert.Empty(t, out.String())
		})
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestRunHelps(t *testing.T) {
	var hints bytes.Buffer
	assert.ErrorIs(t, run([]string{"-h"}, nil, io.Discard, &hints), flag.ErrHelp)
	assert.Contains(t, hints.String(), "-exit-code")
}

// Of a text without end only the end is kept.
func TestTail(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"nothing", "", ""},
		{"less", "ab", "ab"},
		{"as much", "abcd", "abcd"},
		{"more", "abcdef", "cdef"},
		{"much more", strings.Repeat("x", 1000) + "abcd", "abcd"},
	}
	for _, tt := range tests {
		for piece, r := range map[string]io.Reader{"at once": strings.NewReader(tt.in), "by bytes": oneByte{strings.NewReader(tt.in)}} {
			t.Run(tt.name+" "+piece, func(t *testing.T) {
				got, err := tail(r, 4)
				require.NoError(t, err)
				assert.Equal(t, tt.want, got)
			})
		}
	}
}

type oneByte struct{ r io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.r.Read(p[:1]) }

func TestRunOnALongText(t *testing.T) {
	in := io.MultiReader(io.LimitReader(noise{}, 16<<20), strings.NewReader("\nYou've hit your limit\n"))
	var out bytes.Buffer
	require.NoError(t, run([]string{"-exit-code", "1"}, in, &out, io.Discard))
	assert.Contains(t, out.String(), "RATE_LIMIT")
	assert.Less(t, out.Len(), 8<<10)
}

type noise struct{}

func (noise) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
