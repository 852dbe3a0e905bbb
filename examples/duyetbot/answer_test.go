package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAnswer: all failures have answers of one form.
func TestAnswer(t *testing.T) {
	var out bytes.Buffer
	require.NoError(
		t, classify([]string{"-source", "tool", "-exit-code", "1", "-json"}, strings.NewReader("no\n"), &out,
			io.Discard))
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
	require.NoError(
		t, classify([]string{"-source", "tool", "-exit-code", "1"}, strings.NewReader("no\n"), &out, io.Discard))
	assert.Contains(t, out.String(), "\nmessage         "+answer.Message+"\n")
	assert.Contains(t, out.String(), "\nreaction        "+answer.Reaction.Name+": ")
}
