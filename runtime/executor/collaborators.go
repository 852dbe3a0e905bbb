package executor

import (
	"context"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Classifier returns err as an error of the taxonomy, and in one line why it became that. Source
// and op say who reported it during what, for an err that does not say so itself. An error of the
// taxonomy is returned as it is. detect.Classifier makes one of a generated package's Explain.
type Classifier func(err error, source, op string) (classified error, why string)

// Recoverer runs the strategies that reactions name; without one they count as failed, with a
// warning. The generated function Recover is one way to implement it.
type Recoverer interface {
	// Recover runs failed.Reaction.Strategy. Nil means that the failed work may be tried again.
	Recover(ctx context.Context, failed taxonomy.RecoveryRequest) error
}

// Filer puts a task's file where files of tasks with such an outcome are. It cannot change the
// outcome.
type Filer interface {
	// File has a context that ends after Limits.Grace, and not with a run that was cancelled. If it
	// does not return soon after that, it is left behind in its goroutine, with a warning in the
	// result. The result that it is given is a copy of its own.
	File(ctx context.Context, r *Result) error
}

// Notifier tells people how a run went. It cannot change the outcome.
type Notifier interface {
	// Notify has a context and a result as those of [Filer]. Errors that are joined are classified
	// one by one; of evidence with the attribute resource the warning names that.
	Notify(ctx context.Context, r *Result) error
}

// Observer is told what happens in a run, in order. It is trusted to return quickly: the run waits
// for it, without a limit. It is called by one goroutine at a time for each run, and by several
// runs at once if they share it.
type Observer interface {
	Observe(e Event)
}
