package escalate

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/workspace"
)

// wireError is an error of a taxonomy that a test has made.
type wireError struct {
	table *taxonomy.Taxonomy
	row   taxonomy.Row
	text  string
	hints taxonomy.Hints
	cause error
}

func (e *wireError) Error() string                   { return e.text }
func (e *wireError) Unwrap() error                   { return e.cause }
func (e *wireError) Taxonomy() *taxonomy.Taxonomy    { return e.table }
func (e *wireError) Row() taxonomy.Row               { return e.row }
func (e *wireError) Hints() taxonomy.Hints           { return e.hints }
func (e *wireError) AppendMessage(dst []byte) []byte { return append(dst, e.text...) }
func (e *wireError) AppendContext(dst []byte) []byte { return append(dst, `{}`...) }
func (e *wireError) AppendJSON(dst []byte) []byte {
	b, _ := json.Marshal(map[string]any{"row": e.row, "text": e.text})
	return append(dst, b...)
}

// reactions are a taxonomy of which the codes are types or operations of evidence.
type reactions map[string]taxonomy.Reaction

// wiring is what an executor needs of a taxonomy.
type wiring struct {
	table *taxonomy.Taxonomy
	rows  map[string]taxonomy.Row
}

func (all reactions) wired() *wiring {
	t := &taxonomy.Taxonomy{Package: "test", Domain: "test", Uncategorized: &taxonomy.Reaction{Name: "uncategorized"}}
	category := &taxonomy.Category{Name: "test", Codes: make([]taxonomy.Code, 1)}
	t.Categories = []*taxonomy.Category{category}
	w := &wiring{table: t, rows: map[string]taxonomy.Row{}}
	for i, name := range slices.Sorted(maps.Keys(all)) {
		reaction := all[name]
		reaction.Name = name
		category.Codes = append(category.Codes, taxonomy.Code{
			Value: name, Traits: taxonomy.Traits{Reaction: &reaction, Retryable: true},
		})
		w.rows[name] = taxonomy.At(0, uint16(i+1))
	}
	return w
}

//lint:ignore ST1008 it is a Classifier
func (w *wiring) classify(err error, source, op string) (error, string) {
	ev, ok := errors.AsType[*taxonomy.Evidence](err)
	if !ok {
		ev = &taxonomy.Evidence{Source: source, Op: op, Err: err}
	}
	for _, name := range []string{ev.Type, ev.Op} {
		if row, ok := w.rows[name]; ok {
			hints := taxonomy.Hints{Files: ev.Files, RetryAfter: ev.RetryAfter, Credential: ev.Credential}
			return &wireError{w.table, row, ev.Error(), hints, err}, "rule " + name
		}
	}
	return err, "no rule"
}

func (w *wiring) decode(b []byte) (error, error) {
	var is struct {
		Row  taxonomy.Row
		Text string
	}
	if err := json.Unmarshal(b, &is); err != nil {
		return nil, err
	}
	return &wireError{table: w.table, row: is.Row, text: is.Text}, nil
}

// instant is a clock on which waits take no time; it remembers them.
type instant struct {
	mu    sync.Mutex
	now   time.Time
	waits []time.Duration
}

func (c *instant) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *instant) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.waits = c.now.Add(max(0, d)), append(c.waits, d)
	return ctx.Err()
}

// acts is what a provider does in a call.
type acts func(ctx context.Context, req executor.Request) (executor.Answer, error)

// actor is a provider that plays acts in order.
type actor struct {
	acts      []acts
	prompts   []string
	available func(ctx context.Context) error
}

func (*actor) Name() string { return "actor" }

func (a *actor) Available(ctx context.Context) error {
	if a.available == nil {
		return nil
	}
	return a.available(ctx)
}

func (a *actor) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	a.prompts = append(a.prompts, req.Prompt)
	if len(a.acts) == 0 {
		return executor.Answer{}, errors.New("there is no further act")
	}
	next := a.acts[0]
	a.acts = a.acts[1:]
	return next(ctx, req)
}

// says answers.
func says(text string) acts {
	return func(context.Context, executor.Request) (executor.Answer, error) {
		return executor.Answer{Text: text}, nil
	}
}

// failsWith fails with evidence.
func failsWith(ev taxonomy.Evidence) acts {
	return func(context.Context, executor.Request) (executor.Answer, error) {
		ev.Source, ev.Op = "actor", "call"
		return executor.Answer{}, &ev
	}
}

// hangs waits for the end of its context.
func hangs(ctx context.Context, _ executor.Request) (executor.Answer, error) {
	<-ctx.Done()
	return executor.Answer{}, ctx.Err()
}

// writes writes files before an act: paths and contents.
func (f acts) writes(t *testing.T, files ...string) acts {
	return func(ctx context.Context, req executor.Request) (executor.Answer, error) {
		for i := 0; i < len(files); i += 2 {
			path := filepath.Join(req.Dir, filepath.FromSlash(files[i]))
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(files[i+1]), 0o755))
		}
		return f(ctx, req)
	}
}

// runs runs a git command before an act.
func (f acts) runs(t *testing.T, args ...string) acts {
	return func(ctx context.Context, req executor.Request) (executor.Answer, error) {
		git(t, req.Dir, args...)
		return f(ctx, req)
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %q: %s", args, out)
	return strings.TrimRight(string(out), "\n")
}

// gitRepo returns the root of a repository with a commit of a.txt.
func gitRepo(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a\n"), 0o644))
	git(t, dir, "init", "-q")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "first")
	return dir
}

// begunRun returns a run with one tier in a repository, and its working tree.
func begunRun(t *testing.T, all reactions, dir string, p executor.Provider) *run {
	t.Helper()
	w := all.wired()
	r := bareRun(w, p)
	r.cfg.Calls.Clock = &instant{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	tree, err := workspace.Open(t.Context(), dir, workspace.Options{})
	require.NoError(t, err)
	r.cfg.Calls.Workspace = tree
	unlock, err := tree.Lock(t.Context(), r.result.Run)
	require.NoError(t, err)
	t.Cleanup(func() { _ = unlock() })
	r.checked, err = tree.Begin(t.Context(), r.result.Run)
	require.NoError(t, err)
	return r
}

// bareRun returns a run with one tier, and nothing to work in.
func bareRun(w *wiring, p executor.Provider) *run {
	cfg := Config{Calls: executor.Config{Table: taxonomy.Table{Taxonomy: w.table}, Classify: w.classify,
		Decode: w.decode}}.completed()
	s := &State{Version: stateVersion, Result: Result{Run: "r"}}
	return &run{cfg: &cfg, state: s, result: &s.Result, ladder: []rung{{tier: taxonomy.Tier{Name: "low"}, provider: p}}}
}

// first is the first call of a run.
func first() ask { return ask{number: 1, role: Execute, step: "1", prompt: "Do it."} }

// filesIn returns the files of a working tree with their contents, git's directory left out.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(b)
		return err
	}))
	return files
}
