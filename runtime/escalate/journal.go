package escalate

import (
	"context"
	"encoding/json"
	"time"

	"github.com/errgen/errgen/runtime/executor"
)

// Journal keeps what runs know. A Journal serves one run at a time. An error of it that is no
// evidence is of source "executor", op "prepare" or "resume"; so is a panic, which is contained.
type Journal interface {
	// Open takes a run, and returns what was saved last of it; nil when it is unknown. Evidence of
	// source "executor" and op "lock" says that another process has it.
	Open(ctx context.Context, run string) (*State, error)
	// Save keeps a state in place of the one before, durably: after a crash there is one of them,
	// whole. The state is changed after Save has returned, so that it has to be encoded, or copied
	// wholly, before.
	Save(ctx context.Context, s *State) error
	// Close lets go of the run.
	Close() error
}

// State is what a run knows between calls. It marshals to JSON, with secrets masked.
type State struct {
	// Version is the form of the state.
	Version int `json:"version"`
	// Plan is the fingerprint of the plan, Taxonomy that of the taxonomy that the run was begun
	// with.
	Plan     string `json:"plan"`
	Taxonomy string `json:"taxonomy"`
	Result   Result `json:"result"`
	// Prepared is the fingerprint of the plan that was found fit to begin with; empty before.
	Prepared string `json:"prepared,omitempty"`
	// Clear is the fingerprint of the plan that a person has taken for clear when it was carried
	// out; empty when nobody has.
	Clear string `json:"clear,omitempty"`
	// Checked is the tree that every attempt begins from.
	Checked executor.Checked `json:"checked,omitempty"`
	// Step is the index of the step that is under way, or is next.
	Step int `json:"step"`
	// Steps are fingerprints of the steps that are done, by ID.
	Steps map[string]string `json:"steps,omitempty"`
	// Corrections are the corrected instructions that count, by step. The plan is looked at with
	// them.
	Corrections map[string]Correction `json:"corrections,omitempty"`
	// Open is the call that was begun and whose end was not noted; nil when there is none.
	Open *OpenCall `json:"open,omitempty"`
	// Checks are the processes of a check that is under way, at most the last 64; none when none
	// is, or when whoever checks cannot end them.
	Checks []Check `json:"checks,omitempty"`
	// TierStreaks are the tiers' own failures in a row, by name.
	TierStreaks map[string]int `json:"tierStreaks,omitempty"`
	// Turns is how many calls there were for the step under way, Number how many in the run.
	Turns  int `json:"turns"`
	Number int `json:"number"`
	// Spent is how long the step under way has taken.
	Spent executor.Duration `json:"spent,omitempty"`
	// Answers are what persons have answered, by step.
	Answers map[string][]string `json:"answers,omitempty"`
	// Committing is a commit that was about to be made and whose end was not noted; nil when there
	// is none.
	Committing *Committing `json:"committing,omitempty"`
	// Work is how far the step under way has come; nil when none is.
	Work *Work `json:"work,omitempty"`
	// Began is when the run began first.
	Began time.Time `json:"began"`
	// Tree is the fingerprint of the working tree's path, Dir the path for people; empty without a
	// working tree.
	Tree string `json:"tree,omitempty"`
	Dir  string `json:"dir,omitempty"`
	// Parts are short fingerprints of what the plan demands, by step, so that it can be said what
	// has changed; "" is the plan as a whole.
	Parts map[string]string `json:"parts,omitempty"`
	// Wire is the error that has ended the run, as its package wrote it; empty when there is none.
	Wire json.RawMessage `json:"wire,omitempty"`

	// steady reports that steps that are done do not change any more, nor events; dropped is how
	// many events were left out of the path since it was loaded. A journal that knows them need not
	// encode everything anew.
	steady  bool
	dropped int
}

// forgetWork forgets how far the step under way has come, and what it has used of its guards.
func (s *State) forgetWork() { s.Work, s.Open, s.Turns, s.Spent = nil, nil, 0, 0 }

// OpenCall is a call that has begun.
type OpenCall struct {
	Number int    `json:"number"`
	Tier   string `json:"tier"`
	Role   Role   `json:"role"`
	// Run is the name of its run of the executor.
	Run   string    `json:"run"`
	Began time.Time `json:"began"`
}
