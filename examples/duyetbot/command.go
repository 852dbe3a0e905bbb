package main

import (
	"cmp"
	"context"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// maxOutput limits the output of a command that is kept, in bytes of each stream. The end is
	// kept.
	maxOutput = 16 << 10
	// commandGrace is the time between the request to end a command and its kill.
	commandGrace = 2 * time.Second
	// minSecret is the length of the shortest value that is masked, in bytes. Shorter values occur
	// in any text.
	minSecret = 6
)

// command runs a skill's command, and has the output of a call that succeeded.
type command struct {
	skill  *skill
	output string
}

// run runs the command once. An error is evidence with the skill's facts.
func (c *command) run(ctx context.Context) error {
	s := c.skill
	out, stderr := proc.NewTail(maxOutput), proc.NewTail(maxOutput)
	cmd := proc.Command{
		Path: s.Command[0], Args: s.Command[1:], Dir: s.dir(), Env: proc.SafeEnv(s.Env...),
		Stdout: out, Stderr: stderr, Grace: commandGrace,
	}
	mask := masking(s.Env)
	exit, err := proc.Run(ctx, cmd)
	ev := proc.Failure(s.Source, "call", cmd.Path, exit, err)
	if ev == nil {
		c.output = strings.TrimSpace(out.Masked(mask))
		return nil
	}
	ev.Output = out.Masked(mask)
	detect.SetText(ev, []byte(cmp.Or(strings.TrimSpace(stderr.Masked(mask)), strings.TrimSpace(ev.Output))))
	if code, exited := ev.ExitCode.Get(); ev.Text == "" && ev.Signal != "" {
		ev.Text = "it said nothing and was ended by " + ev.Signal
	} else if ev.Text == "" && exited {
		ev.Text = "it said nothing and exited with code " + strconv.Itoa(code)
	}
	// Decoding an error in JSON can reveal a secret that was escaped in the output.
	for _, text := range []*string{&ev.Text, &ev.Type, &ev.Code} {
		*text = mask(*text)
	}
	facts := s.facts()
	for name, value := range ev.Attributes {
		facts[name] = cmp.Or(facts[name], mask(value))
	}
	ev.Attributes = facts
	return ev
}

// facts returns the circumstances of the skill's failures, under the names that the taxonomy uses.
func (s *skill) facts() map[string]string {
	x := s.Execution
	facts := map[string]string{
		"component": s.Component, "skill": s.Name, "mode": x.Mode, "tool": x.Tool, "step": x.Step, "task_id": x.Task,
		"session_id": x.Session,
	}
	if g := s.GitHub; g != nil {
		facts["owner"], facts["repo"], facts["entity_type"] = g.Owner, g.Repo, g.Type
		if g.Number > 0 {
			facts["entity_number"] = strconv.Itoa(g.Number)
		}
	}
	maps.DeleteFunc(facts, func(_, value string) bool { return value == "" })
	return facts
}

// masking returns a function that masks the values of variables, the longest first.
func masking(variables []string) func(string) string {
	var values, pairs []string
	for _, name := range variables {
		if value := strings.TrimSpace(os.Getenv(name)); len(value) >= minSecret {
			values = append(values, value)
		}
	}
	slices.SortFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, value := range values {
		pairs = append(pairs, value, taxonomy.Redacted)
	}
	return strings.NewReplacer(pairs...).Replace
}
