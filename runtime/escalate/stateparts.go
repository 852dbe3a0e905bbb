package escalate

import (
	"encoding/json"
)

// stateParts is a state in parts that can be encoded one by one: of most of them a save finds what
// the save before has found.
type stateParts struct {
	// head is all that is in no other part.
	head          []byte
	prerequisites []byte
	steps, path   [][]byte
}

// stepPart is all that a state has of a step.
type stepPart struct {
	Result StepResult `json:"result"`
	// Print is the step's fingerprint when it is done, Parts what it demands.
	Print string `json:"print,omitempty"`
	Parts string `json:"parts,omitempty"`
}

// encoder encodes states, and remembers what does not change any more of the one that it encodes:
// steps that are done or have not begun, events, and what was verified. The zero encoder is ready.
type encoder struct {
	of      *State
	known   []knownStep
	path    [][]byte
	dropped int

	verified      []Verification
	prerequisites []byte
}

// knownStep is a step as it was encoded; encoded is nil for one that may still change.
type knownStep struct {
	id      string
	state   StepState
	encoded []byte
}

// parts returns the parts of a state, with secrets masked. They are valid until the next call.
func (e *encoder) parts(s *State) (*stateParts, error) {
	if e.of != s || !s.steady || len(e.known) != len(s.Result.Steps) {
		*e = encoder{of: s, known: make([]knownStep, len(s.Result.Steps)), dropped: s.dropped}
	}
	p := &stateParts{steps: make([][]byte, len(s.Result.Steps))}
	left := *s
	left.Result.Steps, left.Result.Path, left.Result.Prerequisites = nil, nil, nil
	left.Steps, left.Parts = rest(s.Steps, s.Result.Steps), rest(s.Parts, s.Result.Steps)
	var err error
	if p.head, err = maskedState(&left); err != nil {
		return nil, err
	}
	for i := range s.Result.Steps {
		if p.steps[i], err = e.step(s, i); err != nil {
			return nil, err
		}
	}
	if p.path, err = e.events(s); err != nil {
		return nil, err
	}
	p.prerequisites, err = e.verifications(s.Result.Prerequisites)
	return p, err
}

// rest returns what is of none of the steps; nil when that is nothing.
func rest(of map[string]string, steps []StepResult) map[string]string {
	found := 0
	for i := range steps {
		if _, ok := of[steps[i].ID]; ok {
			found++
		}
	}
	if found == len(of) {
		return nil
	}
	ids := make(map[string]bool, len(steps))
	for i := range steps {
		ids[steps[i].ID] = true
	}
	left := map[string]string{}
	for id, v := range of {
		if !ids[id] {
			left[id] = v
		}
	}
	return left
}

func (e *encoder) step(s *State, i int) ([]byte, error) {
	step, known := &s.Result.Steps[i], &e.known[i]
	settled := step.State == StepDone || step.State == StepPending && len(step.Attempts) == 0
	if settled && known.encoded != nil && known.state == step.State && known.id == step.ID {
		return known.encoded, nil
	}
	b, err := maskedState(stepPart{Result: *step, Print: s.Steps[step.ID], Parts: s.Parts[step.ID]})
	if err != nil {
		return nil, err
	}
	if settled {
		*known = knownStep{id: step.ID, state: step.State, encoded: b}
	}
	return b, nil
}

// events returns the events of the path. Of a path that is full, the one in the middle goes when
// one comes.
func (e *encoder) events(s *State) ([][]byte, error) {
	for ; e.dropped < s.dropped; e.dropped++ {
		if len(e.path) > maxPath/2 {
			e.path = append(e.path[:maxPath/2], e.path[maxPath/2+1:]...)
		}
	}
	if len(e.path) > len(s.Result.Path) {
		e.path = nil
	}
	for _, event := range s.Result.Path[len(e.path):] {
		b, err := maskedState(event)
		if err != nil {
			return nil, err
		}
		e.path = append(e.path, b)
	}
	return e.path, nil
}

// verifications returns what was verified, which is found anew as a whole.
func (e *encoder) verifications(all []Verification) ([]byte, error) {
	if e.prerequisites != nil && len(all) == len(e.verified) && (len(all) == 0 || &all[0] == &e.verified[0]) {
		return e.prerequisites, nil
	}
	b, err := maskedState(all)
	e.verified, e.prerequisites = all, b
	return b, err
}

// maskedState returns a part as JSON, with secrets masked.
func maskedState(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return maskedTexts(b), nil
}
