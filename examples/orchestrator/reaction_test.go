package main_test

import (
	"github.com/errgen/errgen/runtime/taxonomy"
)

// done is what is done about a failure, as far as tables tell it.
type done struct {
	reaction string
	action   taxonomy.Action
	to       string
	purpose  taxonomy.Purpose
}

func doneBy(r taxonomy.Reaction) done { return done{r.Name, r.Action, r.To, r.Purpose} }

// O32 to O36: whoever takes over is asked for something first.
var (
	findOut  = done{"find_out", taxonomy.Escalate, "sonnet", taxonomy.PurposeDiagnosis}
	analyse  = done{"analyse", taxonomy.Escalate, "sonnet", taxonomy.PurposeAnalysis}
	verifyIt = done{"verify", taxonomy.Escalate, "sonnet", taxonomy.PurposeVerification}
)

// O14: the same tier tries again first.
var (
	tryAgain    = done{reaction: "try_again", action: taxonomy.Retry}
	runAgain    = done{reaction: "run_again", action: taxonomy.Retry}
	makeAgain   = done{reaction: "make_again", action: taxonomy.Retry}
	tryWithLess = done{reaction: "try_with_less", action: taxonomy.Retry}
)

// What is done about a tier: nobody has to find anything out.
var (
	wait      = done{reaction: "wait", action: taxonomy.Retry}
	callAgain = done{reaction: "call_again", action: taxonomy.Retry}
	handOver  = done{reaction: "hand_over", action: taxonomy.Escalate, to: "haiku"}
	askUser   = done{reaction: "ask_user", action: taxonomy.Block}
)

// O16, O17: the other subsystems ask nobody.
var (
	recordAndStop = done{reaction: "record_and_stop", action: taxonomy.Abort}
	blockTask     = done{reaction: "block_task", action: taxonomy.Block}
	failTask      = done{reaction: "fail_task", action: taxonomy.Abort}
)
