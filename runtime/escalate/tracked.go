package escalate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Tracked is a [Verifier] whose checks are processes. They can outlive this process. With a
// Journal, those are ended by its End before a run that died is gone on with.
type Tracked interface {
	Verifier
	executor.Ender
	// Tracking returns a verifier that does the same, and calls started with each process as soon
	// as there is one, possibly from several goroutines at once. When started returns an error the
	// process is ended, and its check fails with that error.
	Tracking(started func(executor.Process) error) Verifier
}

// Check is a process that checks.
type Check struct {
	executor.Process
	// By is who has begun it, and can end it.
	By Checker `json:"by"`
}

// Checker is a part of a [Config] whose checks can be processes.
type Checker string

// The checkers.
const (
	ByVerifier     Checker = "verifier"
	ByReviewer     Checker = "reviewer"
	ByPlanReviewer Checker = "plan_reviewer"
)

// maxChecks is how many processes of checks are kept: the last ones. Those of one check mostly run
// one after the other.
const maxChecks = 64

// checker returns a part of the configuration.
func (c *Config) checker(by Checker) any {
	switch by {
	case ByVerifier:
		return c.Verifier
	case ByReviewer:
		return c.Reviewer
	case ByPlanReviewer:
		return c.PlanReviewer
	}
	return nil
}

// verifying runs checks of the verifier, with its processes written down.
func (r *run) verifying(ctx context.Context, check func(Verifier) []*taxonomy.Evidence) []*taxonomy.Evidence {
	v, ok := r.cfg.Verifier.(Tracked)
	if !ok {
		return check(r.cfg.Verifier)
	}
	started, over := r.tracking(ctx, ByVerifier)
	if started == nil {
		return check(v)
	}
	defer over()
	return check(v.Tracking(started))
}

// tracking returns what writes down the processes of a check until that is over; nil when nobody
// could end them later.
func (r *run) tracking(ctx context.Context, by Checker) (started func(executor.Process) error, over func()) {
	if _, ok := r.cfg.checker(by).(executor.Ender); !ok || r.cfg.Journal == nil {
		return nil, func() {}
	}
	t := &tracker{ctx: context.WithoutCancel(ctx), run: r, by: by}
	return t.started, t.end
}

// tracker writes down which processes a check has begun, as long as that is not over.
type tracker struct {
	ctx context.Context
	run *run
	by  Checker

	mu   sync.Mutex
	over bool
	lost error
}

var errCheckOver = errors.New("the check is over")

// started keeps a process. Where that cannot be written, as on a full disk, the process runs all
// the same.
func (t *tracker) started(p executor.Process) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return errCheckOver
	}
	r := t.run
	r.state.Checks = append(r.state.Checks[max(0, len(r.state.Checks)-maxChecks+1):], Check{p, t.by})
	err := shielded(sourceEscalate, r.opOfJournal(), func() error { return r.cfg.Journal.Save(t.ctx, r.state) })
	if err != nil {
		t.lost = err
	}
	return nil
}

// end forgets the processes. That they are gone need not be written: ending them again does
// nothing.
func (t *tracker) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	t.run.state.Checks = nil
	if t.lost != nil {
		t.run.warn("write down which processes check", t.lost)
	}
}

// endChecks ends what a process that died has left running of its checks: nothing of it may run
// beside what comes next.
func (r *run) endChecks(ctx context.Context, kept *State) error {
	if kept == nil || len(kept.Checks) == 0 {
		return nil
	}
	graced, release := withGrace(ctx)
	defer release()
	var failed []error
	for _, c := range kept.Checks {
		if err := r.endCheck(graced, c); err != nil {
			failed = append(failed, err)
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("end the checks that were left running: %w", errors.Join(failed...))
	}
	kept.Checks = nil
	return nil
}

func (r *run) endCheck(ctx context.Context, c Check) error {
	ender, ok := r.cfg.checker(c.By).(executor.Ender)
	if !ok {
		return &taxonomy.Evidence{
			Source: sourceEscalate, Op: opResume, Type: "refused",
			Text: fmt.Sprintf("no %s can end process %d, which it has left running",
				text.Beginning(string(c.By), maxWord), c.PID),
			Attributes: map[string]string{
				"field": text.Beginning(string(c.By), maxWord), "value": "none",
				"expected": "the one that began process " + strconv.Itoa(c.PID),
			},
		}
	}
	return shielded(sourceEscalate, opResume, func() error { return ender.End(ctx, c.Process) })
}
