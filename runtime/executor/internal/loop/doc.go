// Package loop is the machine of the executor: the states, steps, effects and decisions of a run.
// It depends on reactions only, never on a particular code or category.
//
// A run is a value, [State]. A [Loop] carries it from [Step] to step. Everything outside of the loop
// is behind [Env]: its effects are plain data, carried out by a [Host]. So the same loop runs in a
// process (package executor) and as the workflow of an engine (package temporal).
//
// # Vocabulary
//
//   - An iteration is one or more calls of the provider, the inspection of their changes, and the
//     delivery of the work. It ends with one reaction.
//   - A failure is an error of an operation, with its code and its chain of reactions. The decision
//     about it is the first reaction of the chain that is not exhausted.
//   - The streak of an operation and a code is the number of such failures in a row.
//   - A retry in place repeats the operation within the iteration. Any other retry is the next
//     iteration.
//   - The checked tree contains all changes that were judged and allowed. An inspection finds the
//     changes since then, and reverts those that the reactions specify.
//   - The ladder is the list of tiers; an escalation continues with a higher one.
//   - A lane is a wait that all runs with the same provider and credential share.
//   - The setup is the part of a run that each of its processes repeats before the saved step.
//
// # One iteration
//
// A failing call passes through these files, in this order, until the next call. Each bullet names
// the functions to read first.
//
//   - call.go (head, admit, call): limits are checked, the call is admitted, and the host calls the
//     provider
//   - react.go (addFailure, react): the host has turned the error into a [Failure], and decide.go
//     chooses the first reaction that is not exhausted. A reaction that repeats only the call, or
//     runs a strategy before that, is carried out; any other one waits until the end of the iteration
//   - inspect.go (detect, planRevert, revert): the changes are found and judged, path by path; those
//     that the reactions revert are saved and reverted; the rest is accepted
//   - settle.go (close, end): counters, feedback and waits follow from all failures, and the winning
//     reaction is carried out; head in call.go begins the next iteration
//
// After an answer without errors that stop it, deliver.go checks and commits the work. The setup is
// in setup.go, and the end of a run in settle.go. In run.go, Run runs one [Step] after the other, and
// perform carries out the effect of a step.
package loop
