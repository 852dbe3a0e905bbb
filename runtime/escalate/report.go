package escalate

import "github.com/errgen/errgen/runtime/taxonomy"

// Report is what an agent says of a step that it was to carry out.
type Report struct {
	// Done is the claim that the step is done. It is no more than that.
	Done bool
	// Code is the label that the agent gives its failure; empty without one. It counts for tiers
	// that classify only, and as far as a rule of the taxonomy takes it from an agent.
	Code string
	// Finding becomes the type of the evidence.
	Finding string
	// Context becomes attributes of the evidence.
	Context map[string]string
	// Retryable is whether the agent thinks that trying again may help. The taxonomy decides; what
	// it says otherwise is noted.
	Retryable taxonomy.Opt[bool]
	ExitCode  taxonomy.Opt[int]
	Files     []string
	// Details is what it says in full: for tiers that do not classify the whole answer, unchanged.
	Details string
}

// Verdict is what a tier that was asked about a failure thinks of it.
type Verdict string

// The verdicts.
const (
	// Simple means that it can be mended within the step.
	Simple Verdict = "simple"
	// Complex means that the plan, or somebody who may decide, is needed.
	Complex Verdict = "complex"
)

// Diagnosis is what a tier finds out about a failure.
type Diagnosis struct {
	Verdict Verdict `json:"verdict"`
	// Cause is why it failed.
	Cause string `json:"cause,omitempty"`
	// Fix is what is to be done.
	Fix string `json:"fix,omitempty"`
	// Instructions are the corrected instructions of the step; empty leaves them as they are.
	Instructions string `json:"instructions,omitempty"`
	// Needed is what a person has to decide or to provide, with a complex one.
	Needed string `json:"needed,omitempty"`
}
