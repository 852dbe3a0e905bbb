package escalate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/workspace"
)

// clock is a clock on which waits take no time.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept time.Duration
	// onSleep is called before a wait.
	onSleep func()
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	if c.onSleep != nil && d > 0 {
		c.onSleep()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.slept = c.now.Add(max(0, d)), c.slept+max(0, d)
	return nil
}

// memory is a journal in memory, of the bytes that a file would have.
type memory struct {
	kept map[string][]byte
	// onSave is called after each save with its number, from 1.
	onSave func(n int)
	saves  int
	fail   error
}

func (m *memory) Open(_ context.Context, run string) (*escalate.State, error) {
	b, ok := m.kept[run]
	if !ok {
		return nil, nil
	}
	s := new(escalate.State)
	return s, json.Unmarshal(b, s)
}

func (m *memory) Save(_ context.Context, s *escalate.State) error {
	if m.fail != nil {
		return m.fail
	}
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if m.kept == nil {
		m.kept = map[string][]byte{}
	}
	m.kept[s.Result.Run] = b
	if m.saves++; m.onSave != nil {
		m.onSave(m.saves)
	}
	return nil
}

func (*memory) Close() error { return nil }

// world is all that a run works with.
type world struct {
	t      *testing.T
	tables *tables
	dir    string
	// tree is the working tree when it is in memory; nil when it is in dir.
	tree   *memoryTree
	clock  *clock
	tiers  map[string]*scripted
	events []escalate.Event
	// gate, criteria, prerequisites and review are called when these are asked.
	gate, criteria, prerequisites func()
	gateFails, criteriaFail       []*taxonomy.Evidence
	journal                       *memory
	cfg                           escalate.Config
}

// newWorld returns a world on a real git repository, with a ladder of three tiers and a person.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := bareWorld(t, tablesOf(rowsOfTests(), tiersOfTests()...))
	w.git("init", "-q")
	w.write("AGENTS.md", "what agents are to do\n")
	w.git("add", ".")
	w.git("commit", "-q", "-m", "begin")
	w.open()
	return w
}

// bareWorld returns a world without a workspace.
func bareWorld(t *testing.T, m *tables) *world { return bareWorldIn(t, m, t.TempDir()) }

func bareWorldIn(t *testing.T, m *tables, dir string) *world {
	w := &world{t: t, tables: m, dir: dir, clock: newClock(), tiers: map[string]*scripted{}, journal: &memory{}}
	w.cfg = escalate.Config{
		Calls: executor.Config{
			Table: taxonomy.Table{Taxonomy: m.taxonomy}, Classify: m.classify, Decode: m.decode, Clock: w.clock,
			Tiers:  map[string]executor.Provider{},
			Random: func() float64 { return 0.5 },
		},
		Verifier: verifier{w}, Journal: w.journal, Observer: observer{w},
	}
	for _, tier := range m.taxonomy.Tiers {
		if !tier.Person {
			w.tiers[tier.Name] = &scripted{world: w, name: tier.Name, classifies: tier.Classifies}
			w.cfg.Calls.Tiers[tier.Name] = w.tiers[tier.Name]
		}
	}
	return w
}

// open opens the workspace, as a process does that begins.
func (w *world) open() {
	w.t.Helper()
	tree, err := workspace.Open(w.t.Context(), w.dir, workspace.Options{})
	require.NoError(w.t, err)
	w.cfg.Calls.Workspace = tree
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.dir
	out, err := cmd.CombinedOutput()
	require.NoError(w.t, err, string(out))
	return strings.TrimSpace(string(out))
}

func (w *world) write(path, content string) {
	if w.tree != nil {
		w.tree.files[path] = content
		return
	}
	full := filepath.Join(w.dir, filepath.FromSlash(path))
	if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755),
		os.WriteFile(full, []byte(content), 0o600)); err != nil {
		w.t.Error(err)
	}
}

