package verify

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"unicode"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/validate"
)

// Gate runs the commands one after the other, all of them, and returns evidence for each that does
// not exit with 0: its exit code, or the signal that ended it, or the type timeout, or not_found or
// start with the errno for one that could not be started. The text is the end of what it printed,
// both streams, and attribute command is the command. Processes that a command leaves behind are
// ended. When ctx ends, that is the last evidence, and the rest is not run.
func (v *Verifier) Gate(ctx context.Context, commands []plan.Command) []*taxonomy.Evidence {
	var failed []*taxonomy.Evidence
	for _, command := range commands {
		ev, output := v.run(ctx, opGate, command)
		if ev == nil {
			continue
		}
		if output = strings.TrimRight(output, "\n"); ev.Type == typeTimeout && output != "" {
			ev.Text = output + "\n" + ev.Text
		} else if output != "" || ended(ev) {
			ev.Text = output
		}
		if failed = append(failed, ev); ctx.Err() != nil {
			break
		}
	}
	return failed
}

// ended reports whether a command ran to an end of its own.
func ended(ev *taxonomy.Evidence) bool { return !ev.ExitCode.IsZero() || ev.Signal != "" }

// run runs a command, and returns evidence of source "check" unless it exits with 0, with the end
// of what it printed.
func (v *Verifier) run(ctx context.Context, op string, c plan.Command) (ev *taxonomy.Evidence, output string) {
	line := validate.Command{Args: c.Args, Limit: c.Limit}
	shown := text.Beginning(line.String(), maxSaid)
	if ctx.Err() != nil {
		return with(stopped(ctx, sourceCheck, op, shown), attributeCommand, shown), ""
	}
	if why := unusable(c.Args); why != "" {
		return with(&taxonomy.Evidence{Source: sourceCheck, Op: op, Type: typeStart, Text: why}, attributeCommand,
			shown), ""
	}
	result := v.commands.RunStarted(ctx, op, line, v.started)
	if result.Err == nil {
		return nil, ""
	}
	of, ok := errors.AsType[*taxonomy.Evidence](result.Err)
	if !ok {
		return with(stopped(ctx, sourceCheck, op, shown), attributeCommand, shown), ""
	}
	own := *of
	own.Source, own.Op, own.Output = sourceCheck, op, ""
	if own.Err != nil {
		own.Signal = "" // it did not end by itself
	}
	own.Text = text.Ending(own.Text, maxSaid)
	return with(&own, attributeCommand, shown), text.Ending(result.Output, v.o.Output)
}

// unusable says why a command cannot be run, or "".
func unusable(args []string) string {
	if len(args) == 0 {
		return "the command has no program"
	}
	if why := noProgram(args[0]); why != "" {
		return "the program " + named(args[0]) + " " + why
	}
	return ""
}

// noProgram says why no program has a name, or "".
func noProgram(name string) string {
	switch {
	case name == "":
		return "has no name"
	case strings.HasPrefix(name, "-"):
		return "begins with '-', as an option does"
	case strings.ContainsFunc(name, unicode.IsSpace):
		return "has white space in its name"
	}
	return ""
}

// The exit codes by which shells and their like say that a command could not be started.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// passes runs the command of a criterion. One that cannot be started is evidence as the system gave
// it; one that fails is a criterion that is not met.
func (v *Verifier) passes(ctx context.Context, k *plan.Criterion) *taxonomy.Evidence {
	var command plan.Command
	if k.Command != nil {
		command = *k.Command
	}
	ev, output := v.run(ctx, opCriteria, command)
	if ev == nil {
		return nil
	}
	code, exited := ev.ExitCode.Get()
	actual := ""
	switch {
	case exited:
		actual = "exit code " + strconv.Itoa(code)
	case ev.Signal != "":
		actual = "ended by " + ev.Signal
	case ev.Type == typeTimeout && ctx.Err() == nil:
		actual = ev.Text
	default:
		return with(ev, attributeExpected, "exit code 0", attributeActual, "it was not run")
	}
	unmet := unmet{kind: typeContent, expected: "exit code 0", actual: actual}
	out := unmet.evidence(ev.Attribute(attributeCommand))
	if code == exitNotFound || code == exitNotExecutable {
		out.ExitCode = ev.ExitCode
	}
	out.Output = output
	return with(out, attributeCommand, ev.Attribute(attributeCommand))
}
