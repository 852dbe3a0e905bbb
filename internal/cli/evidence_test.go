package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func parsedEvidence(line string) (taxonomy.Evidence, error) {
	var o options
	fs := flag.NewFlagSet("p", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	evidenceFlags(fs, &o)
	err := fs.Parse(strings.Fields(line))
	return o.evidence, err
}

func TestEvidenceFlags(t *testing.T) {
	ev, err := parsedEvidence("-status 503 -exit-code -1 -retry-after 1m30s -attr Key=a=b -attr other=")
	require.NoError(t, err)
	assert.Equal(t, taxonomy.Evidence{
		Status: 503, ExitCode: taxonomy.Some(-1), RetryAfter: taxonomy.Some(90 * time.Second),
		Attributes: map[string]string{"key": "a=b", "other": ""},
	}, ev)
	ev, err = parsedEvidence("-retry-after 20")
	require.NoError(t, err)
	assert.Equal(t, taxonomy.Some(20*time.Second), ev.RetryAfter)
}

func TestEvidenceFlagsRefuse(t *testing.T) {
	for line, want := range map[string]string{
		"-status many":        "it must be a number from 100 to 599",
		"-status 99":          "it must be a number from 100 to 599",
		"-status 600":         "it must be a number from 100 to 599",
		"-exit-code one":      "it must be a number from",
		"-retry-after soon":   "it must be seconds, or like 1m30s",
		"-retry-after -5s":    "it must be seconds, or like 1m30s",
		"-retry-after 1e9999": "it must be seconds, or like 1m30s",
		"-attr colour":        "it must be NAME=VALUE",
		"-attr =red":          "it must be NAME=VALUE",
	} {
		t.Run(line, func(t *testing.T) {
			_, err := parsedEvidence(line)
			assert.ErrorContains(t, err, want)
		})
	}
}

func TestReadEnd(t *testing.T) {
	const most = maxText
	var b strings.Builder
	for i := 0; b.Len() < 4*most; i++ {
		fmt.Fprintf(&b, "%064d ", i)
	}
	for _, size := range []int{0, 1, 64 << 10, most - 1, most, most + 1, 2*most - 1, 2 * most, 2*most + 1, 3*most + 7} {
		whole := b.String()[:size]
		got, err := readTail(strings.NewReader(whole))
		require.NoError(t, err)
		assert.True(t, whole[max(0, size-most):] == string(got), "of %d bytes", size)
	}
	errBroken := errors.New("broken")
	_, err := readTail(iotest.ErrReader(errBroken))
	assert.ErrorIs(t, err, errBroken)

	got, err := readTail(endless{})
	require.NoError(t, err)
	assert.Len(t, got, most, "an endless input is read to a limit")
}

// A terminal is not waited for.
func TestPiped(t *testing.T) {
	null, err := os.Open(os.DevNull) // a character device, as a terminal is
	require.NoError(t, err)
	defer func() { _ = null.Close() }()
	closed, err := os.Open(os.DevNull)
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(path, []byte("text"), 0o600))
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	for _, tt := range []struct {
		in   io.Reader
		want bool
	}{{null, false}, {closed, false}, {nil, false}, {file, true}, {strings.NewReader(""), true}} {
		assert.Equal(t, tt.want, isPiped(tt.in))
	}
}
