package scenarios_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/providers"
	"github.com/errgen/errgen/runtime/providers/anthropic"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func work(ctx context.Context, dir, run, key, prompt string) (*executor.Result, error) {
	guard, err := scope.New(
		scope.Config{Allowed: []string{"src/**"}, Forbidden: []string{".env", "**/*.pem"}})
	if err != nil {
		return nil, err
	}
	tree, err := workspace.New(ctx, dir, run, workspace.Options{})
	if err != nil {
		return nil, err
	}
	model, err := anthropic.New(anthropic.Options{
		Key:    key,
		Model:  "claude-sonnet-4-5",
		Cache:  true,
		Prices: &providers.Prices{Input: 3, Output: 15, CacheWrite: 3.75, CacheRead: 0.3},
		Toolbox: toolbox.Options{
			Guard:    guard,
			Commands: toolbox.Policy{Allow: []string{"go test ...", "go vet ./..."}},
		},
	})
	if err != nil {
		return nil, err
	}
	e, err := executor.New(executor.Config{
		Table:     errs.Table,
		Classify:  detect.Classifier(errs.Explain),
		Provider:  model,
		Workspace: tree,
		Guard:     guard,
	})
	if err != nil {
		return nil, err
	}
	return e.Run(ctx, executor.Task{Run: run, ID: "42", Prompt: prompt}), nil
}

func withDocs() toolbox.Options {
	return toolbox.Options{
		Servers: []toolbox.Server{{
			Name:    "docs",
			Command: []string{"docs-server", "-index", "/var/lib/docs"},
			Tools:   []string{"search", "get_*"},
			Check: func(_ context.Context, tool string, args json.RawMessage) error {
				if tool == "get_page" && strings.Contains(string(args), "internal/") {
					return &taxonomy.Evidence{Source: "docs", Op: "call", Type: "command_blocked",
						Attributes: map[string]string{"command": tool, "policy": "docs"}}
				}
				return nil
			},
		}},
	}
}

type program struct {
	name string
	argv []string
}

func (p program) Name() string { return p.name }

func (p program) Available(context.Context) error {
	if _, err := exec.LookPath(p.argv[0]); err != nil {
		return &taxonomy.Evidence{Source: p.name, Op: "available", Type: "not_found", Text: err.Error()}
	}
	return nil
}

func (p program) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	out, stderr := proc.NewTail(1<<20), proc.NewTail(16<<10)
	exit, err := proc.Run(ctx, proc.Command{
		Path: p.argv[0], Args: p.argv[1:], Dir: req.Dir, Env: proc.SafeEnv(),
		Stdin: strings.NewReader(req.Prompt), Stdout: out, Stderr: stderr, Sweep: true,
		Started: func(id proc.ID) error {
			if req.Started == nil {
				return nil
			}
			return req.Started(executor.Process{PID: id.PID, Start: id.Start})
		},
	})
	if errors.Is(err, context.Canceled) {
		return executor.Answer{}, err // a cancelled call has not failed
	}
	if ev := proc.Failure(p.name, "call", p.argv[0], exit, err); ev != nil {
		ev.Text = cmp.Or(strings.TrimSpace(stderr.String()), ev.Text)
		return executor.Answer{}, ev
	}
	return executor.Answer{Text: out.String()}, nil
}

func (p program) End(ctx context.Context, left executor.Process) error {
	return proc.End(ctx, proc.ID{PID: left.PID, Start: left.Start}, proc.DefaultGrace)
}

func classify(ev *taxonomy.Evidence, profile taxonomy.ProfileName) (code, action string, err error) {
	table, err := errs.Table.Profile(profile)
	if err != nil {
		return "", "", err
	}
	failure := errs.Classify(ev, detect.WithTable(table))
	return taxonomy.CodeOf(failure), table.Reaction(failure).Action.String(), nil
}

