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

func TestStory(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, tell(&out))
	if *update {
		require.NoError(t, os.WriteFile("testdata/output.txt", out.Bytes(), 0o644))
	}
	want, err := os.ReadFile("testdata/output.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), out.String())
	assert.NotContains(t, out.String(), "0a1b2c3d", "a token is never shown")
}

func TestStoryStopsWhenItCannotBeWritten(t *testing.T) {
	assert.ErrorIs(t, tell(closedPipe{}), os.ErrClosed)
}

type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, os.ErrClosed }
