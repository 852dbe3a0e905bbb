package scenarios_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/notify"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/executor/taskfile"
	"github.com/errgen/errgen/runtime/executor/validate"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/providers/anthropic"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/providers/openai"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/retry"
)

// The prompt and the marker of every story.
const (
	thePrompt = "Write the chapter."
	theEnd    = "It is written.\nTASK COMPLETE"
)

// stage is the place of a story: a repository with uncommitted work of its user, and a scripted
// provider. All else is real.
type stage struct {
	*storyRepo
	t *testing.T

	cfg    executor.Config
	task   executor.Task
	tree   workspace.Options
	scope  scope.Config
	checks validate.Config

	clock  *jumpingClock
	seen   *witness
	cli    *providertest.CLI
	server *providertest.Server
	hook   *hookServer
	logged *safeBuffer
	users  usersWork
}

// newStage makes a stage with a command line that plays the steps.
func newStage(t *testing.T, steps ...providertest.CLIStep) *stage {
	t.Helper()
	s := bareStage(t)
	s.useCLI(claudecli.Options{}, steps...)
	return s
}

// bareStage makes a stage without a provider.
func bareStage(t *testing.T) *stage {
	t.Helper()
	return stageIn(t, t.TempDir())
}

// useScript has a scripted command line do the work.
func (s *stage) useScript(steps ...providertest.CLIStep) { s.useCLI(claudecli.Options{}, steps...) }

// stageIn makes a stage in a directory, without a provider.
func stageIn(t *testing.T, dir string) *stage {
	t.Helper()
	s := &stage{
		storyRepo: newStoryRepo(t, dir), t: t,
		clock: &jumpingClock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}, seen: &witness{},
		logged: &safeBuffer{},
		task:   executor.Task{Run: "run-1", ID: "task-42", Title: "Write a chapter", Prompt: thePrompt},
	}
	s.hook = newHookServer(t)
	webhook, err := notify.NewWebhook(notify.WebhookConfig{URL: s.hook.URL + "/hooks/a-secret-path-of-the-hook"})
	require.NoError(t, err)
	logger := slog.New(slog.NewTextHandler(s.logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.cfg = executor.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain),
		Decode:   func(b []byte) (error, error) { return errs.UnmarshalError(b) },
		Clock:    s.clock,
		Observer: executor.Observers(s.seen, executor.Slog(logger, errs.Table)),
		Notifier: &notify.Notifier{Routes: []notify.Route{{Channel: webhook},
			{Channel: notify.NewLog(logger)}}},
		Deliver: executor.DeliverCommits,
		Limits:  executor.Limits{Failures: 3, Iterations: 10, Iteration: time.Minute, Grace: 20 * time.Second},
	}
	s.tree = workspace.Options{Home: t.TempDir(), Share: []string{ignoredFile}}
	s.home = s.tree.Home
	s.users = s.usersState()
	return s
}

// useCLI has a scripted command line do the work.
func (s *stage) useCLI(o claudecli.Options, steps ...providertest.CLIStep) {
	s.t.Helper()
	cli, err := providertest.NewCLI(s.t.TempDir(), steps...)
	require.NoError(s.t, err)
	s.cli, o.Path = cli, cli.Path
	if o.Grace == 0 {
		o.Grace = 300 * time.Millisecond
	}
	p, err := claudecli.New(o)
	require.NoError(s.t, err)
	s.cfg.Provider = p
}

// serve starts a server that plays replies.
func (s *stage) serve(replies ...providertest.Reply) string {
	s.server = providertest.NewServer(replies...)
	s.t.Cleanup(s.server.Close)
	return s.server.URL
}

// quiet is an HTTP client that leaves no connection behind.
func (s *stage) quiet() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableKeepAlives = true
	return &http.Client{Transport: t}
}

func (s *stage) useAnthropic(box toolbox.Options, replies ...providertest.Reply) {
	s.t.Helper()
	p, err := anthropic.New(anthropic.Options{
		BaseURL: s.serve(replies...), Key: "sk-ant-api03-key-of-the-story", Model: "claude-scripted", Toolbox: box,
		Client: s.quiet(),
	})
	require.NoError(s.t, err)
	s.cfg.Provider = p
}

func (s *stage) useOpenAI(box toolbox.Options, replies ...providertest.Reply) {
	s.t.Helper()
	p, err := openai.New(openai.Options{
		BaseURL: s.serve(replies...) + "/v1", Key: "sk-proj-key-of-the-story", Model: "gpt-scripted", Toolbox: box,
		Client: s.quiet(),
	})
	require.NoError(s.t, err)
	s.cfg.Provider = p
}

// guard returns the scope of the story.
func (s *stage) guard() *scope.Scope {
	s.t.Helper()
	g, err := scope.New(s.scope)
	require.NoError(s.t, err)
	return g
}

// tryOpen opens the working tree with a git that may not work.
func (s *stage) tryOpen() (*workspace.Workspace, bool) {
	ws, err := workspace.New(s.t.Context(), s.dir, s.task.Run, s.tree)
	return ws, err == nil
}

