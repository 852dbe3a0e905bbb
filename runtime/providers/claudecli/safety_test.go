//go:build unix

package claudecli_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/providers/providertest"
)

// assertNobodyLeft asserts that neither the program nor its child runs.
func assertNobodyLeft(t *testing.T, cli *providertest.CLI) {
	t.Helper()
	calls, err := cli.Calls()
	require.NoError(t, err)
	for _, c := range calls {
		assert.False(t, running(c.PID), "the program runs")
	}
	if child := cli.Child(); child != 0 {
		assert.False(t, running(child), "the child runs")
	}
}

// running reports whether a process runs, and is not only waited for.
func running(pid int) bool {
	out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(out)), "Z")
}

func TestNotThere(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	require.NoError(t, os.WriteFile(plain, []byte("x"), 0o600))
	for _, c := range []struct {
		path, typ, call, available string
	}{
		{"no-such-program-anywhere", "not_found", "PROVIDER_NOT_AVAILABLE", "PROVIDER_NOT_AVAILABLE"},
		{filepath.Join(dir, "none"), "not_found", "PROVIDER_NOT_AVAILABLE", "PROVIDER_NOT_AVAILABLE"},
		{plain, "start", "PROVIDER_CRASH", "PROVIDER_NOT_AVAILABLE"},
	} {
		p, err := claudecli.New(claudecli.Options{Path: c.path})
		require.NoError(t, err)
		_, err = p.Call(t.Context(), request(t))
		ev := evidence(t, err)
		assert.Equal(t, c.typ, ev.Type, c.path)
		assert.Equal(t, "call", ev.Op)
		assert.Equal(t, c.call, code(t, err), c.path)
		err = p.Available(t.Context())
		assert.Equal(t, "available", evidence(t, err).Op)
		assert.Equal(t, c.available, code(t, err), c.path)
	}
}

func TestAvailable(t *testing.T) {
	for _, c := range []struct {
		name string
		step providertest.CLIStep
		typ  string
		text string
	}{
		{"exit code", providertest.CLIStep{Exit: 1, Stderr: []byte("Error: no such version")}, "",
			"Error: no such version"},
		{"hanging", providertest.CLIStep{Hang: true}, "timeout", ""},
		{"signal", providertest.CLIStep{Signal: "KILL"}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o claudecli.Options
			if c.step.Hang {
				o.Probe = 300 * time.Millisecond
			}
			p, cli := scripted(t, o)
			require.NoError(t, cli.Version(c.step))
			ev := evidence(t, p.Available(t.Context()))
			assert.Equal(t, "available", ev.Op)
			assert.Equal(t, c.typ, ev.Type)
			assert.Contains(t, ev.Text, c.text)
		})
	}
	p, cli := scripted(t, claudecli.Options{})
	require.NoError(t, p.Available(t.Context()))
	calls, err := cli.Calls()
	require.NoError(t, err)
	assert.Empty(t, calls, "asking for the version plays no step")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, p.Available(ctx), context.Canceled)
}

func TestSkippingPermissions(t *testing.T) {
	for _, o := range []claudecli.Options{
		{SkipPermissions: true},
		{PermissionMode: "bypassPermissions"},
		{Args: []string{"--dangerously-skip-permissions"}},
		{Args: []string{"--permission-mode", "bypassPermissions"}},
		{Args: []string{`--settings={"permissions":{"defaultMode":"bypassPermissions"}}`}},
	} {
		p, cli := scripted(t, o, providertest.CLIAnswer("ok"))
		err := p.Available(t.Context())
		assert.Equal(t, "available", evidence(t, err).Op)
		assert.Equal(t, "PERMISSION_SKIP_DENIED", code(t, err))
		_, err = p.Call(t.Context(), request(t))
		ev := evidence(t, err)
		assert.Equal(t, "skip_denied", ev.Type)
		assert.Equal(t, "claude-cli", ev.Attribute("resource"))
		calls, err := cli.Calls()
		require.NoError(t, err)
		assert.Empty(t, calls, "%+v", o)

		o.AllowSkipPermissions = true
		p, _ = scripted(t, o, providertest.CLIAnswer("ok"))
		_, err = p.Call(t.Context(), request(t))
		require.NoError(t, err)
	}
}

