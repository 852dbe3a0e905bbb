package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/errgen/errgen/runtime/providers/providertest"
)

// scripts are the acts of the story, and the files of their initial repository. An act is a script
// with the files that it needs, each after a line such as "-- aidf.yml --". All lines of the script
// are shown. A shell in the repository runs those that begin with "$ ".
//
// A line of the file "agent" is a call of the agent: a fixture, or a shell script and, after "=>",
// the answer. A line of the file "server" is an answer of a model over HTTP.
//
//go:embed story
var scripts embed.FS

// prelude defines the command aidf for the lines of a script.
const prelude = `aidf() {
	case $1 in
	runs | dir | diff | attempts | remove) command=$1; shift; exec "$AIDF" $command -repo=. -state=../state "$@" ;;
	*) exec "$AIDF" -task=../greeting.md -config=../aidf.yml -repo=. -state=../state "$@" ;;
	esac
}
`

// playStory plays all acts. Git, processes, files and HTTP are real; only the agent is scripted.
func (p *program) playStory(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	closed := make(chan os.Signal, 1) // if the reader of the output ends, writing fails, and the directory is removed
	signal.Notify(closed, syscall.SIGPIPE)
	defer signal.Stop(closed)
	dir, err := os.MkdirTemp("", "aidf-story-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	names, err := fs.Glob(scripts, "story/[0-9]*.txt")
	for _, name := range names {
		if err == nil {
			err = p.play(ctx, self, filepath.Join(dir, filepath.Base(name)+".d"), name)
		}
	}
	if err != nil {
		return fmt.Errorf("the story ended early: %w", err)
	}
	return nil
}

// play plays an act in a directory.
func (p *program) play(ctx context.Context, self, dir, name string) error {
	text, err := fs.ReadFile(scripts, name)
	if err != nil {
		return err
	}
	script, files := archive(string(text))
	if _, err := stage(ctx, dir, files, steps(files["agent"])...); err != nil {
		return err
	}
	server := providertest.NewServer(replies(files["server"])...)
	defer server.Close()
	for line := range strings.Lines(script) {
		if _, err := fmt.Fprint(p.out, line); err != nil {
			return err
		}
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", prelude+command)
		cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.Join(dir, "shop"), p.out, p.out
		cmd.Env = append(os.Environ(), "AIDF="+self, "AIDF_STORY="+dir, "AIDF_STORY_URL="+server.URL,
			"AIDF_STORY_KEY=sk-ant-made-up", "XDG_STATE_HOME="+filepath.Join(dir, "home"))
		if err := cmd.Run(); cmd.ProcessState == nil || ctx.Err() != nil {
			return errors.Join(err, context.Cause(ctx))
		}
		if code := cmd.ProcessState.ExitCode(); code != 0 {
			fmt.Fprintf(p.out, "(exit code %d)\n", code)
		}
	}
	_, err = fmt.Fprintln(p.out)
	return err
}

// archive returns the script at the beginning of a text, and the files that follow it.
func archive(text string) (script string, files map[string]string) {
	parts := strings.Split("\n"+text, "\n-- ")
	files = map[string]string{}
	for _, part := range parts[1:] {
		name, content, _ := strings.Cut(part, " --\n")
		files[name] = strings.TrimRight(content, "\n") + "\n"
	}
	return strings.TrimLeft(parts[0], "\n"), files
}

// stage makes the directory of an act: its files, the repository, and the agent as the program
// claude.
func stage(ctx context.Context, dir string, files map[string]string, agent ...providertest.CLIStep) (
	*providertest.CLI, error,
) {
	shop, err := fs.ReadFile(scripts, "story/shop.txt")
	_, all := archive(string(shop))
	for name, content := range files {
		all[name] = content
	}
	for name, content := range all {
		path := filepath.Join(dir, name)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600))
	}
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "../init.sh")
	cmd.Dir = filepath.Join(dir, "shop")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("make the repository: %w: %s", err, out)
	}
	return providertest.NewCLI(dir, agent...)
}

func steps(agent string) (all []providertest.CLIStep) {
	for line := range strings.Lines(agent) {
		line = strings.TrimSpace(line)
		script, answer, answers := strings.Cut(line, "=> ")
		step := providertest.CLIStep{}
		if fixture, ok := strings.CutPrefix(line, "fixture "); ok {
			all = append(all, providertest.CLIFixture(fixture))
			continue
		}
		if answers {
			step = providertest.CLIAnswer(strings.ReplaceAll(answer, `\n`, "\n"))
		}
		step.Script = script
		all = append(all, step)
	}
	return all
}

func replies(server string) (all []providertest.Reply) {
	for line := range strings.Lines(server) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch kind {
		case "reset":
			all = append(all, providertest.Reset())
		case "fixture":
			all = append(all, providertest.Fixture(rest))
		default:
			all = append(all, providertest.AnthropicTool(kind, rest))
		}
	}
	return all
}
