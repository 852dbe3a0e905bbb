package scripted

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/proc"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// DefaultName is the source that evidence names.
const DefaultName = "scripted"

// grace is how long a command of a script has to end when its call is over.
const grace = 2 * time.Second

// Options say what a provider cannot know from its script.
type Options struct {
	// Asked returns the step that a call is for, and the role. A reply that names one is never
	// given without it.
	Asked func() (step string, role escalate.Role)
	// Credential names the one whose waits others share; empty is none of its own.
	Credential string
}

// Provider plays a script. It is safe for concurrent use.
type Provider struct {
	options Options

	mu      sync.Mutex
	replies []reply
	given   []int
}

// Name returns the source that evidence names.
func (p *Provider) Name() string { return DefaultName }

// Credential returns [Options.Credential]: tiers that play scripts of their own do not wait for one
// another.
func (p *Provider) Credential() string { return p.options.Credential }

// Available returns nil: a script is always there.
func (p *Provider) Available(context.Context) error { return nil }

// End ends what a command of an earlier run has left behind.
func (p *Provider) End(ctx context.Context, process executor.Process) error {
	return proc.End(ctx, proc.ID{PID: process.PID, Start: process.Start}, grace)
}

// Call gives the next reply that is for the call. A script without one fails the call.
func (p *Provider) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	r, ok := p.next(req.Prompt)
	if !ok {
		return executor.Answer{}, p.silent()
	}
	answer := executor.Answer{Usage: r.Usage.known()}
	failed, err := p.do(ctx, req, r.Do)
	if err != nil {
		return answer, err
	}
	if r.Fail != nil {
		return answer, p.fail(ctx, r.Fail)
	}
	answer.Text = r.text(failed, escalate.Mark(req.Prompt))
	return answer, nil
}

// next returns the first reply that is for the call and is left.
func (p *Provider) next(prompt string) (reply, bool) {
	step, role := p.asked()
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, r := range p.replies {
		if p.given[i] < max(r.Times, 1) && r.fits(step, role, prompt) {
			p.given[i]++
			return r, true
		}
	}
	return reply{}, false
}

func (p *Provider) asked() (string, escalate.Role) {
	if p.options.Asked == nil {
		return "", ""
	}
	return p.options.Asked()
}

func (r *reply) fits(step string, role escalate.Role, prompt string) bool {
	return (r.Step == "" || r.Step == step) && (r.Role == "" || r.Role == role) && strings.Contains(prompt, r.Told)
}

// silent is evidence that the script has nothing to say.
func (p *Provider) silent() error {
	step, role := p.asked()
	return &taxonomy.Evidence{
		Source: p.Name(), Op: "call", Type: "not_found",
		Text: fmt.Sprintf("the script has no reply left for step %q and role %q", step, role),
	}
}

// text is what is answered, failed is what could not be done.
func (r *reply) text(failed error, mark string) string {
	if failed == nil {
		return strings.ReplaceAll(r.Say, "{mark}", mark)
	}
	said := cmp.Or(r.Failed, "{error}")
	return strings.NewReplacer("{mark}", mark, "{error}", failed.Error()).Replace(said)
}

func (u usage) known() executor.Usage {
	var known executor.Usage
	if u.Input > 0 {
		known.InputTokens = taxonomy.Some(u.Input)
	}
	if u.Output > 0 {
		known.OutputTokens = taxonomy.Some(u.Output)
	}
	if u.Cost > 0 {
		known.CostUSD = taxonomy.Some(u.Cost)
	}
	return known
}
