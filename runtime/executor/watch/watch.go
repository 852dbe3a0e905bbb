// Package watch reports the errors of an executor's runs to a [report.Sink], and records the
// timelines of the runs. A [recovery.Handler] already does this for its operations.
//
//	config.Observer = watch.Observer(watch.Options{Table: config.Table, Sink: sink, Runs: &runs})
//
// [recovery.Handler]: https://pkg.go.dev/github.com/errgen/errgen/runtime/executor/recovery#Handler
package watch

import (
	"cmp"
	"reflect"
	"sync"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Options configure an [Observer].
type Options struct {
	// Table is that of the executor.
	Table taxonomy.Table
	// Sink takes the errors; nil reports none.
	Sink report.Sink
	// Runs takes the timelines; nil records none.
	Runs *report.Runs
	// Facts returns facts beyond the event; it may be nil. The event sets the source, and the
	// metadata run, task, iteration, op and conversation.
	Facts func(e executor.Event) report.Facts
	// ID returns the ID of an occurrence; nil is [report.NewID].
	ID func() string
	// StatusSources are as in [report.Options].
	StatusSources []string
}

// maxWatched bounds the errors of a run that a later recovery can update.
const maxWatched = 32

// Observer returns an observer that reports each error once, when its reaction is taken. The
// profile of the table decides whether stack and context are included. After a strategy ran for an
// error, the error is updated. A retried operation is reported when it succeeds or is given up. The
// state of a run is released when the run ends.
func Observer(o Options) executor.Observer {
	if o.Sink == nil {
		o.Sink = report.Sinks{}
	}
	return &observer{options: o, runs: map[string]*run{}}
}

type observer struct {
	options Options

	mu   sync.Mutex
	runs map[string]*run
}

// run is the state of a run that has not ended.
type run struct {
	mu sync.Mutex
	// pending is an error that was classified, but whose reaction was not yet taken.
	pending *executor.Event
	watched []watched
	retries retries
}

// watched is an error that was reported.
type watched struct {
	err error
	o   *report.Occurrence
}

// Observe reports an event.
func (v *observer) Observe(e executor.Event) {
	v.mu.Lock()
	r := v.runs[e.Run]
	if r == nil {
		r = &run{retries: retries{sink: v.options.Sink, ops: map[string]*retried{}}}
		v.runs[e.Run] = r
	}
	if e.Kind == executor.RunEnded {
		delete(v.runs, e.Run)
	}
	v.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e.Kind {
	case executor.ErrorClassified:
		v.flush(r)
		r.pending = &e
	case executor.ReactionTaken:
		v.taken(r, e)
	case executor.Recovered:
		v.recovered(r, &e)
	case executor.RunEnded:
		v.flush(r)
	}
	r.retries.observe(&e)
	if v.options.Runs != nil {
		v.record(&e)
	}
}

// flush reports an error without a reaction.
func (v *observer) flush(r *run) {
	if r.pending != nil {
		v.report(r, r.pending)
	}
}

// taken reports the error whose reaction is taken. It does not report the error again if the
// reaction follows a failed strategy.
func (v *observer) taken(r *run, e executor.Event) {
	switch {
	case r.pending == nil && r.find(e.Err) != nil:
		return
	case r.pending != nil && same(r.pending.Err, e.Err):
		e.Evidence = r.pending.Evidence
	default:
		v.flush(r)
	}
	v.report(r, &e)
}

func (v *observer) report(r *run, e *executor.Event) {
	r.pending = nil
	o := report.Options{Table: v.options.Table, At: e.At, ID: v.options.ID, StatusSources: v.options.StatusSources}
	if e.Evidence != nil {
		known := *e.Evidence
		known.Source, known.Op = cmp.Or(known.Source, e.Source), cmp.Or(known.Op, e.Op)
		o.Evidence = &known
	}
	if e.Kind == executor.ReactionTaken {
		o.Reaction, o.Action = e.Reaction.Name, e.Action.String()
	}
	if v.options.Facts != nil {
		o.Facts = v.options.Facts(*e)
	}
	o.Defaults.Metadata = map[string]any{}
	for name, value := range map[string]string{"run": e.Run, "task": e.Task, "op": e.Op, "conversation": e.Session} {
		if value != "" {
			o.Defaults.Metadata[name] = value
		}
	}
	if e.Iteration > 0 {
		o.Defaults.Metadata["iteration"] = float64(e.Iteration)
	}
	if e.Source != "" || e.Op != "" {
		o.Defaults.Source = &report.Source{Type: e.Source, Component: e.Op}
	}
	made := report.New(e.Err, o)
	if made == nil {
		return
	}
	v.options.Sink.Report(made)
	if r.watched = append(r.watched, watched{e.Err, made}); len(r.watched) > maxWatched {
		r.watched = append(r.watched[:0], r.watched[1:]...)
	}
	if v.options.Runs != nil && e.Op == opCall {
		v.options.Runs.Fail(e.Run, made.Code)
	}
}

// recovered updates the error for which a strategy ran.
func (v *observer) recovered(r *run, e *executor.Event) {
	if o := r.find(e.For); o != nil {
		successful := e.Err == nil
		v.options.Sink.Update(o.With(&report.Recovery{Attempts: max(e.Attempt, 1), MaxAttempts: e.MaxAttempts,
			Strategy: e.Text, Successful: &successful}))
	}
}

// find returns the latest occurrence of an error, or nil.
func (r *run) find(err error) *report.Occurrence {
	for i := len(r.watched) - 1; i >= 0; i-- {
		if same(r.watched[i].err, err) {
			return r.watched[i].o
		}
	}
	return nil
}

// same reports whether two errors are identical, or have equal texts if they cannot be compared.
func same(a, b error) bool {
	if a == nil || b == nil || reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false
	}
	if reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() {
		return a == b
	}
	return errtree.Text(a) == errtree.Text(b)
}

// record adds an event to the timeline of its run.
func (v *observer) record(e *executor.Event) {
	span := report.Span{Began: e.At.Add(-e.Took), Took: e.Took, Failed: e.Err != nil}
	switch e.Kind {
	case executor.RunStarted:
		v.options.Runs.Begin(e.Run, e.Task, e.At)
		return
	case executor.RunEnded:
		end := ""
		if e.Result != nil {
			end = string(e.Result.EndReason)
		}
		v.options.Runs.End(e.Run, end, e.At)
		return
	case executor.CallEnded:
		span.Kind, span.Label, span.Tier = report.SpanCall, e.Source, e.Tier
		span.Cost = e.Usage.CostUSD.Or(0)
		span.Tokens = e.Usage.InputTokens.Or(0) + e.Usage.OutputTokens.Or(0)
	case executor.Waited:
		span.Kind, span.Label = report.SpanWait, e.Text
	case executor.Validated:
		span.Kind, span.Label = report.SpanCheck, e.Op
	case executor.Recovered:
		span.Kind, span.Label = report.SpanRecovery, e.Text
	case executor.Escalated:
		span.Kind, span.Label, span.Took = report.SpanTier, e.Tier, 0
	default:
		return
	}
	v.options.Runs.Add(e.Run, span)
}
