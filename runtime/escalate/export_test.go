package escalate

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/proc"
)

// Plays has the test binary play a part when it is started with the part's name in the variable
// that is returned.
func Plays(part string, play func(args []string) error) (variable string) {
	children[part] = play
	return child
}

// Noted notes an attempt of a step.
var Noted = noted

// Script is a provider whose calls run a script of the shell. The answer is the script's output.
type Script string

// Name is the source of the provider's evidence.
func (Script) Name() string { return "script" }

// Available returns nil.
func (Script) Available(context.Context) error { return nil }

// Call runs the script in the directory of the request.
func (s Script) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	var out strings.Builder
	exit, err := proc.Run(ctx, proc.Command{
		Path: "sh", Args: []string{"-c", string(s)}, Dir: req.Dir, Env: os.Environ(), Stdout: &out, Grace: time.Second,
		Started: func(id proc.ID) error { return req.Started(executor.Process{PID: id.PID, Start: id.Start}) },
	})
	if ev := proc.Failure("script", "call", "sh", exit, err); ev != nil {
		return executor.Answer{}, ev
	}
	return executor.Answer{Text: out.String()}, nil
}

// End ends the process group of a call that an earlier run started.
func (Script) End(ctx context.Context, p executor.Process) error {
	return proc.End(ctx, proc.ID{PID: p.PID, Start: p.Start}, time.Second)
}
