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

func define(ev *taxonomy.Evidence) *flag.FlagSet {
	fs := flag.NewFlagSet("p", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Func("status", "", detectflag.Status(ev))
	fs.Func("exit-code", "", detectflag.ExitCode(ev))
	fs.Func("retry-after", "", detectflag.RetryAfter(ev))
	fs.Func("attr", "", detectflag.Attribute(ev))
	return fs
}

func TestFlags(t *testing.T) {
	var ev taxonomy.Evidence
	fs := define(&ev)
	line := "-status 503 -exit-code -1 -retry-after 1m30s -attr Key=a=b -attr other="
	require.NoError(t, fs.Parse(strings.Fields(line)))
	assert.Equal(t, taxonomy.Evidence{
		Status: 503, ExitCode: taxonomy.Some(-1), RetryAfter: taxonomy.Some(90 * time.Second),
		Attributes: map[string]string{"key": "a=b", "other": ""},
	}, ev)
	require.NoError(t, fs.Parse([]string{"-retry-after", "20"}))
	assert.Equal(t, taxonomy.Some(20*time.Second), ev.RetryAfter)
}

func TestFlagsRefuse(t *testing.T) {
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
			assert.ErrorContains(t, define(new(taxonomy.Evidence)).Parse(strings.Fields(line)), want)
		})
	}
}
