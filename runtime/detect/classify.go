package detect

import (
	"context"
	"time"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Option changes how one failure is classified. The zero Option changes nothing.
type Option struct {
	noText    bool
	stack     bool
	source    string
	op        string
	unmatched Recorder
	attach    []taxonomy.Attribute
}

// Recorder receives evidence that no rule matches. [Record] is one. Record must not keep or change
// ev.
type Recorder interface {
	Record(ev *taxonomy.Evidence) error
}

// DefaultTextLimit is the number of bytes at the end of a text that are searched and kept. Rules
// search the original text. The kept end of a longer text has its secrets masked.
const DefaultTextLimit = 16 << 10

// WithTable classifies by the profile of the table. A profile can disable rules on text, and with
// them the status and the wait that are read in a text, and can enable stacks.
func WithTable(table taxonomy.Table) Option {
	if table.Overlay == nil {
		return Option{}
	}
	return Option{noText: !table.SearchesText(), stack: table.Overlay.Reporting.Stack}
}

// WithSource sets the source of evidence that has none. Generated packages have a constant for each
// source that the taxonomy declares.
func WithSource(source taxonomy.Declared[taxonomy.SourceName]) Option {
	return Option{source: source.String()}
}

// WithOp sets the failed operation of evidence that has none.
func WithOp(op taxonomy.Declared[taxonomy.OpName]) Option { return Option{op: op.String()} }

// OnUnmatched records evidence that no rule matches, so that rules can be written for it. The
// recorder receives a copy without the values of sensitive fields. An error of the recorder is
// ignored: recording never changes a classification.
func OnUnmatched(r Recorder) Option { return Option{unmatched: r} }

// WithAttributes sets the attributes of the context (see [taxonomy.ContextWith]) in the result,
// also if the error is one of the taxonomy already.
func WithAttributes(ctx context.Context) Option {
	return Option{attach: taxonomy.ContextAttributes(ctx)}
}

// merge returns all options as one. A later option wins.
func merge(opts []Option) Option {
	var o Option
	for i := range opts {
		more := &opts[i]
		o.noText = o.noText || more.noText
		o.stack = o.stack || more.stack
		if more.source != "" {
			o.source = more.source
		}
		if more.op != "" {
			o.op = more.op
		}
		if more.unmatched != nil {
			o.unmatched = more.unmatched
		}
		o.attach = append(o.attach, more.attach...)
	}
	return o
}

// fill sets the source and the operation of the options if ev has none. If the profile disables
// rules on text, fill removes a wait that was read in the text. It never changes ev: it returns ev
// if nothing changes, or else room as a changed copy.
func (o *Option) fill(ev, room *taxonomy.Evidence) *taxonomy.Evidence {
	if ev.Source == "" && o.source != "" {
		ev = copyTo(ev, room)
		ev.Source = o.source
	}
	if ev.Op == "" && o.op != "" {
		ev = copyTo(ev, room)
		ev.Op = o.op
	}
	if o.noText && ev.RetryAfterDerived {
		ev = copyTo(ev, room)
		ev.RetryAfter, ev.RetryAfterDerived = taxonomy.Opt[time.Duration]{}, false
	}
	return ev
}

// copyTo copies ev to room and returns room. If ev is room, it only returns room.
func copyTo(ev, room *taxonomy.Evidence) *taxonomy.Evidence {
	if ev != room {
		*room = *ev
	}
	return room
}

// Classify returns the error of the taxonomy for raw, whose evidence [Of] collects. If only the
// text contains a wait ("retry after 30"), the wait becomes RetryAfter, unless raw is evidence.
// Classify returns nil for nil, for a nil pointer, and for the zero Evidence that [Of] returns for
// them. It returns a cancelled context, and an error of the taxonomy, unchanged, also if they are
// wrapped.
func (r *Rules) Classify(raw any, opts []Option) error {
	outcome, done := r.unclassified(raw)
	o := merge(opts)
	if outcome != Matched {
		return taxonomy.Attach(done, o.attach...)
	}
	ev := o.evidence(raw)
	var room taxonomy.Evidence
	rule, as := r.decide(&ev, &room, &o)
	return r.makeError(rule, as, &o)
}

// Decide returns the index of the rule that wins for the evidence, or [NoRule], and the evidence to
// make the error from: ev itself, or room as a copy of ev if options or the text change it. If
// there is nothing to classify, as is nil and err is the result: nil, also for the zero Evidence, a
// cancelled context, or an error of the taxonomy. If the text is longer than [DefaultTextLimit],
// room has a copy of its end with secrets masked, so that a secret that the cut splits is not
// visible. Decide keeps neither ev nor room. It allocates only that copy and as much as
// [Rules.Match].
func (r *Rules) Decide(ev, room *taxonomy.Evidence, opts []Option) (rule int, as *taxonomy.Evidence, err error) {
	if ev.IsZero() {
		return NoRule, nil, nil
	}
	if ev.Err != nil && r.outcomeOf(ev.Err) != Matched {
		return NoRule, nil, taxonomy.Attach(ev.Err, merge(opts).attach...)
	}
	if len(opts) == 0 && ev.Text == "" {
		if rule = r.match(ev, ""); rule != NoRule {
			ev = r.Rules[rule].observe(ev, room)
		}
		return rule, ev, nil
	}
	o := merge(opts)
	rule, as = r.decide(ev, room, &o)
	return rule, as, nil
}

// decide is Decide for evidence that is to be classified.
func (r *Rules) decide(ev, room *taxonomy.Evidence, o *Option) (rule int, as *taxonomy.Evidence) {
	as, text := r.prepare(ev, room, o)
	if rule = r.match(as, text); rule != NoRule {
		as = r.Rules[rule].Like.extract(as, room, text)
		as = r.Rules[rule].observe(as, room)
	}
	as = cut(as, room)
	if rule == NoRule && o.unmatched != nil {
		c := hide(*as, r.Sensitive)
		try(func() { _ = o.unmatched.Record(&c) })
	}
	return rule, as
}

// cut returns ev, or room as a copy with the end of the text, secrets masked, if the text is too
// long.
func cut(ev, room *taxonomy.Evidence) *taxonomy.Evidence {
	if len(ev.Text) <= DefaultTextLimit {
		return ev
	}
	room = copyTo(ev, room)
	room.Text = CutMasked(room.Text, DefaultTextLimit)
	return room
}

// evidence returns the evidence of raw. If raw is not evidence itself, it includes the wait that
// the text contains.
func (o *Option) evidence(raw any) taxonomy.Evidence {
	var ev taxonomy.Evidence
	complete := false
	switch x := raw.(type) {
	case taxonomy.Evidence, *taxonomy.Evidence:
		return Of(raw)
	case error:
		ev, complete = ofError(x)
	default:
		ev = Of(raw)
	}
	if !complete && !o.noText {
		SetWait(&ev)
	}
	return ev
}

// unclassified returns the result for a raw value that is not to be classified, and the reason. If
// raw is to be classified, the outcome is Matched.
func (r *Rules) unclassified(raw any) (outcome Outcome, done error) {
	switch x := raw.(type) {
	case nil:
		return NoError, nil
	case *taxonomy.Evidence:
		if x == nil {
			return NoError, nil
		}
	case taxonomy.Evidence:
		switch {
		case x.IsZero():
			return NoError, nil
		case x.Err == nil:
			return Matched, nil
		}
		return r.outcomeOf(x.Err), x.Err
	}
	err, ok := raw.(error)
	if isNil(raw) {
		if !ok {
			return NoError, nil
		}
		if _, ok := textOf(err, err.Error); !ok { // the method of a nil pointer usually panics
			return NoError, nil
		}
	}
	if !ok {
		return Matched, nil
	}
	return r.outcomeOf(err), err
}

// outcomeOf returns Cancelled or AlreadyTyped for an error that is not to be classified, and
// Matched for any other error.
func (r *Rules) outcomeOf(err error) (outcome Outcome) {
	if errtree.Is(err, context.Canceled) {
		return Cancelled
	}
	outcome = Matched
	if r.Taxonomy != nil {
		try(func() {
			if own, ok := taxonomy.First(err, r.Taxonomy); ok && !isNil(own) {
				outcome = AlreadyTyped
			}
		})
	}
	return outcome
}

// makeError returns the error of a rule with the attributes of the options. It records the stack if
// the taxonomy or a table given to [WithTable] requires it.
func (r *Rules) makeError(rule int, ev *taxonomy.Evidence, o *Option) error {
	e := r.Make(rule, ev)
	_, unknown := e.(*taxonomy.Unknown)
	return o.finish(e, r.stacks(rule) && (!unknown || r.Taxonomy.Stack == taxonomy.StackAlways))
}

// stacks reports whether the taxonomy requires the stack of the errors of a rule.
func (r *Rules) stacks(rule int) bool {
	if r.Taxonomy == nil {
		return false
	}
	stack := r.Taxonomy.Stack
	return stack == taxonomy.StackAlways || stack == taxonomy.StackFallback && rule == NoRule
}

// finish returns err with the attributes of the options. If stack or the options require it, finish
// also records the stack of the call.
func (o *Option) finish(err error, stack bool) error {
	err = taxonomy.Attach(err, o.attach...)
	if stack || o.stack {
		return taxonomy.WithStack(err)
	}
	return err
}

// uncategorized returns the error for evidence that no rule of a taxonomy without a fallback
// matches. It has no code, the message of the evidence, and is not to be retried. It does not keep
// ev.
func uncategorized(t *taxonomy.Taxonomy, ev *taxonomy.Evidence) taxonomy.Error {
	return taxonomy.NewUnknown(t, taxonomy.Wire{Domain: t.Domain, Message: ev.Error(), Cause: ev.Err})
}
