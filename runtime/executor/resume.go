package executor

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// resume takes over what an earlier process has left of the run: it is gone on with where it was,
// refused, or over already.
func (r *runner) resume(ctx context.Context) {
	p := r.past
	if p.begun == nil && p.ended == nil {
		return
	}
	r.result.Resumed = true
	if p.begun != nil && r.refuseIfChanged(ctx) {
		return
	}
	if p.ended != nil {
		r.stored()
		return
	}
	r.restore()
	if p.state.End == "" && p.open == nil && p.closed >= r.cfg.Limits.Iterations {
		r.endBeforeRefusal(ctx)
		r.refuse("max_iterations", strconv.Itoa(r.cfg.Limits.Iterations),
			fmt.Sprintf("more than the %d that are done", p.closed))
	}
}

// refuseIfChanged refuses a run that is not the one that was begun.
func (r *runner) refuseIfChanged(ctx context.Context) bool {
	b, now := r.past.begun, r.begun()
	if b.Version != journalVersion {
		r.refuse("version", strconv.Itoa(b.Version), strconv.Itoa(journalVersion))
		return true
	}
	if b.Task != now.Task || b.Prompt != now.Prompt || b.Dir != now.Dir {
		r.endBeforeRefusal(ctx)
	}
	switch {
	case b.Task != now.Task:
		r.refuse("task", now.Task, strconv.Quote(text.Beginning(b.Task, 256))+
			", with which the run of this name was begun")
	case b.Prompt != now.Prompt:
		r.refuse("task", "another prompt", "the prompt with which the run of this name was begun")
	case b.Dir != now.Dir:
		r.refuse("dir", now.Dir, b.Dir)
	case r.past.ended != nil:
		return false
	default:
		if b.Taxonomy != now.Taxonomy {
			r.warn("the taxonomy is not the one that the run was begun with", nil)
		}
		if b.Config != now.Config {
			r.warn("the configuration is not the one that the run was begun with", nil)
		}
		return false
	}
	return true
}

// endBeforeRefusal ends what the run has left running, if somebody can: who is refused does not
// come to where that is done otherwise.
func (r *runner) endBeforeRefusal(ctx context.Context) {
	if r.past.process == nil {
		return
	}
	ending, release := withGrace(ctx, r.cfg.Limits.Grace)
	defer release()
	if err := contained(
		setupOp(opResume, sourceExecutor), func() error { return r.endProcess(ending, *r.past.process) }); err != nil {
		r.warn("end what was left running", err)
	}
}

// restore takes over what is known of the run.
func (r *runner) restore() {
	p := r.past
	tier := r.state.Tier
	r.state = p.state
	if p.closed == 0 {
		r.state.Tier = tier
	}
	if !r.ladder.has(r.state.Tier) {
		r.warn("the tier "+strconv.Itoa(r.state.Tier)+" that the run was on has no provider now", nil)
		r.state.Tier = tier
	}
	r.state.NotBefore = p.notBefore(r.cfg.Clock.Now())
	r.number = p.closed
	for _, c := range p.approved {
		r.approved[c.Path] = true
	}
	if rec := r.state.LastError; rec != nil {
		r.lastErr = r.decoded(*rec)
	}
	r.spent = p.spent
	r.result.bear(r.spent)
	r.result.Iterations, r.result.Text = p.closed, p.text
	r.result.UncheckedFiles, r.result.PullRequest = r.state.Unchecked, p.pr
	r.result.SavedRefs = bounded(p.refs)
	if p.state.End == EndBlockedSignal {
		r.result.Question = p.question
	}
	for _, c := range p.commits {
		r.noteCommit(c)
	}
	for _, w := range p.waits {
		r.countWait(w)
	}
	r.noteErrors(p.errors)
}

// notBefore returns when the next iteration may begin. If the clock was ahead when that was written
// down, it is as far from now as it was from then: what was meant is a time to wait.
func (p *past) notBefore(now time.Time) time.Time {
	at := p.state.NotBefore
	if at.IsZero() || !now.Before(p.closedAt) {
		return at
	}
	return now.Add(at.Sub(p.closedAt))
}

// stored returns what a run came to that has ended already.
func (r *runner) stored() {
	*r.result, r.known = *r.past.ended, true
	r.result.Resumed = true
	r.result.UnknownTokens = max(r.result.UnknownTokens, r.past.spent.UnknownTokens)
	r.result.UnknownCost = max(r.result.UnknownCost, r.past.spent.UnknownCost)
	r.result.Err = nil
	if rec := r.past.state.LastError; rec != nil && r.result.Error == rec.Message {
		r.result.Err = r.decoded(*rec)
	}
}

