// Package verify checks the facts of a plan: its prerequisites, its gate and the criteria of its
// steps. It returns evidence of source "plan" or "check" for each fact that does not hold.
//
//	runner, err := plan.New(plan.Config{Facts: verify.New(tree.Dir()), Workspace: tree, ...})
//
// Files are read through [os.Root], so that no path and no symbolic link leads out of the tree.
// Commands run in the tree with the environment of [proc.SafeEnv], which has no API keys. They are
// not sandboxed: they can run code that an agent wrote, with the rights of this process.
package verify

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/plan"
	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	maxFile      = 16 << 20 // bytes of a file that is read
	maxFindings  = 1000
	maxOutput    = 16 << 10
	maxText      = 4 << 10
	defaultLimit = 10 * time.Minute

	exitNotExecutable = 126
	exitNotFound      = 127
)

// Facts checks the facts of a working tree. It implements [plan.Verifier].
type Facts struct {
	dir  string
	env  []string
	root *os.Root // during a check
}

// New returns the facts of the tree at dir, which has to exist when they are checked. Each entry of
// env adds to the environment of commands: "NAME=value", or "NAME" for the value of this process.
func New(dir string, env ...string) *Facts { return &Facts{dir: dir, env: env} }

// within runs a check in the tree.
func (f *Facts) within(check func(f *Facts) []*taxonomy.Evidence) []*taxonomy.Evidence {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return []*taxonomy.Evidence{{Source: "plan", Op: "prepare", Type: "not_found", Err: err,
			Text: "open the working tree: " + err.Error()}}
	}
	defer root.Close()
	return check(&Facts{f.dir, f.env, root})
}

// End implements executor.Ender. It ends a command that a dead process left running.
func (*Facts) End(ctx context.Context, p executor.Process) error {
	return proc.End(ctx, proc.ID{PID: p.PID, Start: p.Start}, 0)
}

// Gate runs all commands and returns evidence for each that does not exit with 0: its exit code,
// its signal, or the type timeout, not_found or start. The text is the end of its output.
func (f *Facts) Gate(ctx context.Context, gate []plan.Command) []*taxonomy.Evidence {
	return f.within(func(f *Facts) []*taxonomy.Evidence { return f.gate(ctx, gate) })
}

func (f *Facts) gate(ctx context.Context, gate []plan.Command) []*taxonomy.Evidence {
	var found []*taxonomy.Evidence
	for _, command := range gate {
		if ev, output := f.run(ctx, "gate", command); ev != nil {
			ev.Text = join(output, ev.Text)
			found = append(found, ev)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return found
}

// run runs a command. It returns nil if the command exits with 0, and the end of its output.
func (f *Facts) run(ctx context.Context, op string, c plan.Command) (*taxonomy.Evidence, string) {
	limit := time.Duration(c.Within)
	if limit == 0 {
		limit = defaultLimit
	}
	timed, stop := context.WithTimeout(ctx, limit)
	defer stop()
	tail := proc.NewTail(maxOutput)
	command := proc.Command{Path: c.Run[0], Args: c.Run[1:], Dir: f.root.Name(), Env: proc.SafeEnv(f.env...),
		Stdout: tail, Stderr: tail, Sweep: true}
	if started := plan.Started(ctx); started != nil {
		command.Started = func(id proc.ID) error { return started(executor.Process{PID: id.PID, Start: id.Start}) }
	}
	exit, err := proc.Run(timed, command)
	ev := proc.Failure("check", op, c.Run[0], exit, err)
	if ev == nil {
		return nil, ""
	}
	if timed.Err() != nil { // the timeout ended it, so its exit code and signal mean nothing
		ev.Signal, ev.ExitCode = "", taxonomy.Opt[int]{}
	}
	ev.Type = cmp.Or(ev.Type, "exit")
	ev.Attributes = map[string]string{"command": text.Beginning(c.String(), maxText)}
	ev.Text = text.Ending(ev.Text, maxText)
	return ev, text.Ending(strings.TrimSpace(tail.String()), maxOutput)
}

func join(parts ...string) string { return strings.TrimSpace(strings.Join(parts, "\n")) }

// Criteria returns evidence for each criterion that does not hold: the type format,
// missing_sections, count, size or content, with the attributes expected and actual. A command that
// cannot be started or takes too long is evidence as in [Facts.Gate].
func (f *Facts) Criteria(ctx context.Context, criteria []plan.Criterion) []*taxonomy.Evidence {
	return f.within(func(f *Facts) []*taxonomy.Evidence { return f.criteria(ctx, criteria) })
}

func (f *Facts) criteria(ctx context.Context, criteria []plan.Criterion) []*taxonomy.Evidence {
	var found []*taxonomy.Evidence
	for i := range criteria {
		k := &criteria[i]
		switch {
		case len(k.Run) > 0:
			if ev := f.exits(ctx, k); ev != nil {
				found = append(found, ev)
			}
		case k.Files != "":
			found = append(found, f.count(ctx, k)...)
		default:
			found = append(found, f.file(k)...)
		}
		if len(found) >= maxFindings || ctx.Err() != nil {
			break
		}
	}
	return found[:min(len(found), maxFindings)]
}

// exits checks a criterion that is a command. If the command ran and failed, the evidence is that
// of an unmet criterion and not of a failed execution.
func (f *Facts) exits(ctx context.Context, k *plan.Criterion) *taxonomy.Evidence {
	ev, output := f.run(ctx, "criteria", k.Command)
	if ev == nil {
		return nil
	}
	actual := "not run"
	code, exited := ev.ExitCode.Get()
	if exited {
		actual = "exit code " + strconv.Itoa(code)
	} else if ev.Signal != "" {
		actual = ev.Signal
	}
	if (exited || ev.Signal != "") && code != exitNotFound && code != exitNotExecutable {
		ev.Type, ev.ExitCode, ev.Signal, ev.Err = "content", taxonomy.Opt[int]{}, "", nil
	}
	ev.Attributes["expected"], ev.Attributes["actual"] = "exit code 0", actual
	ev.Text = join(fmt.Sprintf("%s: expected exit code 0, found %s", ev.Attributes["command"], actual), ev.Text)
	ev.Output = output
	return ev
}

// unmet returns evidence of a criterion that does not hold.
func unmet(kind, subject, expected, actual string) *taxonomy.Evidence {
	expected, actual = text.Beginning(expected, maxText), text.Beginning(actual, maxText)
	return &taxonomy.Evidence{
		Source: "check", Op: "criteria", Type: kind, Files: []string{subject},
		Text:       fmt.Sprintf("%s: expected %s, found %s", subject, expected, actual),
		Attributes: map[string]string{"expected": expected, "actual": actual},
	}
}
