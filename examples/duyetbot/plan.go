package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// describe prints the settings of the table's profile.
func describe(b *strings.Builder, table taxonomy.Table) {
	p := table.Overlay
	d := p.Detection
	fmt.Fprintf(b, "  %-10s %s\n", "profile", p.Name)
	fmt.Fprintf(b, "  %-10s patterns %s, severity %s, recoverability %s\n", "detection", onOff(d.Text),
		onOff(d.Severity), onOff(d.Recoverability))
	fmt.Fprintf(b, "  %-10s %s\n", "recovery", recoveries(table))
	describeRetries(b, table)
	fmt.Fprintf(b, "  %-10s log %s, stack %s, context %s\n", "reporting", p.Reporting.LogLevel,
		onOff(p.Reporting.Stack), onOff(p.Reporting.Context))
}

// recoveries lists the strategies, and how often they run for one failure. A strategy that runs
// less often than the others has its number in brackets.
func recoveries(table taxonomy.Table) string {
	r := table.Overlay.Recovery
	if !r.Enabled {
		return onOff(false)
	}
	names := r.Allowed
	if names == nil {
		for _, s := range table.Taxonomy.Strategies {
			names = append(names, s.Name)
		}
	}
	tries, most := triesOf(table), 0
	for _, name := range names {
		most = max(most, tries[name])
	}
	var shown []string
	for _, name := range names {
		if tries[name] < most {
			name += " (" + times(tries[name]) + ")"
		}
		if !slices.Contains(shown, name) {
			shown = append(shown, name)
		}
	}
	if most == 0 {
		return "on, but no strategy"
	}
	return fmt.Sprintf("on, at most %s: %s", times(most), strings.Join(shown, ", "))
}

// triesOf returns the limit of runs for one failure of each strategy, by the profile and the
// policies of reactions.
func triesOf(table taxonomy.Table) map[string]int {
	all := map[string]int{}
	profile := table.Overlay.Recovery
	if !profile.Runs() {
		return all
	}
	for row := range table.Taxonomy.Rows() {
		for r := range table.Row(row).Reaction.Chain() {
			if r.Action != taxonomy.Recover || !profile.Permits(r.Strategy) {
				continue
			}
			tries := profile.MaxAttempts
			if p := r.Policy; p != nil && p.MaxAttempts > 0 && (tries == 0 || p.MaxAttempts <= tries) {
				tries = p.MaxAttempts - 1 // the first call has no strategy before it
			}
			all[r.Strategy] = max(all[r.Strategy], tries)
		}
	}
	return all
}

func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return fmt.Sprint(n, " times")
}

// describeRetries prints the profile's numbers, and those of the sources that differ.
func describeRetries(b *strings.Builder, table taxonomy.Table) {
	p := table.Overlay.Retry
	fmt.Fprintf(b, "  %-10s %s", "retry", onOff(p.Enabled))
	if !p.Enabled || p.Policy == nil {
		fmt.Fprintln(b)
		return
	}
	own := numbers(p.Policy)
	fmt.Fprintf(b, ": %s\n", own)
	for _, name := range retryPolicies {
		if policy := policyOf(table, name); policy != nil && numbers(policy) != own {
			fmt.Fprintf(b, "  %-10s %s: %s\n", "", name, numbers(policy))
		}
	}
}

// numbers describes the limits of a policy.
func numbers(p *taxonomy.Policy) string {
	s := fmt.Sprintf("%s, %s to %s apart, times %v", counted(p.MaxAttempts), p.InitialDelay, p.MaxDelay, p.Multiplier)
	if p.MaxRetryAfter > p.MaxDelay {
		s += fmt.Sprintf("; %s where the source asks for it", p.MaxRetryAfter)
	}
	if a := p.Adapt; a != nil {
		s += "; learns"
		if a.MaxAttempts > 0 {
			s += fmt.Sprintf(" %d to %d calls", a.MinAttempts, a.MaxAttempts)
		}
		if a.MaxDelay > 0 {
			s += fmt.Sprintf(" from %s to %s apart", a.MinDelay, a.MaxDelay)
		}
	}
	return s
}
