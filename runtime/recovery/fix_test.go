//go:build unix

package recovery

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/scope"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/validate"
	"github.com/errgen/errgen/runtime/workspace"
)

// D101, D102, D103, B-D12: the four fixes do the same with the host's commands.
func TestFixes(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "uncommitted\n") // somebody's work, which is nobody's business
	tools := r.tools(ToolsConfig{})
	for _, tt := range []struct{ name, message string }{
		{NameApplyLintFix, "Applied lint fixes"}, {NameApplyTypeFix, "Applied type fixes"},
		{NameFixTest, "Applied test fixes"}, {NameFixBuild, "Applied build fixes"},
	} {
		fix := Fix{Commands: line("echo " + tt.name + " >src/b.txt"), Check: line("grep -q " + tt.name + " src/b.txt")}
		o := Options{Tools: tools}
		switch tt.name {
		case NameApplyLintFix:
			o.LintFix = fix
		case NameApplyTypeFix:
			o.TypeFix = fix
		case NameFixTest:
			o.TestFix = fix
		case NameFixBuild:
			o.BuildFix = fix
		}
		w := newWorld(t, o)
		require.NoError(
			t, w.Strategies()[tt.name](t.Context(), taxonomy.RecoveryRequest{Err: &coded{text: "bad"}, Attempt: 1}),
			tt.name)
		assert.Equal(t, tt.name+"\n", r.read("src/b.txt"))
		got := w.last(t)
		assert.Equal(t, tt.message, got.Message)
		assert.Equal(t, ActionFix, got.Action)
		assert.Equal(t, "bad_style", got.Code)
		assert.Equal(t, "passed", got.Data[DataCheck])
		assert.Equal(t, `"src/b.txt"`, got.Data[DataChanged])
	}
	assert.Equal(t, "uncommitted\n", r.read("a.txt"))
	assert.Empty(t, r.git("for-each-ref", "refs/errgen"), "nothing is kept of what has worked")
}

