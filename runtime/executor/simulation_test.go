package executor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// codedError is an error of a test's taxonomy.
type codedError struct {
	t     *taxonomy.Taxonomy
	row   taxonomy.Row
	text  string
	hints taxonomy.Hints
	cause error
}

func (c *codedError) Error() string                   { return c.text }
func (c *codedError) Unwrap() error                   { return c.cause }
func (c *codedError) Taxonomy() *taxonomy.Taxonomy    { return c.t }
func (c *codedError) Row() taxonomy.Row               { return c.row }
func (c *codedError) Hints() taxonomy.Hints           { return c.hints }
func (c *codedError) AppendMessage(dst []byte) []byte { return append(dst, c.text...) }
func (c *codedError) AppendContext(dst []byte) []byte { return append(dst, `{}`...) }
func (c *codedError) AppendJSON(dst []byte) []byte    { return append(dst, `{}`...) }

// tables is a taxonomy whose codes are the names of reactions. Evidence gets the code that its type
// or its op names.
type tables struct {
	taxonomy *taxonomy.Taxonomy
	rows     map[string]taxonomy.Row
}

//lint:ignore ST1008 an executor's classifier returns the error first
func (m *tables) classify(err error, source, op string) (error, string) {
	var ev *taxonomy.Evidence
	if !errors.As(err, &ev) {
		ev = &taxonomy.Evidence{Source: source, Op: op, Err: err}
	}
	for _, name := range []string{ev.Type, ev.Op} {
		if row, ok := m.rows[name]; ok {
			hints := taxonomy.Hints{Files: ev.Files, RetryAfter: ev.RetryAfter, Credential: ev.Credential}
			return &codedError{m.taxonomy, row, ev.Error(), hints, err}, "rule " + name
		}
	}
	return err, "no rule"
}

type fakeClock struct{ now time.Time }

func (c *fakeClock) Now() time.Time { return c.now }
func (c *fakeClock) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.now = c.now.Add(max(0, d))
	return nil
}

// callStep describes a call of the fake provider.
type callStep struct {
	Writes map[string]string // path to content; "-" removes
	Answer Answer
	Err    error
	Panics bool
	Hangs  bool // until its context ends
}

// simulation simulates everything outside of a run. It outlives the run's processes.
type simulation struct {
	Disk, LastCommit map[string]string
	Trees            map[Tree]map[string]string
	CommitLog        []Commit
	IDs              []string
	Pushes           int
	Pushed           int // commits that are pushed
	PRs              int
	Saved            map[string]Tree
	Restored         int
	Steps            []callStep
	Next             int // the next step
	Calls            int
	Fails            map[string][]error // of the next effects, by operation; nil is a success
	CheckWrites      map[string]string
	Yes              bool
	Notified         int
	Strategies       int
	Prompts          []string
	Shut             []time.Duration   // of the next admissions; negative is exhausted
	Open             int               // calls that were admitted and not done
	Lost             []string          // reverted without having been saved
	Delivered        int               // commits on the branch
	Forwarded        int               // commits on the person's branch
	Diverged         bool              // the person's branch cannot be forwarded
	Meanwhile        []string          // changes of the person's repository during each call
	Person           map[string]string // files of the person's commits, which Update merges
}

func newSimulation(steps ...callStep) *simulation {
	return &simulation{
		Disk: map[string]string{"old": "old", "dirty": "mine"}, LastCommit: map[string]string{"old": "old"},
		Trees: map[Tree]map[string]string{}, Saved: map[string]Tree{}, Steps: steps, Fails: map[string][]error{},
	}
}

func hashOf(s string) string { h := sha256.Sum256([]byte(s)); return hex.EncodeToString(h[:6]) }

func (w *simulation) fail(op string) error {
	q := w.Fails[op]
	if len(q) == 0 {
		return nil
	}
	w.Fails[op] = q[1:]
	return q[0]
}

// escapes reports whether a path is a link that leads out of the working tree.
func escapes(p string) bool { return strings.HasPrefix(p, "escape/") }

func (w *simulation) keep(m map[string]string) Tree {
	m = maps.Clone(m)
	b, _ := json.Marshal(m)
	t := Tree(hashOf(string(b)))
	w.Trees[t] = m
	return t
}

func (w space) Close(bool) error                 { return nil }
func (w space) Discard() error                   { return nil }
func (w space) BeforeCall(context.Context) error { return nil }

func (w space) AfterCall(context.Context) ([]string, error) { return w.Meanwhile, nil }

func (w space) Snapshot(context.Context) (Tree, error) {
	if err := w.fail(loop.OpDetect); err != nil {
		return "", err
	}
	return w.keep(w.Disk), nil
}

func (w space) Deliver(context.Context) (string, error) {
	if err := w.fail(loop.OpDeliver); err != nil {
		return "", err
	}
	w.Delivered = len(w.CommitLog)
	return "errgen/run", nil
}

