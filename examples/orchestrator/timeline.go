package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/plan"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// timeline prints the events of a plan, one line each: the time, the step, the tier, what happened
// and the code of a failure.
type timeline struct {
	mu    sync.Mutex
	out   io.Writer
	began time.Time
	tier  map[string]string // of the last call, by run
}

func newTimeline(out io.Writer, quiet bool) *timeline {
	if quiet {
		out = io.Discard
	}
	return &timeline{out: out, tier: map[string]string{}}
}

// observe implements plan.Config.Observe.
func (l *timeline) observe(step string, e executor.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.began.IsZero() {
		l.began = e.At
	}
	if e.Tier != "" {
		l.tier[e.Run] = e.Tier
	}
	what, code := describe(&e)
	if what == "" {
		return
	}
	width := 60
	if e.Kind == executor.Warned { // it can end with a command
		width = 2000
	}
	line := fmt.Sprintf("%6.1fs  %-5s %-7s %-60s %s", e.At.Sub(l.began).Seconds(), step, l.tier[e.Run],
		oneLine(what, width), code)
	fmt.Fprintln(l.out, strings.TrimRight(line, " "))
}

// describe returns the text of an event and the code of its failure. Events without a text are not
// printed.
func describe(e *executor.Event) (what, code string) {
	review := strings.Contains(e.Run, ".review") || strings.Contains(e.Run, ".plan.")
	switch e.Kind {
	case executor.RunStarted:
		return map[bool]string{false: "begins", true: ""}[review], ""
	case executor.CallStarted:
		return map[bool]string{false: "is called", true: "reviews"}[review], ""
	case executor.ReactionTaken:
		return fmt.Sprintf("%s: %v", e.Reaction.Name, e.Err), taxonomy.CodeOf(e.Err)
	case executor.Waiting:
		return "waits " + max(0, e.Until.Sub(e.At)).Round(time.Millisecond).String(), ""
	case executor.Reverted:
		return "work is reverted: " + strings.Join(e.Files, " "), ""
	case executor.Validated:
		if e.Err == nil {
			return map[string]string{"validate_pre_commit": "prerequisites, gate and criteria hold",
				"validate_review": "the review finds nothing"}[e.Op], ""
		}
	case executor.Committed:
		return "committed " + strings.Join(e.Files, " "), ""
	case executor.Warned:
		return "warning: " + e.Text, ""
	case executor.Escalated:
		return "takes over", ""
	case executor.RunEnded:
		return map[bool]string{false: string(e.Result.Status), true: ""}[review], ""
	}
	return "", ""
}

// oneLine returns the beginning of a text on one line that cannot command a terminal.
func oneLine(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.TrimSpace(s))
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return s
}

// printResult prints the steps, the corrected instructions, and the question.
func printResult(out io.Writer, p *plan.Plan, res *plan.Result, again string) {
	marks := map[string]string{
		"completed": "[x]", "open": "[ ]", "blocked": "[!]", "failed": "[†]", "cancelled": "[-]",
	}
	fmt.Fprintln(out)
	for i, s := range res.Steps {
		fmt.Fprintf(out, "%s %s %s\n", marks[s.Status], s.ID, oneLine(p.Steps[i].Title, 100))
		if s.Tier != "" {
			fmt.Fprintf(out, "      done by %s\n", s.Tier)
		}
		if s.Instructions != "" {
			fmt.Fprintf(out, "      corrected: %s\n", oneLine(s.Instructions, 200))
		}
		for _, c := range s.Commits {
			fmt.Fprintf(out, "      committed %s\n", oneLine(strings.Join(c.Paths, " "), 200))
		}
	}
	if res.Branch != "" {
		fmt.Fprintf(out, "\nThe commits are on the branch %s.\n", res.Branch)
	}
	for _, w := range res.Warnings {
		fmt.Fprintf(out, "\nwarning: %s\n", oneLine(w, 200))
	}
	q := res.Question
	if q == nil {
		return
	}
	fmt.Fprintf(out, "\nStep %s needs a person (%s): %s\n", q.Step, q.Reason, oneLine(q.Asks, 200))
	if len(q.Tried) > 0 {
		fmt.Fprintln(out, "\nTried so far:")
	}
	for i, t := range q.Tried {
		fmt.Fprintf(out, "  %s: %s: %s\n", t.Tier, t.Code, oneLine(t.Message, 100))
		if i < len(q.Tried)-1 {
			continue
		}
		words, _, _ := strings.Cut(t.Report, "\n```json")
		for line := range strings.Lines(words) {
			fmt.Fprintf(out, "    | %s\n", oneLine(line, 200))
		}
	}
	if again != "" {
		fmt.Fprintf(out, "\nAnswer:\n  %s -step %s -answer 'TEXT'\n", again, q.Step)
	}
}