// What the validation says decides; otherwise everything is as it was.
func TestFixesThatDoNotHelp(t *testing.T) {
	tests := []struct {
		name  string
		fix   Fix
		guard executor.Guard
		says  string
		saved bool
	}{
		{name: "lies",
			fix: Fix{Commands: line("echo better >a.txt; rm src/b.txt; echo x >new; exit 0"),
				Check: line("echo still wrong; exit 4")},
			says: "Failed to apply lint fixes: validator validate: exit: exit code 4", saved: true},
		{name: "exits otherwise, and does not help",
			fix:  Fix{Commands: line("echo x >a.txt; echo '12 problems'; exit 3"), Check: line("exit 1")},
			says: `: "12 problems" (what it changed was put back, and is saved as refs/errgen/recovery-`, saved: true},
		{name: "hangs",
			fix: Fix{Commands: append(line("echo x >a.txt"),
				validate.Command{Line: "echo x >new; sleep 1000", Limit: 200 * time.Millisecond}),
				Check: line("true")},
			says: "did not end within 200ms", saved: true},
		{name: "is killed", fix: Fix{Commands: line("echo x >a.txt; kill -KILL $$"), Check: line("true")},
			says: "SIGKILL", saved: true},
		{name: "is not there", fix: Fix{Commands: argv("no-such-program-here"), Check: line("true")},
			says: "not_found"},
		{name: "a later one is not there",
			fix:  Fix{Commands: append(line("echo x >a.txt"), argv("no-such-program-here")...), Check: line("true")},
			says: "not_found", saved: true},
		{name: "hangs in the validation",
			fix: Fix{Commands: line("echo x >a.txt"),
				Check: []validate.Command{{Line: "sleep 1000", Limit: 200 * time.Millisecond}}},
			says: "timeout", saved: true},
		{name: "the validation changes files too",
			fix: Fix{Commands: line("true"), Check: line("echo x >a.txt; exit 1")}, says: "exit code 1", saved: true},
		{name: "hooks",
			fix: Fix{Commands: line("echo evil >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit"),
				Check: line("true")},
			says: "scope scope: forbidden: changed what must not be changed: \".git/hooks/pre-commit\"", saved: true},
		{name: "configuration", fix: Fix{Commands: line("git config core.fsmonitor /evil"), Check: line("true")},
			says: ".git/config", saved: true},
		{name: "commits", fix: Fix{Commands: line("echo x >a.txt; git commit -qam sneaky"), Check: line("true")},
			says: ".git/refs/heads/", saved: true},
		{name: "a link out of the tree", fix: Fix{Commands: line("ln -s /etc/passwd link"), Check: line("true")},
			says: `"link"`, saved: true},
		{name: "what the scope forbids",
			fix: Fix{Commands: line("echo x >src/b.txt; echo x >a.txt"), Check: line("true")}, guard: only(t, "src/**"),
			says: `forbidden: changed what must not be changed: "a.txt"`, saved: true},
		{name: "the validation changes what the scope forbids",
			fix: Fix{Commands: line("echo x >src/b.txt"), Check: line("echo x >a.txt")}, guard: only(t, "src/**"),
			says: `forbidden: changed what must not be changed: "a.txt"`, saved: true},
		{name: "a guard that panics", fix: Fix{Commands: line("echo x >a.txt"), Check: line("true")},
			guard: guard{throws: true},
			says:  "Recovery strategy failed: Failed to apply lint fixes: panic: guard", saved: true},
		{name: "a guard that fails", fix: Fix{Commands: line("echo x >a.txt"), Check: line("true")},
			guard: guard{err: errors.New("cannot tell")}, says: "cannot tell", saved: true},
		{name: "a guard that says nothing", fix: Fix{Commands: line("echo x >a.txt"), Check: line("true")},
			guard: guard{}, says: "the guard has judged 0 of 1 changes", saved: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			r.write("a.txt", "uncommitted\n")
			head, config := r.git("rev-parse", "HEAD"), r.read(".git/config")
			w := newWorld(
				t, Options{Tools: r.tools(ToolsConfig{Grace: 100 * time.Millisecond}), LintFix: tt.fix,
					Guard: tt.guard})
			err := w.ApplyLintFix(t.Context(), says("bad"))
			require.ErrorContains(t, err, tt.says)
			got := w.last(t)
			assert.Equal(t, err.Error(), got.Message)
			assert.False(t, got.Successful)
			assert.Equal(t, "uncommitted\n", r.read("a.txt"))
			assert.Equal(t, "b\n", r.read("src/b.txt"))
			assert.Equal(t, head, r.git("rev-parse", "HEAD"))
			assert.Equal(t, config, r.read(".git/config"))
			assert.Equal(t, " M a.txt", r.git("status", "--porcelain"))
			assert.Empty(t, r.read(".git/hooks/pre-commit"))
			if !tt.saved {
				assert.Empty(t, r.git("for-each-ref", "refs/errgen"))
				return
			}
			assert.Equal(t, "true", got.Data[DataPutBack])
			assert.Contains(t, r.git("for-each-ref", "--format=%(refname)", "refs/errgen"), got.Data[DataSaved],
				"nothing is lost")
		})
	}
}

// only returns a scope.
func only(t *testing.T, patterns ...string) executor.Guard {
	s, err := scope.New(scope.Config{Allowed: patterns})
	require.NoError(t, err)
	return s
}

// guard is one that is broken.
type guard struct {
	throws bool
	err    error
}

func (guard) Mode() string { return "broken" }
func (g guard) Judge(context.Context, []executor.Change) ([]executor.Verdict, error) {
	if g.throws {
		panic("guard")
	}
	return nil, g.err
}

// A tool that says it has failed is not believed either, when the validation passes.
func TestToolThatFailsAndHelps(t *testing.T) {
	r := newRepo(t)
	w := newWorld(
		t, Options{Tools: r.tools(ToolsConfig{}),
			LintFix: Fix{Commands: line("echo fine >a.txt; exit 1"), Check: line("grep -q fine a.txt")}})
	require.NoError(t, w.ApplyLintFix(t.Context(), says("bad")))
	assert.Equal(t, "fine\n", r.read("a.txt"))
}

