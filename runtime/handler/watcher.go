package handler

import (
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/report"
)

// watcher sees what is reported of one operation, and hands it on.
type watcher struct {
	handler *Handler
	op      *Op
	latest  *report.Occurrence
	reports executor.Observer // nil before the first failure
}

func newWatcher(h *Handler, op *Op) *watcher { return &watcher{handler: h, op: op} }

// observer returns what the run tells of every step.
func (w *watcher) observer() executor.Observer {
	return executor.Observers(w, w.handler.cfg.Observer)
}

// Observe reports failures. Nothing is made for that before there is one.
func (w *watcher) Observe(e executor.Event) {
	if w.reports == nil {
		if e.Kind != executor.ErrorClassified {
			return
		}
		cfg := &w.handler.cfg
		w.reports = report.Observer(report.ObserverOptions{Table: cfg.Table, Sink: w, ID: cfg.ID})
	}
	w.reports.Observe(e)
}

// last returns what was reported last, or nil.
func (w *watcher) last() *report.Occurrence { return w.latest }

// Report adds the facts to what is new, and hands it on.
func (w *watcher) Report(o *report.Occurrence) {
	w.latest = o.Enrich(w.op.facts(), report.EnrichOptions{At: w.handler.clock.Now(), StatusSources: w.handler.cfg.StatusSources})
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
func (w *watcher) Retried(attempts int, succeeded bool) {
	if s := w.handler.cfg.Sink; s != nil {
		s.Retried(attempts, succeeded)
	}
}
