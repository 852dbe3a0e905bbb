//go:build unix

package scripted

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// player is a provider with what is asked of it.
type player struct {
	*Provider
	step string
	role escalate.Role
}

func play(t *testing.T, script string) *player {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script.yaml")
	require.NoError(t, os.WriteFile(path, []byte(script), 0o600))
	p := &player{}
	made, err := Load(path, Options{Asked: func() (string, escalate.Role) { return p.step, p.role }})
	require.NoError(t, err)
	p.Provider = made
	return p
}

func (p *player) ask(t *testing.T, step string, role escalate.Role, prompt, dir string) (executor.Answer, error) {
	p.step, p.role = step, role
	return p.Call(t.Context(), executor.Request{Prompt: prompt, Dir: dir, Iteration: 1})
}

func TestReplies(t *testing.T) {
	p := play(t, `
replies:
  - {step: "1", role: diagnose, say: found}
  - {step: "1", told: 250 cents, say: told}
  - {step: "1", say: first, times: 2, usage: {input: 3, output: 2, cost: 0.5}}
  - {step: "1", say: last}
  - {say: any}
`)
	tests := []struct {
		step   string
		role   escalate.Role
		prompt string
		want   string
	}{
		{"1", escalate.Execute, "", "first"},
		{"1", escalate.Diagnose, "", "found"},
		{"1", escalate.Execute, "it costs 250 cents", "told"},
		{"1", escalate.Fix, "", "first"},
		{"1", escalate.Execute, "", "last"},
		{"2", escalate.Execute, "", "any"},
	}
	for _, tt := range tests {
		got, err := p.ask(t, tt.step, tt.role, tt.prompt, t.TempDir())
		require.NoError(t, err)
		assert.Equal(t, tt.want, got.Text)
		if tt.want == "first" {
			assert.Equal(t, executor.Usage{
				InputTokens: taxonomy.Some[int64](3), OutputTokens: taxonomy.Some[int64](2),
				CostUSD: taxonomy.Some(0.5),
			}, got.Usage)
		}
	}
	_, err := p.ask(t, "1", escalate.Execute, "", t.TempDir())
	assert.ErrorContains(t, err, `the script has no reply left for step "1" and role "execute"`)
}

// A script changes real files, and nothing outside of the tree.
func TestDo(t *testing.T) {
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "mine"), []byte("mine"), 0o600))
	tests := []struct {
		name, do, want string
	}{
		{"write and remove", "[{write: a/b.md, text: hello}, {read: a/b.md}, {list: a}, {remove: old.md}]", "done"},
		{"a missing file", "[{read: CLAUDE.md}, {write: never, text: x}]", "CLAUDE.md: no such file or directory"},
		{"a directory is no file", "[{read: a}]", "failed: "},
		{"a file is no directory", "[{list: old.md}]", "failed: "},
		{"above the tree", "[{write: ../evil, text: x}]", "failed: "},
		{"through a link", "[{write: link/mine, text: evil}]", "failed: "},
		{"remove through a link", "[{remove: link/mine}]", "failed: "},
		{"absolute", "[{read: /etc/passwd}]", "failed: "},
		{"a command", "[{run: [git, --version]}]", "done"},
		{"a command that fails", "[{run: [git, no-such-command]}, {write: never, text: x}]",
			"failed: git: 'no-such-command' is not a git command"},
		{"a command that is not there", "[{run: [no-such-program-anywhere]}]", "failed: no-such-program-anywhere: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(dir, "a"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "old.md"), nil, 0o600))
			require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link")))
			p := play(t, "replies:\n  - {do: "+tt.do+", say: 'done {mark}', failed: 'failed: {error} {mark}'}\n")
			got, err := p.ask(t, "1", escalate.Execute, "\nSTEP DONE 0123abcd\n", dir)
			require.NoError(t, err)
			assert.Contains(t, got.Text, tt.want)
			assert.Contains(t, got.Text, " 0123abcd", "the mark that the prompt asks for")
			assert.NoFileExists(t, filepath.Join(dir, "never"))
			b, err := os.ReadFile(filepath.Join(outside, "mine"))
			require.NoError(t, err)
			assert.Equal(t, "mine", string(b))
			assert.NoFileExists(t, filepath.Join(filepath.Dir(dir), "evil"))
			if tt.name == "write and remove" {
				b, err := os.ReadFile(filepath.Join(dir, "a", "b.md"))
				require.NoError(t, err)
				assert.Equal(t, "hello", string(b))
				assert.NoFileExists(t, filepath.Join(dir, "old.md"))
			}
		})
	}
	t.Run("what failed is said as it is", func(t *testing.T) {
		p := play(t, "replies:\n  - {do: [{read: a}], say: done}\n")
		got, err := p.ask(t, "1", escalate.Execute, "", t.TempDir())
		require.NoError(t, err)
		assert.Contains(t, got.Text, " a: no such file or directory")
	})
}

