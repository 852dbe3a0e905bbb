package recovery

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/watch"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The defaults of [Config.MaxCalls] and [Config.Grace].
const (
	DefaultMaxCalls = 100
	DefaultGrace    = 5 * time.Second
)

// Config configures a [Handler]. Table and Classify are required. All values must be safe for
// concurrent use.
type Config struct {
	// Table is the generated table, with its profile and overrides.
	Table taxonomy.Table
	// Classify returns a failure as an error with a code.
	Classify executor.Classifier
	// Recoverer runs strategies. Without it every strategy fails. A strategy that panics fails.
	Recoverer executor.Recoverer
	// MaxCalls limits the calls of an operation, in addition to the reactions of the taxonomy; 0 is
	// DefaultMaxCalls.
	MaxCalls int
	// Sink gets all failures and their recoveries; it may be nil. ID returns the ID of an
	// occurrence; nil is [report.NewID]. StatusSources are those of [report.Options].
	Sink          report.Sink
	Runs          *report.Runs // gets the timeline of each operation; may be nil
	ID            func() string
	StatusSources []string
	// Observer observes every step, after Sink.
	Observer executor.Observer
	// Admission limits the calls of all operations together. Its Breaker is ignored if the profile
	// disables retries.
	Admission executor.Admission
	// Timeout limits one call; 0 is no limit. Waits do not count.
	Timeout time.Duration
	// Grace is the time for an operation to return after its context ended; 0 is DefaultGrace. A
	// slower operation continues in its goroutine, and is not called again before it returns.
	Grace time.Duration
	// Clock measures waits; nil is [retry.System].
	Clock retry.Clock
}

// Handler handles operations. It is safe for concurrent use.
type Handler struct {
	cfg Config
	run executor.Config // without the operation
}

// NewHandler returns a handler. The error joins all problems of the configuration.
func NewHandler(cfg Config) (*Handler, error) {
	if profile := cfg.Table.Overlay; profile != nil && !profile.Retry.Enabled {
		cfg.Admission.Breaker = nil
	}
	cfg.Grace = cmp.Or(cfg.Grace, DefaultGrace)
	cfg.MaxCalls = cmp.Or(cfg.MaxCalls, DefaultMaxCalls)
	h := &Handler{cfg: cfg, run: executor.Config{
		Table: cfg.Table, Classify: cfg.Classify, Recoverer: cfg.Recoverer, Admission: cfg.Admission, Clock: cfg.Clock,
		Limits: executor.Limits{Iterations: executor.Unlimited, Failures: executor.Unlimited,
			Iteration: executor.Unlimited, Grace: cfg.Grace},
		Markers: executor.Markers{Off: true},
		Prompt:  func(executor.PromptInput) string { return "" },
	}}
	var problems error
	if cfg.MaxCalls < 0 || cfg.Timeout < 0 || cfg.Grace < 0 {
		problems = fmt.Errorf("MaxCalls (%d), Timeout (%s) and Grace (%s) must not be negative", cfg.MaxCalls,
			cfg.Timeout, cfg.Grace)
	}
	probe := h.run
	probe.Provider = &operation{op: &Op{}}
	_, err := executor.New(probe)
	if err := errors.Join(problems, err); err != nil {
		return nil, fmt.Errorf("configure handler: %w", err)
	}
	return h, nil
}

// Op is an operation.
type Op struct {
	// Name is for messages: "list issues". Source is the source of its failures in the taxonomy,
	// and Component the part of that source; the default is Name.
	Name, Source, Component string
	// Credential names the credential that it uses. Operations of one source and credential share
	// waits, breaker and retry budget.
	Credential string
	// Facts are added to each reported occurrence.
	Facts report.Facts
	// Do performs the operation. It must return soon after ctx ended. Calls do not overlap.
	Do func(ctx context.Context) error
}