func (w *world) exists(path string) bool {
	if w.tree != nil {
		_, ok := w.tree.files[path]
		return ok
	}
	_, err := os.Stat(filepath.Join(w.dir, filepath.FromSlash(path)))
	return err == nil
}

func (w *world) read(path string) string {
	if w.tree != nil {
		return w.tree.files[path]
	}
	b, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(path)))
	if err != nil {
		return ""
	}
	return string(b)
}

func (w *world) runner() *escalate.Runner {
	w.t.Helper()
	r, err := escalate.New(w.cfg)
	require.NoError(w.t, err)
	return r
}

func (w *world) run(p plan.Plan) *escalate.Result {
	w.t.Helper()
	return w.runner().Run(w.t.Context(), "run", p)
}

func (w *world) answer(p plan.Plan, a escalate.Answer) *escalate.Result {
	w.t.Helper()
	return w.runner().Answer(w.t.Context(), "run", p, a)
}

// kinds returns the events that happened as words: kind, tier and text.
func (w *world) kinds(of ...escalate.EventKind) []string {
	var all []string
	for _, e := range w.events {
		if slices.Contains(of, e.Kind) {
			all = append(
				all, strings.Join(strings.Fields(fmt.Sprint(e.Kind, " ", e.Tier, " ", e.Role, " ", e.Code)), " "))
		}
	}
	return all
}

type observer struct{ w *world }

func (o observer) Observe(e escalate.Event) { o.w.events = append(o.w.events, e) }

// verifier verifies against the files of the world.
type verifier struct{ w *world }

func (v verifier) Prerequisites(_ context.Context, all []plan.Prerequisite) []escalate.Verification {
	if v.w.prerequisites != nil {
		v.w.prerequisites()
	}
	var out []escalate.Verification
	for _, p := range all {
		got := escalate.Verification{Prerequisite: p, How: "looked for"}
		file, _, _ := strings.Cut(p.Name, ":")
		if p.Kind == plan.Variable || !v.w.exists(file) {
			typ := "missing"
			if p.Kind == plan.Address {
				typ = "weather"
			}
			got.Failed = &taxonomy.Evidence{
				Source: "plan", Op: "prepare", Type: typ, Text: p.Name + " is not there",
				Attributes: map[string]string{"kind": string(p.Kind), "name": p.Name},
			}
		}
		out = append(out, got)
	}
	return out
}

func (v verifier) Gate(context.Context, []plan.Command) []*taxonomy.Evidence {
	if v.w.gate != nil {
		v.w.gate()
	}
	return v.w.gateFails
}

func (v verifier) Criteria(_ context.Context, all []plan.Criterion) []*taxonomy.Evidence {
	if v.w.criteria != nil {
		v.w.criteria()
	}
	wrong := slices.Clone(v.w.criteriaFail)
	for _, c := range all {
		if ok := v.w.exists(c.Path) && strings.Contains(v.w.read(c.Path), c.Text); !ok {
			wrong = append(
				wrong, &taxonomy.Evidence{Source: "check", Op: "criteria", Type: "mismatch",
					Text: c.Path + " is not as it has to be"})
		}
	}
	return wrong
}

// oneStep is a plan of one step that makes report.md.
func oneStep() plan.Plan { return steps("2.3") }

// steps is a plan of steps each of which makes a report: report.md the first, and report-ID.md the
// others.
func steps(ids ...string) plan.Plan {
	p := plan.Plan{Title: "Reports", Gate: []plan.Command{{Args: []string{"true"}}}}
	for i, id := range ids {
		path := "report-" + id + ".md"
		if i == 0 {
			path = "report.md"
		}
		p.Steps = append(p.Steps, plan.Step{
			ID: id, Title: "Report " + id, Instructions: "Read CLAUDE.md and write " + path + ".",
			Criteria: []plan.Criterion{{Kind: plan.Content, Path: path, Text: "found"}},
		})
	}
	return p
}
