// Package escalate carries out a plan through a ladder of tiers. The lowest tier carries out a
// step; what fails is classified by the taxonomy, and its reaction decides: again, a higher tier
// that finds out what is wrong and mends it, or a person. Nothing counts before what the plan
// demands was verified, and what does not count is put back.
//
// It names no code and no category. What a tier is asked for, in which order, how often and by whom
// is data of the taxonomy: tiers, reactions, policies and profiles.
//
// # What a taxonomy declares
//
// Besides its tiers, a taxonomy needs these words under sources and ops, so that its rules can ask
// for them:
//
//	source   op                        what has failed
//	plan     prepare, finish, verify   prerequisites and faults of the plan: before a step or after the last
//	agent    execute, diagnose, fix    a tier has reported a failure, has timed out or has no readable report
//	check    gate, criteria, clean     commands and criteria that must hold, and files that nobody has judged
//	review   review                    what a reviewer has found
//
// The source scope is the guard of files, git the working tree, executor whoever calls, locks and
// keeps journals, also a reviewer that cannot be asked, and config and budget are as in package
// executor; a provider is a source under its own name. The ops verify, finish, execute, diagnose,
// fix, gate, criteria, clean and review are to be declared; prepare, resume, call, commit and the
// like every taxonomy has. What no rule takes becomes what the taxonomy has for that, and is
// reacted to as well.
//
// # Evidence of verifiers and reviewers
//
// A list of evidence is what is wrong: an empty or nil one says that all is well, and nil entries
// in it are dropped. An entry without any field set is a failure all the same, which no rule is
// likely to know. Of a prerequisite a nil Failed says that it is there; one for which no
// verification came back counts as missing. A panic is a failure. Sources are taken as they are: a
// [Verifier] or [Reviewer] of your own that reports as agent, with a code, gives a label as an
// agent does.
//
// # How a run ends
//
// [EndReason] says it. With [EndRevert] the working tree still has something in it that does not
// count, since putting it back has failed: what it was is in the ref that the last attempt names,
// if it could be saved. Nothing is carried out on such a tree; see [Runner.Run] for what the next
// start does.
package escalate
