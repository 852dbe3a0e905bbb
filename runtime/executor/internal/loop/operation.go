package loop

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Operation is an operation outside of the loop, with its input: one of the types below. The comment
// of each names the type of its result, if it has one.
type Operation any

type (
	// LoadConfig runs the program's part of the setup.
	LoadConfig struct{}
	// Lock opens and locks the working tree. If Continue is set, the run has one.
	Lock struct {
		Continue bool `json:"continue,omitempty"`
	}
	// EndProcesses ends the processes that a dead process of the run left running.
	EndProcesses struct {
		Processes []Running `json:"processes,omitempty"`
	}
	// Prepare returns the [Tree] with which a run begins.
	Prepare struct{}
	// Update merges the commits of a person, and returns the [Trees] with them.
	Update struct{ Trees }
	// Available checks whether the provider can be used.
	Available struct{}
	// Admit returns an [Admission] for a call.
	Admit struct{ Call }
	// Pause closes the lane of the provider's credential; "" is the one that the provider reports.
	Pause struct {
		Credential string    `json:"credential,omitempty"`
		Until      time.Time `json:"until"`
	}
	// CallProvider calls the provider and returns its [Answer], which a failure can have, too. Span
	// is the time limit of the whole iteration.
	CallProvider struct {
		Prompt *Prompt       `json:"prompt"`
		Span   time.Duration `json:"span,omitempty"`
	}
	// Detect finds and judges the changes since the checked tree, and returns [Changes]. If it has
	// the delivered tree, the accepted changes since then are judged again. If it has the committed
	// tree, the run is over, and nothing is judged.
	Detect struct {
		Trees
		Approved Paths `json:"approved,omitempty"`
	}
	// Ask asks a person about paths, and returns an [Approval].
	Ask struct {
		Task  string `json:"task"`
		Paths Paths  `json:"paths"`
	}
	// Save saves the found changes, and returns the ref as a string.
	Save Found
	// Revert reverts the paths of the found changes, and returns the reverted [Paths].
	Revert Found
	// Accept returns the checked [Tree] with the found changes, except those of the paths.
	Accept Found
	// Validate checks a tree in a phase. Text is the provider's last answer.
	Validate struct {
		Phase Phase  `json:"phase"`
		Base  Tree   `json:"base,omitempty"`
		Tree  Tree   `json:"tree,omitempty"`
		Text  string `json:"text,omitempty"`
	}
	// Commit commits the checked changes since the last delivery, and returns a [CommitResult].
	Commit struct {
		Trees
		Task  string `json:"task"`
		Title string `json:"title,omitempty"`
	}
	// Deliver brings the commits to a branch, and returns the branch as a string.
	Deliver struct{}
	// Forward forwards the person's branch to the delivered commits, and returns a [Forwarding].
	Forward struct{}
	// Push pushes the delivered branch.
	Push struct{}
	// OpenPR opens a pull request, and returns its address as a string.
	OpenPR struct {
		Title string `json:"title,omitempty"`
		Body  string `json:"body,omitempty"`
	}
	// Recover runs the strategy of the reaction to a failure.
	Recover struct {
		Failure *Failure `json:"failure"`
	}
	// File files the task of a run that is over.
	File struct {
		State *State `json:"state"`
	}
	// Notify notifies people about a run that is over.
	Notify struct {
		State *State `json:"state"`
	}
)

// Found are changes that an inspection found. If Paths is nil, they are all that differ.
type Found struct {
	Checked Tree  `json:"checked,omitempty"`
	Found   Tree  `json:"found,omitempty"`
	Paths   Paths `json:"paths,omitempty"`
}

// Trees are the trees of a run that an operation is about.
type Trees struct {
	Checked   Tree `json:"checked,omitempty"`
	Delivered Tree `json:"delivered,omitempty"`
	Committed Tree `json:"committed,omitempty"`
}

// Changes are the result of [Detect].
type Changes struct {
	Checked Tree     `json:"checked,omitempty"` // if the accepted changes were judged again
	Found   Tree     `json:"found"`
	Count   int      `json:"count,omitempty"`
	Paths   Paths    `json:"paths,omitempty"` // paths that differ, bounded
	Bad     []Judged `json:"bad,omitempty"`   // changes that are not allowed, bounded
	More    int      `json:"more,omitempty"`  // further changes that are not allowed
	Mode    string   `json:"mode,omitempty"`  // of the guard
	Left    Paths    `json:"left,omitempty"`  // changes in no commit, bounded
}

