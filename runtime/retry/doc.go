// Package retry is the one engine for waiting: how long to wait before the next try, when to stop
// trying, and how everybody who uses a credential waits when it is limited.
//
//	err := retry.Do(ctx, taxonomy.Policy{MaxAttempts: 5, InitialDelay: time.Second}, func(ctx context.Context) error {
//		return call(ctx)
//	})
//
// [Do] and [Value] run an operation under a policy. [Series.Next] is the decision that they, and
// the executor, make; it is pure. [Lanes] are shared waits: [MemoryLanes] for one process, and
// [Lane] as the rule for other stores. A [Gate] bounds what everybody in a lane does together;
// package breaker makes one. [Adaptive] moves the numbers of policies by what came of earlier
// tries, and a [Log] remembers them. The package has no dependencies but the standard library and
// runtime/taxonomy.
package retry