// The host's own validation is asked where a fix has no check. It may panic, hang and be wrong.
func TestValidate(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	tests := []struct {
		name     string
		validate func(context.Context, taxonomy.RecoveryRequest) error
		says     string
		limit    time.Duration
	}{
		{"passes", func(context.Context, taxonomy.RecoveryRequest) error { return nil }, "", time.Hour},
		{"fails", func(context.Context, taxonomy.RecoveryRequest) error { return errors.New("3 tests fail") },
			"Failed to apply test fixes: 3 tests fail (what it changed was put back", time.Hour},
		{"panics", func(context.Context, taxonomy.RecoveryRequest) error { panic("oh") },
			"Recovery strategy failed: Failed to apply test fixes: panic: oh", time.Hour},
		{"ends with its time",
			func(ctx context.Context, _ taxonomy.RecoveryRequest) error { <-ctx.Done(); return context.Cause(ctx) },
			"its time is over", 50 * time.Millisecond},
		{"hangs", func(context.Context, taxonomy.RecoveryRequest) error { <-release; return nil },
			"it does not return, and was left behind: its time is over", 50 * time.Millisecond},
		{"has somebody else's error",
			func(context.Context, taxonomy.RecoveryRequest) error {
				return &Error{Strategy: "mine", Message: "other"}
			},
			"Failed to apply test fixes: other", time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRepo(t)
			w := newWorld(
				t, Options{Tools: r.tools(ToolsConfig{}), TestFix: Fix{Commands: line("echo x >a.txt")},
					Validate: tt.validate, ValidateLimit: tt.limit})
			w.validate.grace = 50 * time.Millisecond
			err := w.FixTest(t.Context(), says("bad"))
			if tt.says == "" {
				require.NoError(t, err)
				assert.Equal(t, "x\n", r.read("a.txt"))
				return
			}
			assert.ErrorContains(t, err, tt.says)
			assert.Equal(t, "a\n", r.read("a.txt"))
			var known *Error
			require.ErrorAs(t, err, &known)
			assert.Equal(t, NameFixTest, known.Strategy)
		})
	}
}

// A run that is cancelled leaves nothing half done.
func TestCancelledFix(t *testing.T) {
	r := newRepo(t)
	reason := errors.New("stopped by a person")
	ctx, cancel := context.WithCancelCause(t.Context())
	w := newWorld(
		t, Options{Tools: r.tools(ToolsConfig{Tee: onWrite(func() { cancel(reason) }), Grace: 100 * time.Millisecond}),
			LintFix: Fix{Commands: line("echo x >a.txt; echo begun; sleep 1000"), Check: line("true")}})
	err := w.ApplyLintFix(ctx, says("bad"))
	assert.ErrorIs(t, err, reason)
	assert.Equal(t, "a\n", r.read("a.txt"))
	assert.Equal(t, "true", w.last(t).Data[DataPutBack])
	assert.ErrorIs(t, w.ApplyLintFix(ctx, says("bad")), reason, "and nothing is begun")
}

type onWrite func()

func (f onWrite) Write(p []byte) (int, error) { f(); return len(p), nil }

// D100: what is missing is said, and nothing is run.
func TestRefusals(t *testing.T) {
	r := newRepo(t)
	bare, err := NewTools(ToolsConfig{Dir: r.dir})
	require.NoError(t, err)
	fix := Fix{Commands: line("echo x >a.txt"), Check: line("true")}
	tests := []struct {
		name string
		o    Options
		says string
	}{
		{"nothing", Options{}, "No command is configured for strategy apply_lint_fix"},
		{"no tools", Options{LintFix: fix}, "Not run, because nothing is configured that commands could be run with"},
		{"no workspace", Options{LintFix: fix, Tools: bare},
			"Not run, because what it changes could not be put back: there is no working tree of git"},
		{"no validation", Options{LintFix: Fix{Commands: fix.Commands}, Tools: r.tools(ToolsConfig{})},
			"Not run, because no check is configured that would say whether it has helped"},
		{"no file",
			Options{LintFix: Fix{Commands: argv("touch", "{file}"), Check: line("true")},
				Tools: r.tools(ToolsConfig{})},
			"Could not parse error location: it names no file of the working tree that a command could be given"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.o)
			assert.EqualError(t, w.ApplyLintFix(t.Context(), says("gone.go:1:2: bad")), tt.says)
			assert.Equal(t, tt.says, w.last(t).Message)
			assert.Equal(t, "a\n", r.read("a.txt"))
		})
	}
}

// What cannot be put back is said, and stays saved.
func TestPutBackThatFails(t *testing.T) {
	gone := errors.New("disk is gone")
	for name, tree := range map[string]*brittle{
		"look": {changes: gone}, "save and revert": {save: gone, revert: gone}, "revert": {revert: gone},
		"something is left": {},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, Options{Tools: tree, LintFix: Fix{Commands: line("true"), Check: line("fails")}})
			err := w.ApplyLintFix(t.Context(), says("bad"))
			paths := map[bool]string{true: `what was changed: run "`, false: `"a": run "`}[name == "look"]
			assert.ErrorContains(t, err, "Could not put back "+paths+
				`git restore --overlay --source=refs/before -- :/"`)
			assert.ErrorContains(t, err, ". Failed to apply lint fixes: "+
				map[bool]string{true: "look", false: "it fails"}[name == "look"])
			assert.Equal(t, "refs/before", w.last(t).Data[DataBefore])
			assert.Equal(t, "false", w.last(t).Data[DataPutBack])
			assert.True(t, tree.kept)
			if name != "something is left" {
				assert.ErrorIs(t, err, gone)
			}
		})
	}
}

