package executor

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// failure is an error of an iteration, or of the setup, and what is done about it.
type failure struct {
	err   error
	known bool
	op    operation
	hints taxonomy.Hints
	// lane is the provider's that it befell.
	lane string
	// overcome reports that another try has taken its place.
	overcome bool
	// excused reports that it never counts: a new conversation has taken its place, or the provider
	// asks for a person.
	excused bool
	// undone reports that what its reaction puts back was put back, or could not be.
	undone bool
	// causes are the failures whose reaction was being carried out when this one arose.
	causes   []*failure
	decision decision
	// evidence is what it was classified from, or nil.
	evidence *taxonomy.Evidence
	// before is what a process that died had decided on, until that is decided again; nil when
	// nothing was.
	before *Decided
	record ErrorRecord
}

// fail classifies an error and decides what to do about it.
func (r *runner) fail(it *iteration, op operation, err error) *failure {
	f := r.classify(it, op, err)
	r.react(it, f)
	return f
}

// classify finds out what an error is. An error of the taxonomy passes unchanged.
func (r *runner) classify(it *iteration, op operation, raw error) *failure {
	raw = finite(raw)
	err, why := raw, "an error of the taxonomy"
	if !r.ours(raw) {
		why, err = r.classified(op, raw)
	}
	f := r.failureOf(it, op, err, why)
	if ev, ok := raw.(*taxonomy.Evidence); ok && len(f.hints.Files) == 0 && ev != nil {
		f.hints.Files, f.record.Files = ev.Files, ev.Files
	}
	f.record.Fingerprint = fingerprintOfFailure(f, raw)
	f.evidence = evidenceIn(raw)
	return f
}

// ours reports whether err is of the taxonomy; one that panics when it is walked is not.
func (r *runner) ours(err error) (is bool) {
	defer func() { _ = recover() }()
	_, is = taxonomy.First(err, r.cfg.Table.Taxonomy)
	return is
}

// finite returns err, or of one whose tree does not end what is known of it: an error of a taxonomy
// or evidence in it, or else its text. Nobody who is told of it walks it for ever then, unless that
// is what a known error gives as its cause.
func finite(err error) (ends error) {
	if errtree.Ends(err) {
		return err
	}
	defer func() {
		if recover() != nil {
			ends = errors.New(text.Error(err, maxMessage))
		}
	}()
	if known, ok := taxonomy.First(err, nil); ok {
		return known
	}
	found := evidenceIn(err)
	if found == nil {
		return errors.New(text.Error(err, maxMessage))
	}
	ev := *found
	if !errtree.Ends(ev.Err) {
		ev.Err = errors.New(text.Error(ev.Err, maxMessage))
	}
	return &ev
}

// harmless returns err, or only its text when it panics as soon as it is walked.
func harmless(err error) (safe error) {
	defer func() {
		if recover() != nil {
			safe = errors.New(text.Error(err, maxMessage))
		}
	}()
	_, _ = taxonomy.First(err, nil)
	return err
}

// classified asks the classifier. What it says nothing about, and what makes it panic, stays
// uncategorized.
func (r *runner) classified(op operation, raw error) (why string, err error) {
	thrown := contained(op, func() error {
		err, why = r.cfg.Classify(raw, op.source, op.name)
		return nil
	})
	switch {
	case thrown != nil:
		return "the classifier failed: " + text.Error(thrown, maxMessage), raw
	case err == nil:
		return "the classifier says that it is no error", raw
	}
	return why, r.cfg.Table.Trace(err)
}

// failureOf returns the failure that is known of a classified error.
func (r *runner) failureOf(it *iteration, op operation, err error, why string) *failure {
	f := &failure{err: harmless(err), known: r.ours(err), op: op}
	if f.known {
		f.hints = taxonomy.HintsOf(err)
	}
	if len(f.hints.Files) == 0 {
		f.hints.Files = op.files
	}
	f.lane = r.lane(f.hints.Credential)
	f.record = ErrorRecord{
		Iteration: it.number, Op: op.name, Source: op.source, Message: text.Error(err, maxMessage),
		Why:   text.Beginning(why, maxMessage),
		Files: f.hints.Files,
	}
	if f.known {
		r.describe(&f.record, err)
		f.record.Understood = r.understood(err, f.record.Code)
	}
	return f
}

// understood returns the code that an error was taken for, where that is not the one that it says.
func (r *runner) understood(err error, code string) string {
	own, ok := taxonomy.First(err, r.cfg.Table.Taxonomy)
	if !ok {
		return ""
	}
	taken := r.cfg.Table.Taxonomy.Fallback
	if _, unknown := own.(*taxonomy.Unknown); !unknown {
		taken = taxonomy.CodeOf(own)
	}
	if taken == code {
		return ""
	}
	return taken
}

