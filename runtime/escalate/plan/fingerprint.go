package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// Fingerprint returns a text that changes when the step does: its ID, its instructions, the kinds,
// names and makers of its prerequisites, and its criteria, in their order. Title, Line and Doc do
// not count, and neither does whether a list that is empty is nil. It survives JSON.
func (s Step) Fingerprint() string { return hashed(s.lasting()) }

// Fingerprint returns a text that changes when anything of the plan does that counts: its
// prerequisites and its gate, and its steps as [Step.Fingerprint] says, in their order.
func (p Plan) Fingerprint() string {
	all := struct {
		Prerequisites []lastingPrerequisite `json:"prerequisites,omitempty"`
		Gate          []lastingCommand      `json:"gate,omitempty"`
		Steps         []lastingStep         `json:"steps,omitempty"`
	}{Prerequisites: lastingPrerequisites(p.Prerequisites)}
	for i := range p.Gate {
		all.Gate = append(all.Gate, lastingCommand(p.Gate[i]))
	}
	for i := range p.Steps {
		all.Steps = append(all.Steps, p.Steps[i].lasting())
	}
	return hashed(all)
}

// What follows has the fields that count, under names of its own, so that the fingerprint stays
// when types get other ones.
type (
	lastingStep struct {
		ID            string                `json:"id"`
		Instructions  string                `json:"instructions"`
		Prerequisites []lastingPrerequisite `json:"prerequisites,omitempty"`
		Criteria      []lastingCriterion    `json:"criteria,omitempty"`
	}
	lastingPrerequisite struct {
		Kind   PrerequisiteKind `json:"kind"`
		Name   string           `json:"name"`
		MadeBy string           `json:"madeBy,omitempty"`
	}
	lastingCriterion struct {
		Kind    CriterionKind   `json:"kind"`
		Path    string          `json:"path,omitempty"`
		Text    string          `json:"text,omitempty"`
		Texts   []string        `json:"texts,omitempty"`
		Min     int64           `json:"min,omitempty"`
		Max     int64           `json:"max,omitempty"`
		Command *lastingCommand `json:"command,omitempty"`
	}
	lastingCommand struct {
		Args  []string      `json:"args,omitempty"`
		Limit time.Duration `json:"limit,omitempty"`
	}
)

func (s *Step) lasting() lastingStep {
	out := lastingStep{ID: s.ID, Instructions: s.Instructions, Prerequisites: lastingPrerequisites(s.Prerequisites)}
	for _, k := range s.Criteria {
		out.Criteria = append(out.Criteria, lastingCriterion{
			Kind: k.Kind, Path: k.Path, Text: k.Text, Texts: k.Texts, Min: k.Min, Max: k.Max,
			Command: (*lastingCommand)(k.Command),
		})
	}
	return out
}

func lastingPrerequisites(all []Prerequisite) []lastingPrerequisite {
	var out []lastingPrerequisite
	for _, p := range all {
		out = append(out, lastingPrerequisite{Kind: p.Kind, Name: p.Name, MadeBy: p.MadeBy})
	}
	return out
}

// hashed returns the SHA-256 of a value as JSON, in hexadecimal. Values of the types above always
// have one.
func hashed(value any) string {
	b, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
