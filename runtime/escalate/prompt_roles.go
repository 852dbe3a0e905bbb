package escalate

// executePrompt asks a tier to carry the step out.
func executePrompt(in promptInput) string {
	p := &paper{in: in}
	p.step("Carry out")
	p.failure()
	p.diagnosis("This is what another tier has found out about it.")
	p.attempts()
	p.answers()
	p.list("Rules:", []string{
		"Do what the instructions say, wholly, and nothing else.",
		ruleVerify,
		"When something fails, or you cannot know what is meant, stop at once and report it. Do not try it again, " +
			"and do not work around it.",
		"The instructions, what the step takes for granted, what must be true and the commands that judge it are " +
			"not yours to change.",
		ruleGit,
	})
	p.report()
	return p.String()
}

// diagnosePrompt asks a tier to find out why the step failed.
func diagnosePrompt(in promptInput) string {
	p := &paper{in: in}
	p.step("Find out why this failed:")
	p.failure()
	p.attempts()
	p.answers()
	p.say(sought(in.Purpose))
	p.response()
	p.list("Rules:", []string{
		"Look, and run what only looks. Change nothing: whatever you change is put back.",
		"It is simple when it can be mended within the step: in the tree, or by correcting the step's " +
			"instructions. Otherwise it is complex, and a higher tier or a person is asked.",
		"Of the plan only the instructions of this step can be corrected. What it takes for granted, what must be " +
			"true and the commands that judge it stay as they are. If one of those is wrong, it is complex.",
		"Say what you have seen, and not what you suppose.",
	})
	p.diagnosisForm()
	return p.String()
}

// fixPrompt asks a tier to mend what is wrong, and to carry the step out.
func fixPrompt(in promptInput) string {
	p := &paper{in: in}
	p.step("Mend what is wrong, and then carry out")
	p.failure()
	p.diagnosis("This is what was found out about it.")
	p.attempts()
	p.answers()
	p.response()
	p.list("Rules:", []string{
		"The tree is as it was before the step. Mend the cause, and then do all that the instructions say.",
		ruleVerify,
		"If you cannot, stop at once and report why. Do not try the same again.",
		"What the step takes for granted, what must be true and the commands that judge it are not yours to " +
			"change. Where the instructions are plainly mistaken, do what they mean, and say so.",
		ruleGit,
	})
	p.report()
	return p.String()
}

const (
	ruleVerify = "Before you say that it is done, verify each thing that must be true yourself."
	ruleGit    = "Do not commit, and do not change branches, tags or the settings of git."
)
