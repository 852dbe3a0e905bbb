//go:build unix

package recovery

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/validate"
)

func (r *repo) saved() []string {
	return strings.Fields(r.git("for-each-ref", "--format=%(refname)", "refs/errgen"))
}

func (r *repo) mode(p string) fs.FileMode {
	info, err := os.Stat(filepath.Join(r.dir, p))
	require.NoError(r.t, err)
	return info.Mode().Perm()
}

// A fix that is cancelled, or whose time is over, has put back what it has changed before Contain
// returns, however long that takes.
func TestContainWaitsForPutBack(t *testing.T) {
	r := newRepo(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("stopped by a person")
	w := newWorld(
		t, Options{Tools: r.tools(ToolsConfig{Tee: onWrite(func() { cancel(reason) }), Grace: 300 * time.Millisecond}),
			LintFix: Fix{Commands: line(
				"trap '' TERM INT; echo broken >a.txt; echo x >new; echo begun; while :; do sleep 1; done"),
				Check: line("true")}})
	err := Contain(one(w.ApplyLintFix), ContainOptions{Grace: time.Millisecond}).Recover(ctx, failed)
	assert.ErrorIs(t, err, reason)
	assert.ErrorContains(t, err, "what it changed was put back")
	assert.Equal(t, "a\n", r.read("a.txt"))
	assert.Empty(t, r.read("new"))
}

// slow are tools that take their time, also when that is over.
type slow struct {
	brittle
	run, revert time.Duration
	reverted    bool
}

func (s *slow) Begin(context.Context, string) (Tree, error) { return s, nil }
func (s *slow) Run(ctx context.Context, _ string, _ validate.Command) validate.Result {
	<-ctx.Done()
	time.Sleep(s.run)
	return validate.Result{Err: context.Cause(ctx)}
}
func (s *slow) Changes(context.Context) ([]executor.Change, error) {
	if s.reverted {
		return nil, nil
	}
	return []executor.Change{{Path: "a"}}, nil
}
func (s *slow) Revert(context.Context, []executor.Change) error {
	time.Sleep(s.revert)
	s.reverted = true
	return nil
}

// The wait for that has an end, and its own one.
func TestBoundsOfPutBack(t *testing.T) {
	for name, tt := range map[string]struct {
		revert time.Duration
		says   string
		took   time.Duration
	}{
		"long": {4 * time.Minute, "what it changed was put back", 10*time.Minute + 20*time.Second + 4*time.Minute},
		"for ever": {time.Hour, "it does not return, and was left behind",
			10*time.Minute + 5*time.Second + 5*time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tools := &slow{run: 20 * time.Second, revert: tt.revert}
				w := newWorld(t, Options{Tools: tools, LintFix: Fix{Commands: line("x"), Check: line("true")}})
				at := time.Now()
				inner := Contain(one(w.ApplyLintFix), ContainOptions{})
				err := Contain(inner, ContainOptions{Limit: 10 * time.Minute}).Recover(t.Context(), failed)
				assert.ErrorContains(t, err, tt.says)
				assert.Equal(t, tt.took, time.Since(at))
				time.Sleep(2 * time.Hour)
				synctest.Wait()
			})
		})
	}
}

// Permissions are put back, where git has no word for them too.
func TestPermissions(t *testing.T) {
	for name, script := range map[string]string{
		"only they": "chmod 600 a.txt", "and the content": "chmod 600 a.txt; echo x >>a.txt",
		"to execute":  "chmod 755 a.txt",
		"all at once": "chmod 600 a.txt; chmod 755 src/b.txt; echo x >new", "none": "chmod 0 a.txt", "anew": "rm a.txt",
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			require.NoError(t, os.Chmod(filepath.Join(r.dir, "a.txt"), 0o640))
			w := newWorld(
				t, Options{Tools: r.tools(ToolsConfig{}), LintFix: Fix{Commands: line(script), Check: line("false")}})
			require.Error(t, w.ApplyLintFix(t.Context(), says("bad")))
			assert.Equal(t, []fs.FileMode{0o640, 0o644}, []fs.FileMode{r.mode("a.txt"), r.mode("src/b.txt")})
			assert.Equal(t, "a\n", r.read("a.txt"))
		})
	}
}

// Those of directories are as well, unless they are all that was changed.
func TestPermissionsOfDirectories(t *testing.T) {
	for script, want := range map[string]fs.FileMode{
		"chmod 700 src; echo x >>a.txt": 0o755, "chmod 700 src; echo x >src/new": 0o755, "chmod 700 src": 0o700,
	} {
		r := newRepo(t)
		require.NoError(t, os.Chmod(filepath.Join(r.dir, "src"), 0o755))
		w := newWorld(
			t, Options{Tools: r.tools(ToolsConfig{}), LintFix: Fix{Commands: line(script), Check: line("false")}})
		require.Error(t, w.ApplyLintFix(t.Context(), says("bad")))
		assert.Equal(t, want, r.mode("src"), script)
	}
}

// What went with git's directory is not promised.
func TestGitIsGone(t *testing.T) {
	r := newRepo(t)
	w := newWorld(
		t, Options{Tools: r.tools(ToolsConfig{}),
			LintFix: Fix{Commands: line("echo x >>a.txt; rm -rf .git"), Check: line("false")}})
	err := w.ApplyLintFix(t.Context(), says("bad"))
	require.ErrorContains(t, err, "Could not put back")
	assert.NotContains(t, err.Error(), "git restore")
	assert.Empty(t, w.last(t).Data[DataBefore])
}

