package plan_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate/plan"
)

func full() plan.Plan {
	return plan.Plan{
		Title:         "T",
		Prerequisites: []plan.Prerequisite{{Kind: plan.File, Name: "a", Doc: "d", Line: 1}},
		Gate:          []plan.Command{{Args: []string{"go", "vet"}, Limit: time.Second}},
		Steps: []plan.Step{{
			ID: "1", Title: "S", Instructions: "Do it.", Line: 3,
			Prerequisites: []plan.Prerequisite{{Kind: plan.File, Name: "b", MadeBy: "0", Doc: "d", Line: 4}},
			Criteria: []plan.Criterion{
				{Kind: plan.Sections, Path: "r", Texts: []string{"A", "B"}, Line: 5},
				{Kind: plan.Count, Path: "r", Text: "x", Min: 1, Max: 2},
				{Kind: plan.Passes, Command: &plan.Command{Args: []string{"make"}, Limit: time.Second}},
			},
		}, {ID: "2", Instructions: "<b> & \u2028"}},
	}
}

// What must not change once a step is done changes its fingerprint; what is for readers does not.
func TestFingerprints(t *testing.T) {
	for name, change := range map[string]func(s *plan.Step){
		"title":           func(s *plan.Step) { s.Title = "x" },
		"line":            func(s *plan.Step) { s.Line = 9 },
		"line of another": func(s *plan.Step) { s.Criteria[0].Line, s.Prerequisites[0].Line = 9, 9 },
		"doc":             func(s *plan.Step) { s.Prerequisites[0].Doc = "x" },
	} {
		p := full()
		change(&p.Steps[0])
		assert.Equal(t, full().Steps[0].Fingerprint(), p.Steps[0].Fingerprint(), name)
		assert.Equal(t, full().Fingerprint(), p.Fingerprint(), name)
	}
	seen := map[string]string{full().Steps[0].Fingerprint(): "as it was", full().Steps[1].Fingerprint(): "the other"}
	for name, change := range map[string]func(s *plan.Step){
		"id":            func(s *plan.Step) { s.ID = "x" },
		"instructions":  func(s *plan.Step) { s.Instructions += " " },
		"name":          func(s *plan.Step) { s.Prerequisites[0].Name = "x" },
		"kind":          func(s *plan.Step) { s.Prerequisites[0].Kind = plan.Directory },
		"made by":       func(s *plan.Step) { s.Prerequisites[0].MadeBy = "" },
		"no criterion":  func(s *plan.Step) { s.Criteria = s.Criteria[:2] },
		"order":         func(s *plan.Step) { s.Criteria[0], s.Criteria[1] = s.Criteria[1], s.Criteria[0] },
		"path":          func(s *plan.Step) { s.Criteria[0].Path = "x" },
		"texts":         func(s *plan.Step) { s.Criteria[0].Texts[1] = "x" },
		"texts as one":  func(s *plan.Step) { s.Criteria[0].Texts = []string{"A,B"} },
		"text":          func(s *plan.Step) { s.Criteria[1].Text = "y" },
		"min":           func(s *plan.Step) { s.Criteria[1].Min = 0 },
		"max":           func(s *plan.Step) { s.Criteria[1].Max = 0 },
		"command":       func(s *plan.Step) { s.Criteria[2].Command.Args[0] = "x" },
		"command limit": func(s *plan.Step) { s.Criteria[2].Command.Limit = 0 },
		"no command":    func(s *plan.Step) { s.Criteria[2].Command = nil },
	} {
		p := full()
		change(&p.Steps[0])
		print := p.Steps[0].Fingerprint()
		assert.Empty(t, seen[print], name)
		seen[print] = name
		assert.NotEqual(t, full().Fingerprint(), p.Fingerprint(), name)
	}
	for name, change := range map[string]func(p *plan.Plan){
		"prerequisite": func(p *plan.Plan) { p.Prerequisites[0].Name = "x" },
		"gate":         func(p *plan.Plan) { p.Gate[0].Args[1] = "x" },
		"order":        func(p *plan.Plan) { p.Steps[0], p.Steps[1] = p.Steps[1], p.Steps[0] },
		"no step":      func(p *plan.Plan) { p.Steps = p.Steps[:1] },
	} {
		p := full()
		change(&p)
		assert.NotEqual(t, full().Fingerprint(), p.Fingerprint(), name)
	}
	p := full()
	p.Title = "x"
	assert.Equal(t, full().Fingerprint(), p.Fingerprint())
	assert.Equal(
		t, plan.Step{}.Fingerprint(),
		plan.Step{Criteria: []plan.Criterion{}, Prerequisites: []plan.Prerequisite{}}.Fingerprint())
	assert.Len(t, p.Fingerprint(), 64)
}

func TestJSON(t *testing.T) {
	text, err := json.Marshal(full())
	require.NoError(t, err)
	var back plan.Plan
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Equal(t, full(), back)
	assert.Equal(t, full().Fingerprint(), back.Fingerprint())
}
