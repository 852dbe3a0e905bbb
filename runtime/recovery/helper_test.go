package recovery

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

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/validate"
	"github.com/errgen/errgen/runtime/workspace"
)

// repo is a repository for one test, with a commit of a.txt and src/b.txt.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	r := &repo{t: t, dir: dir}
	r.write("a.txt", "a\n")
	r.write("src/b.txt", "b\n")
	r.git("init", "-q")
	r.git("add", "-A")
	r.git("commit", "-qm", "first")
	return r
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	require.NoError(r.t, err, "git %q: %s", args, out)
	return strings.TrimRight(string(out), "\n")
}

func (r *repo) write(p, content string) {
	r.t.Helper()
	name := filepath.Join(r.dir, filepath.FromSlash(p))
	require.NoError(r.t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(r.t, os.WriteFile(name, []byte(content), 0o644))
}

func (r *repo) read(p string) string {
	b, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(p)))
	if err != nil {
		return ""
	}
	return string(b)
}

func (r *repo) workspace() *workspace.Git {
	r.t.Helper()
	g, err := workspace.Open(r.t.Context(), r.dir, workspace.Options{})
	require.NoError(r.t, err)
	return g
}

func (r *repo) tools(c ToolsConfig) Tools {
	r.t.Helper()
	c.Workspace, c.Lock = r.workspace(), true
	tools, err := NewTools(c)
	require.NoError(r.t, err)
	return tools
}

// world is a Standard with what it has recorded.
type world struct {
	*Standard
	mu      sync.Mutex
	records []Record
}

func newWorld(t *testing.T, o Options) *world {
	t.Helper()
	w := &world{}
	o.Recorded = func(r Record) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.records = append(w.records, r)
	}
	var err error
	w.Standard, err = New(o)
	require.NoError(t, err)
	return w
}

// last returns the record that was made last.
func (w *world) last(t *testing.T) Record {
	t.Helper()
	require.NotEmpty(t, w.records)
	return w.records[len(w.records)-1]
}

// manual is a clock that stands still but for sleeping.
type manual struct {
	mu     sync.Mutex
	now    time.Time
	sleeps []time.Duration
	before func() // is called before each sleep
}

func newManual() *manual { return &manual{now: time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)} }

func (m *manual) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

func (m *manual) Sleep(ctx context.Context, d time.Duration) error {
	if m.before != nil {
		m.before()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sleeps = append(m.sleeps, d)
	m.now = m.now.Add(max(0, d))
	return nil
}

// says is a failure that says a text and no more.
func says(text string) taxonomy.RecoveryRequest {
	return taxonomy.RecoveryRequest{Err: errors.New(text), Attempt: 1}
}

// line is a command for the shell.
func line(text string) []validate.Command { return []validate.Command{{Line: text}} }

// argv is a command without a shell.
func argv(args ...string) []validate.Command { return []validate.Command{{Args: args}} }

// coded is an error with a category, of a taxonomy that a test has made.
type coded struct {
	text  string
	hints taxonomy.Hints
	cause error
}

var testTaxonomy = &taxonomy.Taxonomy{
	Package: "test", Categories: []*taxonomy.Category{{Name: "lint_error", Codes: []taxonomy.Code{
		{},
		{Value: "bad_style", Traits: taxonomy.Traits{Retryable: true, Reaction: &taxonomy.Reaction{
			Name: "mend", Action: taxonomy.Recover, Strategy: NameApplyLintFix, Resume: taxonomy.ResumeOperation,
			Policy: &taxonomy.Policy{Name: "many", MaxAttempts: 10},
		}}},
	}}},
	Uncategorized: &taxonomy.Reaction{Name: "stop"},
}

func (c *coded) Error() string                   { return c.text }
func (c *coded) Unwrap() error                   { return c.cause }
func (c *coded) Taxonomy() *taxonomy.Taxonomy    { return testTaxonomy }
func (c *coded) Row() taxonomy.Row               { return taxonomy.At(0, 1) }
func (c *coded) Hints() taxonomy.Hints           { return c.hints }
func (c *coded) AppendMessage(dst []byte) []byte { return append(dst, c.text...) }
func (c *coded) AppendContext(dst []byte) []byte { return append(dst, `{}`...) }
func (c *coded) AppendJSON(dst []byte) []byte    { return append(dst, `{}`...) }