// evidenceIn returns the evidence in an error's tree, or nil.
func evidenceIn(err error) *taxonomy.Evidence {
	ev, _ := errtree.As[*taxonomy.Evidence](err)
	return ev
}

// fingerprintOfFailure returns the fingerprint of the evidence of a failure, or of what is known of
// it without evidence.
func fingerprintOfFailure(f *failure, raw error) (digits string) {
	_ = contained(operation{}, func() error {
		ev := cmp.Or(evidenceIn(raw), evidenceIn(f.err))
		if ev == nil {
			ev = &taxonomy.Evidence{Source: f.op.source, Op: f.op.name, Code: f.record.Code, Text: f.record.Message}
		}
		digits = ev.Fingerprint()
		return nil
	})
	return digits
}

// describe adds what an error of the taxonomy says of itself, secrets masked. The files that its
// reaction puts back are exact in the record, and what its texts say of them is not needed for
// that.
func (r *runner) describe(e *ErrorRecord, err error) {
	e.Code, e.Category = text.Beginning(taxonomy.CodeOf(err), maxName),
		text.Beginning(taxonomy.CategoryOf(err), maxName)
	coded, _ := taxonomy.First(err, nil)
	own, ok := coded.(taxonomy.Error)
	if !ok {
		return
	}
	e.Details = maskedDetails(own.AppendContext(nil))
	e.Wire = r.maskedWire(own.AppendJSON(nil))
}

// react decides what to do about a failure, and counts it.
func (r *runner) react(it *iteration, f *failure) {
	r.decideFor(it, f, nil)
	r.tell(f)
}

// follow decides what comes after a reaction whose strategy has failed.
func (r *runner) follow(it *iteration, f *failure) {
	counted := f.decision.counts
	r.decideFor(it, f, f.decision.reaction)
	f.decision.counts = f.decision.counts || counted
	r.taken(f)
}

// warnOfStrategies says of each strategy once that there is nobody to run it.
func (r *runner) warnOfStrategies(f *failure) {
	if r.cfg.Recoverer != nil || !f.known || f.op.class == classSide {
		return
	}
	reaction := r.cfg.Table.Reaction(f.err)
	for depth, next := range r.cfg.Table.Overlay.Chain(&reaction) {
		if depth > f.decision.depth {
			return
		}
		if name := next.Strategy; next.Action == taxonomy.Recover && !r.strategies[name] {
			if r.strategies == nil {
				r.strategies = map[string]bool{}
			}
			r.strategies[name] = true
			r.warn("there is nobody to run strategy "+name+
				", which a reaction asks for: the configuration has no Recoverer", nil)
		}
	}
}

// tell makes a failure known.
func (r *runner) tell(f *failure) {
	r.emit(Event{Kind: ErrorClassified, Err: f.err, Evidence: f.evidence, Op: f.op.name, Source: f.op.source,
		Text: f.record.Why})
	r.taken(f)
}

// taken tells which reaction is taken.
func (r *runner) taken(f *failure) {
	d := &f.decision
	e := Event{
		Kind: ReactionTaken, Err: f.err, Op: f.op.name, Source: f.op.source, Reaction: *d.reaction, Action: d.action,
		UsedUp:  d.usedUp,
		Attempt: d.attempt, MaxAttempts: d.most,
	}
	if d.wait > 0 {
		e.Until = r.cfg.Clock.Now().Add(d.wait)
	}
	r.emit(e)
}

// streak names the count that a failure belongs to: its operation and its code. What is no code of
// the taxonomy has one count for all, so that ever new ones are not tried for ever.
func (f *failure) streak() string {
	code := ""
	if f.known && taxonomy.Describe(f.err) != nil {
		code = f.record.Code
	}
	return f.op.name + " " + code
}

// trailKey names the count of a reaction that stands at the depth of a chain.
func trailKey(key string, depth int) string {
	if depth == 0 {
		return key
	}
	return fmt.Sprintf("%s %d", key, depth)
}

func (r *runner) trail(key string) (t trail) {
	for i := range t {
		t[i] = r.state.Streaks[trailKey(key, i)]
	}
	return t
}

func (r *runner) keepTrail(key string, t trail) {
	for i, s := range t {
		if s == (retry.State{}) {
			continue
		}
		if r.state.Streaks == nil {
			r.state.Streaks = map[string]retry.State{}
		}
		r.state.Streaks[trailKey(key, i)] = s
	}
}

// until returns when the wait that a failure asks for is over; zero when there is none.
func (r *runner) until(f *failure) time.Time {
	if f.decision.wait <= 0 {
		return time.Time{}
	}
	return r.cfg.Clock.Now().Add(f.decision.wait)
}
