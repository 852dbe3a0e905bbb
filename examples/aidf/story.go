package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/proc"
	"github.com/errgen/errgen/runtime/providers/providertest"
)

// act is a part of the story: a repository, a scripted agent, and a script.
type act struct {
	name, title string
	// files are written beside the repository, named shop: greeting.md is the task, aidf.yml the
	// configuration.
	files map[string]string
	// agent is what a program plays that takes the place of Claude Code, server what a service over
	// HTTP answers.
	agent  []providertest.CLIStep
	server []providertest.Reply
	// titles are shown when an iteration begins.
	titles map[int]string
	// script is played line by line. "$ aidf …" runs this program with the act's -task, -config,
	// -repo and -state; another "$ …" runs a shell command in the repository; "kill FILE $ aidf …"
	// kills this program when its agent has changed the file; "told N" shows what the agent was told
	// in its call N; any other line is shown.
	script string
}

// story plays acts in a temporary directory. Git, processes, files and HTTP are real; only the agent
// is scripted.
type story struct {
	w   io.Writer
	dir string
}

// Variables of the story's configurations.
const (
	variableDir = "AIDF_STORY"
	variableURL = "AIDF_STORY_URL"
	variableKey = "AIDF_STORY_KEY"
)

// tell plays all acts.
func (p *program) tell(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "aidf-story-")
	if err != nil {
		return err
	}
	dir = evaluated(dir)
	if !p.keep {
		defer func() { _ = os.RemoveAll(dir) }()
	}
	s := &story{w: p.out, dir: dir}
	s.say("An agent works on a repository, and much goes wrong. The agent is scripted; git, processes, files and HTTP\n" +
		"are real. Each act is in a directory of its own in " + dir + ".")
	for i, a := range acts {
		s.say("\n# Act %d. %s\n", i+1, a.title)
		if err := s.play(ctx, &a); err != nil {
			return fmt.Errorf("the story ended early: %w", err)
		}
	}
	if p.keep {
		s.say("\nThe story is kept in %s", dir)
	}
	return nil
}

func (s *story) say(format string, args ...any) { fmt.Fprintf(s.w, format+"\n", args...) }

// aside shows something beside what the program prints.
func (s *story) aside(text string) {
	for line := range strings.Lines(text) {
		s.say("%s", strings.TrimRight("    | "+line, " \n"))
	}
}

// stage is where an act is played.
type stage struct {
	*story
	*act
	dir, repo, state string
	cli              *providertest.CLI
}

func (s *story) play(ctx context.Context, a *act) error {
	st, err := s.begin(ctx, a)
	if err != nil {
		return err
	}
	if a.server != nil {
		server := providertest.NewServer(a.server...)
		defer server.Close()
		if err := errors.Join(os.Setenv(variableURL, server.URL), os.Setenv(variableKey, "sk-ant-made-up")); err != nil {
			return err
		}
	}
	for line := range strings.SplitSeq(strings.TrimSpace(a.script), "\n") {
		if err := st.line(ctx, line); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// line plays a line of the script.
func (s *stage) line(ctx context.Context, line string) error {
	before, command, isCommand := strings.Cut(line, "$ ")
	args, isAidf := strings.CutPrefix(command, "aidf ")
	call, isTold := strings.CutPrefix(line, "told ")
	switch {
	case isTold:
		return s.told(call)
	case !isCommand:
		s.say("%s", line)
		return nil
	case isAidf && before != "":
		s.aside("$ " + command)
		return s.kill(ctx, strings.TrimSpace(strings.TrimPrefix(before, "kill ")), s.args(args))
	case isAidf:
		s.aside("$ " + command)
		code := (&program{out: s.w, hints: s.w, titles: s.titles}).run(ctx, s.args(args))
		s.say("exit code %d\n", code)
		return nil
	}
	s.aside("$ " + command)
	out, err := s.shell(ctx, command)
	s.aside(out)
	return err
}

// args adds the act's files to the arguments of this program.
func (s *stage) args(line string) []string {
	base := []string{"-task=" + filepath.Join(s.dir, "greeting.md"), "-config=" + filepath.Join(s.dir, "aidf.yml"),
		"-repo=" + s.repo, "-state=" + s.state}
	args := splitArgs(strings.ReplaceAll(line, "../", s.dir+"/"))
	if len(args) > 0 && args[0] == "attempts" {
		return append(append([]string{"attempts"}, base...), args[1:]...)
	}
	return append(base, args...)
}

// splitArgs splits a line at spaces that are not within double quotes.
func splitArgs(line string) []string {
	quoted := false
	args := strings.FieldsFunc(line, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	})
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], `"`, "")
	}
	return args
}

