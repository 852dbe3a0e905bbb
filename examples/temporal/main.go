// Command temporal shows errgen's executor on Temporal: a real development server, two workers on
// two working trees, an agent that is a scripted program, a rate limit that both hosts obey, a
// worker that is killed in a call, and a person who answers a question. It prints what happens.
//
//	make temporal            # builds the server, once
//	go run ./examples/temporal
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor/temporal"
	"github.com/errgen/errgen/runtime/providers/providertest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run := story
	if len(os.Args) == 4 && os.Args[1] == "worker" {
		run = func(ctx context.Context) error { return work(ctx, os.Args[2], os.Args[3]) }
	}
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "temporal:", err)
		os.Exit(1)
	}
}

var quiet = sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))

// dial returns a client that carries generated errors through the server.
func dial(address string) (client.Client, error) {
	return client.Dial(client.Options{
		HostPort: address, Logger: quiet, FailureConverter: temporal.Failures{Table: errs.Table, Decode: decode},
	})
}

func decode(b []byte) (error, error) { return errs.UnmarshalError(b) }

func story(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "errgen-temporal-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	address, stop, err := serve(ctx, dir)
	if err != nil {
		return err
	}
	defer stop()
	c, err := connect(ctx, address)
	if err != nil {
		return err
	}
	defer c.Close()
	return errors.Join(hosts(ctx, c, address, dir), ctx.Err())
}

// hosts plays the story on two hosts.
func hosts(ctx context.Context, c client.Client, address, dir string) error {
	north, err := newHost(ctx, dir, "north", providertest.CLIStep{Script: "printf Hel >greet.txt; hang"},
		providertest.CLIAnswer("Done.\nTASK COMPLETE").Write("greet.txt", "Hello!\n"))
	if err != nil {
		return err
	}
	limited := providertest.CLIFixture("claude/rate_limit")
	limited.Script = "resets_at=$(($(date +%s) + 6))\n" + limited.Script
	south, err := newHost(ctx, dir, "south", limited,
		providertest.CLIAnswer("Done.\nTASK COMPLETE").Write("LICENSE", "MIT\n"))
	if err != nil {
		return err
	}
	say("Two hosts, each with a working tree and a worker: north and south.")
	stopNorth, err := north.worker(ctx, address)
	if err != nil {
		return err
	}
	defer func() { stopNorth() }()
	stopSouth, err := south.worker(ctx, address)
	if err != nil {
		return err
	}
	defer stopSouth()
	for _, h := range []*host{north, south} {
		h.runs = temporal.Runs{Client: c, Queue: h.name, Decode: decode}
		if err := h.runs.Start(ctx, h.task()); err != nil {
			return err
		}
	}
	timeline := &timeline{}
	if err := await(ctx, func() bool { return north.reads(ctx, "greet.txt") == "Hel" }); err != nil {
		return err
	}
	say("north: the agent has written half a file. Its worker is killed, with kill -9.")
	stopNorth()
	if err := timeline.until(ctx, south, func(s temporal.Status) bool {
		return s.State.Step == "wait" || s.State.Iter.Number > 1
	}); err != nil {
		return err
	}
	say("south: the agent met a rate limit. The run waits; so would every run of the credential.")
	if stopNorth, err = north.worker(ctx, address); err != nil {
		return err
	}
	say("north: a new worker takes over. What the dead one left running is ended first.")
	if err := timeline.until(ctx, south, func(s temporal.Status) bool { return len(s.Question) > 0 }); err != nil {
		return err
	}
	say("south: the task may change LICENSE only if a person agrees. The person agrees.")
	if err := south.runs.Approve(ctx, south.name, true); err != nil {
		return err
	}
	for _, h := range []*host{north, south} {
		if err := h.report(ctx); err != nil {
			return err
		}
	}
	return nil
}

// timeline prints the steps of a run, each once.
type timeline struct{ seen []string }

func (t *timeline) until(ctx context.Context, h *host, reached func(temporal.Status) bool) error {
	return await(ctx, func() bool {
		s, err := h.runs.Status(ctx, h.name)
		if err != nil {
			return false
		}
		line := fmt.Sprintf("%s: iteration %d, %s", h.name, s.State.Iter.Number, s.State.Step)
		if !slices.Contains(t.seen, line) {
			t.seen = append(t.seen, line)
			fmt.Println("   ", line)
		}
		return reached(s)
	})
}

// report prints the result of the host's run.
func (h *host) report(ctx context.Context) error {
	r, err := h.runs.Result(ctx, h.name)
	if err != nil {
		return err
	}
	fmt.Printf("\n%s: %s after %d calls\n", h.name, r.Status, r.Calls)
	for _, e := range r.Errors {
		fmt.Printf("    iteration %d: %s, reaction %s\n", e.Iteration, e.Code, e.Reaction)
	}
	for _, w := range r.Waits {
		fmt.Printf("    waited for %s\n", w.For)
	}
	out, err := git(ctx, h.tree, "show", "--stat", "--format=%s", "HEAD")
	fmt.Println("    " + strings.ReplaceAll(strings.TrimSpace(out), "\n", "\n    "))
	return err
}

// say prints a line of the story.
func say(line string) { fmt.Println("\n" + line) }

// await polls until done returns true.
func await(ctx context.Context, done func() bool) error {
	ctx, stop := context.WithTimeoutCause(ctx, 2*time.Minute, errors.New("the story does not continue"))
	defer stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// serve starts a development server.
func serve(ctx context.Context, dir string) (address string, stop func(), err error) {
	program, err := exec.LookPath(filepath.Join("..", "..", "build", "temporal"))
	if err != nil {
		if program, err = exec.LookPath("temporal"); err != nil {
			return "", nil, errors.New("the Temporal CLI is missing; make temporal builds it")
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	address = l.Addr().String()
	if err := l.Close(); err != nil {
		return "", nil, err
	}
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.CommandContext(ctx, program, "server", "start-dev", "--headless", "--port", port, "--log-level",
		"never",
		"--db-filename", filepath.Join(dir, "server.db"))
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	return address, func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }, nil
}

// connect waits for the server.
func connect(ctx context.Context, address string) (c client.Client, err error) {
	failed := await(ctx, func() bool {
		c, err = dial(address)
		return err == nil
	})
	return c, errors.Join(failed, err)
}
