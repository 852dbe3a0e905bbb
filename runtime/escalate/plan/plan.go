package plan

import "time"

// Plan is a list of steps. The zero Plan has none, which [Check] finds.
type Plan struct {
	Title string `json:"title,omitempty"`
	// Prerequisites are what all steps take for granted.
	Prerequisites []Prerequisite `json:"prerequisites,omitempty"`
	// Gate is what must pass before any step counts as done, such as the tests of the project.
	Gate  []Command `json:"gate,omitempty"`
	Steps []Step    `json:"steps"`
}

// Step is one step. Steps are carried out in their order, one at a time.
type Step struct {
	// ID names the step within its plan, as "2.3": 1 to 40 letters, digits, '.', '-' and '_', the
	// first a letter or a digit.
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
	// Instructions are what whoever carries out the step is told. They are the only part of a step
	// that a tier may correct.
	Instructions string `json:"instructions"`
	// Prerequisites are what the step takes for granted, besides those of the plan and what earlier
	// steps make.
	Prerequisites []Prerequisite `json:"prerequisites,omitempty"`
	// Criteria are what must be true when the step is done. A step without any is ambiguous.
	Criteria []Criterion `json:"criteria"`
	// Line is where the step begins in the file that it was read from; 0 is unknown.
	Line int `json:"line,omitempty"`
}

// Command is a program with its arguments. No shell reads them.
type Command struct {
	Args []string `json:"args"`
	// Limit is how long it may take; 0 is what the verifier has for commands.
	Limit time.Duration `json:"limit,omitempty"`
}
