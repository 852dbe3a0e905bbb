package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// lineWidth is how many columns a line has at most.
	lineWidth = 100
	// offsetWidth is the column of how long the run has taken.
	offsetWidth = 7
	// nameWidth is how many columns a step or a tier has at most.
	nameWidth = 12
	// gap is between columns.
	gap = "  "
)

// timeline writes the path that a run takes, a line for each event: how long it has taken, the
// step, the tier, what happened, the code.
type timeline struct {
	w io.Writer

	mu    sync.Mutex
	began time.Time
	// step, tier, what and code are how wide the columns are.
	step, tier, what, code int
	shown                  bool
}

func newTimeline(w io.Writer, p plan.Plan, table taxonomy.Table) *timeline {
	t := &timeline{w: w}
	for _, s := range p.Steps {
		t.step = max(t.step, len(s.ID))
	}
	for _, tier := range table.Taxonomy.Tiers {
		t.tier = max(t.tier, len(tier.Name))
	}
	for _, code := range table.Taxonomy.Codes() {
		t.code = max(t.code, len(code.Value))
	}
	t.step, t.tier = min(t.step, nameWidth), min(t.tier, nameWidth)
	t.what = lineWidth - offsetWidth - t.step - t.tier - t.code - 4*len(gap)
	return t
}

// Observe implements escalate.Observer.
func (t *timeline) Observe(e escalate.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.began.IsZero() {
		t.began = e.At
	}
	t.shown = true
	line := strings.Join([]string{
		fmt.Sprintf("%*.1fs", offsetWidth-1, max(0, e.At.Sub(t.began).Seconds())),
		padded(fitted(e.Step, t.step), t.step), padded(fitted(e.Tier, t.tier), t.tier), t.last(what(e), codeOf(e)),
	}, gap)
	fmt.Fprintln(t.w, strings.TrimRight(line, " "))
}

// last returns what happened with its code, which has a column of its own. Without one there is
// more room.
func (t *timeline) last(what, code string) string {
	if code == "" {
		return keeping(what, t.what+len(gap)+t.code)
	}
	return padded(keeping(what, t.what), t.what) + gap + fitted(code, t.code)
}

// codeOf returns the code that an event is about.
func codeOf(e escalate.Event) string {
	if e.Kind == escalate.Waiting {
		return cmp.Or(e.Code, e.Text)
	}
	return e.Code
}

// rest writes the path of a run that had ended before, so that nothing was told of it.
func (t *timeline) rest(r *escalate.Result) {
	for _, e := range r.Path {
		t.Observe(e)
	}
}
