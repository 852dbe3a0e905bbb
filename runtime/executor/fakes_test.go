package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// coded is an error of a taxonomy that a test has made.
type coded struct {
	t     *taxonomy.Taxonomy
	row   taxonomy.Row
	text  string
	hints taxonomy.Hints
	cause error
}

func (c *coded) Error() string                { return c.text }
func (c *coded) Unwrap() error                { return c.cause }
func (c *coded) Taxonomy() *taxonomy.Taxonomy { return c.t }
func (c *coded) Row() taxonomy.Row            { return c.row }
func (c *coded) Hints() taxonomy.Hints        { return c.hints }
func (c *coded) AppendMessage(dst []byte) []byte {
	return append(dst, c.text...)
}
func (c *coded) AppendContext(dst []byte) []byte { return append(dst, `{}`...) }
func (c *coded) AppendJSON(dst []byte) []byte {
	b, _ := json.Marshal(wired{c.row, c.text, c.hints.Files, c.hints.RetryAfter})
	return append(dst, b...)
}

type wired struct {
	Row        taxonomy.Row
	Text       string
	Files      []string
	RetryAfter taxonomy.Opt[time.Duration]
}

// tables makes a taxonomy whose codes are the names of reactions. Evidence has the code that is
// called like its type, or else like its operation.
type tables struct {
	taxonomy *taxonomy.Taxonomy
	rows     map[string]taxonomy.Row
}

func tableOf(reactions map[string]taxonomy.Reaction, tiers ...taxonomy.Tier) *tables {
	t := &taxonomy.Taxonomy{Package: "test", Domain: "test", Tiers: tiers,
		Uncategorized: &taxonomy.Reaction{Name: "uncategorized", Action: taxonomy.Retry, CountFailure: true}}
	category := &taxonomy.Category{Name: "test", Codes: make([]taxonomy.Code, 1)}
	t.Categories = []*taxonomy.Category{category}
	m := &tables{taxonomy: t, rows: map[string]taxonomy.Row{}}
	for i, name := range slices.Sorted(maps.Keys(reactions)) {
		r := reactions[name]
		if r.Name == "" {
			r.Name = name
		}
		category.Codes = append(category.Codes, taxonomy.Code{
			Value: name, Traits: taxonomy.Traits{Reaction: &r, Retryable: true},
		})
		m.rows[name] = taxonomy.At(0, uint16(i+1))
	}
	return m
}

func (m *tables) table() taxonomy.Table { return taxonomy.Table{Taxonomy: m.taxonomy} }

//lint:ignore ST1008 it is a Classifier
func (m *tables) classify(err error, source, op string) (error, string) {
	if errors.Is(err, context.Canceled) {
		return err, "cancelled"
	}
	ev, ok := err.(*taxonomy.Evidence)
	if !ok {
		ev = &taxonomy.Evidence{Source: source, Op: op, Err: err}
	}
	for _, name := range []string{ev.Type, ev.Op} {
		if row, ok := m.rows[name]; ok {
			return &coded{m.taxonomy, row, ev.Error(),
					taxonomy.Hints{Files: ev.Files, RetryAfter: ev.RetryAfter, Credential: ev.Credential}, err},
				"rule " + name
		}
	}
	return err, "no rule"
}

func (m *tables) decode(b []byte) (error, error) {
	var w wired
	if err := json.Unmarshal(b, &w); err != nil {
		return nil, err
	}
	return &coded{m.taxonomy, w.Row, w.Text, taxonomy.Hints{Files: w.Files, RetryAfter: w.RetryAfter}, nil}, nil
}

// fails returns evidence of the type.
func fails(typ string) error { return &taxonomy.Evidence{Source: "fake", Op: "call", Type: typ} }

// fakeClock is a clock on which waits take no time.
type fakeClock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *fakeClock { return &fakeClock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(max(0, d))
	return nil
}