// Approval is the answer of a person.
type Approval struct {
	Approved bool `json:"approved,omitempty"`
	NoPerson bool `json:"noPerson,omitempty"` // could be asked
}

// Admission is the result of [Admit]. The zero Admission permits the call.
type Admission struct {
	// Until is when the call may ask for admission again, Why the reason.
	Until time.Time `json:"until,omitzero"`
	Why   string    `json:"why,omitempty"`
	// Exhausted reports that no retry is left.
	Exhausted bool `json:"exhausted,omitempty"`
}

// Answer is the part of a provider's answer with which the run continues.
type Answer struct {
	Text     string `json:"text,omitempty"`
	Signal   Signal `json:"signal,omitempty"`
	Question string `json:"question,omitempty"`
	Session  string `json:"session,omitempty"`
	Usage    Usage  `json:"usage,omitzero"`
}

// CommitResult is the result of [Commit]: the commit, and the first tree of the run with all its
// commits.
type CommitResult struct {
	CommitDone
	Committed Tree `json:"committed"`
}

// Forwarding is the result of [Forward]. If the branch was not forwarded, it is why not, and the
// command that the person can use.
type Forwarding struct {
	Why     string `json:"why,omitempty"`
	Command string `json:"command,omitempty"`
}

// Prompt is everything from which the host makes the prompt of a call.
type Prompt struct {
	Task      Task          `json:"task"`
	Iteration int           `json:"iteration"`
	Tier      string        `json:"tier,omitempty"` // its name
	Session   string        `json:"session,omitempty"`
	Reduced   bool          `json:"reduced,omitempty"`
	Answers   []string      `json:"answers,omitempty"`
	Errors    []ErrorRecord `json:"errors,omitempty"`
	Feedback  []Feedback    `json:"feedback,omitempty"`
	Mark      string        `json:"mark"`
}

// operations are all operations, with their sources and the names by which rules of taxonomies refer
// to them. The sources of calls and of strategies are in the [Effect].
var operations = []struct {
	source, op string
	operation  Operation
}{
	{SourceConfig, OpLoadConfig, LoadConfig{}},
	{SourceExecutor, OpLock, Lock{}},
	{SourceExecutor, OpResume, EndProcesses{}},
	{SourceExecutor, OpPrepare, Prepare{}},
	{SourceGit, OpUpdate, Update{}},
	{"", OpAvailable, Available{}},
	{SourceBudget, OpBudget, Admit{}},
	{"", OpPause, Pause{}},
	{"", OpCall, CallProvider{}},
	{SourceGit, OpDetect, Detect{}},
	{SourceScope, OpAsk, Ask{}},
	{SourceGit, OpSave, Save{}},
	{SourceGit, OpRevert, Revert{}},
	{SourceGit, OpAccept, Accept{}},
	{SourceValidator, OpValidate, Validate{}},
	{SourceGit, OpCommit, Commit{}},
	{SourceGit, OpDeliver, Deliver{}},
	{SourceGit, OpForward, Forward{}},
	{SourceGit, OpPush, Push{}},
	{SourceGit, OpPR, OpenPR{}},
	{"", OpRecover, Recover{}},
	{SourceExecutor, OpFile, File{}},
	{SourceNotify, OpNotify, Notify{}},
}

// nameOf returns the source and the name of an operation.
func nameOf(o Operation) (source, op string) {
	for _, entry := range operations {
		if reflect.TypeOf(entry.operation) == reflect.TypeOf(o) {
			source, op = entry.source, entry.op
		}
	}
	if v, ok := o.(Validate); ok {
		op += string(v.Phase)
	}
	return source, op
}

// decodeOperation returns the operation with a name from its JSON.
func decodeOperation(op string, b []byte) (Operation, error) {
	for _, entry := range operations {
		if op == entry.op || entry.op == OpValidate && strings.HasPrefix(op, OpValidate) {
			v := reflect.New(reflect.TypeOf(entry.operation))
			if err := json.Unmarshal(b, v.Interface()); err != nil {
				return nil, fmt.Errorf("read operation %s: %w", op, err)
			}
			return v.Elem().Interface(), nil
		}
	}
	return nil, fmt.Errorf("unknown operation %q", op)
}
