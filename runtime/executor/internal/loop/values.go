package loop

import (
	"math"
	"time"
)

// Task is the task of a run.
type Task struct {
	// Run names the run: 1 to 100 letters, digits, '-', '_' and '.'. If the store has a run of that
	// name, it is resumed. If Run is empty, the run gets a random name.
	Run string `json:"run"`
	// ID names the task.
	ID string `json:"id"`
	// Title is one line for people and commits; the ID by default.
	Title string `json:"title,omitempty"`
	// Prompt is the task for the provider.
	Prompt string `json:"prompt"`
}

// Unlimited is a limit of [Limits] that permits any number, or any time.
const Unlimited = math.MaxInt64

// Limits limit a run. Zero means the documented default, [Unlimited] no limit.
type Limits struct {
	// Iterations limits the iterations; 50 by default.
	Iterations int `json:"iterations,omitempty"`
	// Failures limits the failures in a row; 3 by default.
	Failures int `json:"failures,omitempty"`
	// Attempts limits the failures of the task in all; unlimited by default.
	Attempts int `json:"attempts,omitempty"`
	// Iteration limits the time of an iteration's calls; 10 minutes by default.
	Iteration time.Duration `json:"iteration,omitempty"`
	// Run limits the time of the run, waits included; unlimited by default. It starts again when
	// the run is resumed.
	Run time.Duration `json:"run,omitempty"`
	// Deadline is when the run must be over; zero is no deadline.
	Deadline time.Time `json:"deadline,omitzero"`
	// Grace limits the time in which a cancelled run judges and reverts changes. It also limits the
	// Filer and the Notifier, each separately. The default is 30 seconds.
	Grace time.Duration `json:"grace,omitempty"`
	// Feedback limits the bytes of feedback in a prompt; 16 KiB by default.
	Feedback int `json:"feedback,omitempty"`
}

// bounded reports whether a duration is a limit.
func bounded(d time.Duration) bool { return d > 0 && d < Unlimited }

// reached reports whether n has reached a limit.
func reached(n, limit int) bool { return limit > 0 && n >= limit }

// Verdict is a [Guard]'s judgement of one path. A greater one takes precedence. The zero Verdict
// counts as [Forbidden].
type Verdict uint8

// The verdicts.
const (
	Allowed   Verdict = iota + 1
	NeedsAsk          // a person decides
	Outside           // not among the allowed paths
	Forbidden         // among the forbidden paths
)

// Phase is when a [Validator] checks.
type Phase string

// The phases of checks. A plan can have further ones before a commit; see [Config].Checks.
const (
	PreCommit Phase = "pre_commit"
	PrePush   Phase = "pre_push"
	PrePR     Phase = "pre_pr"
)

// Process identifies a process, even if another process has its number by now.
type Process struct {
	// PID is the number of the process, which leads its group.
	PID int `json:"pid"`
	// Start is the start time that the operating system reports. Two processes with the same PID
	// are equal if Start is equal.
	Start string `json:"start"`
}

// Signal is the state of the task that a provider reports.
type Signal uint8

// The signals.
const (
	SignalNone    Signal = iota // there is more to do
	SignalDone                  // the task is done
	SignalBlocked               // a person is needed
)
