package validate

import (
	"fmt"
	"io"
	"strings"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/detect/triage"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// maxBeginning is the greatest line of a cause at the beginning of the output. Then the reader
	// sees it without help.
	maxBeginning = 5
	// linesBefore and linesAfter are printed around a cause.
	linesBefore, linesAfter = 3, 10
)

// causeFinder finds the cause of a command's failure while the command prints its output.
type causeFinder struct {
	pipe  *io.PipeWriter
	found chan triage.Result
}

func newCauseFinder() *causeFinder {
	r, w := io.Pipe()
	c := &causeFinder{pipe: w, found: make(chan triage.Result, 1)}
	go func() {
		result, _ := detect.Log(r, taxonomy.Table{}, triage.Failed) // a pipe has no errors
		c.found <- result.Result
	}()
	return c
}

// Write implements io.Writer.
func (c *causeFinder) Write(p []byte) (int, error) { return c.pipe.Write(p) }

// end ends the output. It returns the kept output with the cause and the lines around it before it,
// unless the output begins with the cause.
func (c *causeFinder) end(kept string) string {
	_ = c.pipe.Close() // it never fails
	result := <-c.found
	cause := result.Cause
	if cause == nil || cause.Line <= maxBeginning {
		return kept
	}
	excerpt := text.Masked(cause.Text) + "\n"
	if i := strings.Index(kept, cause.Text); i >= 0 {
		line := strings.Count(kept[:i], "\n") + 1
		excerpt = triage.Surroundings(kept, line, linesBefore, linesAfter)
	}
	return fmt.Sprintf("The cause is probably in line %d of %d:\n%s\nThe end of the output:\n%s",
		cause.Line, result.Lines, strings.TrimRight(excerpt, "\n")+"\n", kept)
}