func TestRefusedCommands(t *testing.T) {
	step := providertest.CLIStep{Result: &providertest.CLIResult{Text: "ok", Denied: []string{"rm -rf /"}}}
	p, _ := scripted(t, claudecli.Options{}, step)
	_, err := p.Call(t.Context(), request(t))
	require.NoError(t, err)
	p, _ = scripted(t, claudecli.Options{Policy: "strict"}, step)
	_, err = p.Call(t.Context(), request(t))
	ev := evidence(t, err)
	assert.Equal(t, "command_blocked", ev.Type)
	assert.Equal(t, map[string]string{"command": "rm -rf /", "policy": "strict"}, ev.Attributes)
	assert.Equal(t, "PERMISSION_COMMAND_BLOCKED", code(t, err))
}

func TestStartedRefuses(t *testing.T) {
	refusal := errors.New("the journal is full")
	p, cli := scripted(t, claudecli.Options{}, providertest.CLIHang())
	req := request(t)
	req.Started = func(executor.Process) error { return refusal }
	_, err := p.Call(t.Context(), req)
	require.ErrorIs(t, err, refusal)
	assertNobodyLeft(t, cli)
}

func TestEnd(t *testing.T) {
	p, cli := scripted(t, claudecli.Options{}, providertest.CLIHang().IgnoringTerm().WithChild(true))
	var process executor.Process
	req := request(t)
	req.Started = func(p executor.Process) error { process = p; return nil }
	begun := make(chan struct{})
	req.Progress = func(string) { close(begun) }
	done := make(chan error, 1)
	go func() {
		_, err := p.Call(t.Context(), req)
		done <- err
	}()
	<-begun
	require.NoError(t, p.End(t.Context(), process))
	assert.Equal(t, "SIGKILL", evidence(t, <-done).Signal)
	assertNobodyLeft(t, cli)
	require.NoError(t, p.End(t.Context(), process))
}

// TestFloods has more written than could be kept: a gigabyte in a line, one in lines of what tools
// return, and of messages of the model, each of which is read, several times of what may be kept.
func TestFloods(t *testing.T) {
	if testing.Short() {
		t.Skip("writes gigabytes")
	}
	const gigabyte, bound = 1 << 30, 24 << 20
	line := providertest.CLIAnswer("ok")
	line.Flood = gigabyte
	messages := providertest.CLIAnswer("ok")
	messages.Flood, messages.FloodLines = 3*bound, true
	flooded := func(t *testing.T, p *claudecli.Provider) {
		peak, stop := watchHeap()
		answer, err := p.Call(t.Context(), request(t))
		stop()
		require.NoError(t, err)
		assert.Equal(t, "ok", answer.Text)
		assert.Less(t, *peak, uint64(bound))
	}
	t.Run("one line", func(t *testing.T) {
		p, _ := scripted(t, claudecli.Options{}, line)
		flooded(t, p)
	})
	t.Run("messages", func(t *testing.T) {
		p, _ := scripted(t, claudecli.Options{}, messages)
		flooded(t, p)
	})
	t.Run("tools", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "claude")
		require.NoError(t, os.WriteFile(path, []byte(toolFlood), 0o700))
		p, err := claudecli.New(claudecli.Options{Path: path})
		require.NoError(t, err)
		flooded(t, p)
	})
}

// toolFlood is a program that writes a gigabyte of what tools have returned.
const toolFlood = `#!/bin/sh
echo '{"type":"system","subtype":"init","session_id":"s-1"}'
text=$(head -c 32768 /dev/zero | tr '\0' x)
yes '{"type":"user","message":{"content":[{"type":"tool_result","content":"'"$text"'"}]},"session_id":"s-1"}' | head -c 1073741824
echo
echo '{"type":"result","subtype":"success","is_error":false,"result":"ok","session_id":"s-1"}'
`

// watchHeap watches how great the heap gets, until it is stopped.
func watchHeap() (*uint64, func()) {
	var peak uint64
	var wg sync.WaitGroup
	end := make(chan struct{})
	ticker := time.NewTicker(5 * time.Millisecond)
	wg.Go(func() {
		defer ticker.Stop()
		var m runtime.MemStats
		for {
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
			select {
			case <-end:
				return
			case <-ticker.C:
			}
		}
	})
	return &peak, func() { close(end); wg.Wait() }
}