// mend makes the tree fit for going on: nothing of the old process may run beside it.
func (r *runner) mend(ctx context.Context) {
	if r.past.begun == nil {
		return
	}
	mending, release := withGrace(ctx, r.cfg.Limits.Grace)
	defer release()
	op := setupOp(opResume, sourceExecutor)
	if p := r.past.process; p != nil && !r.prepared(ctx, op, func() error { return r.endProcess(mending, *p) }) {
		return
	}
	if r.cfg.Workspace != nil {
		r.prepared(ctx, op, func() error {
			return r.cfg.Workspace.Resume(mending, r.task.Run, r.state.Checked)
		})
	}
}

// endProcess ends what a call or a check has left running.
func (r *runner) endProcess(ctx context.Context, p Process) error {
	ender, field := r.ender()
	if ender == nil {
		return &taxonomy.Evidence{
			Source: sourceExecutor, Op: opResume, Type: typeRefused,
			Text: "no " + field + " can end the process that was left running",
			Attributes: map[string]string{"field": field, "value": "none",
				"expected": "the one that began process " + strconv.Itoa(p.PID)},
		}
	}
	return ender.End(ctx, p)
}

// ender returns who can end what was left running, or nil, and who has begun it. A provider can end
// a check's process, too.
func (r *runner) ender() (who Ender, field string) {
	field = "provider"
	if r.past.check {
		field = "validator"
		if v, ok := r.cfg.Validator.(Ender); ok {
			return v, field
		}
	}
	if r.ladder.has(r.past.tier) {
		who, _ = r.ladder[r.past.tier].provider.(Ender)
	}
	return who, field
}

// begun is what the run begins with now.
func (r *runner) begun() *Begun {
	return &Begun{
		Version: journalVersion, Run: r.task.Run, Task: r.task.ID, Dir: r.dir(), Checked: r.state.Checked,
		Taxonomy: fingerprintOf(r.cfg.Table), Config: r.cfg.fingerprint(), Prompt: fingerprint(r.task.Prompt),
	}
}

// fingerprint returns the SHA-256 of parts, kept apart, as hexadecimal digits.
func fingerprint(parts ...string) string {
	b, err := json.Marshal(parts)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// fingerprint tells configurations apart that let a run go on differently.
func (c *Config) fingerprint() string {
	return fingerprint(fmt.Sprintf("%+v %d %t %t %+v", c.Limits, c.Deliver, c.Continue, c.ApproveUnattended, c.Markers))
}

// fingerprintOf tells taxonomies apart whose reactions differ.
func fingerprintOf(t taxonomy.Table) string {
	parts := []string{t.Taxonomy.Package, t.Taxonomy.Domain}
	if t.Overlay != nil {
		parts = append(parts, t.Overlay.Name)
	}
	for row := range t.Taxonomy.Rows() {
		traits := t.Row(row)
		parts = append(parts, strconv.Itoa(int(row)), strconv.FormatBool(traits.Retryable))
		parts = append(parts, reactionText(t.Overlay, traits.Reaction))
	}
	for _, code := range t.Taxonomy.Codes() {
		parts = append(parts, code.Value)
	}
	return fingerprint(parts...)
}

// reactionText returns a reaction and what follows it as a text.
func reactionText(p *taxonomy.Profile, r *taxonomy.Reaction) string {
	text := ""
	for _, r := range p.Chain(r) {
		plain := *r
		plain.Policy, plain.Then = nil, nil
		text += fmt.Sprintf("%+v", plain)
		if r.Policy != nil {
			text += policyText(r.Policy)
		}
	}
	return text
}

// policyText returns a policy as a text, with what it points to.
func policyText(p *taxonomy.Policy) string {
	plain := *p
	plain.Adapt, plain.Budget = nil, nil
	text := fmt.Sprintf("%+v", plain)
	if p.Adapt != nil {
		text += fmt.Sprintf("%+v", *p.Adapt)
	}
	if p.Budget == nil {
		return text
	}
	budget := *p.Budget
	budget.Breaker = nil
	text += fmt.Sprintf("%+v", budget)
	if p.Budget.Breaker != nil {
		text += fmt.Sprintf("%+v", *p.Budget.Breaker)
	}
	return text
}

func (r *runner) dir() (dir string) {
	if r.cfg.Workspace == nil {
		return ""
	}
	_ = contained(operation{}, func() error {
		dir = r.cfg.Workspace.Dir()
		return nil
	})
	return dir
}

func (r *runner) title() string { return cmp.Or(r.task.Title, r.task.ID) }