func (w space) Forward(context.Context) (why, next string, err error) {
	if err := w.fail(loop.OpForward); err != nil {
		return "", "", err
	}
	if w.Diverged {
		return "main has other commits", "git merge errgen/run", nil
	}
	w.Forwarded = w.Delivered
	return "", "", nil
}

func (w space) Update(context.Context) error {
	if err := w.fail("update"); err != nil {
		return err
	}
	for p, content := range w.Person {
		w.Disk[p], w.LastCommit[p] = content, content
	}
	return nil
}

func (w space) Head(context.Context) (Tree, error) { return w.keep(w.LastCommit), nil }
func (w space) Diff(_ context.Context, from, to Tree) ([]Change, error) {
	a, ok := w.Trees[from]
	b, ok2 := w.Trees[to]
	if !ok || !ok2 {
		return nil, fmt.Errorf("unknown tree %q or %q", from, to)
	}
	return differences(a, b), nil
}

func differences(old, now map[string]string) (out []Change) {
	for p, content := range now {
		was, ok := old[p]
		switch {
		case !ok:
			out = append(out, Change{Path: p, Kind: Added, Hash: hashOf(content)})
		case was != content:
			out = append(out, Change{Path: p, Kind: Modified, Hash: hashOf(content)})
		}
	}
	for p := range old {
		if _, ok := now[p]; !ok {
			out = append(out, Change{Path: p, Kind: Removed})
		}
	}
	for i := range out {
		out[i].Ignored, out[i].Escapes = strings.HasPrefix(out[i].Path, "ignored/"), escapes(out[i].Path)
	}
	slices.SortFunc(out, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return out
}

func (w space) Save(_ context.Context, name string, base, tree Tree) (string, error) {
	if err := w.fail(loop.OpSave); err != nil {
		return "", err
	}
	ref := "refs/attempts/" + name + "-" + hashOf(string(base+tree))
	w.Saved[ref] = tree
	return ref, nil
}

func (w space) Restore(_ context.Context, to Tree, paths []string) (Tree, error) {
	if err := w.fail(loop.OpRevert); err != nil {
		return "", err
	}
	now := w.keep(w.Disk)
	for _, p := range paths {
		was, had := w.Trees[to][p]
		content, has := w.Disk[p]
		if had == has && was == content {
			continue
		}
		if !slices.Contains(slices.Collect(maps.Values(w.Saved)), now) {
			w.Lost = append(w.Lost, p)
		}
		w.Restored++
		if delete(w.Disk, p); had {
			w.Disk[p] = was
		}
	}
	return w.keep(w.Disk), nil
}

func (w space) Accept(_ context.Context, base, from Tree, paths []string) (Tree, error) {
	if err := w.fail("accept"); err != nil {
		return "", err
	}
	m := maps.Clone(w.Trees[base])
	for _, p := range paths {
		if content, ok := w.Trees[from][p]; ok {
			m[p] = content
		} else {
			delete(m, p)
		}
	}
	return w.keep(m), nil
}

func (w space) Commit(_ context.Context, c Commit) (string, error) {
	for i, made := range w.CommitLog {
		if made.Attempt == c.Attempt {
			return w.IDs[i], nil
		}
	}
	if err := w.fail(loop.OpCommit); err != nil {
		return "", err
	}
	changed := false
	for _, p := range c.Paths {
		content, ok := w.Trees[c.Tree][p]
		if was, had := w.LastCommit[p]; had == ok && was == content {
			continue
		}
		changed = true
		if delete(w.LastCommit, p); ok {
			w.LastCommit[p] = content
		}
	}
	if !changed {
		return "", nil
	}
	w.CommitLog = append(w.CommitLog, c)
	w.IDs = append(w.IDs, fmt.Sprintf("commit%d", len(w.CommitLog)))
	return w.IDs[len(w.IDs)-1], nil
}

func (w space) Push(context.Context) error {
	if err := w.fail(loop.OpPush); err != nil {
		return err
	}
	if w.Pushed < len(w.CommitLog) {
		w.Pushed = len(w.CommitLog)
		w.Pushes++
	}
	return nil
}

func (w space) OpenPR(context.Context, string, string) (string, error) {
	if w.PRs == 0 {
		if err := w.fail(loop.OpPR); err != nil {
			return "", err
		}
		w.PRs++
	}
	return "https://example.org/pr/1", nil
}

// space is the simulation as a working tree, tree as a workspace, agent as a provider.
type space struct{ *simulation }

type tree struct{ w *simulation }

func (t tree) Dir() string { return "/tree" }
func (t tree) Open(context.Context, string) (Space, error) {
	return space{t.w}, t.w.fail(loop.OpLock)
}

type agent struct{ w *simulation }

func (a agent) Name() string                    { return "fake" }
func (a agent) Available(context.Context) error { return a.w.fail(loop.OpAvailable) }
func (a agent) Call(ctx context.Context, r Request) (Answer, error) {
	w := a.w
	w.Calls++
	w.Prompts = append(w.Prompts, r.Prompt)
	st := w.Steps[min(w.Next, len(w.Steps)-1)]
	w.Next++
	w.write(st.Writes)
	switch {
	case st.Hangs:
		<-ctx.Done()
		return st.Answer, ctx.Err()
	case st.Panics:
		panic("the provider panics")
	}
	return st.Answer, st.Err
}

func (w *simulation) write(files map[string]string) {
	for p, content := range files {
		if content == "-" {
			delete(w.Disk, p)
		} else {
			w.Disk[p] = content
		}
	}
}

func (w *simulation) Mode() string { return "strict" }
func (w *simulation) Judge(_ context.Context, changes []Change) ([]Verdict, error) {
	if err := w.fail(loop.OpScope); err != nil {
		return nil, err
	}
	out := make([]Verdict, len(changes))
	for i, c := range changes {
		switch {
		case strings.HasPrefix(c.Path, "forbidden"):
			out[i] = Forbidden
		case strings.HasPrefix(c.Path, "outside"):
			out[i] = Outside
		case strings.HasPrefix(c.Path, "ask"):
			out[i] = NeedsAsk
		default:
			out[i] = Allowed
		}
	}
	return out, nil
}

func (w *simulation) Ask(context.Context, Question) (bool, error) { return w.Yes, nil }
func (w *simulation) Validate(_ context.Context, c Check) error {
	w.write(w.CheckWrites)
	return w.fail(loop.OpValidate + string(c.Phase))
}

func (w *simulation) Allow(context.Context, Call) error { return w.fail(loop.OpBudget) }
func (w *simulation) Before(_ context.Context, c Call) (func(), error) {
	if len(w.Shut) > 0 {
		d := w.Shut[0]
		w.Shut = w.Shut[1:]
		return nil, &loop.Admission{Until: c.Now.Add(d), Why: "breaker", Exhausted: d < 0}
	}
	w.Open++
	return func() { w.Open-- }, nil
}
func (w *simulation) Recover(context.Context, taxonomy.RecoveryRequest) error {
	w.Strategies++
	return w.fail("strategy")
}

func (w *simulation) Notify(context.Context, *Result) error {
	w.Notified++
	return w.fail(loop.OpNotify)
}

func (w *simulation) config(m *tables, store Store) Config {
	return Config{
		Table: taxonomy.Table{Taxonomy: m.taxonomy}, Classify: m.classify,
		Decode:   func([]byte) (error, error) { return nil, errors.New("not decoded") },
		Provider: agent{w}, Tiers: map[string]Provider{"high": agent{w}}, Workspace: tree{w}, Guard: judge{w},
		Validator: w, Admission: Admission{Budget: w, Preventer: w}, Asker: w, Recoverer: w, Notifier: w, Store: store,
		Deliver: DeliverPullRequest, Clock: &fakeClock{now: time.Unix(1e9, 0).UTC()},
		Limits: Limits{Iterations: 30, Failures: 3, Iteration: 10 * time.Minute, Grace: time.Minute},
	}
}

// judge is the simulation as a guard.
type judge struct{ w *simulation }

func (j judge) Mode() string { return j.w.Mode() }
func (j judge) Judge(ctx context.Context, c []Change) ([]Verdict, error) {
	return j.w.Judge(ctx, c)
}

var aTask = Task{Run: "run", ID: "task", Title: "A task", Prompt: "Do it."}

// memStore keeps the JSON of a state, as a file would.
type memStore struct {
	b       []byte
	saves   int
	largest int
	runs    []RunInfo
}

func (m *memStore) Open(context.Context, string) (*RunState, error) {
	if m.b == nil {
		return nil, nil
	}
	var s *RunState
	err := json.Unmarshal(m.b, &s)
	return s, err
}
func (m *memStore) Save(_ context.Context, s *RunState) (err error) {
	m.b, err = json.Marshal(s)
	m.saves++
	m.largest = max(m.largest, len(m.b))
	return err
}
func (m *memStore) Close() error                                            { return nil }
func (m *memStore) Peek(ctx context.Context, run string) (*RunState, error) { return m.Open(ctx, run) }
func (m *memStore) Runs(context.Context) ([]RunInfo, error)                 { return m.runs, nil }

func written(paths ...string) map[string]string {
	m := map[string]string{}
	for _, p := range paths {
		path, content, ok := strings.Cut(p, "=")
		if !ok {
			content = "content of " + p
		}
		m[path] = content
	}
	return m
}

func done(paths ...string) callStep {
	return callStep{Writes: written(paths...), Answer: Answer{Text: "well\nTASK COMPLETE\n"}}
}

func works(paths ...string) callStep {
	return callStep{Writes: written(paths...), Answer: Answer{Text: "more to do"}}
}

func breaks(typ string, paths ...string) callStep {
	return callStep{
		Writes: written(paths...), Err: &taxonomy.Evidence{Source: "fake", Op: loop.OpCall, Type: typ},
	}
}
