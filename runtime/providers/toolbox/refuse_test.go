package toolbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// end calls a tool that must end the call, and returns the evidence.
func end(t *testing.T, tools *toolbox.Toolbox, name string, raw json.RawMessage) *taxonomy.Evidence {
	t.Helper()
	r, err := tools.Call(context.Background(), name, raw)
	require.Error(t, err, "%s %s: %s", name, raw, r.Text)
	assert.Equal(t, toolbox.Result{}, r)
	var ev *taxonomy.Evidence
	require.ErrorAs(t, err, &ev)
	return ev
}

func TestNothingIsWrittenOutsideOfTheTree(t *testing.T) {
	dir, outside := tree(t, map[string]string{"in/a": "inside"})
	secret := filepath.Join(outside, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("theirs"), 0o644))
	for link, target := range map[string]string{
		"file": "../outside/secret", "dir": "../outside", "abs": secret, "new": "../outside/new",
		"in/up": "../../outside", "chain": "dir/secret",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	tools := open(t, dir)
	for _, path := range []string{
		"../outside/secret", "in/../../outside/secret", secret, "/etc/errgen-test", "file", "dir/secret", "dir/new",
		"abs", "new", "in/up/secret",
		"chain", "..", "../tree2/x",
	} {
		for name, raw := range map[string]json.RawMessage{
			"write_file":  args(t, "path", path, "content", "mine"),
			"edit_file":   args(t, "path", path, "old", "theirs", "new", "mine"),
			"delete_file": args(t, "path", path),
		} {
			ev := end(t, tools, name, raw)
			assert.Equal(t, "EACCES", ev.Errno, "%s %s", name, path)
			assert.Equal(t, "anthropic-api", ev.Source)
			assert.Equal(t, "call", ev.Op)
			assert.Equal(t, path, ev.Attribute("path"))
			err := errs.Classify(ev)
			assert.ErrorIs(t, err, errs.CodePermissionFileAccess, "%s %s", name, path)
		}
		assert.True(t, use(t, tools, "read_file", "path", path).IsError, "read %s", path)
	}
	assert.Equal(t, "theirs", content(t, secret))
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

func TestLinksWithinTheTree(t *testing.T) {
	dir, _ := tree(t, map[string]string{"real/a": "old"})
	require.NoError(t, os.Symlink("real", filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink(filepath.Join(dir, "real", "a"), filepath.Join(dir, "abs")))
	require.NoError(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	g := &asked{}
	tools := open(t, dir, func(o *toolbox.Options) { o.Guard = g })
	assert.Equal(t, "wrote 3 bytes to real/a", use(t, tools, "write_file", "path", "link/a", "content", "new").Text)
	assert.Equal(t, "wrote 4 bytes to real/a", use(t, tools, "write_file", "path", "abs", "content", "newer"[:4]).Text)
	assert.Equal(t, "newe", use(t, tools, "read_file", "path", "abs").Text)
	assert.Equal(t, "newe", content(t, dir, "real/a"))
	assert.Equal(t, []string{"real/a", "real/a", "real/a"}, g.paths, "the guard judges the file and not its link")
	assert.Equal(t, toolbox.Result{Text: "loop: EvalSymlinks: too many links", IsError: true},
		use(t, tools, "read_file", "path", "loop"))
	info, err := os.Lstat(filepath.Join(dir, "abs"))
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeSymlink, "the link is still one")
}

func TestGitIsNeitherReadNorChanged(t *testing.T) {
	dir, _ := tree(t, map[string]string{".git/config": "[core]"})
	require.NoError(t, os.Symlink(".git", filepath.Join(dir, "innocent")))
	tools := open(t, dir)
	for _, path := range []string{
		".git/config", ".git", ".git/hooks/pre-commit", "sub/.git", "sub/.git/hooks/x", "innocent/config",
		".GIT/config", ".git./config", ".git /config",
		"GIT~1/config", ".g\u200cit/config", ".git::$INDEX_ALLOCATION/config",
	} {
		ev := end(t, tools, "write_file", args(t, "path", path, "content", "[core]\n\tfsmonitor = evil\n"))
		assert.Equal(t, "EACCES", ev.Errno, path)
		assert.ErrorIs(t, errs.Classify(ev), errs.CodePermissionFileAccess)
		for _, name := range []string{"read_file", "list_files", "search_files"} {
			want := toolbox.Result{Text: path + ": git's own files cannot be accessed", IsError: true}
			if strings.ContainsRune(path, '\u200c') {
				want.Text = strconv.Quote(path) + ": git's own files cannot be accessed"
			}
			assert.Equal(t, want, use(t, tools, name, "path", path, "regexp", "core"), "%s %s", name, path)
		}
	}
	assert.Equal(t, "[core]", content(t, dir, ".git/config"))
}

// asked is a guard that records the files and allows them, or calls do.
type asked struct {
	paths []string
	do    func() error
}

func (*asked) Mode() string { return "strict" }
func (g *asked) Judge(_ context.Context, changes []executor.Change) ([]executor.Verdict, error) {
	g.paths = append(g.paths, changes[0].Path)
	if g.do != nil {
		return nil, g.do()
	}
	return []executor.Verdict{executor.Allowed}, nil
}

// guard is a guard that gives the verdicts it has, by path.
type guard map[string]executor.Verdict

func (g guard) Mode() string { return "strict" }
func (g guard) Judge(_ context.Context, changes []executor.Change) ([]executor.Verdict, error) {
	if g["fails"] != 0 {
		return nil, errors.New("the pattern cannot be compiled")
	}
	verdicts := make([]executor.Verdict, len(changes))
	for i, c := range changes {
		verdicts[i] = g[c.Path]
	}
	return verdicts, nil
}

func TestWritingWithinTheScope(t *testing.T) {
	dir, _ := tree(t, map[string]string{"no": "", "out": ""})
	g := guard{"yes": executor.Allowed, "ask": executor.NeedsAsk, "no": executor.Forbidden, "out": executor.Outside}
	tools := open(t, dir, func(o *toolbox.Options) { o.Guard = g })
	for _, path := range []string{"yes", "ask"} {
		assert.False(t, use(t, tools, "write_file", "path", path, "content", "x").IsError)
	}
	for path, want := range map[string]errs.ScopeCode{
		"no": errs.CodeScopeForbidden, "out": errs.CodeScopeOutsideAllowed,
		"unknown": errs.CodeScopeForbidden,
	} {
		ev := end(t, tools, "write_file", args(t, "path", "./"+path, "content", "x"))
		assert.Equal(t, []string{path}, ev.Files)
		assert.Equal(t, "strict", ev.Attribute("scope_mode"))
		assert.ErrorIs(t, errs.Classify(ev), want)
	}
	assert.NoFileExists(t, filepath.Join(dir, "unknown"))
	g["fails"] = executor.Allowed
	_, err := tools.Call(context.Background(), "write_file", args(t, "path", "yes", "content", "y"))
	assert.ErrorContains(t, err, "the pattern cannot be compiled", "a guard that cannot judge allows nothing")
	assert.Equal(t, "x", content(t, dir, "yes"))
}

func TestReadingWithinTheScope(t *testing.T) {
	dir, _ := tree(
		t, map[string]string{"yes": "key=1", "ask": "key=2", "out": "key=3", ".env": "key=4", "unknown": "key=5"})
	require.NoError(t, os.Symlink(".env", filepath.Join(dir, "innocent")))
	g := guard{"yes": executor.Allowed, "ask": executor.NeedsAsk, "out": executor.Outside, ".env": executor.Forbidden}
	tools := open(t, dir, func(o *toolbox.Options) { o.Guard = g })
	for _, path := range []string{"yes", "ask", "out"} {
		assert.Contains(t, use(t, tools, "read_file", "path", path).Text, "key=")
	}
	for _, path := range []string{".env", "./x/../.env", "innocent", "unknown"} {
		want := toolbox.Result{Text: path + ": the task's scope forbids it", IsError: true}
		assert.Equal(t, want, use(t, tools, "read_file", "path", path))
		ev := end(t, tools, "edit_file", args(t, "path", path, "old", "key=4", "new", ""))
		assert.ErrorIs(t, errs.Classify(ev), errs.CodeScopeForbidden)
		if path != "innocent" {
			assert.Equal(t, "nothing matches", use(t, tools, "search_files", "regexp", "key", "path", path).Text)
		}
	}
	assert.Equal(t, "ask:1: key=2\nout:1: key=3\nyes:1: key=1", use(t, tools, "search_files", "regexp", "key").Text)
	assert.Contains(t, use(t, tools, "list_files").Text, ".env", "what is there is no secret")
	g["fails"] = executor.Allowed
	got := use(t, tools, "read_file", "path", "yes")
	assert.True(t, got.IsError, "a guard that cannot judge allows nothing")
	assert.Contains(t, got.Text, "the pattern cannot be compiled")
}

func TestReadingIsCancelled(t *testing.T) {
	dir, _ := tree(t, map[string]string{"a": "x"})
	why := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(t.Context())
	g := &asked{do: func() error { cancel(why); return ctx.Err() }}
	tools := open(t, dir, func(o *toolbox.Options) { o.Guard = g })
	_, err := tools.Call(ctx, "read_file", args(t, "path", "a"))
	assert.ErrorIs(t, err, why)
}

// Without a directory there is nothing to work on, and nothing to be done but to talk.
func TestNoDirectory(t *testing.T) {
	tools := open(t, "", allow("true"))
	var names []string
	for _, tool := range tools.Tools() {
		names = append(names, tool.Name)
	}
	assert.Equal(t, []string{"task_done", "task_blocked"}, names)
	for _, name := range []string{"read_file", "write_file", "edit_file", "delete_file", "list_files", "search_files",
		"run_command"} {
		got := use(t, tools, name, "path", "a", "content", "x", "regexp", "x", "command", "true")
		assert.Equal(t, toolbox.Result{Text: `there is no tool "` + name + `"`, IsError: true}, got)
	}
	assert.Equal(t, executor.SignalDone, use(t, tools, "task_done").Signal)
}

func TestArguments(t *testing.T) {
	dir, _ := tree(t, map[string]string{"a": "x"})
	tools := open(t, dir)
	for _, c := range []struct{ raw, text string }{
		{`{"path":"a`, "unexpected end of JSON input"},
		{`{"path":"a"}}`, "invalid character '}' after top-level value"},
		{`path=a`, "invalid character 'p' looking for beginning of value"},
		{`["a"]`, "not a JSON object"},
		{`null`, "not a JSON object"},
		{`"a"`, "not a JSON object"},
		{`{"path":7}`, ""},
		{`{"path":"a","offset":"two"}`, ""},
		{`{"path":"a","offset":1e99}`, ""},
	} {
		ev := end(t, tools, "read_file", json.RawMessage(c.raw))
		assert.Equal(t, "tool_arguments", ev.Type, c.raw)
		assert.Equal(t, "read_file", ev.Attribute("tool"))
		if c.text != "" {
			assert.Equal(t, c.text, ev.Text, c.raw)
		}
		err := errs.Classify(ev)
		require.ErrorIs(t, err, errs.CodeProviderCrash)
		var crash *errs.ProviderError
		require.ErrorAs(t, err, &crash)
		assert.Equal(t, "Invalid tool call arguments", crash.RawError.Or(""))
	}
	assert.Equal(t, toolbox.Result{Text: "path is missing", IsError: true}, use(t, tools, "read_file"))
	assert.Equal(t, toolbox.Result{Text: `there is no tool "rm"`, IsError: true}, use(t, tools, "rm"))
	r, err := tools.Call(context.Background(), "list_files", nil)
	require.NoError(t, err)
	assert.Equal(t, "a", r.Text)
}

func TestSignals(t *testing.T) {
	dir, _ := tree(t, nil)
	tools := open(t, dir)
	assert.Equal(t, toolbox.Result{Text: "all of it", Signal: executor.SignalDone},
		use(t, tools, "task_done", "summary", "all of it"))
	assert.Equal(t, toolbox.Result{Text: "done", Signal: executor.SignalDone}, use(t, tools, "task_done"))
	assert.Equal(t, toolbox.Result{Text: "which?", Signal: executor.SignalBlocked, Question: "which?"},
		use(t, tools, "task_blocked", "question", "which?"))
	assert.True(t, use(t, tools, "task_blocked").IsError)
}

func TestTools(t *testing.T) {
	dir, _ := tree(t, nil)
	names := func(tools *toolbox.Toolbox) []string {
		var all []string
		for _, tool := range tools.Tools() {
			all = append(all, tool.Name)
			var schema struct {
				Type       string
				Properties map[string]any
				Required   []string
			}
			require.NoError(t, json.Unmarshal(tool.Schema, &schema), tool.Name)
			assert.Equal(t, "object", schema.Type)
			for _, name := range schema.Required {
				assert.Contains(t, schema.Properties, name)
			}
			assert.NotEmpty(t, tool.Description)
		}
		return all
	}
	files := []string{"read_file", "list_files", "search_files"}
	write := []string{"write_file", "edit_file", "delete_file"}
	task := []string{"task_done", "task_blocked"}
	join := func(lists ...[]string) (all []string) {
		for _, list := range lists {
			all = append(all, list...)
		}
		return all
	}
	assert.Equal(t, join(files, write, task), names(open(t, dir)))
	assert.Equal(t, join(files, write, []string{"run_command"}, task), names(open(t, dir, allow("go test ..."))))
	assert.Equal(t, join(files, task), names(open(t, dir, func(o *toolbox.Options) { o.ReadOnly = true })))
	assert.True(
		t, use(t, open(t, dir, func(o *toolbox.Options) { o.ReadOnly = true }), "write_file", "path", "a", "content",
			"").IsError)
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		options toolbox.Options
		want    string
	}{
		{toolbox.Options{Commands: toolbox.Policy{Allow: []string{"..."}}}, `command policy: "...": contains no command`},
		{toolbox.Options{Dir: filepath.Join(t.TempDir(), "none")}, "open the directory of the tools: "},
		{toolbox.Options{Dir: t.TempDir(), Commands: toolbox.Policy{Allow: []string{"..."}}},
			`command policy: "...": contains no command`},
	} {
		_, err := toolbox.New(t.Context(), c.options)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestCancelled(t *testing.T) {
	dir, _ := tree(t, nil)
	tools := open(t, dir, allow("sleep *"))
	why := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	for _, name := range []string{"list_files", "write_file", "run_command"} {
		_, err := tools.Call(ctx, name, args(t, "path", "a", "content", "", "command", "sleep 60"))
		assert.ErrorIs(t, err, why)
	}
	assert.NoFileExists(t, filepath.Join(dir, "a"))
}
