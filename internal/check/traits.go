package check

import (
	"slices"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

// retryableReaction finds codes and branches that are not retryable and yet would be retried, at
// once or after what comes first.
func retryableReaction(p *pass) {
	retry := newSearch(p.base, retries)
	for _, r := range p.base.rows {
		if r.traits.Retryable.V {
			continue
		}
		step := retry.from(r.reaction)
		at := r.ownSpan(r.reactionSpan(), r.traits.Retryable.Span)
		if step == nil || p.reported(at) {
			continue
		}
		f := p.report(at, "%s is not retryable, but %s", r.where(), retriedBy(r.reaction, step)).
			hint("say retryable: true, or choose another reaction")
		if s := r.reactionSpan(); s != at {
			f.related(s, "the reaction")
		}
		if s := r.traits.Retryable.Span; s != at {
			f.related(s, "retryable")
		}
	}
}

// retriedBy says how a row comes to be retried.
func retriedBy(chosen, step *spec.Reaction) string {
	what := "retries it"
	if step.Action.V == "retry_operation" {
		what = "retries the operation"
	}
	if chosen != step {
		return called(chosen) + " leads to " + called(step) + ", which " + what
	}
	return called(step) + " " + what
}

// recoverability finds the two pairs that contradict each other.
func recoverability(p *pass) {
	for _, r := range p.base.rows {
		at := r.ownSpan(r.traits.Recoverability.Span, r.traits.Retryable.Span)
		p.contradictory(r.where(), r.traits, at)
	}
	for _, v := range p.views[1:] {
		for _, o := range v.profile.Codes {
			if o.Traits.Retryable.Set && o.Traits.Recoverability.Set {
				p.contradictory(o.Key.V, o.Traits, o.Traits.Recoverability.Span)
			}
		}
	}
}

func (p *pass) contradictory(where string, t spec.Traits, at diag.Span) {
	retryable, recoverability := t.Retryable, t.Recoverability
	clash := retryable.V && recoverability.V == "permanent" || !retryable.V && recoverability.V == "retryable"
	if !clash || p.reported(at) {
		return
	}
	flag := "not retryable"
	if retryable.V {
		flag = "retryable"
	}
	f := p.report(at, "%s is %s, and its recoverability is %s", where, flag, recoverability.V)
	for _, s := range []diag.Span{recoverability.Span, retryable.Span} {
		if s != at {
			f.related(s, "said here")
		}
	}
}

// hintField finds reactions that wait for as long as an error says, on codes that cannot say it.
func hintField(p *pass) {
	honors := func(r *spec.Reaction) bool { return r.HonorRetryAfter.V && waits(r) }
	p.eachChosen(honors, func(r row, step *spec.Reaction, at diag.Span) {
		if !r.category.hasRole("retry_after", "reset_at") {
			p.report(at, "%s honors a retry-after hint, but %s has no field that holds one", called(step), r.Name.V).
				hint("give category %s a field with from: retry_after", r.category.Name.V).
				related(step.HonorRetryAfter.Span, "honored here")
		}
	})
}

// waits reports whether a reaction's action waits before it goes on.
func waits(r *spec.Reaction) bool {
	return slices.Contains(actionsOf["honor_retry_after"], r.Action.V)
}

// filesField finds reactions that revert the files of an error which names none.
func filesField(p *pass) {
	reverts := func(r *spec.Reaction) bool { return r.Revert.V == "files" }
	p.eachChosen(reverts, func(r row, step *spec.Reaction, at diag.Span) {
		if !r.category.hasRole("files") {
			p.report(at, "%s reverts the error's files, but %s has no field that holds them", called(step), r.Name.V).
				hint("give category %s a field with from: files, or revert: iteration", r.category.Name.V).
				related(step.Revert.Span, "reverted here")
		}
	})
}

// eachChosen visits the rows that lead to a reaction of a kind, in the table, and in profiles where
// it is they that choose the reaction for this code or its category.
func (p *pass) eachChosen(kind func(*spec.Reaction) bool, visit func(r row, step *spec.Reaction, at diag.Span)) {
	for _, v := range p.views {
		steps := newSearch(v, kind)
		for _, r := range v.rows {
			if v.profile != nil && (r.overlay == nil || r.overlay.Key.V == "*") {
				continue
			}
			step := steps.from(r.reaction)
			if step == nil {
				continue
			}
			at := r.ownSpan(r.reactionSpan())
			if r.overlay != nil {
				at = r.reactionSpan()
			}
			if !p.reported(at) {
				visit(r, step, at)
			}
		}
	}
}

// eachTraits visits traits wherever they may be written.
func (p *pass) eachTraits(visit func(t spec.Traits)) {
	for _, c := range p.t.Categories {
		visit(c.Traits)
	}
	for _, c := range p.codes {
		visit(c.Traits)
		for _, w := range c.When {
			visit(w.Traits)
		}
	}
	for _, profile := range p.t.Profiles {
		for _, o := range profile.Codes {
			visit(o.Traits)
		}
	}
}

func httpStatus(p *pass) {
	p.eachTraits(func(t spec.Traits) {
		if t.HTTP.Set && (t.HTTP.V < 100 || t.HTTP.V > 599) {
			p.report(t.HTTP.Span, "%d is no HTTP status: they go from 100 to 599", t.HTTP.V)
		}
	})
}

// retryableStops warns of codes that may succeed unchanged and are never given the chance.
func retryableStops(p *pass) {
	for _, r := range p.base.rows {
		if !r.traits.Retryable.V || r.reaction == nil {
			continue
		}
		if action := r.reaction.Action.V; action == "abort" || action == "block" {
			at := r.ownSpan(r.reactionSpan(), r.traits.Retryable.Span)
			if !p.reported(at) {
				p.report(at, "%s is retryable, but its reaction is %s", r.where(), action).
					hint("choose a reaction that retries, or say retryable: false")
			}
		}
	}
}