// Nothing stays of a mend but what it has saved, and that for a while.
func TestWhatStays(t *testing.T) {
	r := newRepo(t)
	r.git("update-ref", "refs/errgen/run-1/1", "HEAD")
	mended := Options{Tools: r.tools(ToolsConfig{}),
		LintFix: Fix{Commands: line("echo x >>a.txt"), Check: line("true")}}
	failing := Options{Tools: mended.Tools, LintFix: Fix{Commands: line("echo x >>a.txt"), Check: line("false")}}
	for range 3 {
		require.NoError(t, newWorld(t, mended).ApplyLintFix(t.Context(), says("bad")))
		require.Error(t, newWorld(t, failing).ApplyLintFix(t.Context(), says("bad")))
	}
	assert.Len(t, r.saved(), 4)
	runs, err := filepath.Glob(filepath.Join(r.dir, ".git/errgen/runs/*"))
	require.NoError(t, err)
	assert.Empty(t, runs)
	failing.Tools = r.tools(ToolsConfig{KeepSaved: 1})
	require.Error(t, newWorld(t, failing).ApplyLintFix(t.Context(), says("bad")))
	assert.Equal(t, []string{"refs/errgen/run-1/1"}, r.saved(), "what runs have saved is theirs")
}

// The message of a classified error may be a line of what was said; strategies look at all of it.
func TestAllThatWasSaid(t *testing.T) {
	r := newRepo(t)
	failing := func(text string) taxonomy.RecoveryRequest {
		first, _, _ := strings.Cut(text, "\n")
		return taxonomy.RecoveryRequest{Err: &coded{text: first}, Evidence: &taxonomy.Evidence{Text: text}, Attempt: 1}
	}
	tools := &recorder{dir: r.dir}
	w := newWorld(
		t, Options{Tools: tools,
			Installer: &Installer{Ecosystem: NPM, Command: []string{"npm", "install", "--", "{package}"},
				Allow: []string{"left-pad"}},
			LintFix: Fix{Commands: argv("eslint", "--fix", "{file}"), Check: argv("eslint")}})
	require.NoError(
		t, w.InstallDependency(
			t.Context(),
			failing(
				"node:internal/modules/cjs/loader:1143\n  throw err;\n\nError: Cannot find module "+
					"'left-pad'\nRequire stack:")))
	assert.Equal(t, "left-pad", w.last(t).Data[DataPackage])
	require.NoError(t, w.ApplyLintFix(t.Context(), failing("> lint\n> eslint .\na.txt:1:1: bad")))
	assert.Equal(t, "a.txt", w.last(t).Data[DataFile])
}

// A host can tell what is missing, before there is a failure, in its own words.
func TestLacking(t *testing.T) {
	tools := &recorder{dir: t.TempDir()}
	fix := Fix{Commands: line("x"), Check: line("x")}
	bare, err := NewTools(ToolsConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	for _, tt := range []struct {
		name string
		o    Options
		want error
	}{
		{NameApplyLintFix, Options{Tools: tools}, ErrNoCommand},
		{NameApplyTypeFix, Options{TypeFix: fix}, ErrNoTools},
		{NameFixTest, Options{TestFix: Fix{Commands: fix.Commands}, Tools: tools}, ErrNoCheck},
		{NameFixBuild, Options{BuildFix: fix, Tools: bare}, ErrNoWorkspace},
		{NameFixBuild, Options{BuildFix: fix, Tools: tools}, nil},
		{NameInstallDependency, Options{Tools: tools}, ErrNoInstaller},
		{NameInstallDependency,
			Options{Installer: &Installer{Ecosystem: Go, Command: []string{"go", "get", "{package}"}}}, ErrNoTools},
		{NameWaitForRateLimit, Options{}, nil},
		{"other", Options{}, nil},
	} {
		w := newWorld(t, tt.o)
		err := w.Lacking(tt.name)
		assert.Equal(t, tt.want == nil, err == nil, tt.name)
		assert.ErrorIs(t, err, tt.want)
		if err != nil {
			assert.EqualError(t, w.Strategies()[tt.name](t.Context(), says("x")), err.Error(), "and so it is then")
			assert.NotContains(t, err.Error(), "Options")
		}
	}
}

// A host sees that a strategy waits.
func TestWaiting(t *testing.T) {
	type wait struct {
		strategy string
		d        time.Duration
	}
	var waits []wait
	o := Options{Clock: newManual(),
		Waiting: func(s string, d time.Duration) { waits = append(waits, wait{s, d}); panic("shown") }}
	w := newWorld(t, o)
	require.NoError(t, w.WaitForRateLimit(t.Context(), says("retry after 30")))
	require.NoError(t, w.RetryWithBackoff(t.Context(), says("x")))
	require.NoError(t, w.WaitForRateLimit(t.Context(), says("retry after 0")))
	assert.Equal(t, []wait{{NameWaitForRateLimit, 30 * time.Second}, {NameRetryWithBackoff, time.Second}}, waits)
}
