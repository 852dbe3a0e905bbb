// Duyetbot runs the skills of a bot that works on GitHub repositories. Its taxonomy.yaml decides
// what happens after a failure: wait, retry, install a package, run a linter's fix, or stop, within
// the limits of a profile.
//
//	go run . demo/*.yaml
//	go run . -profile strict -report report.html demo/rate-limit.yaml
//
// A skill is a YAML file with a command and a block error-handling; README.md has all of
// its keys.
//
// The exit code is 0 if all skills succeeded, 1 if a skill failed or the report cannot be written,
// 2 for wrong usage or a faulty skill, and 130 if the program was interrupted before all skills
// were done.
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
	"path/filepath"
	"strings"
	"syscall"

	"github.com/errgen/errgen/runtime/executor/terminal"
	"github.com/errgen/errgen/runtime/report/htmlreport"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

//go:generate go tool errgen generate

// The exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run carries out the command line and returns the exit code.
func run(ctx context.Context, args []string, out, hints io.Writer) int {
	fs := flag.NewFlagSet("duyetbot", flag.ContinueOnError)
	fs.SetOutput(hints)
	profile := fs.String("profile", "", "replace everything under error-handling by the profile of this `name`")
	file := fs.String("report", "", "write a report to this `file`: .html, .csv, .json or .txt")
	stop := fs.Bool("stop", false, "stop after the first skill that fails")
	verbose := fs.Bool("v", false, "log to standard error, at the level of the profile")
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case err != nil:
		return exitUsage
	case fs.NArg() == 0:
		return fail(hints, exitUsage, errors.New("no skill; name its file"))
	case *file != "" && formats[filepath.Ext(*file)] == nil:
		return fail(hints, exitUsage,
			fmt.Errorf("-report is %q; its name must end in .csv, .html, .json or .txt", *file))
	}
	s := newSession(out, retry.System)
	s.stop = *stop
	if *verbose {
		s.log = slog.New(slog.NewTextHandler(hints, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	jobs, err := s.load(ctx, fs.Args(), *profile)
	if err != nil {
		return fail(hints, exitUsage, err)
	}
	succeeded := s.run(ctx, jobs)
	fmt.Fprintf(out, "\n%s\n", s.reporter.Metrics().Summary())
	if *file != "" {
		if err := s.writeReport(*file); err != nil {
			return fail(hints, exitFailed, err)
		}
	}
	switch {
	case succeeded:
		return exitDone
	case ctx.Err() != nil:
		return exitInterrupted
	}
	return exitFailed
}

// fail prints the lines of an error and returns the exit code.
func fail(hints io.Writer, code int, err error) int {
	for line := range strings.SplitSeq(taxonomy.Redact(err.Error()), "\n") {
		fmt.Fprintln(hints, "duyetbot:", terminal.Printable(line))
	}
	return code
}

// formats are the formats of a report, by the extension of its file.
var formats = map[string]func(*session, io.Writer) error{
	".csv":  func(s *session, w io.Writer) error { return s.reporter.WriteCSV(w) },
	".json": func(s *session, w io.Writer) error { return s.reporter.WriteJSON(w) },
	".html": func(s *session, w io.Writer) error {
		snapshot := s.reporter.Snapshot()
		snapshot.Title, snapshot.Runs = "duyetbot", s.runs.All()
		return htmlreport.Write(w, snapshot, htmlreport.Options{Table: errs.Table})
	},
	".txt": func(s *session, w io.Writer) error {
		_, err := fmt.Fprintln(w, s.reporter.Metrics().Summary())
		return err
	},
}

// writeReport writes the report in the format of the file's extension.
func (s *session) writeReport(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if err := errors.Join(formats[filepath.Ext(name)](s, f), f.Close()); err != nil {
		return fmt.Errorf("write report %s: %w", name, err)
	}
	return nil
}