// executor makes the executor, with what the story has not replaced.
func (s *stage) executor() *executor.Executor {
	s.t.Helper()
	if s.cfg.Workspace == nil {
		ws, err := workspace.New(s.t.Context(), s.dir, s.task.Run, s.tree)
		require.NoError(s.t, err)
		s.cfg.Workspace = ws
	}
	if s.cfg.Guard == nil {
		s.cfg.Guard = s.guard()
	}
	if s.cfg.Validator == nil {
		checks := s.checks
		checks.Dir = s.cfg.Workspace.Dir()
		v, err := validate.New(checks)
		require.NoError(s.t, err)
		s.cfg.Validator = v
	}
	e, err := executor.New(s.cfg)
	require.NoError(s.t, err)
	return e
}

// run plays the story. What a person had in the working tree must be there afterwards as it was.
func (s *stage) run() *executor.Result {
	s.t.Helper()
	return s.runIn(s.t.Context())
}

func (s *stage) runIn(ctx context.Context) *executor.Result {
	s.t.Helper()
	r := s.executor().Run(ctx, s.task)
	s.usersWorkIsThere()
	b, err := json.Marshal(r)
	require.NoError(s.t, err, "every result marshals")
	require.NotContains(s.t, string(b), "key-of-the-story")
	require.Equal(s.t, r.EndReason.Status(), r.Status)
	return r
}

// prompts returns what the command line was told, in order.
func (s *stage) prompts() []string {
	s.t.Helper()
	calls, err := s.cli.Calls()
	require.NoError(s.t, err)
	var out []string
	for _, c := range calls {
		out = append(out, c.Prompt)
	}
	return out
}

// calls returns how often the command line was called.
func (s *stage) calls() int { return len(s.prompts()) }

// bodies returns the requests' bodies, in order.
func (s *stage) bodies() []string {
	var out []string
	for _, r := range s.server.Requests() {
		out = append(out, string(r.Body))
	}
	return out
}

// wants is a check that fails as long as the file is not there, and says what it wants.
func (s *stage) wants(file string) validate.Command {
	return validate.Command{Line: "test -f " + file + " || { echo 'FAIL: TestChapter wants " + file + "'; exit 3; }"}
}

// jumpingClock is a clock on which waits take no time.
type jumpingClock struct {
	mu     sync.Mutex
	now    time.Time
	sleeps []time.Duration
	// during, unless nil, is called before each wait.
	during func(time.Duration)
}

func (c *jumpingClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *jumpingClock) Sleep(ctx context.Context, d time.Duration) error {
	if c.during != nil {
		c.during(d)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(max(0, d))
	c.sleeps = append(c.sleeps, d)
	return nil
}

var _ retry.Clock = (*jumpingClock)(nil)

// slept returns the waits so far, without jitter.
func (c *jumpingClock) slept() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	rounded := slices.Clone(c.sleeps)
	for i, d := range rounded {
		if d >= time.Second {
			rounded[i] = d.Round(time.Second)
		}
	}
	return rounded
}

// witness remembers what happened.
type witness struct {
	mu     sync.Mutex
	events []executor.Event
	// then, unless nil, is called with each event.
	then func(executor.Event)
}

func (w *witness) Observe(e executor.Event) {
	if w.then != nil {
		w.then(e)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, e)
}

// of returns the events of a kind.
func (w *witness) of(kind executor.EventKind) []executor.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []executor.Event
	for _, e := range w.events {
		if e.Kind == kind {
			out = append(out, e)
		}
	}
	return out
}

// reactions returns the names of the reactions that were taken, in order.
func (w *witness) reactions() []string {
	var out []string
	for _, e := range w.of(executor.ReactionTaken) {
		out = append(out, e.Reaction.Name)
	}
	return out
}

// hookServer takes what a webhook is told.
type hookServer struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	// status is what it answers with; 0 is 204.
	status int
}

func newHookServer(t *testing.T) *hookServer {
	h := &hookServer{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.bodies = append(h.bodies, string(body))
		w.WriteHeader(max(h.status, http.StatusNoContent))
	}))
	t.Cleanup(h.Close)
	return h
}

// messages returns the texts that people have got.
func (h *hookServer) messages() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []string
	for _, b := range h.bodies {
		var m notify.Message
		if err := json.Unmarshal([]byte(b), &m); err != nil {
			out = append(out, err.Error())
			continue
		}
		out = append(out, m.Text)
	}
	return out
}

// safeBuffer is a buffer for several goroutines.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// quoteJSON returns s as a JSON string.
func quoteJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// reactionsOf returns the reactions and codes of the errors of a result, each as "CODE reaction".
func reactionsOf(r *executor.Result) []string {
	var out []string
	for _, e := range r.Errors {
		out = append(out, strings.TrimSpace(e.Code+" "+e.Reaction))
	}
	return out
}

// shown returns the errors and warnings of a result, a line each.
func shown(r *executor.Result) string {
	var b strings.Builder
	for _, e := range r.Errors {
		b.WriteString(e.Op + ": " + e.Code + " " + e.Reaction + ": " + e.Message + "\n")
	}
	return b.String() + strings.Join(r.Warnings, "\n")
}

// taskFile writes a task file of the story in an ignored place, and configures its filing.
func (s *stage) taskFile() string {
	s.t.Helper()
	path := filepath.Join(s.dir, "tasks", "pending", "42.md")
	require.NoError(s.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(s.t, os.WriteFile(path, []byte("# TASK: Write a chapter\n"), 0o644))
	f, err := taskfile.NewFiler(taskfile.FilerConfig{Root: s.dir, Path: path})
	require.NoError(s.t, err)
	s.cfg.Filer = f
	return path
}
