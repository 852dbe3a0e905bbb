package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/detect/detectflag"
	"github.com/errgen/errgen/runtime/proc"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// maxOutput limits the output of a command that is kept, in bytes of each stream. The end is
	// kept.
	maxOutput = 16 << 10
	// commandGrace is the time between the request to end a command and its kill.
	commandGrace = 2 * time.Second
)

// command runs a skill's command, and has the output of a call that succeeded.
type command struct {
	skill  *skill
	output string
}

// run runs the command once. An error is evidence.
func (c *command) run(ctx context.Context) error {
	out, said := proc.NewTail(maxOutput), proc.NewTail(maxOutput)
	cmd := proc.Command{
		Path: c.skill.Command[0], Args: c.skill.Command[1:], Dir: c.skill.dir(), Env: proc.SafeEnv(c.skill.Env...),
		Stdout: out, Stderr: said, Grace: commandGrace,
	}
	mask := c.skill.secrets.mask
	exit, err := proc.Run(ctx, cmd)
	if err != nil && ctx.Err() != nil {
		return err
	}
	ev := proc.Failure(c.skill.Source, "call", cmd.Path, exit, err)
	if ev == nil {
		c.output = strings.TrimSpace(out.Masked(mask))
		return nil
	}
	detectflag.SetText(ev, []byte(firstOf(said.Masked(mask), out.Masked(mask))))
	if strings.TrimSpace(ev.Text) == "" {
		ev.Text = ending(ev)
	}
	ev.Output = out.Masked(mask)
	c.describe(ev)
	c.skill.secrets.maskEvidence(ev)
	return ev
}

// ending describes the end of a command that printed nothing.
func ending(ev *taxonomy.Evidence) string {
	code, exited := ev.ExitCode.Get()
	switch {
	case ev.Signal != "":
		return "it said nothing and was ended by " + ev.Signal
	case exited:
		return "it said nothing and exited with code " + strconv.Itoa(code)
	}
	return ""
}

// firstOf returns the first text that is not blank.
func firstOf(texts ...string) string {
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}

// describe adds the skill's facts to evidence, under the names that the taxonomy uses.
func (c *command) describe(ev *taxonomy.Evidence) {
	s := c.skill
	known := map[string]string{
		"component": s.Component, "skill": s.Name, "mode": s.Execution.Mode, "tool": s.Execution.Tool,
		"step":    s.Execution.Step,
		"task_id": s.Execution.Task, "session_id": s.Execution.Session,
	}
	if g := s.GitHub; g != nil {
		known["owner"], known["repo"], known["entity_type"] = g.Owner, g.Repo, g.Type
		if g.Number > 0 {
			known["entity_number"] = strconv.Itoa(g.Number)
		}
	}
	if ev.Attributes == nil {
		ev.Attributes = map[string]string{}
	}
	for name, value := range known {
		if value != "" {
			ev.Attributes[name] = value
		}
	}
}
