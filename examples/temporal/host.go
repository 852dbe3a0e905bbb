package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/executor/temporal"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/providers/providertest"
)

// work is the worker of a host: the executor's configuration, and one call.
func work(ctx context.Context, address, dir string) error {
	c, err := dial(address)
	if err != nil {
		return err
	}
	defer c.Close()
	paths, err := scope.New(scope.Config{Allowed: []string{"*"}, Ask: []string{"LICENSE"}})
	if err != nil {
		return err
	}
	claude, err := claudecli.New(claudecli.Options{Path: filepath.Join(dir, "claude")})
	if err != nil {
		return err
	}
	executorOf := func(run string) (*executor.Executor, error) {
		tree, err := workspace.New(ctx, filepath.Join(dir, "tree"), run,
			workspace.Options{Home: filepath.Join(dir, "clones")})
		if err != nil {
			return nil, err
		}
		return executor.New(executor.Config{
			Table: errs.Table, Classify: detect.Classifier(errs.Explain), Decode: decode, Provider: claude,
			Workspace: tree, Guard: paths, Deliver: executor.DeliverCommits,
			Admission: executor.Admission{Lanes: temporal.Lanes{Client: c, Queue: filepath.Base(dir)}},
		})
	}
	w := temporal.NewWorker(c, filepath.Base(dir), nil, temporal.Options{
		Executor: executorOf, Ask: true, Heartbeat: 2 * time.Second,
	})
	return w.Run(worker.InterruptCh())
}

// host is a machine of the story: a folder with a working tree and an agent.
type host struct {
	name, dir, tree string
	runs            temporal.Runs
}

func newHost(ctx context.Context, dir, name string, steps ...providertest.CLIStep) (*host, error) {
	h := &host{name: name, dir: filepath.Join(dir, name), tree: filepath.Join(dir, name, "tree")}
	if err := os.MkdirAll(h.tree, 0o700); err != nil {
		return nil, err
	}
	if _, err := providertest.NewCLI(h.dir, steps...); err != nil {
		return nil, err
	}
	for file, content := range map[string]string{"greet.txt": "hello\n", "LICENSE": "All rights reserved.\n"} {
		if err := os.WriteFile(filepath.Join(h.tree, file), []byte(content), 0o600); err != nil {
			return nil, err
		}
	}
	for _, args := range [][]string{
		{"init", "--quiet"}, {"config", "user.name", "A Person"}, {"config", "user.email", "person@example.com"},
		{"add", "--all"}, {"commit", "--quiet", "--message", "Begin"},
	} {
		if _, err := git(ctx, h.tree, args...); err != nil {
			return nil, err
		}
	}
	return h, nil
}

func (h *host) task() executor.Task {
	return executor.Task{Run: h.name, ID: h.name, Title: "Greet from the " + h.name, Prompt: "Greet."}
}

// reads returns the content of a file of the clone in which the host's run works.
func (h *host) reads(ctx context.Context, file string) string {
	w, err := workspace.New(ctx, h.tree, h.name, workspace.Options{Home: filepath.Join(h.dir, "clones")})
	if err != nil {
		return ""
	}
	b, _ := os.ReadFile(filepath.Join(w.Dir(), file))
	return string(b)
}

// worker starts the worker in a process of its own. Stop kills that.
func (h *host) worker(ctx context.Context, address string) (stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, "worker", address, h.dir)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }, nil
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return string(out), nil
}
