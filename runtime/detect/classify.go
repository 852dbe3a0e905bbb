package detect

import (
	"context"
	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Classify returns the error of the taxonomy that raw is evidence of; [Of] says what raw can be.
// Nil stays nil, and so does a nil pointer. A cancelled context, and an error of the taxonomy
// already, are returned as they are, with all that is wrapped around them. Methods of raw that
// panic do no harm.
func (r *Rules) Classify(raw any, opts []Option) error {
	outcome, done := r.unclassified(raw)
	if outcome != Matched {
		return done
	}
	ev := Of(raw)
	var room taxonomy.Evidence
	rule, as := r.decide(&ev, &room, opts)
	return Traced(r.Make(rule, as), opts)
}

// ClassifyEvidence is [Rules.Classify] for evidence. It does not keep ev.
func (r *Rules) ClassifyEvidence(ev *taxonomy.Evidence, opts []Option) error {
	var room taxonomy.Evidence
	rule, as, err := r.Decide(ev, &room, opts)
	if as == nil {
		return err
	}
	return Traced(r.Make(rule, as), opts)
}

// Decide returns the index of the rule that the evidence is won by, or [NoRule], and the evidence
// to make the error of: ev itself, or room, made a copy of ev, where options or its text change
// something about it. When there is nothing to classify, as is nil and err is what to return: nil,
// a cancelled context, an error of the taxonomy already. Where the text is longer than [TextLimit]
// has it, room has a copy of its end, secrets masked, so that a secret that the cut splits does not
// show in what is made of it. Decide keeps neither ev nor room, and allocates only that copy, and
// what [Rules.Match] does.
func (r *Rules) Decide(ev, room *taxonomy.Evidence, opts []Option) (rule int, as *taxonomy.Evidence, err error) {
	if ev == nil {
		return NoRule, nil, nil
	}
	if ev.Err != nil && r.passes(ev.Err) != Matched {
		return NoRule, nil, ev.Err
	}
	rule, as = r.decide(ev, room, opts)
	return rule, as, nil
}

// decide is Decide for what is to be classified.
func (r *Rules) decide(ev, room *taxonomy.Evidence, opts []Option) (rule int, as *taxonomy.Evidence) {
	if len(opts) == 0 {
		if rule = r.certain(ev); rule != NoRule {
			return rule, ev
		}
	}
	var q query
	q.ask(ev, opts)
	rule = r.match(ev, &q)
	if q.changed(ev) {
		q.copyTo(room, ev)
		ev = room
	}
	if rule == NoRule && len(opts) > 0 {
		r.report(ev, opts)
	}
	return rule, ev
}

// report hands evidence that no rule matches to whoever collects it. It is a copy, so that the
// caller's evidence can stay on its stack, and without what is sensitive.
func (r *Rules) report(ev *taxonomy.Evidence, opts []Option) {
	if recorder := merged(opts).unmatched; recorder != nil {
		c := hide(*ev, r.Sensitive)
		try(func() { _ = recorder.Record(&c) })
	}
}

// unclassified returns what becomes of raw without classifying, and why; the outcome is Matched
// when raw is to be classified.
func (r *Rules) unclassified(raw any) (outcome Outcome, done error) {
	switch x := raw.(type) {
	case nil:
		return Nothing, nil
	case *taxonomy.Evidence:
		if x == nil {
			return Nothing, nil
		}
	case taxonomy.Evidence:
		if x.Err == nil {
			return Matched, nil
		}
		return r.passes(x.Err), x.Err
	}
	err, ok := raw.(error)
	if isNil(raw) && !(ok && speaks(err)) {
		return Nothing, nil
	}
	if !ok {
		return Matched, nil
	}
	return r.passes(err), err
}

// speaks reports whether an error has a text; the method of a nil pointer mostly panics.
func speaks(err error) bool {
	_, ok := ask(func() string { return err.Error() })
	return ok
}

// passes returns Cancelled or Passed for an error that is not to be classified, and else Matched.
func (r *Rules) passes(err error) Outcome {
	if errtree.Is(err, context.Canceled) {
		return Cancelled
	}
	if r.Taxonomy == nil {
		return Matched
	}
	if own, _ := ask(func() bool { return isOwn(err, r.Taxonomy) }); own {
		return Passed
	}
	return Matched
}

// isOwn reports whether err is or wraps an error of the taxonomy. A nil pointer to one has nothing
// to pass on.
func isOwn(err error, t *taxonomy.Taxonomy) bool {
	own, ok := taxonomy.First(err, t)
	return ok && !isNil(own)
}

// Traced returns err, with the stack of the call if a table given to [In] asks for stacks.
func Traced(err error, opts []Option) error {
	if len(opts) == 0 {
		return err
	}
	return withStack(err, opts)
}

func withStack(err error, opts []Option) error {
	if o := merged(opts); o.stack {
		return taxonomy.WithStack(err)
	}
	return err
}
