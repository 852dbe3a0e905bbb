package main_test

import (
	"github.com/errgen/errgen/runtime/taxonomy"
)

// done is a reaction, as far as these tests compare it.
type done struct {
	reaction string
	action   taxonomy.Action
	to       string
	purpose  taxonomy.Purpose
}

func doneBy(r taxonomy.Reaction) done { return done{r.Name, r.Action, r.To, r.Purpose} }

// O32 to O36: the tier that takes over has a purpose.
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

// Reactions to the failures of tiers have no purpose.
var (
	wait      = done{reaction: "wait", action: taxonomy.Retry}
	callAgain = done{reaction: "call_again", action: taxonomy.Retry}
	handOver  = done{reaction: "hand_over", action: taxonomy.Escalate, to: "haiku"}
	askUser   = done{reaction: "ask_user", action: taxonomy.Block}
)

// O16, O17: the reactions of the other subsystems.
var (
	recordAndStop = done{reaction: "record_and_stop", action: taxonomy.Abort}
	blockTask     = done{reaction: "block_task", action: taxonomy.Block}
	failTask      = done{reaction: "fail_task", action: taxonomy.Abort}
)