// step is what a fake provider does in a call.
type step struct {
	writes map[string]string // path to content; "-" removes
	answer Answer
	err    error
	do     func(ctx context.Context, req Request) (Answer, error)
}

func done(writes ...string) step {
	return step{writes: written(writes), answer: Answer{Text: "well\nTASK COMPLETE\n"}}
}

func works(writes ...string) step {
	return step{writes: written(writes), answer: Answer{Text: "more to do"}}
}

func breaks(typ string, writes ...string) step {
	return step{writes: written(writes), err: fails(typ)}
}

func written(paths []string) map[string]string {
	m := map[string]string{}
	for i, p := range paths {
		m[p] = fmt.Sprintf("content %d of %s", i, p)
	}
	return m
}

// fakeProvider plays steps, and repeats the last one.
type fakeProvider struct {
	name      string
	tree      *fakeTree
	steps     []step
	available []error

	mu    sync.Mutex
	calls []Request
}

func (p *fakeProvider) Name() string {
	if p.name == "" {
		return "fake"
	}
	return p.name
}

func (p *fakeProvider) Available(context.Context) error {
	if len(p.available) == 0 {
		return nil
	}
	err := p.available[0]
	p.available = p.available[1:]
	return err
}

func (p *fakeProvider) Call(ctx context.Context, req Request) (Answer, error) {
	p.mu.Lock()
	p.calls = append(p.calls, req)
	s := p.steps[min(len(p.calls), len(p.steps))-1]
	n := len(p.calls)
	p.mu.Unlock()
	if p.tree != nil {
		for path, content := range s.writes {
			if content == "-" {
				delete(p.tree.files, path)
				continue
			}
			p.tree.files[path] = fmt.Sprintf("%s in call %d", content, n)
		}
	}
	if s.do != nil {
		return s.do(ctx, req)
	}
	return s.answer, s.err
}

func (p *fakeProvider) prompts() []string {
	var out []string
	for _, c := range p.calls {
		out = append(out, c.Prompt)
	}
	return out
}

// fakeGuard judges by the beginning of a path.
type fakeGuard struct{ errs []error }

func (*fakeGuard) Mode() string { return "strict" }
func (g *fakeGuard) Judge(_ context.Context, changes []Change) ([]Verdict, error) {
	if len(g.errs) > 0 {
		err := g.errs[0]
		g.errs = g.errs[1:]
		if err != nil {
			return nil, err
		}
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

// fakeValidator fails with its errors, one after the other, by phase.
type fakeValidator struct {
	errs map[Phase][]error
	seen []Phase
}

func (v *fakeValidator) Validate(_ context.Context, phase Phase) error {
	v.seen = append(v.seen, phase)
	if len(v.errs[phase]) == 0 {
		return nil
	}
	err := v.errs[phase][0]
	v.errs[phase] = v.errs[phase][1:]
	return err
}

// fakeJournal keeps entries as a file would: as JSON.
type fakeJournal struct {
	lines  [][]byte
	fail   func(n int, e Entry) error
	writes int
}

func (j *fakeJournal) Open(context.Context, string) ([]Entry, error) {
	var out []Entry
	for _, line := range j.lines {
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

func (j *fakeJournal) Append(_ context.Context, e Entry) error {
	j.writes++
	if j.fail != nil {
		if err := j.fail(j.writes, e); err != nil {
			return err
		}
	}
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	j.lines = append(j.lines, b)
	return nil
}
func (j *fakeJournal) Close() error { return nil }

// events notes the kinds of events.
type events struct {
	mu  sync.Mutex
	all []Event
}

func (o *events) Observe(e Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, e)
}
func (o *events) kinds() []EventKind {
	var out []EventKind
	for _, e := range o.all {
		out = append(out, e.Kind)
	}
	return out
}

func (o *events) first(kind EventKind) Event {
	i := slices.IndexFunc(o.all, func(e Event) bool { return e.Kind == kind })
	return o.all[i]
}