// brittle are tools with a tree that fails.
type brittle struct {
	changes, save, revert error
	kept                  bool
}

func (b *brittle) Dir() string                                 { return os.TempDir() }
func (b *brittle) Begin(context.Context, string) (Tree, error) { return b, nil }
func (b *brittle) Run(_ context.Context, _ string, c validate.Command) validate.Result {
	if c.Line == "fails" {
		return validate.Result{Err: errors.New("it fails")}
	}
	return validate.Result{}
}
func (b *brittle) Changes(context.Context) ([]executor.Change, error) {
	return []executor.Change{{Path: "a"}}, b.changes
}
func (b *brittle) Save(context.Context, []executor.Change) (string, error) { return "refs/x", b.save }
func (b *brittle) Revert(context.Context, []executor.Change) error         { return b.revert }
func (b *brittle) Before() string                                          { return "refs/before" }
func (b *brittle) Release(_ context.Context, keep bool) error              { b.kept = keep; return nil }

// Secrets in what a command prints are neither recorded nor in the error.
func TestSecretsOfCommands(t *testing.T) {
	r := newRepo(t)
	const secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
	w := newWorld(
		t, Options{Tools: r.tools(ToolsConfig{}),
			LintFix: Fix{Commands: line("echo key " + secret + "; exit 1"), Check: line("echo " + secret + "; false")}})
	err := w.ApplyLintFix(t.Context(), says("bad "+secret))
	assert.NotContains(t, err.Error()+fmt.Sprint(w.last(t)), secret)
}

// The environment of commands has no keys, and mends of one Standard wait for each other.
func TestCommandsAreKeptApart(t *testing.T) {
	r := newRepo(t)
	t.Setenv("API_KEY", "hunter2")
	w := newWorld(t, Options{Tools: r.tools(ToolsConfig{Env: []string{"MODE=fix"}}),
		LintFix: Fix{Commands: line(
			`mkdir running && test -z "$API_KEY" && test "$MODE" = fix && echo ok >>a.txt && rmdir running`),
			Check: line("tail -n 1 a.txt | grep -q ok")}})
	done := make(chan error)
	for range 3 {
		go func() { done <- w.ApplyLintFix(t.Context(), says("bad")) }()
	}
	for range 3 {
		assert.NoError(t, <-done)
	}
	assert.Equal(t, "a\nok\nok\nok\n", r.read("a.txt"))
}

// A tree that a run has is not taken from it.
func TestLockedTree(t *testing.T) {
	r := newRepo(t)
	g := r.workspace()
	unlock, err := g.Lock(t.Context(), "somebody")
	require.NoError(t, err)
	o := Options{Tools: r.tools(ToolsConfig{}), LintFix: Fix{Commands: line("echo x >a.txt"), Check: line("true")},
		LockWait: -1}
	w := newWorld(t, o)
	err = w.ApplyLintFix(t.Context(), says("bad"))
	assert.ErrorContains(t, err, "(run somebody)")
	assert.ErrorIs(t, err, workspace.ErrHeld)
	assert.Equal(t, "a\n", r.read("a.txt"))

	clock := newManual()
	var waits []time.Duration
	o.Clock, o.LockWait, o.Waiting = clock, time.Minute, func(_ string, d time.Duration) { waits = append(waits, d) }
	err = newWorld(t, o).ApplyLintFix(t.Context(), says("bad"))
	assert.ErrorContains(t, err, "(run somebody)", "and not for ever")
	assert.Equal(t, []time.Duration{time.Minute}, waits)
	assert.Len(t, clock.sleeps, int(time.Minute/lockPoll))
	clock.before = func() { clock.before = nil; assert.NoError(t, unlock()) }
	assert.NoError(t, newWorld(t, o).ApplyLintFix(t.Context(), says("bad")), "who comes second waits")
	assert.Equal(t, "x\n", r.read("a.txt"))
}
