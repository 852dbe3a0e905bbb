package loop

// Step is a step of a run. If a process dies in a step, another process can repeat the step.
type Step string

// The steps. The first four are the setup, which every process runs and which is not saved.
const (
	StepLoadConfig Step = "load_config"
	StepLock       Step = "lock"
	StepClean      Step = "clean" // ends the processes that a dead process left running
	StepPrepare    Step = "prepare"

	StepUpdate      Step = "update" // first step of a reopened run
	StepHead        Step = "head"
	StepAvailable   Step = "available"
	StepAdmit       Step = "admit"
	StepCall        Step = "call" // saved before
	StepInterrupted Step = "interrupted"
	StepDetect      Step = "detect"
	StepAsk         Step = "ask"
	StepSave        Step = "save"
	StepRevert      Step = "revert" // saved before
	StepAccept      Step = "accept"
	StepDeliver     Step = "deliver"
	StepValidate    Step = "validate" // saved before
	StepCommit      Step = "commit"   // saved before
	StepBranch      Step = "branch"   // delivers the commits to a branch
	StepPush        Step = "push"
	StepOpenPR      Step = "open_pr"
	StepClose       Step = "close"
	StepEnd         Step = "end"
	StepRecover     Step = "recover" // saved before
	StepWait        Step = "wait"    // saved before
	StepInspectEnd  Step = "inspect_end"
	StepForward     Step = "forward"
	StepFile        Step = "file"
	StepNotify      Step = "notify"
	StepOver        Step = "over"

	stepAbandon Step = "abandon" // the setup failed
)

// Durable reports whether the state is saved before the step. The state is also saved after the
// answer of a provider or a person. A resumed run repeats everything else.
func (p Step) Durable() bool {
	switch p {
	case StepHead, StepCall, StepInterrupted, StepRevert, StepValidate, StepCommit, StepRecover, StepWait,
		StepInspectEnd, StepOver:
		return true
	}
	return false
}
