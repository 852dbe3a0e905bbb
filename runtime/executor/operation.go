package executor

import "github.com/errgen/errgen/runtime/taxonomy"

// class is what kind of operation failed; it decides what a reaction can mean for it.
type class uint8

const (
	// classWork is what an iteration is for: its calls, their budget, the checks of what they made.
	classWork class = iota
	// classSetup comes before the first iteration, and is tried again in place.
	classSetup
	// classGuard keeps the working tree safe. It fails closed.
	classGuard
	// classDeliver is commit, push and pull request.
	classDeliver
	// classSide comes beside the work, and never changes an outcome.
	classSide
)

// The operations that the executor itself reports, as the taxonomies' rules name them.
const (
	opLoadConfig = "load_config"
	opPrepare    = "prepare"
	opLock       = "lock"
	opResume     = "resume"
	opAvailable  = "available"

	opDetect = "detect_changes"
	opSave   = "save"
	opRevert = "revert"
	opScope  = "scope"
	opAsk    = "ask"

	// opValidate begins the operation of each phase.
	opValidate = "validate_"

	opBudget = "budget"
	opCall   = "call"
	opCommit = "commit"
	opPush   = "push"
	opPR     = "pr"

	opFile   = "file_task"
	opNotify = "notify"
)

// The sources that the executor itself reports.
const (
	sourceConfig    = "config"
	sourceExecutor  = "executor"
	sourceGit       = "git"
	sourceScope     = "scope"
	sourceBudget    = "budget"
	sourceValidator = "validator"
	sourceNotify    = "notify"
)

// The types of evidence that the executor itself makes.
const (
	typeInterrupted    = "interrupted"
	typeRefused        = "refused"
	typeInvalid        = "invalid"
	typeForbidden      = "forbidden"
	typeOutsideAllowed = "outside_allowed"
	typeDenied         = "denied"
	typeUnattended     = "unattended"
	typeTimeout        = "timeout"
	typePanic          = "panic"
)

// operation is something that can fail.
type operation struct {
	name   string
	source string
	class  class
	// files are what it is about, for an error that names none.
	files []string
	// fixed reports that there is nothing to go on with when it fails, so that to continue is to
	// block.
	fixed bool
	// single reports that it cannot be run again by itself, so that to repeat it is to repeat the
	// iteration.
	single bool
}

func guardOp(name, source string, files []string) operation {
	return operation{name: name, source: source, class: classGuard, files: files, fixed: true}
}

// of returns the operation that err befell: writing down that a run begins also takes its task.
func (o operation) of(err error) operation {
	ev, ok := err.(*taxonomy.Evidence)
	if o.class == classSetup && ok && ev != nil && ev.Source == sourceExecutor && ev.Op == opLock {
		o.name = opLock
	}
	return o
}

func setupOp(name, source string) operation {
	return operation{name: name, source: source, class: classSetup, fixed: name != opAvailable}
}