func TestFail(t *testing.T) {
	tests := []struct {
		fail string
		want taxonomy.Evidence
	}{
		{"{as: rate_limit, retry_after: 3s}",
			taxonomy.Evidence{Type: "rate_limit_error", Status: 429, Text: "this request would exceed the rate limit",
				RetryAfter: taxonomy.Some(3 * time.Second)}},
		{"{as: overloaded, text: later}", taxonomy.Evidence{Type: "overloaded_error", Status: 529, Text: "later"}},
		{"{as: down}", taxonomy.Evidence{Type: "network", Errno: "ECONNREFUSED", Text: "connect: connection refused"}},
	}
	for _, tt := range tests {
		t.Run(tt.fail, func(t *testing.T) {
			p := play(t, "replies:\n  - {fail: "+tt.fail+"}\n")
			_, err := p.ask(t, "1", escalate.Execute, "", t.TempDir())
			var ev *taxonomy.Evidence
			require.ErrorAs(t, err, &ev)
			tt.want.Source, tt.want.Op = DefaultName, "call"
			assert.Equal(t, tt.want, *ev)
		})
	}
}

// A tier that hangs ends when its time is over, and when it is cancelled.
func TestHang(t *testing.T) {
	const script = "replies:\n  - {fail: {as: hang}}\n"
	t.Run("its time", func(t *testing.T) {
		p := play(t, script)
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := p.Call(ctx, executor.Request{})
			var ev *taxonomy.Evidence
			require.ErrorAs(t, err, &ev)
			assert.Equal(t, "timeout", ev.Type)
			assert.ErrorIs(t, err, context.DeadlineExceeded)
		})
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := play(t, script).Call(ctx, executor.Request{})
		assert.ErrorIs(t, err, context.Canceled)
	})
	t.Run("before something is done", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		dir := t.TempDir()
		_, err := play(t, "replies:\n  - {do: [{write: a, text: x}]}\n").Call(ctx, executor.Request{Dir: dir})
		assert.ErrorIs(t, err, context.Canceled)
		assert.NoFileExists(t, filepath.Join(dir, "a"))
	})
}

func TestLoadRefuses(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"nothing", "", "at least one reply"},
		{"a reply without anything", "replies: [{step: '1'}]", "what the tier answers"},
		{"an unknown key", "replies: [{say: a, sya: b}]", "sya"},
		{"an unknown role", "replies: [{say: a, role: mend}]", "execute, diagnose, fix, review or review_plan"},
		{"an unknown way to fail", "replies: [{fail: {as: explode}}]", "rate_limit, overloaded, down or hang"},
		{"an answer of a call that fails", "replies: [{fail: {as: down}, say: x}]", "no answer beside it"},
		{"two things at once", "replies: [{do: [{read: a, write: b}]}]", "one of read, list, write, remove and run"},
		{"a text for nothing", "replies: [{do: [{read: a, text: b}]}]", "a file to write it to"},
		{"less than none", "replies: [{say: a, times: -1}]", "times"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.yaml")
			require.NoError(t, os.WriteFile(path, []byte(tt.script), 0o600))
			_, err := Load(path, Options{})
			assert.ErrorContains(t, err, tt.want)
		})
	}
	_, err := Load(filepath.Join(t.TempDir(), "none.yaml"), Options{})
	assert.Error(t, err)
}
