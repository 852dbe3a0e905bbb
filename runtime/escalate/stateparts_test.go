package escalate

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// What an encoder remembers is what it would find.
func TestEncoderRemembers(t *testing.T) {
	var p plan.Plan
	for i := range 12 {
		p.Steps = append(p.Steps, plan.Step{ID: fmt.Sprint(i), Instructions: "Do it."})
	}
	r := newRun(
		&Config{Calls: executor.Config{Clock: retry.System, Table: taxonomy.Table{Taxonomy: &taxonomy.Taxonomy{}}}},
		"r", p)
	r.start(nil)
	random := rand.New(rand.NewPCG(1, 2))
	var e encoder
	for i := range p.Steps {
		res := &r.result.Steps[i]
		for range 4 {
			res.State = StepRunning
			res.Attempts = noted(res.Attempts, Attempt{Number: i, Said: aSecret}, 100)
			for range random.IntN(60) {
				r.emit(Event{Kind: Called, Text: fmt.Sprint(random.Int())})
			}
			r.result.Prerequisites = []Verification{{How: fmt.Sprint(random.Int())}}
			same(t, &e, r.state)
			res.Attempts[0].SavedRef = fmt.Sprint(random.Int())
			same(t, &e, r.state)
		}
		res.State = []StepState{StepDone, StepFailed, StepPending}[i%3]
		if res.State == StepDone {
			keepStep(r.state, p.Steps[i])
		}
		same(t, &e, r.state)
	}
	require.Len(t, r.result.Path, maxPath)
	b, err := e.encode(r.state)
	require.NoError(t, err)
	assert.NotContains(t, string(b), aSecret)
	s, err := decodeState(b, "r")
	require.NoError(t, err)
	assert.Equal(t, r.state.Steps, s.Steps)
	assert.Equal(t, r.state.Parts, s.Parts)
	other := *r.state
	other.Result.Title = "other"
	same(t, &e, &other)
	third := other
	third.Parts = map[string]string{"": "x", "none": "y"}
	same(t, &e, &third)
	b, err = e.encode(&third)
	require.NoError(t, err)
	s, err = decodeState(b, "r")
	require.NoError(t, err)
	assert.Equal(t, third.Parts, s.Parts)
}

func same(t *testing.T, e *encoder, s *State) {
	t.Helper()
	got, err := e.encode(s)
	require.NoError(t, err)
	want, err := encodeState(s)
	require.NoError(t, err)
	require.True(t, string(want) == string(got), "what is remembered is not what is there")
}
