// Package plan is what an escalation carries out: steps with what they take for granted, and what
// must be true when they are done. A plan is data. Who may change what of it while it is carried
// out is up to runtime/escalate.
package plan
