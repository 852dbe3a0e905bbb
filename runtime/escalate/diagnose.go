package escalate

import (
	"context"
	"fmt"
	"slices"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/internal/text"
)

// diagnosed does what follows from an answer that says why a step failed.
func (j *job) diagnosed(ctx context.Context, a *Attempt, h *Heard) *ending {
	w := j.work
	d, err := parseDiagnosis(h.Text, j.mark(h.Number))
	if err == nil {
		err = j.mistaken(d)
	}
	if err != nil {
		ev := j.evidenceOf(Report{Details: h.Text}, j.ladder[h.Rung].tier, Diagnose, j.step.ID)
		ev.Type, ev.Text, ev.Err = typeNoReport, saidOf(err, ev.Text), err
		return j.fail(ctx, a, Diagnose, []found{j.find(ev, "")})
	}
	d = *maskedDiagnosis(&d)
	a.Diagnosis, w.Heard = &d, nil
	j.emit(Event{Kind: Diagnosed, Tier: a.Tier, Purpose: a.Purpose, Text: string(d.Verdict), Message: d.Cause})
	if d.Verdict == Simple {
		j.simple(a, d)
	} else {
		j.undiagnosed()
	}
	if e := j.save(ctx); e != nil {
		return e
	}
	return j.undo(ctx)
}

// mistaken returns what is wrong with the instructions that a diagnosis corrects, or nil: nobody
// could carry out a plan that had them from the beginning.
func (j *job) mistaken(d Diagnosis) error {
	if d.Verdict != Simple || d.Instructions == "" {
		return nil
	}
	p := j.correctedPlan()
	p.Steps = slices.Clone(p.Steps)
	i := slices.IndexFunc(p.Steps, func(s plan.Step) bool { return s.ID == j.step.ID })
	p.Steps[i].Instructions = d.Instructions
	for _, f := range plan.Check(p) {
		if f.Step == j.step.ID {
			return fmt.Errorf("the corrected instructions: %s: %s", f.Kind, f.Text)
		}
	}
	return nil
}

// simple has what was found out mended: by the tier that found out, or by the one that failed when
// that is to try again.
func (j *job) simple(a *Attempt, d Diagnosis) {
	w := j.work
	w.Diagnosis, w.DiagnosedBy = &d, a.Tier
	if d.Instructions != "" && d.Instructions != j.step.Instructions {
		w.Correction = &Correction{By: a.Tier, Old: text.Beginning(j.step.Instructions, maxInstructions),
			New: d.Instructions, Why: d.Cause}
		j.emit(Event{Kind: Corrected, Tier: a.Tier})
	}
	if w.Again {
		j.again(w.Wait)
		return
	}
	w.Role = Fix
}

// undiagnosed goes on where a tier has found out that it is no matter of the step, or has found out
// nothing: with the next tier above, or, where the one that failed was to try again, with what
// follows the reaction, above who was asked.
func (j *job) undiagnosed() {
	w := j.work
	if w.Again {
		j.apply(j.decided(w.Failed.Rung, w.Rung+1, w.Failed.Depth+1))
		return
	}
	j.apply(j.decided(w.Rung, 0, w.Failed.Depth))
}
