// Duyetbot runs the skills of a bot that works on GitHub repositories. Its taxonomy.yaml decides
// what happens after a failure: wait, retry, install a package, run a linter's fix, or stop, within
// the limits of a profile.
//
//	go run . demo/*.yaml
//	go run . -skill demo/rate-limit.yaml -profile strict -report report.html
//
// A skill is a YAML file with a command and a block error-handling; README.md has all of
// its keys.
//
// The exit code is 0 when all skills succeeded, 1 when one failed, 2 for wrong usage, which
// includes a faulty skill, 3 when the program itself failed or its output cannot be written, and
// 130 when it was interrupted before all skills were done.
//
// It can also classify a failure without running a skill:
//
//	go run . -classify -source github -status 403 -attr ratelimit-remaining=0
//	npm test 2>&1 | go run . -classify -source tool -exit-code 1
//
// The output of the failed command is read from standard input. Of a long text, the end is used. If
// the text is an error in JSON, its type, code and message are read as well.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/errgen/errgen/runtime/executor/terminal"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

//go:generate go tool errgen generate

// The exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitBroken = 3
	exitCut    = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run carries out the command line and returns the exit code.
func run(ctx context.Context, args []string, in io.Reader, stdout, hints io.Writer) (code int) {
	out := &checked{Writer: stdout}
	defer func() {
		if err := out.failed(); err != nil {
			code = broken(hints, fmt.Errorf("write the output: %w", err))
		}
	}()
	defer func() {
		if p := recover(); p != nil {
			code = broken(hints, fmt.Errorf("the program has a fault: %v", p))
		}
	}()
	if len(args) > 0 && (args[0] == "-classify" || args[0] == "--classify") {
		return exitOf(classify(args[1:], in, out, hints), hints)
	}
	o, err := parse(args, out)
	if err != nil {
		return exitOf(err, hints)
	}
	skills, err := o.load()
	if err != nil {
		return exitOf(err, hints)
	}
	if o.dry {
		return exitOf(o.plan(ctx, skills, out), hints)
	}
	return o.work(ctx, skills, out, hints)
}

// work runs skills, and reports on them.
func (o *options) work(ctx context.Context, skills []*skill, out, hints io.Writer) int {
	if err := checkWritable(o.report); err != nil {
		return broken(hints, err)
	}
	s := newSession(out, retry.System)
	s.profile, s.stop = o.profile, o.stop
	if o.verbose {
		s.log = slog.New(slog.NewTextHandler(hints, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	all, err := s.run(ctx, skills)
	if err != nil && ctx.Err() != nil {
		return exitCut
	}
	if err != nil {
		return exitOf(err, hints)
	}
	fmt.Fprintln(out)
	for line := range strings.SplitSeq(s.reporter.Summary(), "\n") {
		fmt.Fprintln(out, terminal.Printable(line))
	}
	if o.report != "" {
		if err := s.writeReport(o.report); err != nil {
			return broken(hints, err)
		}
		fmt.Fprintln(out, "wrote", terminal.Printable(o.report))
	}
	switch {
	case all:
		return exitDone
	case ctx.Err() != nil:
		return exitCut
	}
	return exitFailed
}

// exitOf prints an error of the command line or of a skill, and returns its exit code.
func exitOf(err error, hints io.Writer) int {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return exitDone
	}
	for line := range strings.SplitSeq(taxonomy.Redact(err.Error()), "\n") {
		fmt.Fprintln(hints, "duyetbot:", terminal.Printable(line))
	}
	return exitUsage
}

func broken(hints io.Writer, err error) int {
	exitOf(err, hints)
	return exitBroken
}
