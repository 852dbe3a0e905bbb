package handler

import (
	"context"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/watch"
)

// watcher sees what is reported of one operation, and hands it on.
type watcher struct {
	ctx     context.Context // of the operation
	handler *Handler
	op      *Op
	latest  *report.Occurrence
	reports executor.Observer // nil before the first failure
}

func newWatcher(ctx context.Context, h *Handler, op *Op) *watcher {
	return &watcher{ctx: ctx, handler: h, op: op}
}

// observer returns what the run tells of every step.
func (w *watcher) observer() executor.Observer {
	return unless{w.vain, executor.Observers(w, w.handler.cfg.Observer)}
}

// vain reports whether an event is of no account: what is decided when the context has ended.
func (w *watcher) vain(e executor.Event) bool {
	return (e.Kind == executor.ReactionTaken || e.Kind == executor.Waiting) && w.ctx.Err() != nil
}

// cutShort reports whether an event is that a strategy was stopped, which does not say that it has
// failed.
func (w *watcher) cutShort(e executor.Event) bool {
	return e.Kind == executor.Recovered && e.Err != nil && w.ctx.Err() != nil
}

// unless is an observer that is told nothing of what skip says.
type unless struct {
	skip func(executor.Event) bool
	next executor.Observer
}

// Observe hands on what is not skipped.
func (u unless) Observe(e executor.Event) {
	if !u.skip(e) {
		u.next.Observe(e)
	}
}

// Observe reports failures. Nothing is made for that before there is one.
func (w *watcher) Observe(e executor.Event) {
	if w.reports == nil {
		if e.Kind != executor.ErrorClassified {
			return
		}
		cfg := &w.handler.cfg
		w.reports = watch.Observer(watch.Options{Table: cfg.Table, Sink: w, ID: cfg.ID})
	}
	if w.cutShort(e) {
		w.left(e)
		return
	}
	w.reports.Observe(e)
}

// left tells of a strategy that was stopped: it was tried, and nobody knows what would have come of
// it.
func (w *watcher) left(e executor.Event) {
	if w.latest == nil {
		return
	}
	tried := *w.latest
	tried.Recovery = &report.Recovery{Attempts: max(e.Attempt, 1), MaxAttempts: e.MaxAttempts, Strategy: e.Text}
	w.Update(&tried)
}

// last returns what was reported last, or nil.
func (w *watcher) last() *report.Occurrence { return w.latest }

// Report adds the facts to what is new, and hands it on.
func (w *watcher) Report(o *report.Occurrence) {
	options := report.EnrichOptions{At: w.handler.clock.Now()}
	if w.handler.cfg.Table.SearchesText() {
		options.StatusSources = w.handler.cfg.StatusSources
	}
	w.latest = o.Enrich(w.op.facts(), options)
	if s := w.handler.cfg.Sink; s != nil {
		s.Report(w.latest)
	}
}

// Update hands on what has become of it.
func (w *watcher) Update(o *report.Occurrence) {
	if w.latest == nil || w.latest.ID != o.ID {
		return
	}
	updated := *w.latest
	updated.Recovery = o.Recovery
	w.latest = &updated
	if s := w.handler.cfg.Sink; s != nil {
		s.Update(w.latest)
	}
}

// Retried hands on that it was tried again.
func (w *watcher) Retried(r report.Retry) {
	if s := w.handler.cfg.Sink; s != nil {
		s.Retried(r)
	}
}
