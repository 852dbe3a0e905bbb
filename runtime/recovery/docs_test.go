package recovery

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const docsHead = `package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/handler"
	"github.com/errgen/errgen/runtime/recovery"
	"github.com/errgen/errgen/runtime/recovery/virtual/errs"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/validate"
	"github.com/errgen/errgen/runtime/workspace"
)

`

const docsTaxonomy = sevenStrategies + `  ask_a_person: Asks.
profiles:
  default: {doc: Balanced.}
  lenient: {doc: Tries more.}
`

const docsRest = `sources: {github: GitHub.}
reactions:
  fail: {action: abort}
fallback: {code: broken}
uncategorized: fail
categories:
  work:
    doc: What goes wrong.
    codes:
      broken:
        doc: It is broken.
        message: it is broken
        reaction: fail
        detect: [{source: github}]
        examples: [{source: github}]
`

// What the page shows compiles, all of it together, against a package that errgen has made.
func TestDocsSamples(t *testing.T) {
	page, err := os.ReadFile("../../docs/recovery.md")
	require.NoError(t, err)
	samples := regexp.MustCompile("(?s)```go run\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	require.Len(t, samples, 4)
	assert.Equal(t, len(samples), strings.Count(string(page), "```go"), "every block of Go is compiled")
	source := docsHead
	for _, s := range samples {
		source += s[1] + "\n"
	}
	assert.Empty(t, build(t, generated(t, docsTaxonomy+docsRest), source))
}
