package loop

import (
	"encoding/json"
	"fmt"
	"reflect"
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
		Prompt *PromptInput  `json:"prompt"`
		Span   time.Duration `json:"span,omitempty"`
	}
	// Detect finds and judges the changes since the checked tree, and returns [Changes]. If it has
	// the delivered tree, the accepted changes since then are judged again. If it has the committed
	// tree, the run is over: the changes are saved, and nothing is judged.
	Detect struct {
		Trees
		Approved Paths `json:"approved,omitempty"`
	}
	// Ask asks a person about paths, and returns an [Approval].
	Ask struct {
		Task  string `json:"task"`
		Paths Paths  `json:"paths"`
	}
	// Revert saves the found changes and reverts their paths; nil is all. It returns the reverted
	// [Paths].
	Revert struct {
		Checked Tree  `json:"checked"`
		Found   Tree  `json:"found"`
		Paths   Paths `json:"paths,omitempty"`
	}
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

func (r Revert) paths() Paths { return r.Paths }

func (a Ask) paths() Paths { return a.Paths }

// Trees are the trees of a run. Checked is the tree with all changes that were judged and allowed.
// Delivered is the tree of the last commit, even if that commit was skipped after a failure.
// Committed is the first tree of the run with all its commits.
type Trees struct {
	Checked   Tree `json:"checked,omitempty"`
	Delivered Tree `json:"delivered,omitempty"`
	Committed Tree `json:"committed,omitempty"`
}

// Changes are the result of [Detect].
type Changes struct {
	Checked  Tree     `json:"checked,omitempty"` // if the accepted changes were judged again
	Found    Tree     `json:"found"`
	Accepted Tree     `json:"accepted,omitempty"` // the checked tree with the allowed changes
	Count    int      `json:"count,omitempty"`
	Paths    Paths    `json:"paths,omitempty"` // paths that differ, bounded
	Bad      []Judged `json:"bad,omitempty"`   // changes that are not allowed, bounded
	More     int      `json:"more,omitempty"`  // further changes that are not allowed
	Mode     string   `json:"mode,omitempty"`  // of the guard
	Left     Paths    `json:"left,omitempty"`  // changes in no commit, bounded
}

// Approval is the answer of a person.
type Approval struct {
	Approved bool `json:"approved,omitempty"`
	NoPerson bool `json:"noPerson,omitempty"` // could be asked
}

// Admission is the result of [Admit]. The zero Admission permits the call, any other one is also an
// error.
type Admission struct {
	// Until is when the call may ask for admission again, Why the reason.
	Until time.Time `json:"until,omitzero"`
	Why   string    `json:"why,omitempty"`
	// Exhausted reports that the shared retry budget has no retry left.
	Exhausted bool `json:"exhausted,omitempty"`
}

