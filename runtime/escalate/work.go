package escalate

import (
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Work is how far the step under way has come: what is to be done next, and what that depends on.
// The zero Work is a step that has not begun.
type Work struct {
	// Role is what is to be done next; empty is that nothing was begun. Rung is the index of the
	// tier that does it.
	Role    Role             `json:"role,omitempty"`
	Rung    int              `json:"rung"`
	Purpose taxonomy.Purpose `json:"purpose,omitzero"`
	// Failed is what failed last; nil before the first failure.
	Failed *Failed `json:"failed,omitempty"`
	// Outage is the failure of a tier's own that the run ends with, which is none of the step's;
	// nil is none.
	Outage *Failed `json:"outage,omitempty"`
	// Diagnosis is what was found out about it, by the tier DiagnosedBy; nil when nothing was.
	Diagnosis   *Diagnosis `json:"diagnosis,omitempty"`
	DiagnosedBy string     `json:"diagnosedBy,omitempty"`
	// Correction is one of the step's instructions that does not count yet; nil is none.
	Correction *Correction `json:"correction,omitempty"`
	// Heard is an answer that was not judged yet; nil is none.
	Heard *Heard `json:"heard,omitempty"`
	// Strategy reports that the strategy of the reaction to Failed is to be run.
	Strategy bool `json:"strategy,omitempty"`
	// Again reports that the tier that failed carries the step out again after a diagnosis, Wait
	// how long is waited before that.
	Again bool          `json:"again,omitempty"`
	Wait  time.Duration `json:"wait,omitempty"`
	// Reduced reports that the next try is asked for with less: nothing of what was tried before,
	// and little of the evidence.
	Reduced bool `json:"reduced,omitempty"`
	// Until is when a wait is over; zero is none.
	Until time.Time `json:"until,omitzero"`
	// End is why the run ends; empty while it goes on. Why says more.
	End EndReason `json:"end,omitempty"`
	Why string    `json:"why,omitempty"`
	// Skipped reports that the step has failed, and the next one is carried out.
	Skipped bool `json:"skipped,omitempty"`
	// Streaks are tries in a row, and Runs runs of strategies, by code and place in the chain of
	// reactions.
	Streaks map[string]retry.State `json:"streaks,omitempty"`
	Runs    map[string]int         `json:"runs,omitempty"`
	// Same counts by the fingerprint of an error how often something was done about it.
	Same map[string]int `json:"same,omitempty"`
}

// lessIsSaid reports that what is next is asked for with less.
func (w *Work) lessIsSaid() bool { return w.Reduced && w.Role != Diagnose }

// Failed is a failure of a step, as what follows needs it.
type Failed struct {
	// Row is its row in the taxonomy, if Known.
	Row   taxonomy.Row `json:"row,omitempty"`
	Known bool         `json:"known,omitempty"`
	// Depth is the place, in the chain of reactions, of the one that was taken.
	Depth int `json:"depth,omitempty"`
	// Rung is who failed, Role at what.
	Rung int  `json:"rung"`
	Role Role `json:"role"`

	Code      string        `json:"code,omitempty"`
	Category  string        `json:"category,omitempty"`
	Message   string        `json:"message,omitempty"`
	Retryable bool          `json:"retryable,omitempty"`
	Kind      taxonomy.Kind `json:"kind,omitzero"`
	// Raw is what was reported, with secrets masked.
	Raw      string    `json:"raw,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
	SavedRef string    `json:"savedRef,omitempty"`
	// Needed is what a person has to do about it, or to decide.
	Needed []string `json:"needed,omitempty"`

	err      error
	evidence *taxonomy.Evidence
}

// Heard is an answer of a tier.
type Heard struct {
	Number int    `json:"number"`
	Rung   int    `json:"rung"`
	Role   Role   `json:"role"`
	Text   string `json:"text"`
	// Changes are what was judged of what the tier has changed. Nothing else may be there when it
	// counts.
	Changes []executor.Change `json:"changes,omitempty"`
}

// maxHeard bounds an answer that is kept until it is judged, in bytes. A report stands at its end.
const maxHeard = 512 << 10
