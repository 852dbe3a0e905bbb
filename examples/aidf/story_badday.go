package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/providertest"
)

const greetingTask = `# Task: A friendlier greeting

## Goal
greet.txt greets the customer in a whole sentence, and docs/greeting.md says how.

## Scope
### Allowed
- ` + "`greet.txt`" + `
- ` + "`docs/**`" + `
### Forbidden
- ` + "`deploy/**`" + `
- ` + "`.env`" + `
`

const badDayConfig = `provider: claude-cli
claude_cli: {path: "${AIDF_STORY}/badday/claude"}
limits: {iteration: 3s}
validation:
  pre_commit: [[sh, check.sh]]
  pre_push: [[sh, check.sh]]
deliver: push
overrides:          # what the taxonomy has in seconds and minutes, cut short for the story
  policies:
    rate_limit: {initial_delay: 1s}
    once_more: {initial_delay: 300ms}
`

// badDay is a run in which nearly everything goes wrong that a run survives.
func (s *story) badDay(ctx context.Context) error {
	s.act("A bad day", "One task, and an agent that is a process. This is its configuration:", "")
	s.aside("%s", badDayConfig)
	st := s.begin(ctx, "badday", greetingTask, badDayConfig)
	st.git(ctx, "init", "--quiet", "--bare", "--template=", "../origin.git")
	st.git(ctx, "remote", "add", "origin", "../origin.git")
	st.write("LICENSE", "All rights reserved. (a person is writing this)\n")
	cli := st.cli(
		providertest.CLIFixture("claude/api_rate_limit"),
		providertest.CLIHang(),
		providertest.CLIAnswer("The greeting is there, the document comes next.").
			Write("greet.txt", "Hello, customer!\n"),
		providertest.CLIAnswer("I also made the deployment bigger.").
			Write("docs/greeting.md", "A greeting is a sentence.\n").
			Write("deploy/production.yml", "replicas: 300\n").Write(".env", "SHOP_MODE=test\n"),
		providertest.CLIAnswer("Warmer now.\nTASK COMPLETE").Write("greet.txt", "hello dear customer\n"),
		providertest.CLIAnswer("Mended.\nTASK COMPLETE").Write("greet.txt", "Hello, dear customer!\n"),
	)
	day := &badDay{stage: st, cli: cli, ctx: ctx}
	s.line("\nA person is at work in the same repository, too:")
	st.runs(ctx, "status", "--short")
	s.line("")
	s.play(ctx, st.options, scene{after: day.after, titles: map[int]string{
		1: "The provider asks to slow down: wait, and count no failure",
		2: "The agent hangs: end it, and count one",
		3: "All is well: check, commit, and begin counting anew",
		4: "The agent touches what it must not: save that, put it back, tell the agent",
		5: "The work does not pass: show the agent why",
		6: "Somebody else is using git: only the commit is tried again",
	}})
	s.chapter("What is left of it")
	st.runs(ctx, "log", "--oneline", "--decorate", "--name-only")
	s.line("What the agent did to the deployment is not lost, and the person's work is as it was:")
	st.runs(ctx, "--git-dir=.git/errgen/badday", "show", "refs/attempts/4:deploy/production.yml")
	st.runs(ctx, "status", "--short")
	return s.err
}

// badDay is what the story does and shows while the run goes on.
type badDay struct {
	*stage
	cli  *providertest.CLI
	ctx  context.Context
	lock *lockHolder
}

func (d *badDay) after(e executor.Event) {
	switch {
	case e.Kind == executor.CallEnded && e.Iteration >= 5:
		d.told()
	case e.Kind == executor.ChangesDetected && e.Iteration == 4:
		d.aside("as the agent left them (git status does not even list .env, which is ignored):")
		d.shows(".env", "deploy/production.yml")
	case e.Kind == executor.Reverted:
		d.aside("and now:")
		d.shows(".env", "deploy/production.yml")
	case e.Kind == executor.Validated && e.Iteration == 6 && d.lock == nil:
		d.lock = holdIndex(d.ctx, d.repository)
		d.aside("a git command of the person's begins, and has .git/index.lock")
	case e.Kind == executor.Waiting && d.lock != nil:
		d.check(d.lock.release())
		d.aside("the person's git command has ended")
	}
}

// told shows what the agent was told in its last prompt.
func (d *badDay) told() {
	calls, err := d.cli.Calls()
	if d.check(err); err != nil || len(calls) == 0 {
		return
	}
	_, report, _ := strings.Cut(calls[len(calls)-1].Prompt, "REPORT\n")
	report, _, _ = strings.Cut(report, "\n>>>>")
	d.aside("the agent was told:\n%s", report)
}

// lockHolder is a git command that has the lock of the index, because it waits for its input.
type lockHolder struct {
	cmd   *exec.Cmd
	stdin io.Closer
}

func holdIndex(ctx context.Context, r *repository) *lockHolder {
	cmd := exec.CommandContext(ctx, "git", "update-index", "--add", "--stdin")
	cmd.Dir = r.dir
	stdin, err := cmd.StdinPipe()
	r.check(errors.Join(err, cmd.Start()))
	lock := filepath.Join(r.dir, ".git", "index.lock")
	r.check(await(ctx, func() bool {
		_, err := os.Lstat(lock)
		return err == nil
	}))
	return &lockHolder{cmd: cmd, stdin: stdin}
}

// release lets the command come to its end.
func (l *lockHolder) release() error { return errors.Join(l.stdin.Close(), l.cmd.Wait()) }

// await waits until something another process does has come about.
func await(ctx context.Context, done func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
	return nil
}
