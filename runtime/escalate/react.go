package escalate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// fail reacts to what was wrong with a call, or with what it had to be made with; then a is nil.
func (j *job) fail(ctx context.Context, a *Attempt, role Role, all []found) *ending {
	w := j.work
	if a == nil {
		a = &Attempt{}
	}
	worst := j.note(a, all)
	w.Heard = nil
	if role == Diagnose {
		j.undiagnosed()
	} else {
		w.Failed = j.failedWith(worst, all, role)
		j.apply(j.decided(w.Rung, 0, 0))
	}
	// What does not count is known before it is put back: a process that dies meanwhile puts it
	// back, and never judges half of it.
	if e := j.save(ctx); e != nil {
		return e
	}
	return j.undo(ctx)
}

// note classifies in the record of a call what was wrong with it, and returns what decides.
func (j *job) note(a *Attempt, all []found) *found {
	worst := &all[heaviest(all)]
	j.describe(a, worst)
	a.Findings = findings(all)
	e := Event{
		Kind: Classified, Tier: a.Tier, Code: a.Code, FaultKind: a.Kind, Retryable: a.Retryable, Message: a.Message,
		Text: worst.why, Reaction: a.Reaction,
	}
	for i := range all {
		if f := &all[i]; f.refused != "" {
			a.Claimed, a.Refused = text.OneLine(f.claimed, maxWord), bounded(f.refused)
			j.emit(Event{Kind: Refused, Tier: a.Tier, Code: a.Claimed, Text: a.Refused})
		}
	}
	j.emit(e)
	return worst
}

// describe says in the record of a call what it failed with.
func (j *job) describe(a *Attempt, f *found) {
	a.Code, a.Category = codeAndCategory(f.err)
	a.Message = bounded(f.message())
	a.Retryable, a.Kind, a.Response = f.traits.Retryable, f.traits.Kind, responseTo(f.traits.Kind)
	if f.traits.Reaction != nil {
		a.Reaction = f.traits.Reaction.Name
	}
}

func (j *job) failedWith(f *found, all []found, role Role) *Failed {
	code, category := codeAndCategory(f.err)
	failed := &Failed{
		Rung: j.work.Rung, Role: role, Code: code, Category: category, Message: bounded(f.message()),
		Retryable: f.traits.Retryable, Kind: f.traits.Kind, Raw: text.BothEnds(rawOf(all), j.cfg.MaxEvidence),
		Findings: findings(all), Needed: neededOf(all),
		err: f.err, evidence: f.evidence,
	}
	if coded, ok := taxonomy.First(f.err, j.cfg.Calls.Table.Taxonomy); ok {
		failed.Row, failed.Known = coded.Row(), true
	}
	return failed
}

// failure returns the error of a failure, or what is kept of it.
func (f *Failed) failure() error {
	if f.err != nil {
		return f.err
	}
	return errors.New(cmp.Or(f.Message, f.Code))
}

func (f *Failed) fingerprint() string {
	return (&taxonomy.Evidence{Code: f.Code, Text: f.Message}).Fingerprint()
}

// reaction returns the reaction to a failure.
func (r *run) reaction(f *Failed) *taxonomy.Reaction {
	if f.Known {
		return r.cfg.Calls.Table.Row(f.Row).Reaction
	}
	reaction := r.cfg.Calls.Table.Reaction(errors.New("not of the taxonomy"))
	return &reaction
}

// decided decides what is done about the failure. Rung is who cannot go on, least the lowest rung
// that was not asked about it already, from the place in the chain of reactions to begin at.
func (j *job) decided(rung, least, from int) decision {
	w := j.work
	s := situation{
		reaction: j.reaction(w.Failed), profile: j.profile(), ladder: j.standings(), rung: rung, least: least,
		from: from,
		same: j.repeated(), repeats: j.cfg.Guards.Repeats, random: j.random(), strategies: j.cfg.Calls.Recoverer != nil,
	}
	if w.Failed.err != nil {
		s.hint = retry.HintOf(taxonomy.HintsOf(w.Failed.err), j.now())
	}
	for i := range s.trail {
		key := w.Failed.key(i)
		s.trail[i], s.runs[i] = w.Streaks[key], w.Runs[key]
	}
	d := decide(&s)
	for i, series := range d.trail {
		if series != (retry.State{}) {
			keep(&w.Streaks, w.Failed.key(i), series)
		}
	}
	if d.repeated {
		j.emit(Event{Kind: GuardReached, Tier: j.nameOf(rung), Text: "repeats"})
	}
	w.Failed.Depth = d.depth
	return d
}

func (f *Failed) key(depth int) string { return fmt.Sprintf("%s %d", f.Code, depth) }

// maxCodes bounds what is counted by code: an agent may give ever new ones.
const maxCodes = 200

func keep[T any](counts *map[string]T, key string, v T) {
	if *counts == nil {
		*counts = map[string]T{}
	}
	if _, known := (*counts)[key]; known || len(*counts) < maxCodes {
		(*counts)[key] = v
	}
}

