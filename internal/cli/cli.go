// Package cli is the errgen command: its subcommands, their flags, their output and their exit
// status. An [Env] provides streams, directory and clock, so that tests can run the command in
// their process.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/diag"
)

// The exit status.
const (
	exitClean    = 0
	exitFindings = 1 // findings or drift
	exitTrouble  = 2 // wrong usage, or something could not be read or written
)

// Env provides the surroundings of the command.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Dir            string           // base of relative paths; empty is the process's working directory
	Now            func() time.Time // nil is time.Now
}

func (e Env) now() time.Time {
	if e.Now == nil {
		return time.Now()
	}
	return e.Now()
}

// path returns the path to open for a path from the user.
func (e Env) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.Dir, name)
}

// Run runs the command and returns its exit status. The arguments are without the program's name.
func Run(ctx context.Context, args []string, env Env) int {
	s := &session{ctx: ctx, Env: env}
	return s.end(s.dispatch(args))
}

// session is one run of the command.
type session struct {
	Env
	ctx context.Context
	cmd *command // nil before it is known
	// logged are the findings for -format sarif, which is one document at the end of the command.
	logged []diag.FileFindings
}

// errFindings ends a command whose findings have been printed.
var errFindings = errors.New("findings")

// usageError is the error of a wrong call.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// end prints the error of the command, if any, and returns the exit status.
func (s *session) end(err error) int {
	if err == nil {
		return exitClean
	}
	if errors.Is(err, errFindings) {
		return exitFindings
	}
	if errors.Is(err, errRetry) {
		return exitRetry
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		s.note("errgen: %s", line)
	}
	if usage := (*usageError)(nil); errors.As(err, &usage) {
		help := "errgen help"
		if s.cmd != nil {
			help += " " + s.cmd.name
		}
		s.note("run %q for how to use it", help)
	}
	return exitTrouble
}

func (s *session) dispatch(args []string) error {
	name, rest := "generate", args
	if len(args) > 0 && !isFlag(args[0]) {
		name, rest = args[0], args[1:]
	}
	if len(args) > 0 {
		switch strings.TrimLeft(args[0], "-") {
		case "h", "help":
			return s.help(args[1:])
		case "version":
			name, rest = "version", args[1:]
		}
	}
	s.cmd = commandNamed(name)
	if s.cmd == nil {
		return unknownCommand(name)
	}
	return s.run(rest)
}

func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' }

func unknownCommand(name string) error {
	if ext := filepath.Ext(name); name == "-" || ext == ".yaml" || ext == ".yml" {
		return usagef("%q is no command; did you mean \"errgen generate %s\"?", name, name)
	}
	return usagef("unknown command %q%s", name, suggestion(name, commandNames()))
}

// printf writes a result to standard output. If that fails, so does the command.
func (s *session) printf(format string, args ...any) error {
	return s.write([]byte(fmt.Sprintf(format, args...)))
}

func (s *session) write(text []byte) error {
	if _, err := s.Stdout.Write(text); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}

// note writes a remark to standard error. A failure to write it is ignored.
func (s *session) note(format string, args ...any) {
	_, _ = fmt.Fprintf(s.Stderr, format+"\n", args...)
}
