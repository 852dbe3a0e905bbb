package escalate

import (
	"context"
	"time"

	"github.com/errgen/errgen/runtime/executor"
)

// Journal keeps what runs know. A Journal serves one run at a time.
type Journal interface {
	// Open takes a run, and returns what was saved last of it; nil when it is unknown. Evidence of source "executor" and op "lock" says that
	// another process has it.
	Open(ctx context.Context, run string) (*State, error)
	// Save keeps a state in place of the one before, durably: after a crash there is one of them, whole.
	Save(ctx context.Context, s *State) error
	// Close lets go of the run.
	Close() error
}

// State is what a run knows between calls. It marshals to JSON, with secrets masked.
type State struct {
	// Version is the form of the state.
	Version int `json:"version"`
	// Plan is the fingerprint of the plan, Taxonomy that of the taxonomy that the run was begun with.
	Plan     string `json:"plan"`
	Taxonomy string `json:"taxonomy"`
	Result   Result `json:"result"`
	// Prepared is the fingerprint of the plan that was found fit to begin with; empty before.
	Prepared string `json:"prepared,omitempty"`
	// Checked is the tree that every attempt begins from.
	Checked executor.Checked `json:"checked,omitempty"`
	// Step is the index of the step that is under way, or is next.
	Step int `json:"step"`
	// Steps are fingerprints of the steps that are done, by ID.
	Steps map[string]string `json:"steps,omitempty"`
	// Corrections are the corrected instructions by step, as they stand.
	Corrections map[string]Correction `json:"corrections,omitempty"`
	// Open is the call that was begun and whose end was not noted; nil when there is none.
	Open *OpenCall `json:"open,omitempty"`
	// TierStreaks are the tiers' own failures in a row, by name.
	TierStreaks map[string]int `json:"tierStreaks,omitempty"`
	// Turns is how many calls there were for the step under way, Number how many in the run.
	Turns  int `json:"turns"`
	Number int `json:"number"`
	// Answers are what persons have answered, by step.
	Answers map[string][]string `json:"answers,omitempty"`
	// Work is how far the step under way has come; nil when none is.
	Work *Work `json:"work,omitempty"`
	// Began is when the run began first.
	Began time.Time `json:"began"`
}

// OpenCall is a call that has begun.
type OpenCall struct {
	Number int    `json:"number"`
	Tier   string `json:"tier"`
	Role   Role   `json:"role"`
	// Run is the name of its run of the executor.
	Run   string    `json:"run"`
	Began time.Time `json:"began"`
}
