package handler

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// TestCollaborators: what an executor works with is handed on.
func TestCollaborators(t *testing.T) {
	l, g, p := &learner{}, &gate{}, &preventer{}
	var kinds []executor.EventKind
	h := made(t, func(c *Config) {
		c.Learners, c.Gate, c.Preventer = []retry.Learner{l}, g, p
		c.Observer = observer(func(e executor.Event) { kinds = append(kinds, e.Kind) })
	})
	out := h.Handle(t.Context(), Op{Name: "op", Source: "fake", Credential: "key", Do: plays("again", "")})
	require.NoError(t, out.Err)
	require.Len(t, l.all, 2)
	assert.Equal(t, []string{"again", ""}, []string{l.all[0].Code, l.all[1].Code})
	assert.Equal(t, "again", l.all[1].After)
	assert.Equal(t, []string{"fake/key", "fake/key"}, g.lanes)
	assert.Equal(t, 2, p.asked)
	assert.Contains(t, kinds, executor.ReactionTaken)
}

type observer func(executor.Event)

func (o observer) Observe(e executor.Event) { o(e) }

// gate lets everybody in, and notes whom.
type gate struct{ lanes []string }

func (g *gate) Acquire(_ context.Context, lane string) (func(retry.Result), error) {
	g.lanes = append(g.lanes, lane)
	return func(retry.Result) {}, nil
}
func (g *gate) Retry(string, *taxonomy.Policy) bool { return true }

// preventer prevents nothing.
type preventer struct{ asked int }

func (p *preventer) Before(context.Context, executor.Coming) (executor.Precaution, error) {
	p.asked++
	return executor.Precaution{}, nil
}

// learner notes what it is told.
type learner struct {
	mu  sync.Mutex
	all []retry.Outcome
}

func (l *learner) Learn(o retry.Outcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, o)
}

// TestConcurrent: operations know nothing of each other.
func TestConcurrent(t *testing.T) {
	told := &sink{}
	chance := 0.0 // a source of chance need not be safe for concurrent use
	h := made(t, func(c *Config) {
		c.Sink = told
		c.Random = func() float64 { chance += 0.001; return chance - float64(int(chance)) }
	})
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			script := []string{"again", "again", ""}
			if i%2 == 1 {
				script = []string{"never"}
			}
			name := fmt.Sprint("op", i)
			out := h.Handle(t.Context(), Op{Name: name, Source: "fake", Do: plays(script...)})
			assert.Equal(t, i%2 == 0, out.Success())
			assert.Equal(t, len(script), out.Calls)
			assert.Equal(t, name, out.Occurrence.Source.Component)
		})
	}
	all.Wait()
	assert.Len(t, told.reported, 50*2+50)
	assert.Len(t, told.retried, 50)
}
