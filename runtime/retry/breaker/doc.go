// Package breaker keeps callers from asking a provider that is down, and bounds what they retry
// together. It makes a [retry.Gate] out of what the policies of failures say under `budget`:
//
//	gates := breaker.New(breaker.Options{})
//	err := retry.Do(ctx, policy, op, retry.WithGate(gates, "github:"+credential, ""))
//
// Each lane, which is a provider and a credential, has a circuit breaker and a budget of retries
// for each policy that its calls have failed under.
//
// The breaker is failsafe-go's. It opens when Failures of the last Of calls have failed under its
// policy. Then nobody calls, but one probe in each Probe. When Successes of them in a row have
// succeeded, it closes. Calls that were given up, calls that failed under another policy or none,
// and those that a deadline has ended sooner than calls usually take count neither way. A probe
// that ends so leaves its turn to the next caller, and so does one that has not ended after ten
// times Probe.
//
// When a lane opens again, those who wait enter by the rule of [retry.Ramp], and at most one and a
// half times as fast as calls normally succeed. Where that is not known, they are spread over the
// time of the outage, and the pace follows that at which callers come. Only when this has lasted
// for so long that the waiting must have ended, and there is still a long queue, does the pace grow
// by itself, because what is normal has changed. When all who waited are in, the pace holds for a
// while for those who come then, but a few may enter at once: they may be the same callers, who
// come again as closely as they were let in.
//
// Who waits in that queue can give up: those behind move up then. Nobody takes a place in it whose
// deadline leaves less time for the call than for the wait, and where most give up before they are
// served, the queue becomes so short that there is time for their calls.
//
// A policy's budget of retries lets Retries of them be made for each first call in its Window, and
// Reserve however few calls there are. Calls count from the first use of the lane. [Gates.State]
// and [Gates.Why] say how a lane is.
package breaker
