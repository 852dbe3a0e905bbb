// Package validate runs the commands that check work before it is committed or pushed, or before a
// pull request is opened: tests, linters, builds. Pass a [Validator] to an executor as
// Config.Validator.
//
//	checks, err := validate.New(validate.Config{
//		Dir: dir, PreCommit: []validate.Command{{Args: []string{"go", "test", "./..."}}},
//	})
//
// Each command is a process of package proc. A failed one is evidence with source "validator".
package validate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/executor/proc"
)

// The defaults of a [Config].
const (
	DefaultLimit  = 10 * time.Minute
	DefaultOutput = 16 << 10
)

// Config has the commands that check work. A provider cannot change them.
//
// The commands run code that a provider may have written, with the rights of this process. Their
// environment has only the variables of proc.SafeEnv and Env. Home directories contain credentials,
// too; to protect those, run everything in a container.
type Config struct {
	// Dir is the directory of the commands, usually the root of the working tree.
	Dir string
	// PreCommit, PrePush and PrePR are run in their order, one at a time, until one fails. A phase
	// without commands passes.
	PreCommit, PrePush, PrePR []Command
	// Limit is the time limit of a command without Command.Limit; 0 is DefaultLimit.
	Limit time.Duration
	// Output limits the kept output of a command, in bytes from its end; 0 is DefaultOutput. The
	// output of a command that failed begins with the line that is the cause, if it is found. If a
	// command prints more, secrets in the kept part are masked.
	Output int
	// Env adds to the commands' environment: "NAME=value", or "NAME" for this process's value.
	Env []string
	// Grace is the time for a stopped command to end by itself; 0 is proc.DefaultGrace.
	Grace time.Duration
}

// Command is a command that checks work: Args or Line, not both.
type Command struct {
	// Args are a program and its arguments. No shell reads them.
	Args []string
	// Line is a line for the shell: /bin/sh, or cmd.exe on Windows. Avoid quotes on Windows.
	Line string
	// Limit is the time limit of the command; 0 is Config.Limit.
	Limit time.Duration
}

// UnmarshalYAML reads a command from a configuration. A text is a line for the shell, and a list is
// a program and its arguments.
func (c *Command) UnmarshalYAML(decode func(into any) error) error {
	*c = Command{}
	if decode(&c.Line) == nil {
		return nil
	}
	return decode(&c.Args)
}

// String returns the command as a person would type it.
func (c Command) String() string {
	if c.Line != "" {
		return c.Line
	}
	words := make([]string, len(c.Args))
	for i, arg := range c.Args {
		words[i] = arg
		if arg == "" || strings.ContainsAny(arg, " \t\r\n\"'`$\\|&;<>()*?[]{}~#!") {
			words[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// Usable reports whether the command has either a line or a program.
func (c Command) Usable() bool {
	return strings.TrimSpace(c.Line) != "" && len(c.Args) == 0 || c.Line == "" && len(c.Args) > 0 && c.Args[0] != ""
}

// Validator runs the commands that check work. It is an [executor.Validator] that reports their
// processes. If runs share a validator, their commands run in the same directory, possibly
// simultaneously.
type Validator struct{ config Config }

var (
	_ executor.Selective = (*Validator)(nil)
	_ executor.Ender     = (*Validator)(nil)
)

// New returns a validator. The error joins evidence of each unusable command: source config, op
// load_config, type invalid.
func New(c Config) (*Validator, error) {
	if c.Limit <= 0 {
		c.Limit = DefaultLimit
	}
	if c.Output <= 0 {
		c.Output = DefaultOutput
	}
	var wrong []error
	for _, phase := range []executor.Phase{executor.PreCommit, executor.PrePush, executor.PrePR} {
		for i, command := range commandsOf(&c, phase) {
			if !command.Usable() {
				wrong = append(wrong, unusable(fmt.Sprintf("%s[%d]", phase, i), command))
			}
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return &Validator{config: c}, nil
}

func commandsOf(c *Config, phase executor.Phase) []Command {
	switch phase {
	case executor.PreCommit:
		return c.PreCommit
	case executor.PrePush:
		return c.PrePush
	case executor.PrePR:
		return c.PrePR
	}
	return nil
}

// Checks reports whether a phase has commands.
func (v *Validator) Checks(phase executor.Phase) bool { return len(commandsOf(&v.config, phase)) > 0 }

// Validate runs the commands of the check's phase in order, until one fails. The error is evidence
// of that failure: source validator, op "validate_" with the phase, type exit, timeout, not_found
// or start. If ctx is cancelled, the error wraps that of ctx and is not evidence. Validate calls
// c.Started with the process of each command.
func (v *Validator) Validate(ctx context.Context, c executor.Check) error {
	for _, command := range commandsOf(&v.config, c.Phase) {
		if ctx.Err() != nil {
			return fmt.Errorf("validate %s: %w", c.Phase, context.Cause(ctx))
		}
		if err := v.run(ctx, loop.OpValidate+string(c.Phase), command, c.Started).Err; err != nil {
			return err
		}
	}
	return nil
}

// End ends the process group of a command that an earlier process of the host started.
func (v *Validator) End(ctx context.Context, p executor.Process) error {
	return proc.End(ctx, proc.ID{PID: p.PID, Start: p.Start}, v.config.Grace)
}
