package validate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/detect/triage"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/evidence"
	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/internal/finding"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// errLimit is the cause of a context that ended because the command's own time was over.
var errLimit = errors.New("the command's time is over")

// Result is the result of one command.
type Result struct {
	// Command is the command as a person would type it.
	Command string
	// Output is the end of its output, both streams together. It is untrusted. Secrets are masked
	// only if output before it was dropped.
	Output string
	// Err is nil if the command passed.
	Err error
}

// Run runs a command that is not part of a phase, with the directory, environment and limits of the
// configuration. The error is evidence of source "validator" and the given op. For an unusable
// command it is evidence of source "config", and op is the attribute field.
func (v *Validator) Run(ctx context.Context, op string, c Command) Result {
	if !c.Usable() {
		return Result{Command: c.String(), Err: unusable(op, c)}
	}
	return v.run(ctx, op, c, executor.Started(ctx))
}

// run runs one command. Started may be nil.
func (v *Validator) run(ctx context.Context, op string, command Command,
	started func(executor.Process) error) Result {
	limit := command.Limit
	if limit <= 0 {
		limit = v.config.Limit
	}
	limited, cancel := context.WithTimeoutCause(ctx, limit, errLimit)
	defer cancel()
	out, cause := proc.NewTail(v.config.Output), newCauseFinder()
	output := io.MultiWriter(out, cause)
	path, args := command.Program()
	exit, err := proc.Run(limited, proc.Command{
		Path: path, Args: args, Dir: v.config.Dir, Env: proc.SafeEnv(v.config.Env...),
		Stdout: output, Stderr: output, Grace: v.config.Grace, Started: processHook(started), Sweep: true,
	})
	result := Result{Command: command.String(), Output: outputOf(out)}
	explained := cause.end(result.Output)
	ended := limited.Err() != nil && errors.Is(err, limited.Err())
	if ended && errors.Is(ctx.Err(), context.Canceled) {
		result.Err = fmt.Errorf("%s: %w", strings.Replace(op, "_", " ", 1), err)
		return result
	}
	ev := proc.Failure("validator", op, path, exit, err)
	if ev == nil {
		return result
	}
	ev.Attributes["command"] = result.Command
	result.Output, ev.Output = explained, explained
	switch {
	case ended:
		// This package ended the command, so exit code and signal have no meaning.
		ev.Type, ev.ExitCode, ev.Signal = "timeout", taxonomy.Opt[int]{}, ""
		ev.Attributes["elapsed_ms"] = milliseconds(exit.Took)
		if errors.Is(err, errLimit) {
			ev.Attributes["timeout_ms"] = milliseconds(limit)
			ev.Text = fmt.Sprintf("%s did not end within %s", result.Command, limit)
		}
	case err == nil:
		ev.Type = "exit"
		if f, ok := finding.First(ev.Output); ok {
			finding.Add(ev.Attributes, f)
		}
	}
	result.Err = ev
	return result
}

// unusable is evidence of a command that cannot be run.
func unusable(field string, c Command) error {
	return evidence.OfSetting(field, c.String(), "a program with its arguments, or a line")
}

// processHook returns the hook of package proc that passes the process to started.
func processHook(started func(executor.Process) error) func(proc.ID) error {
	if started == nil {
		return nil
	}
	return func(id proc.ID) error { return started(executor.Process{PID: id.PID, Start: id.Start}) }
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// Program returns the program and the arguments of a usable command.
func (c Command) Program() (path string, args []string) {
	switch {
	case c.Line == "":
		return c.Args[0], c.Args[1:]
	case runtime.GOOS == "windows":
		return "cmd.exe", []string{"/d", "/c", c.Line}
	}
	return "/bin/sh", []string{"-c", c.Line}
}

// outputOf returns the kept output, with a note if output before it was dropped.
func outputOf(kept *proc.Tail) string {
	text := kept.String()
	if dropped := kept.Total() - int64(len(text)); dropped > 0 {
		text = fmt.Sprintf("(%d bytes before this are left out)\n%s", dropped, text)
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

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