// apply makes a decision what is to be done next.
func (j *job) apply(d decision) {
	w := j.work
	from := j.nameOf(w.Rung)
	w.Again, w.Strategy, w.Wait = false, false, 0
	w.Reduced = d.triesAgain() && d.reaction.Session == taxonomy.SessionReduced
	switch d.do {
	case doAgain:
		j.again(d.wait)
		j.emit(Event{Kind: Retried, Tier: j.tier(), Text: d.reaction.Name})
	case doDiagnose:
		j.noteDone()
		w.Again, w.Wait = true, d.wait
		j.ask(d)
		j.emit(Event{Kind: Retried, Tier: j.nameOf(w.Failed.Rung), From: from, Text: d.reaction.Name,
			Purpose: d.purpose})
	case doRecover:
		j.noteDone()
		keep(&w.Runs, w.Failed.key(d.depth), d.attempt)
		j.again(d.wait)
		w.Strategy = true
	case doHandOn:
		j.ask(d)
		j.emit(Event{Kind: Escalated, From: from, Tier: j.tier(), Purpose: d.purpose})
	case doAsk:
		w.Rung, w.End, w.Why = d.rung, d.end, "the ladder leads to "+j.nameOf(d.rung)
		j.emit(Event{Kind: Escalated, From: from, Tier: j.tier()})
	case doGoOn:
		w.Skipped = true
	case doBlock:
		w.End, w.Why = d.end, blockedWhy(d)
	default:
		w.End, w.Why = EndFailed, "reaction "+d.reaction.Name+" ends the run"
	}
}

func blockedWhy(d decision) string {
	if d.end == EndLadder {
		return "there is no higher tier to hand it to"
	}
	return "reaction " + d.reaction.Name + " stops here"
}

func (j *job) nameOf(rung int) string {
	if rung < 0 || rung >= len(j.ladder) {
		return ""
	}
	return j.ladder[rung].tier.Name
}

// again has the tier that failed do again what it failed at.
func (j *job) again(wait time.Duration) {
	w := j.work
	w.Role, w.Rung, w.Again, w.Wait = w.Failed.Role, w.Failed.Rung, false, 0
	if w.Until = (time.Time{}); wait > 0 {
		w.Until = j.later(wait)
	}
}

// ask has a tier find out what is wrong, or, when it is asked for nothing, mend it at once. What
// was found out before no longer holds.
func (j *job) ask(d decision) {
	w := j.work
	w.Rung, w.Purpose, w.Role = d.rung, d.purpose, Diagnose
	if d.purpose == taxonomy.PurposeNone {
		w.Role = Fix
	}
	w.Diagnosis, w.DiagnosedBy, w.Correction = nil, "", nil
}

// undo puts back what does not count. When that fails nothing may go on.
func (j *job) undo(ctx context.Context) *ending {
	ref, files, e := j.restore(ctx)
	if ref != "" {
		j.noteSaved(ref, files)
	}
	if e == nil {
		return j.save(ctx)
	}
	j.endStep(StepFailed, "")
	return e
}

func (j *job) noteSaved(ref string, files []string) {
	tier := ""
	if a := j.attempt(j.state.Number); a != nil {
		a.SavedRef, a.Files, tier = ref, maskedFiles(files), a.Tier
	}
	if j.work.Failed != nil {
		j.work.Failed.SavedRef = ref
	}
	j.emit(Event{Kind: PutBack, Tier: tier, Text: ref, Files: maskedFiles(files)})
}

// recover runs the strategy of the reaction to the failure.
func (j *job) recover(ctx context.Context) *ending {
	w := j.work
	w.Strategy = false
	reaction := *j.reactionAt(w.Failed.Depth)
	err := j.strategy(ctx, taxonomy.RecoveryRequest{
		Err: w.Failed.failure(), Reaction: reaction, Evidence: w.Failed.evidence,
		NoText:  !j.cfg.Calls.Table.SearchesText(),
		Attempt: max(1, w.Runs[w.Failed.key(w.Failed.Depth)]),
	})
	if ctx.Err() != nil {
		return nil
	}
	e := Event{Kind: Recovered, Tier: j.tier(), Text: reaction.Strategy}
	if err != nil {
		e.Message = err.Error()
	}
	j.emit(e)
	if err != nil {
		j.apply(j.decided(w.Failed.Rung, 0, w.Failed.Depth+1))
	} else {
		j.emit(Event{Kind: Retried, Tier: j.tier(), Text: reaction.Name})
	}
	return j.save(ctx)
}

// reactionAt returns the reaction at a place in the chain of the failure.
func (j *job) reactionAt(depth int) *taxonomy.Reaction {
	reaction := j.reaction(j.work.Failed)
	for range depth {
		reaction = follower(j.profile(), reaction)
	}
	return reaction
}

// strategy runs a strategy; its panic is its failure.
func (j *job) strategy(ctx context.Context, failed taxonomy.RecoveryRequest) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("strategy %s: panic: %v", failed.Reaction.Strategy, p)
		}
	}()
	return j.cfg.Calls.Recoverer.Recover(ctx, failed)
}
