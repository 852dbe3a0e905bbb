// Package executor runs a task through a provider and does what the taxonomy's table says about
// each failure. It names no code and no category: it interprets [taxonomy.Reaction].
//
// An [Executor] is made by [New] from a [Config]; [Executor.Run] runs one [Task] to its [Result].
// What it works with is behind small interfaces that this package owns: [Provider], [Workspace],
// [Guard], [Validator], [Journal], [Asker], [Recoverer], [Observer], [Filer], [Notifier], [Budget],
// [Preventer], [Checker], and retry's Clock, SharedWait, Breaker and Learner. Implementations stand in the
// packages beside this one.
//
// # The loop
//
// A run takes the working tree and its journal, is told by both where it stands, and asks whether
// the provider is there. What fails there is tried again in place, as its reaction says. Then, for
// each iteration:
//
//   - head: it is held while paused, and waits for its own last reaction, for the lane of its
//     credential, for what prevents failures, and for the gate;
//   - call: the budget allows it, and the provider answers or fails; a reaction can ask for another
//     call at once;
//   - detect, judge: what was changed since the last checked tree is found and judged path by path,
//     always;
//   - put back: what the reactions take back is saved, then restored;
//   - advance: what is allowed becomes part of the checked tree, and pending;
//   - deliver: after an answer that leaves nothing unchecked and no error standing, pending work is
//     validated and committed, and finished work pushed; what a check changes is judged before
//     that, once for each check;
//   - settle: counter, waits, feedback, conversation and tier follow from all reactions together,
//     and so does the end.
//
// In the end the task is filed and people are told.
//
// # Reactions
//
// Of several failures in an iteration the gravest reaction decides: abort, block, escalate,
// recover, retry, retry_operation, continue. The effects of the others hold, too. What an operation
// is for bounds what a reaction can mean: a guard's `continue` blocks, because what it guards would
// be unguarded; what comes after the outcome cannot change it. A reaction that follows by `then`
// has a count of its own. An error that asks for files to be reverted and names none takes back the
// whole iteration, which is saved before.
//
// # Resuming
//
// A run that died goes on with what its journal says: a call that was answered is not made again, a
// revert is carried out again, a commit that is there is not made twice. A process that a call or a
// [Tracked] validator has left running is ended first, also of a run that is refused. A run that
// has ended returns its result again. A run whose setup failed, or that was refused, has not ended:
// it can be tried again under its name. A run of the name that was begun with another task, by ID
// or prompt, is refused, whether it has ended or not.
//
// What the workspace keeps for a run is let go of once the end is written down, and only if nothing
// is unchecked: it may have the only copy of a file's earlier content.
//
// Collaborators are not trusted: a panic in one is evidence of type "panic", or a warning.
// Observers are trusted to return quickly.
package executor
