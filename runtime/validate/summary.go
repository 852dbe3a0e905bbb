package validate

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Summary is what came of the commands of a phase.
type Summary struct {
	Phase executor.Phase
	// Results are those of the commands that were run, in their order.
	Results []Result
	// Err is nil when all of them passed. Otherwise it is the evidence of the first that failed
	// (source validator, op validate_ and the phase; type exit, timeout, not_found or start); of
	// several failures its output is that of all. When the context was cancelled, it wraps the
	// context's error and is no evidence.
	Err error
}

// Result is what came of one command.
type Result struct {
	// Command is the command as a person would type it.
	Command string
	// ExitCode is -1 when the command did not exit by itself.
	ExitCode int
	// Signal is the name of the signal that ended it.
	Signal string
	Took   time.Duration
	// Output is the end of what it printed, both streams in their order. It is untrusted, and
	// secrets in it are not masked unless there was more of it.
	Output string
	// Err is nil when the command passed, as in [Summary].
	Err error

	// stopped reports that the context ended, so that nothing more is run.
	stopped bool
}

// failure returns the evidence of the first failure, with the output of all of them.
func (s *Summary) failure(limit int) error {
	var failed []*taxonomy.Evidence
	for i := range s.Results {
		var ev *taxonomy.Evidence
		if errors.As(s.Results[i].Err, &ev) {
			failed = append(failed, ev)
		}
	}
	switch len(failed) {
	case 0:
		return nil
	case 1:
		return failed[0]
	}
	first := *failed[0]
	first.Output = ""
	for _, ev := range failed {
		output := detect.CutMasked(strings.TrimRight(ev.Output, "\n"), limit/len(failed))
		first.Output += fmt.Sprintf("$ %s\n%s\n", ev.Attribute(attributeCommand), output)
	}
	return &first
}
