package escalate

import "context"

// diagnosed does what follows from an answer that says why a step failed.
func (j *job) diagnosed(ctx context.Context, a *Attempt, h *Heard) *ending {
	w := j.work
	d, err := parseDiagnosis(h.Text, j.mark(h.Number))
	if err != nil {
		ev := j.evidenceOf(Report{Details: h.Text}, j.ladder[h.Rung].tier, Diagnose, j.step.ID)
		ev.Type, ev.Err = typeNoReport, err
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

// simple has what was found out mended: by the tier that found out, or by the one that failed when that is to try again.
func (j *job) simple(a *Attempt, d Diagnosis) {
	w := j.work
	w.Diagnosis, w.DiagnosedBy = &d, a.Tier
	if d.Instructions != "" && d.Instructions != j.step.Instructions {
		w.Correction = &Correction{By: a.Tier, Old: j.step.Instructions, New: d.Instructions, Why: d.Cause}
		j.emit(Event{Kind: Corrected, Tier: a.Tier})
	}
	if w.Again {
		j.again(w.Wait)
		return
	}
	w.Role = Fix
}

// undiagnosed goes on where a tier has found out that it is no matter of the step, or has found out nothing: with the next tier above, or, where
// the one that failed was to try again, with what follows the reaction.
func (j *job) undiagnosed() {
	w := j.work
	if w.Again {
		j.apply(j.decided(w.Failed.Rung, w.Failed.Depth+1))
		return
	}
	j.apply(j.decided(w.Rung, w.Failed.Depth))
}