func codesOfFixtures(t *testing.T, classify func(error) error) map[string]string {
	codes := map[string]string{}
	for _, name := range providertest.Fixtures("anthropic") {
		server := providertest.NewServer(providertest.Fixture(name))
		model, err := anthropic.New(anthropic.Options{BaseURL: server.URL, Key: "any", Model: "any"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = model.Call(t.Context(), executor.Request{Prompt: "x", Dir: t.TempDir()})
		codes[name] = taxonomy.CodeOf(classify(err))
		server.Close()
	}
	return codes
}

func fakeClaude(t *testing.T) *claudecli.Provider {
	cli, err := providertest.NewCLI(t.TempDir(),
		providertest.CLIFixture("claude/overloaded"),
		providertest.CLIAnswer("I did it.\nTASK COMPLETE").Write("src/a.txt", "hello\n"),
	)
	if err != nil {
		t.Fatal(err)
	}
	claude, err := claudecli.New(claudecli.Options{Path: cli.Path})
	if err != nil {
		t.Fatal(err)
	}
	return claude
}

func TestDocsProviderFakeClaude(t *testing.T) {
	claude, r := fakeClaude(t), executor.Request{Prompt: "x", Dir: t.TempDir()}
	_, err := claude.Call(t.Context(), r)
	assert.Equal(t, "PROVIDER_API_ERROR", taxonomy.CodeOf(errs.Classify(err)))
	answer, err := claude.Call(t.Context(), r)
	require.NoError(t, err)
	assert.Equal(t, "I did it.\nTASK COMPLETE", answer.Text)
	assert.FileExists(t, filepath.Join(r.Dir, "src/a.txt"))
}

func TestDocsProviderWork(t *testing.T) {
	_, err := work(t.Context(), t.TempDir(), "run-1", "any", "x")
	assert.Error(t, err, "a directory that is no repository")
	require.NoError(t, withDocs().Check())
	assert.Error(t, withDocs().Servers[0].Check(t.Context(), "get_page", []byte(`{"path":"internal/x"}`)))
	assert.NoError(t, withDocs().Servers[0].Check(t.Context(), "get_page", []byte(`{"path":"x"}`)))
}

func TestDocsProviderProgram(t *testing.T) {
	t.Parallel()
	call := func(ctx context.Context, argv ...string) (executor.Answer, error) {
		return program{"mine", argv}.Call(ctx, executor.Request{Prompt: "hello", Dir: t.TempDir()})
	}
	answer, err := call(t.Context(), "cat")
	require.NoError(t, err)
	assert.Equal(t, "hello", answer.Text)
	limited := func() context.Context { // begins when the program does, and gives it time to start
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		t.Cleanup(cancel)
		return ctx
	}
	for _, c := range []struct {
		ctx  func() context.Context
		argv []string
		want taxonomy.Evidence
	}{
		{t.Context, []string{"sh", "-c", "echo no >&2; exit 3"}, taxonomy.Evidence{ExitCode: taxonomy.Some(3)}},
		{t.Context, []string{"sh", "-c", "kill -9 $$"}, taxonomy.Evidence{Signal: "SIGKILL"}},
		{t.Context, []string{"no-such-program"}, taxonomy.Evidence{Type: "not_found"}},
		{limited, []string{"sleep", "60"}, taxonomy.Evidence{Type: "timeout", Signal: "SIGTERM"}},
	} {
		_, err := call(c.ctx(), c.argv...)
		ev, is := errors.AsType[*taxonomy.Evidence](err)
		require.True(t, is, "%v", err)
		assert.Equal(t, []any{"mine", "call", c.want.ExitCode, c.want.Signal, c.want.Type},
			[]any{ev.Source, ev.Op, ev.ExitCode, ev.Signal, ev.Type})
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = call(ended, "sleep", "60")
	assert.ErrorIs(t, err, context.Canceled)
	assert.Error(t, program{"mine", []string{"no-such-program"}}.Available(t.Context()))
}

func TestDocsProviderProfile(t *testing.T) {
	limited := &taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: 429}
	for profile, want := range map[string]string{"": "retry", "strict": "block"} {
		code, action, err := classify(limited, taxonomy.ProfileName(profile))
		require.NoError(t, err)
		assert.Equal(t, []string{"PROVIDER_RATE_LIMIT", want}, []string{code, action}, profile)
	}
}

func TestDocsProviderFixtures(t *testing.T) {
	codes := codesOfFixtures(t, func(err error) error { return errs.Classify(err) })
	assert.Equal(t, "PROVIDER_RATE_LIMIT", codes["anthropic/rate_limit"])
	assert.Equal(t, "PERMISSION_API_AUTH", codes["anthropic/auth"])
	assert.Len(t, codes, len(providertest.Fixtures("anthropic")))
}
