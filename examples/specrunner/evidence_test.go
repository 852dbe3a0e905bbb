package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestEvidenceFlags(t *testing.T) {
	o, err := parse(strings.Fields("-source agent -op call -status 503 -type t -code c -exit-code -1 -signal SIGIOT -errno EWOULDBLOCK -retry-after 1m30s -attr Key=a=b"), io.Discard)
	require.NoError(t, err)
	assert.Equal(t, taxonomy.Evidence{
		Source: "agent", Op: "call", Status: 503, Type: "t", Code: "c", ExitCode: taxonomy.Some(-1), Signal: "SIGABRT", Errno: "EAGAIN",
		RetryAfter: taxonomy.Some(90 * time.Second), Attributes: map[string]string{"key": "a=b"},
	}, o.evidence)
}

func TestEvidenceFlagsRefuse(t *testing.T) {
	tests := map[string]string{
		"-source agnet":       "unknown source; there are agent, pre_start, post_done",
		"-status many":        "not a number from 100 to 599",
		"-status 99":          "not a number from 100 to 599",
		"-status 600":         "not a number from 100 to 599",
		"-status -1":          "not a number from 100 to 599",
		"-exit-code one":      "not a number",
		"-signal 9":           "not a name in capitals that begins with SIG",
		"-signal KILL":        "not a name in capitals that begins with SIG",
		"-signal sigkill":     "not a name in capitals that begins with SIG",
		"-errno 2":            "not a name in capitals that begins with E",
		"-errno enoent":       "not a name in capitals that begins with E",
		"-errno E":            "not a name in capitals that begins with E",
		"-retry-after soon":   "not a time",
		"-retry-after -5s":    "not a time",
		"-retry-after 1e9999": "not a time",
		"-attr colour":        "not key=value",
	}
	for args, want := range tests {
		t.Run(args, func(t *testing.T) {
			var out bytes.Buffer
			assert.ErrorContains(t, run(strings.Fields(args), nil, &out, io.Discard), want)
			assert.Empty(t, out.String())
		})
	}
}

func TestHeard(t *testing.T) {
	zero, minute := taxonomy.Some(0), taxonomy.Some(time.Minute)
	tests := []struct {
		name       string
		told, want taxonomy.Evidence
		said       string
	}{
		{"an error body", taxonomy.Evidence{Status: 429}, taxonomy.Evidence{Status: 429, Type: "insufficient_quota", Code: "out", Text: "Out of credits"},
			`{"error":{"message":"Out of credits","type":"insufficient_quota","code":"out"}}`},
		{"flags say better", taxonomy.Evidence{Type: "mine"}, taxonomy.Evidence{Type: "mine", Text: "no"}, `{"error":{"message":"no","type":"theirs"}}`},
		{"a body that ended well", taxonomy.Evidence{ExitCode: zero}, taxonomy.Evidence{ExitCode: zero, Text: `{"type":"result"}`}, `{"type":"result"}`},
		{"words to wait by", taxonomy.Evidence{}, taxonomy.Evidence{Text: "Retry after 30 seconds", RetryAfter: taxonomy.Some(30 * time.Second)}, "Retry after 30 seconds"},
		{"a flag to wait by", taxonomy.Evidence{RetryAfter: minute}, taxonomy.Evidence{Text: "Retry after 30 seconds", RetryAfter: minute}, "Retry after 30 seconds"},
		{"a line that is indented", taxonomy.Evidence{}, taxonomy.Evidence{Text: " ! [rejected]\n"}, " ! [rejected]\n"},
		{"half of a body", taxonomy.Evidence{}, taxonomy.Evidence{Text: `{"error":{"type":"x"`}, `{"error":{"type":"x"`},
		{"nothing", taxonomy.Evidence{}, taxonomy.Evidence{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			heard(&tt.told, tt.said)
			assert.Equal(t, tt.want, tt.told)
		})
	}
}

// What is answered has the same form whatever is classified.
func TestAnswer(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run([]string{"-source", "agent", "-exit-code", "1", "-json"}, strings.NewReader("no\n"), &out, io.Discard))
	var answer struct {
		Failed   bool
		Code     string
		Message  string
		Reaction struct{ Name, Action string }
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &answer))
	assert.True(t, answer.Failed)
	assert.NotEmpty(t, answer.Code)
	assert.NotEmpty(t, answer.Message)
	assert.NotEmpty(t, answer.Reaction.Name)
	assert.NotEmpty(t, answer.Reaction.Action)

	out.Reset()
	require.NoError(t, run([]string{"-source", "agent", "-exit-code", "1"}, strings.NewReader("no\n"), &out, io.Discard))
	assert.Contains(t, out.String(), "\nmessage         "+answer.Message+"\n")
	assert.Contains(t, out.String(), "\nreaction        "+answer.Reaction.Name+": ")
}