// Handle calls an operation and handles its failures as the taxonomy specifies, until it succeeds,
// the reactions are exhausted, or ctx ends. It never panics, and it returns within Grace after ctx
// ended.
func (h *Handler) Handle(ctx context.Context, op Op) Outcome {
	if op.Do == nil {
		return Outcome{Err: fmt.Errorf("handle %s: Do is nil", op.Name)}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	op.Component = cmp.Or(op.Component, op.Name)
	p := &operation{op: &op, cfg: &h.cfg, stop: stop}
	reports := &reporting{handler: h, op: &op}
	cfg := h.run
	cfg.Provider = p
	cfg.Observer = executor.Observers(reports.observer(ctx), h.cfg.Observer)
	e, err := executor.New(cfg)
	if err != nil {
		return Outcome{Err: fmt.Errorf("handle %s: %w", op.Name, err)}
	}
	result := e.Run(ctx, executor.Task{Run: rand.Text(), ID: op.Name})
	out := Outcome{Occurrence: reports.latest, Calls: p.calls, Result: result, unrecovered: reports.unrecovered}
	switch {
	case result.Status == executor.StatusCompleted:
		out.Recovered = result.ErrorCount > 0
		return out
	case errors.Is(context.Cause(ctx), errMaxCalls):
		out.Err = fmt.Errorf("%w: %w", context.Cause(ctx), cmp.Or(result.Err, p.last))
	case result.Status == executor.StatusCancelled && ctx.Err() != nil:
		out.Err = context.Cause(ctx)
	case result.Err != nil:
		out.Err = result.Err
	default:
		out.Err = fmt.Errorf("handle %s: it ended with %s", op.Name, result.EndReason)
	}
	return out
}

// Outcome is the result of an operation.
type Outcome struct {
	// Err is the last error as classified, or the cause of a context that ended. It is nil after
	// success.
	Err error
	// Occurrence is the last reported one, or nil.
	Occurrence *report.Occurrence
	// Calls counts the calls of the operation.
	Calls int
	// Recovered reports that the operation succeeded after a failure.
	Recovered bool
	Result    *executor.Result

	unrecovered string // of reporting
}

// Success reports whether the operation succeeded.
func (o *Outcome) Success() bool { return o.Err == nil }

// Message returns the message of the failure with secrets masked, or "" after success. If the last
// strategy that ran failed, its error follows in brackets.
func (o *Outcome) Message() string {
	switch {
	case o.Success():
		return ""
	case o.Occurrence != nil:
		return o.Occurrence.Message + o.unrecovered
	}
	return taxonomy.Redact(o.Err.Error())
}

// MarshalJSON returns an object with the key success. A failure also has the keys error, its
// message, and metadata, with errorId, category, errorCode and severity.
func (o Outcome) MarshalJSON() ([]byte, error) {
	type metadata struct {
		ErrorID  string `json:"errorId"`
		Category string `json:"category"`
		Code     string `json:"errorCode"`
		Severity string `json:"severity"`
	}
	out := struct {
		Success  bool      `json:"success"`
		Error    string    `json:"error,omitempty"`
		Metadata *metadata `json:"metadata,omitempty"`
	}{Success: o.Success(), Error: o.Message()}
	if f := o.Occurrence; f != nil && !o.Success() {
		out.Metadata = &metadata{f.ID, f.Category, f.Code, f.Severity}
	}
	return json.Marshal(out)
}

// reporting is a sink that keeps the latest occurrence of an operation.
type reporting struct {
	handler *Handler
	op      *Op
	latest  *report.Occurrence
	// unrecovered is " (strategy NAME: ERROR)" if the last strategy failed.
	unrecovered string
}

// observer returns an observer that reports to t. After the context ended, it reports no decisions,
// and a strategy has no result, because it was cancelled.
func (t *reporting) observer(ctx context.Context) executor.Observer {
	cfg := &t.handler.cfg
	facts, source := t.op.Facts, report.Source{}
	if facts.Source != nil {
		source = *facts.Source
	}
	source.Type, source.Component = cmp.Or(source.Type, t.op.Source), cmp.Or(source.Component, t.op.Component)
	facts.Source = &source
	reports := watch.Observer(watch.Options{Table: cfg.Table, Sink: t, Runs: cfg.Runs, ID: cfg.ID,
		StatusSources: cfg.StatusSources, Facts: func(executor.Event) report.Facts { return facts }})
	return observerFunc(func(e executor.Event) {
		if e.Kind == executor.Recovered {
			t.unrecovered = ""
			if e.Err != nil && ctx.Err() == nil {
				t.unrecovered = " (strategy " + e.Text + ": " + text.Error(e.Err, maxMessage) + ")"
			}
		}
		switch {
		case ctx.Err() == nil, e.Kind != executor.ReactionTaken && e.Kind != executor.Waiting &&
			e.Kind != executor.Recovered:
			reports.Observe(e)
		case e.Kind == executor.Recovered && t.latest != nil:
			t.Update(t.latest.With(&report.Recovery{Attempts: max(e.Attempt, 1), MaxAttempts: e.MaxAttempts,
				Strategy: e.Text}))
		}
	})
}

type observerFunc func(executor.Event)

func (f observerFunc) Observe(e executor.Event) { f(e) }

// Report passes an occurrence on.
func (t *reporting) Report(o *report.Occurrence) {
	t.latest = o
	if s := t.handler.cfg.Sink; s != nil {
		s.Report(o)
	}
}

// Update passes on the recovery of the latest occurrence.
func (t *reporting) Update(o *report.Occurrence) {
	if t.latest == nil || t.latest.ID != o.ID {
		return
	}
	t.latest = t.latest.With(o.Recovery)
	if s := t.handler.cfg.Sink; s != nil {
		s.Update(t.latest)
	}
}

// Retried passes on a retried operation.
func (t *reporting) Retried(r report.Retry) {
	if s := t.handler.cfg.Sink; s != nil {
		s.Retried(r)
	}
}

var (
	errTimeout  = errors.New("the operation's time is over")
	errMaxCalls = errors.New("the maximum of calls is reached")
)

// operation is the provider of an executor that calls an operation. It serves one run.
type operation struct {
	op    *Op
	cfg   *Config
	stop  context.CancelCauseFunc // of the run
	calls int
	last  error
	// left receives the result of a call that did not return in time; nil if every call returned.
	left chan error
}

// Name returns the source of the operation's failures.
func (p *operation) Name() string { return p.op.Source }

// Credential returns the name of the operation's credential.
func (p *operation) Credential() string { return p.op.Credential }

// Available reports that the operation can be called.
func (p *operation) Available(context.Context) error { return nil }

// Call calls the operation.
func (p *operation) Call(ctx context.Context, _ executor.Request) (executor.Answer, error) {
	if p.calls >= p.cfg.MaxCalls {
		p.stop(fmt.Errorf("%w (%d)", errMaxCalls, p.calls))
		return executor.Answer{}, context.Canceled
	}
	if p.cfg.Timeout > 0 {
		timed, cancel := context.WithTimeoutCause(ctx, p.cfg.Timeout, errTimeout)
		defer cancel()
		ctx = timed
	}
	if p.last = p.do(ctx); p.last != nil {
		return executor.Answer{}, p.last
	}
	return executor.Answer{Signal: executor.SignalDone}, nil
}

// do calls the operation in a goroutine, which continues if the operation does not return in time.
func (p *operation) do(ctx context.Context) error {
	if p.left != nil {
		select {
		case <-p.left:
			p.left = nil
		case <-ctx.Done():
			return p.timedOut(nil, "the previous call has not returned")
		}
	}
	p.calls++
	done := make(chan error, 1)
	go func() {
		done <- func() (err error) {
			defer func() {
				if thrown := recover(); thrown != nil {
					err = p.evidence("panic", fmt.Sprint("panic: ", thrown), nil)
				}
			}()
			return p.op.Do(ctx)
		}()
	}()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		grace := time.NewTimer(p.cfg.Grace)
		defer grace.Stop()
		select {
		case err = <-done:
		case <-grace.C:
			p.left = done
			if context.Cause(ctx) == errTimeout {
				return p.timedOut(nil, "it does not return")
			}
			return context.Cause(ctx)
		}
	}
	if err == nil || context.Cause(ctx) != errTimeout {
		return err
	}
	if _, coded := taxonomy.First(err, nil); coded {
		return err
	}
	return p.timedOut(err, "it takes longer than "+p.cfg.Timeout.String())
}

// timedOut returns evidence of a timeout. The cause may be nil.
func (p *operation) timedOut(cause error, text string) error {
	ev := p.evidence("timeout", text, cause)
	ev.Attributes["timeout_ms"] = strconv.FormatInt(p.cfg.Timeout.Milliseconds(), 10)
	return ev
}

func (p *operation) evidence(typ, text string, cause error) *taxonomy.Evidence {
	return &taxonomy.Evidence{
		Source: p.op.Source, Op: "call", Type: typ, Text: text, Err: cause, Credential: p.op.Credential,
		Attributes: map[string]string{"component": p.op.Component},
	}
}
