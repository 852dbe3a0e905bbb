package main

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/output.txt anew")

func TestOutput(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(&out))
	if *update {
		require.NoError(t, os.WriteFile("testdata/output.txt", out.Bytes(), 0o644))
	}
	want, err := os.ReadFile("testdata/output.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), out.String())
	assert.NotContains(t, out.String(), "4242424242424242", "a card's number is never shown")
	assert.NotContains(t, out.String(), "0a1b2c3d", "nor is a token that the gateway sent back")
}
