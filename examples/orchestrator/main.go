// Orchestrator carries out a plan, step by step, through a ladder of tiers. The lowest tier carries
// a step out; what fails is classified by taxonomy.yaml, and its reaction decides: again, a higher
// tier that finds out what is wrong and mends it, or a person.
//
//	go run . demo/plan.md
//	go run . -check demo/missing.md
//	go run . -run ask -state /tmp/runs demo/question.md
//	go run . -run ask -state /tmp/runs -answer 'in cents' demo/question.md
//
// A plan is a Markdown file; README.md says what stands in it. The tiers play scripts, or are real
// ones: see -tiers.
//
// The exit code is 0 when the plan was carried out, 1 when it failed, when -check finds something,
// and when the program itself fails, 2 for wrong usage, which includes a plan that cannot be read
// and a run that is refused, 3 when the run is blocked and a person is asked, and 130 when it was
// cancelled: by Ctrl-C, SIGTERM, or a terminal that is closed. What a tier was doing is then put
// back. Another Ctrl-C ends the program at once.
//
// It can also say what a failure is, without doing anything about it:
//
//	cat CLAUDE.md 2>&1 | go run . -classify -exit-code 1
//	go run . -classify -source check -type count -attr expected=5 -attr actual=3 -json
//	go run . -classify -source review -type skipped_steps -profile chains
//
// What was said on the error channel is read from standard input; of a long text the end counts. An
// error body in JSON tells its type, code and message, too. The categories, the order in which they
// are asked for and what is done about them stand in taxonomy.yaml and nowhere else.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

//go:generate go tool errgen generate

// The exit codes.
const (
	exitDone      = 0
	exitFailed    = 1
	exitUsage     = 2
	exitBlocked   = 3
	exitCancelled = 130
)

func main() {
	ctx, args := context.Background(), os.Args[1:]
	if !classifies(args) { // which reads until somebody has said all, and leaves nothing to be put back
		var stop context.CancelFunc
		ctx, stop = signalled(ctx)
		defer stop()
	}
	os.Exit(run(ctx, args, os.Stdin, os.Stdout, os.Stderr))
}

// classifies reports that nothing is carried out.
func classifies(args []string) bool {
	return len(args) > 0 && (args[0] == "-classify" || args[0] == "--classify")
}

// run does what args say and returns the exit code.
func run(ctx context.Context, args []string, in io.Reader, stdout, hints io.Writer) (code int) {
	out, heard := &checked{Writer: stdout}, &said{Writer: hints}
	defer func() {
		if err := out.failed(); err != nil {
			code = told(hints, fmt.Errorf("write the output: %w", err), exitFailed)
		}
	}()
	if classifies(args) {
		return told(hints, classify(args[1:], in, out, hints), exitUsage)
	}
	code = perform(ctx, args, out, heard)
	if asksJSON(args) && code != exitDone && !out.written() {
		_, _ = out.Write(heard.encode(code)) // out keeps the error
	}
	return code
}

// perform carries a plan out, or checks it.
func perform(ctx context.Context, args []string, out *checked, hints io.Writer) (code int) {
	o, err := parse(args, out)
	if err != nil {
		return told(hints, err, exitUsage)
	}
	for _, name := range []string{o.diagram, o.corrected} {
		if err := checkWritable(name); err != nil {
			return told(hints, err, exitFailed)
		}
	}
	s, err := o.open(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return exitCancelled
	case err != nil:
		return told(hints, err, exitUsage)
	}
	return s.work(ctx, out, hints)
}

// work checks the plan, or carries it out.
func (s *session) work(ctx context.Context, out *checked, hints io.Writer) (code int) {
	kept := s.keep
	defer func() {
		if err := s.tree.close(kept); err != nil && code == exitDone {
			code = told(hints, err, exitFailed)
		}
	}()
	if s.check {
		c, err := s.checkPlan(ctx, out)
		switch {
		case ctx.Err() != nil:
			return exitCancelled
		case err != nil:
			return told(hints, err, exitFailed)
		case !c.well():
			return exitFailed
		}
		return exitDone
	}
	r, err := s.runPlan(ctx, out)
	if err != nil {
		return told(hints, err, exitFailed)
	}
	kept = kept || s.state != "" && r.Status != executor.StatusCompleted
	if s.keep && s.tree.fresh != "" && !s.quiet() {
		fmt.Fprintln(out)
		say(out, "the working tree is %s", s.tree.Dir())
	}
	if r.EndReason == escalate.EndRefused {
		return told(hints, refusal(r), exitUsage)
	}
	return statusCode(r.Status)
}

// refusal returns why a run was refused, without the words for what an error of that code usually
// is.
func refusal(r *escalate.Result) error {
	if cause := errors.Unwrap(r.Err); cause != nil {
		return cause
	}
	return errors.New(r.Error)
}

func statusCode(s executor.Status) int {
	switch s {
	case executor.StatusCompleted:
		return exitDone
	case executor.StatusBlocked:
		return exitBlocked
	case executor.StatusCancelled:
		return exitCancelled
	}
	return exitFailed
}

// told says what is wrong, and returns the exit code of it.
func told(hints io.Writer, err error, code int) int {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return exitDone
	}
	for line := range strings.SplitSeq(taxonomy.Redact(err.Error()), "\n") {
		say(hints, prefix+"%s", line)
	}
	return code
}