// begin makes the repository and the agent of an act.
func (s *story) begin(ctx context.Context, a *act) (*stage, error) {
	dir := filepath.Join(s.dir, a.name)
	st := &stage{story: s, act: a, dir: dir, repo: filepath.Join(dir, "shop"), state: filepath.Join(dir, "state")}
	err := os.Setenv(variableDir, s.dir)
	for name, content := range shop {
		err = errors.Join(err, write(filepath.Join(st.repo, name), content))
	}
	for name, content := range a.files {
		err = errors.Join(err, write(filepath.Join(dir, name), content))
	}
	if err != nil {
		return nil, err
	}
	_, err = st.shell(ctx, `git init --quiet --initial-branch=main --template= && git config user.name "A Person" &&
git config user.email person@example.com && git config commit.gpgSign false && git config core.autocrlf false &&
git add --all && git commit --quiet --message="The shop as it was" &&
git init --quiet --bare --template= ../origin.git && git remote add origin ../origin.git`)
	if err == nil {
		st.cli, err = providertest.NewCLI(dir, a.agent...)
	}
	return st, err
}

func write(path, content string) error {
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600))
}

// shell runs a command in the repository.
func (s *stage) shell(ctx context.Context, command string) (string, error) {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Dir = s.repo
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return string(out), err
}

// told shows what the agent was told in a call, besides the task.
func (s *stage) told(call string) error {
	n, err := strconv.Atoi(call)
	calls, cerr := s.cli.Calls()
	if err = errors.Join(err, cerr); err != nil || n > len(calls) {
		return errors.Join(err, fmt.Errorf("call %s of %d", call, len(calls)))
	}
	prompt := calls[n-1].Prompt
	if _, report, ok := strings.Cut(prompt, "<<<<<<<< REPORT "); ok {
		_, prompt, _ = strings.Cut(report, "\n")
	} else {
		_, prompt, _ = strings.Cut(prompt, "A person answered your question:\n")
	}
	prompt, _, _ = strings.Cut(prompt, "\n>>>>>>>> REPORT")
	prompt, _, _ = strings.Cut(prompt, "\n\n")
	s.aside(prompt)
	return nil
}

// kill runs this program in a process of its own and kills that when the agent has changed a file.
func (s *stage) kill(ctx context.Context, file string, args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	out := &strings.Builder{}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return err
	}
	var agent proc.ID
	err = await(ctx, func() bool {
		agent = s.agent(ctx)
		found, err := os.ReadFile(filepath.Join(s.repo, file))
		return err == nil && string(found) != shop[file] && agent.PID != 0
	})
	err = errors.Join(err, cmd.Process.Kill())
	_ = cmd.Wait() // which reports the kill
	s.say("%s", strings.TrimRight(out.String(), "\n"))
	s.aside(fmt.Sprintf("kill -9; its agent, in a process group of its own, still runs: %t", proc.Alive(agent)))
	return err
}

// agent returns the process that the latest state names.
func (s *stage) agent(ctx context.Context) proc.ID {
	store := filestore.New(s.state)
	runs, err := store.Runs(ctx)
	if err != nil || len(runs) == 0 {
		return proc.ID{}
	}
	saved, err := store.Peek(ctx, runs[0].Run)
	if err != nil || saved == nil || len(saved.Processes) == 0 {
		return proc.ID{}
	}
	last := saved.Processes[len(saved.Processes)-1]
	return proc.ID{PID: last.PID, Start: last.Start}
}

// await waits for what another process does.
func await(ctx context.Context, done func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
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
