package detectflag_test

import (
	"flag"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect/detectflag"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// parse reads a command line of a program whose taxonomy has two sources.
func parse(line string) (taxonomy.Evidence, error) {
	var ev taxonomy.Evidence
	fs := flag.NewFlagSet("p", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	detectflag.Define(fs, &ev, &taxonomy.Taxonomy{Sources: []taxonomy.Named{{Name: "agent"}, {Name: "tool"}}})
	return ev, fs.Parse(strings.Fields(line))
}

func TestFlags(t *testing.T) {
	ev, err := parse("")
	require.NoError(t, err)
	assert.Equal(t, taxonomy.Evidence{}, ev)

	var told taxonomy.Evidence
	fs := flag.NewFlagSet("p", flag.ContinueOnError)
	detectflag.Define(fs, &told, &taxonomy.Taxonomy{Sources: []taxonomy.Named{{Name: "tool"}}})
	require.NoError(
		t, fs.Parse(strings.Fields("-source tool -op call -status 503 -type t -code c -exit-code -1 -signal SIGIOT "+
			"-errno EWOULDBLOCK -retry-after 1m30s -attr Key=a=b -attr other=")))
	assert.Equal(t, taxonomy.Evidence{
		Source: "tool", Op: "call", Status: 503, Type: "t", Code: "c", ExitCode: taxonomy.Some(-1), Signal: "SIGABRT",
		Errno:      "EAGAIN",
		RetryAfter: taxonomy.Some(90 * time.Second), Attributes: map[string]string{"key": "a=b", "other": ""},
	}, told)
	require.NoError(t, fs.Parse([]string{"-retry-after", "20"}))
	assert.Equal(t, taxonomy.Some(20*time.Second), told.RetryAfter)
}

func TestFlagsRefuse(t *testing.T) {
	for line, want := range map[string]string{
		"-source agnet":       "unknown source; there are agent, tool",
		"-status many":        "it must be a number from 100 to 599",
		"-status 99":          "it must be a number from 100 to 599",
		"-status 600":         "it must be a number from 100 to 599",
		"-status -1":          "it must be a number from 100 to 599",
		"-exit-code one":      "it must be a number from",
		"-signal 9":           "it must be a name in capitals that begins with SIG",
		"-signal KILL":        "it must be a name in capitals that begins with SIG",
		"-signal sigkill":     "it must be a name in capitals that begins with SIG",
		"-errno 2":            "it must be a name in capitals that begins with E",
		"-errno enoent":       "it must be a name in capitals that begins with E",
		"-errno E":            "it must be a name in capitals that begins with E",
		"-retry-after soon":   "it must be seconds, or like 1m30s",
		"-retry-after -5s":    "it must be seconds, or like 1m30s",
		"-retry-after 1e9999": "it must be seconds, or like 1m30s",
		"-attr colour":        "it must be NAME=VALUE",
		"-attr =red":          "it must be NAME=VALUE",
	} {
		t.Run(line, func(t *testing.T) {
			_, err := parse(line)
			assert.ErrorContains(t, err, want)
		})
	}
}
