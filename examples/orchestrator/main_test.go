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
		{"missing_file.txt", []string{"-exit-code", "1", "-attr", "step=2.3"},
			"cat: CLAUDE.md: No such file or directory\n"},
		{"refused.json", []string{"-errno", "ECONNREFUSED", "-json"}, ""},
		{"chains.txt", []string{"-errno", "ECONNREFUSED", "-profile", "chains"}, ""},
		{"exit_status.txt", []string{"-exit-code", "3"}, "usage: deploy TARGET\n"},
		{"push.txt", []string{"-op", "push", "-exit-code", "1"}, " ! [rejected]        main -> main (fetch first)\n"},
		{"count.json",
			[]string{"-source", "check", "-type", "count", "-attr", "expected=5", "-attr", "actual=3", "-json"}, ""},
		{"overflow.txt", []string{"-source", "review", "-type", "skipped_steps"},
			"it ran out when the context window was exceeded\n"},
		{"ambiguous.txt", []string{"-source", "plan", "-op", "prepare", "-type", "unclear_criteria"}, ""},
		{"unclassified.txt", []string{"-source", "agent"}, "INTER_AGENT_MISALIGNMENT: I skipped step 3\n"},
		{"success.txt", []string{"-exit-code", "0"}, "warning: this flag is deprecated\n"},
		{"success.json", []string{"-exit-code", "0", "-json"}, ""},
		{"escapes.txt", []string{"-exit-code", "1"},
			"\x1b]0;owned\x07\x1b[2Jpanic: \u202eback\u009b31m\U000e0001\xff\n"},
		{"escapes.json", []string{"-exit-code", "1", "-json"},
			"\x1b]0;owned\x07\x1b[2Jpanic: \u202eback\u009b31m\U000e0001\xff\n"},
		{"secret.json", []string{"-exit-code", "1", "-json"},
			"panic: Authorization: Bearer 0a1b2c3d4e5f60718293a4b5c6d7e8f9\n"},
	}
	for _, tt := range tests {
		t.Run(tt.golden, func(t *testing.T) {
			var out bytes.Buffer
			require.NoError(t, classify(tt.args, strings.NewReader(tt.in), &out, io.Discard))
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
		{"no number", []string{"-exit-code", "one"}, nil, "it must be a number"},
		{"no pair", []string{"-attr", "step"}, nil, "it must be NAME=VALUE"},
		{"an argument", []string{"limits"}, nil, `unexpected argument "limits"`},
		{"a source that is not declared", []string{"-source", "agnet"}, nil,
			`unknown source; there are step, agent, check, review, plan`},
		{"a profile that is not declared", []string{"-profile", "chain"}, nil, "chain"},
		{"input that breaks off", nil, broken{}, "read standard input: broken pipe"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			err := classify(tt.args, tt.in, &out, io.Discard)
			assert.ErrorContains(t, err, tt.want)
			assert.Empty(t, out.String())
		})
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestRunHelps(t *testing.T) {
	var hints bytes.Buffer
	assert.ErrorIs(t, classify([]string{"-h"}, nil, io.Discard, &hints), flag.ErrHelp)
	assert.Contains(t, hints.String(), "-exit-code")
}

func TestRunOnALongText(t *testing.T) {
	in := io.MultiReader(io.LimitReader(noise{}, 16<<20), strings.NewReader("\nConnection refused\n"))
	var out bytes.Buffer
	require.NoError(t, classify([]string{"-exit-code", "1"}, in, &out, io.Discard))
	assert.Contains(t, out.String(), "PREREQUISITE_FAILURE")
	assert.Less(t, out.Len(), 8<<10)
}

type noise struct{}

func (noise) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
