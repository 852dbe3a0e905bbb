package report

import (
	"cmp"
	"reflect"
	"slices"
	"sync"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// ObserverOptions say where an executor's errors are reported.
type ObserverOptions struct {
	// Table is the executor's.
	Table taxonomy.Table
	// Sink is told; nil makes the observer do nothing.
	Sink Sink
	// Facts returns what is known besides the event; it may be nil.
	Facts func(e executor.Event) Facts
	// ID returns the ID of an occurrence; nil is [NewID].
	ID func() string
	// StatusSources are as in [Options].
	StatusSources []string
}

// Observer returns an observer that reports the errors of an executor's runs. An error is reported
// when its reaction is taken, with stack and context as the profile of the table reports them; the
// profile's log level is about logs, so that what is counted is complete. A strategy that was run
// for it updates it. An operation that was retried is told of when it has succeeded or is given up.
// Sink and Facts are called while Observe is, for one event of a run after the other; runs do not
// wait for each other.
//
// It follows 1024 runs at once. When there are more, the one that began first is forgotten: an
// error of it whose reaction is still to come, and its recoveries and retries, may not be told of.
func Observer(o ObserverOptions) executor.Observer {
	return &observer{options: o, runs: map[string]*watchedRun{}}
}

type observer struct {
	options ObserverOptions

	mu   sync.Mutex
	runs map[string]*watchedRun
	// order are the runs, the oldest first.
	order []string
}

// Bounds on what an observer remembers: runs that have not ended, and errors of each that a
// strategy may still be run for.
const (
	maxRuns    = 1024
	maxWatched = 32
)

// watchedRun is what an observer remembers of a run.
type watchedRun struct {
	mu sync.Mutex
	// pending is an error that was classified, and whose reaction was not yet taken.
	pending *executor.Event
	watched []watched
	retries retries
}

// watched is an error that was reported.
type watched struct {
	err error
	o   *Occurrence
}

// Observe reports what e tells of.
func (v *observer) Observe(e executor.Event) {
	if v.options.Sink == nil {
		return
	}
	run := v.run(e.Run)
	v.observe(run, &e)
	if e.Kind == executor.RunEnded {
		v.forget(e.Run, run)
	}
}

// observe takes an event of a run into account. Only this run waits for the sink.
func (v *observer) observe(run *watchedRun, e *executor.Event) {
	run.mu.Lock()
	defer run.mu.Unlock()
	switch e.Kind {
	case executor.ErrorClassified:
		v.flush(run)
		run.pending = e
	case executor.ReactionTaken:
		v.taken(run, e)
	case executor.Recovered:
		v.recovered(run, e)
	case executor.RunEnded:
		v.flush(run)
	}
	run.retries.observe(e, v.options.Sink)
}

// forget forgets a run that has ended.
func (v *observer) forget(name string, run *watchedRun) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.runs[name] != run {
		return
	}
	delete(v.runs, name)
	v.order = slices.DeleteFunc(v.order, func(other string) bool { return other == name })
}

// run returns what is remembered of a run.
func (v *observer) run(name string) *watchedRun {
	v.mu.Lock()
	defer v.mu.Unlock()
	if run := v.runs[name]; run != nil {
		return run
	}
	for len(v.order) >= maxRuns {
		delete(v.runs, v.order[0])
		v.order = slices.Delete(v.order, 0, 1)
	}
	run := &watchedRun{}
	v.runs[name] = run
	v.order = append(v.order, name)
	return run
}

// flush reports an error whose reaction nobody told of.
func (v *observer) flush(run *watchedRun) {
	if run.pending != nil {
		v.report(run, run.pending)
	}
}

// taken reports the error whose reaction is taken. What is done once a strategy has failed is no
// other error.
func (v *observer) taken(run *watchedRun, e *executor.Event) {
	switch {
	case run.pending == nil && run.find(e.Err) != nil:
		return
	case run.pending != nil && same(run.pending.Err, e.Err):
		known := *e
		known.Evidence = run.pending.Evidence
		e = &known
	default:
		v.flush(run)
	}
	v.report(run, e)
}

func (v *observer) report(run *watchedRun, e *executor.Event) {
	run.pending = nil
	options := Options{
		Table: v.options.Table, At: e.At, ID: v.options.ID, StatusSources: v.options.StatusSources,
	}
	if e.Evidence != nil {
		known := *e.Evidence
		known.Source, known.Op = cmp.Or(known.Source, e.Source), cmp.Or(known.Op, e.Op)
		options.Evidence = &known
	}
	if e.Kind == executor.ReactionTaken {
		options.Reaction, options.Action = e.Reaction.Name, e.Action.String()
	}
	if v.options.Facts != nil {
		try(func() { options.Facts = v.options.Facts(*e) })
	}
	o := New(e.Err, options)
	if o == nil {
		return
	}
	o.addEvent(e)
	v.options.Sink.Report(o)
	if len(run.watched) >= maxWatched {
		run.watched = slices.Delete(run.watched, 0, 1)
	}
	run.watched = append(run.watched, watched{e.Err, o})
}

// recovered updates the error that a strategy was run for.
func (v *observer) recovered(run *watchedRun, e *executor.Event) {
	o := run.find(e.For)
	if o == nil {
		return
	}
	successful := e.Err == nil
	updated := o.Clone()
	updated.Recovery = &Recovery{
		Attempts: max(e.Attempt, 1), MaxAttempts: e.MaxAttempts, Strategy: kept(e.Text, maxName),
		Successful: &successful,
	}
	v.options.Sink.Update(updated)
}

// find returns the latest occurrence of an error, or nil.
func (run *watchedRun) find(err error) *Occurrence {
	for i := len(run.watched) - 1; i >= 0; i-- {
		if same(run.watched[i].err, err) {
			return run.watched[i].o
		}
	}
	return nil
}

// same reports whether two errors are the same one. Those that cannot be compared are when they say
// the same.
func same(a, b error) (is bool) {
	if a == nil || b == nil {
		return false
	}
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false
	}
	defer func() {
		if recover() != nil {
			is = errtree.Text(a) == errtree.Text(b)
		}
	}()
	return a == b
}

// addEvent adds what the event knows and neither the error nor the facts do.
func (o *Occurrence) addEvent(e *executor.Event) {
	if o.Source == nil {
		o.Source = Source{Type: kept(e.Source, maxName), Component: kept(e.Op, maxName)}.named()
	}
	o.Execution = (&Execution{
		TaskID: kept(e.Task, maxName), Step: kept(e.Op, maxName), SessionID: kept(e.Session, maxName),
	}).merged(o.Execution)
	known := map[string]any{}
	if e.Run != "" {
		known["run"] = e.Run
	}
	if e.Iteration > 0 {
		known["iteration"] = float64(e.Iteration)
	}
	o.Metadata = cleanMetadata(mergedMetadata(known, o.Metadata))
}