func TestSecretsAreTakenOut(t *testing.T) {
	const key = "opaque-0123456789"
	p, _ := scripted(t, claudecli.Options{Env: []string{"ANTHROPIC_API_KEY=" + key}},
		providertest.CLIExit(1, "bad key "+key))
	_, err := p.Call(t.Context(), request(t))
	ev := evidence(t, err)
	assert.Equal(t, "bad key [REDACTED]", ev.Text)
	assert.NotContains(t, p.Credential(), key)
}

func TestCredential(t *testing.T) {
	t.Setenv("HOME", "/home/a")
	credential := func(o claudecli.Options) string {
		p, err := claudecli.New(o)
		require.NoError(t, err)
		return p.Credential()
	}
	login := credential(claudecli.Options{})
	one := credential(claudecli.Options{Env: []string{"ANTHROPIC_API_KEY=one"}})
	assert.Equal(t, one, credential(claudecli.Options{Env: []string{"ANTHROPIC_API_KEY=one"}}))
	assert.NotEqual(t, one, credential(claudecli.Options{Env: []string{"ANTHROPIC_API_KEY=two"}}))
	assert.NotEqual(t, one, login)
	assert.Equal(t, "team", credential(claudecli.Options{Credential: "team"}))
	t.Setenv("HOME", "/home/b")
	assert.NotEqual(t, login, credential(claudecli.Options{}))
}

func TestOptions(t *testing.T) {
	_, err := claudecli.New(claudecli.Options{MaxTurns: -1, AllowedTools: []string{"A,B", ""}, Env: []string{"=x"}})
	for _, want := range []string{"-1", `"A,B"`, `""`, "no name"} {
		require.ErrorContains(t, err, want)
	}
}

func TestManyAtOnce(t *testing.T) {
	steps := make([]providertest.CLIStep, 20)
	for i := range steps {
		steps[i] = providertest.CLIAnswer("ok")
		if i%2 == 1 {
			steps[i] = providertest.CLIOverloaded()
		}
	}
	p, cli := scripted(t, claudecli.Options{}, steps...)
	var failed sync.Map
	var wg sync.WaitGroup
	for i := range steps {
		wg.Go(func() {
			if _, err := p.Call(
				t.Context(), executor.Request{Dir: t.TempDir(), Prompt: strings.Repeat("x", i)}); err != nil {
				failed.Store(i, true)
			}
		})
	}
	wg.Wait()
	n := 0
	failed.Range(func(any, any) bool { n++; return true })
	assert.Equal(t, 10, n)
	calls, err := cli.Calls()
	require.NoError(t, err)
	assert.Len(t, calls, 20)
}

// TestFiles writes what a model may write, names that tools take for something else among it.
func TestFiles(t *testing.T) {
	names := []string{"-rf", "a\nb", `quo"te'`, "sp ace", "ü/€", "$(touch x)"}
	step := providertest.CLIAnswer("ok").Command("git", "init", "-q").Command("git", "add", "keep").
		Command("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "by itself")
	step = step.File(providertest.CLIFile{Path: "out", Link: "/etc"}).Remove("old").Write("keep", "x")
	for _, name := range names {
		step = step.Write(name, name)
	}
	p, _ := scripted(t, claudecli.Options{}, step)
	req := request(t)
	require.NoError(t, os.WriteFile(filepath.Join(req.Dir, "old"), nil, 0o600))
	_, err := p.Call(t.Context(), req)
	require.NoError(t, err)
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(req.Dir, name))
		require.NoError(t, err)
		assert.Equal(t, name, string(content))
	}
	assert.NoFileExists(t, filepath.Join(req.Dir, "old"))
	assert.FileExists(t, filepath.Join(req.Dir, ".git", "refs", "heads", branch(t, req.Dir)))
	target, err := os.Readlink(filepath.Join(req.Dir, "out"))
	require.NoError(t, err)
	assert.Equal(t, "/etc", target)
}

// branch returns the branch that is checked out.
func branch(t *testing.T, dir string) string {
	t.Helper()
	head, err := os.ReadFile(filepath.Join(dir, ".git", "HEAD"))
	require.NoError(t, err)
	return strings.TrimPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/")
}