// Error describes the wait.
func (a *Admission) Error() string {
	if a.Exhausted {
		return "the shared retry budget is exhausted"
	}
	return "no call before " + a.Until.Format(time.RFC3339) + ": " + a.Why
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

// PromptInput is the input of a prompt.
type PromptInput struct {
	Task      Task `json:"task"`
	Iteration int  `json:"iteration"`
	// Tier is the name of the tier that is called; empty for Config.Provider.
	Tier string `json:"tier,omitempty"`
	// Session is the conversation that the call continues; empty begins a new one. If Reduced, the
	// prompt should be shorter than the last one.
	Session string `json:"session,omitempty"`
	Reduced bool   `json:"reduced,omitempty"`
	// Answers are the answers of persons, each after the question that it answers.
	Answers []string `json:"answers,omitempty"`
	// Errors are the errors of the run, the newest last. Their texts are not fenced.
	Errors []ErrorRecord `json:"errors,omitempty"`
	// Feedback has an introduction, and is fenced, masked and bounded. It may be empty.
	Feedback string `json:"feedback,omitempty"`
	// Mark is a random word of this call. Other text cannot contain it.
	Mark string `json:"mark"`
	// Markers are those of the host's configuration.
	Markers Markers `json:"-"`
}

// Markers are lines by which a provider reports the state of its task. They count in the final
// answer only, as whole lines.
type Markers struct {
	// Done reports that the task is done; "TASK COMPLETE" by default.
	Done string
	// Blocked begins the line that requests a person; ": " and the question may follow. "BLOCKED"
	// by default.
	Blocked string
	// Off disables markers: only the signal of an answer counts.
	Off bool
}

// class is the kind of an operation. It limits the actions that a reaction can take.
type class uint8

const (
	classWork    class = iota // calls, their budget, and the checks of their work
	classSetup                // before the first iteration; retried in place
	classGuard                // keeps the working tree safe; fails closed
	classDeliver              // commit, delivery, push and pull request
	classSide                 // beside the work; never changes an outcome
)

// traits are the properties of an operation.
type traits struct {
	class class
	// If required, the run cannot continue without the operation, so the action `continue` blocks.
	required bool
	// A graced operation is also carried out after a cancellation, until the grace ends.
	graced bool
	// If notRepeatable, a retry of the operation repeats the whole iteration.
	notRepeatable bool
}

var (
	setup   = traits{class: classSetup, required: true}
	guard   = traits{class: classGuard, required: true, graced: true}
	deliver = traits{class: classDeliver, graced: true}
	side    = traits{class: classSide, graced: true}
)

// operations are all operations, with the source and the name that their failures have. An empty
// source is the name of the tier's provider. The loop itself finds violations of the scope, which
// have no operation.
var operations = []struct {
	source, op string
	traits
	operation Operation
}{
	{SourceConfig, OpLoadConfig, setup, LoadConfig{}},
	{SourceExecutor, OpLock, setup, Lock{}},
	{SourceExecutor, OpPrepare, setup, Prepare{}},
	{SourceGit, OpPrepare, setup, Update{}},
	{"", OpAvailable, traits{class: classSetup}, Available{}},
	{SourceExecutor, OpResume, traits{graced: true}, EndProcesses{}},
	{SourceBudget, OpBudget, traits{}, Admit{}},
	{"", OpPause, traits{graced: true}, Pause{}},
	{"", OpCall, traits{}, CallProvider{}},
	{SourceGit, OpDetect, guard, Detect{}},
	{SourceScope, OpScope, guard, nil},
	{SourceScope, OpAsk, traits{class: classGuard, required: true}, Ask{}},
	{SourceGit, OpSave, guard, nil}, // a part of Revert
	{SourceGit, OpRevert, guard, Revert{}},
	{SourceValidator, OpValidate, traits{}, Validate{}},
	{SourceGit, OpCommit, deliver, Commit{}},
	{SourceGit, OpDeliver, traits{class: classDeliver, required: true, graced: true}, Deliver{}},
	{SourceGit, OpForward, deliver, Forward{}},
	{SourceGit, OpPush, deliver, Push{}},
	{SourceGit, OpPR, deliver, OpenPR{}},
	{"", OpRecover, traits{}, Recover{}},
	{SourceExecutor, OpFile, side, File{}},
	{SourceNotify, OpNotify, side, Notify{}},
}

func traitsOf(op string) traits {
	for _, entry := range operations {
		if entry.op == op {
			return entry.traits
		}
	}
	return traits{}
}

// nameOf returns the source, the name and the traits of an operation.
func nameOf(o Operation) (source, op string, t traits) {
	for _, entry := range operations {
		if reflect.TypeOf(entry.operation) == reflect.TypeOf(o) {
			source, op, t = entry.source, entry.op, entry.traits
		}
	}
	if v, ok := o.(Validate); ok {
		op += string(v.Phase)
	}
	return source, op, t
}

// decodeOperation returns the operation of a type from its JSON.
func decodeOperation(name string, b []byte) (Operation, error) {
	for _, entry := range operations {
		if t := reflect.TypeOf(entry.operation); t != nil && t.Name() == name {
			v := reflect.New(t)
			if err := json.Unmarshal(b, v.Interface()); err != nil {
				return nil, fmt.Errorf("read operation %s: %w", name, err)
			}
			return v.Elem().Interface(), nil
		}
	}
	return nil, fmt.Errorf("unknown operation %q", name)
}
