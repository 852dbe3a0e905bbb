package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// section returns two tables: the reaction of each code, and what each reaction comes to.
func section(t taxonomy.Table) string {
	var b strings.Builder
	b.WriteString("\n| code | what happened | may be retried | reaction |\n|---|---|---|---|\n")
	for i := range t.Taxonomy.Codes {
		code := &t.Taxonomy.Codes[i]
		retryable, reactions := rows(t, code)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", code.Value, cell(code.Doc), strings.Join(retryable, " / "),
			strings.Join(reactions, " / "))
	}
	b.WriteString("\n| reaction | action | what it comes to |\n|---|---|---|\n")
	for _, r := range t.Taxonomy.Reactions {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Name, r.Action, cell(effects(*r)))
	}
	b.WriteString("\n")
	return b.String()
}

// rows returns what the code's rows say, the branches of `when` first, each value once.
func rows(t taxonomy.Table, code *taxonomy.Code) (retryable, reactions []string) {
	add := func(list []string, s string) []string {
		for _, have := range list {
			if have == s {
				return list
			}
		}
		return append(list, s)
	}
	each := func(row taxonomy.Row) {
		traits := t.Row(row)
		retryable = add(retryable, map[bool]string{true: "yes", false: "no"}[traits.Retryable])
		reactions = add(reactions, "`"+traits.Reaction.Name+"`")
	}
	each(code.Row)
	if code.Branches == 0 {
		return retryable, reactions
	}
	for row := code.Branches; int(row) < len(t.Taxonomy.Rows) &&
		t.Taxonomy.Codes[t.Row(row).Code-1].Value == code.Value; row++ {
		each(row)
	}
	return retryable, reactions
}

// effects says in words what a reaction does besides its action.
func effects(r taxonomy.Reaction) string {
	var out []string
	say := func(when bool, format string, args ...any) {
		if when {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	say(r.Revert == taxonomy.RevertFiles, "puts the named files back")
	say(r.Revert == taxonomy.RevertIteration, "puts back what the iteration changed")
	say(r.FeedBack, "tells the provider")
	say(r.AcceptCompletion, "what is left may still count as done")
	if r.Policy != nil {
		out = append(out, tries(*r.Policy))
	}
	say(r.HonorRetryAfter, "waits as long as it is asked to")
	say(r.Shared == taxonomy.SharedCredential, "everybody with the credential waits")
	say(r.Session != taxonomy.SessionKeep, "in a %s conversation", r.Session)
	say(r.To != "" && r.Action == taxonomy.Escalate, "up to %s", r.To)
	say(r.To != "" && r.Action != taxonomy.Escalate, "asks %s first", r.To)
	say(r.Purpose != taxonomy.PurposeNone, "for %s", r.Purpose)
	say(r.Strategy != "", "runs %s", r.Strategy)
	say(r.CountFailure, "counts as a failure")
	say(r.Then != nil, "then `%s`", name(r.Then))
	say(r.Extent == taxonomy.ExtentRun, "ends every other task too")
	if len(out) == 0 {
		return "nothing else"
	}
	return strings.Join(out, "; ")
}

func name(r *taxonomy.Reaction) string {
	if r == nil {
		return ""
	}
	return r.Name
}

func tries(p taxonomy.Policy) string {
	delay := fmt.Sprintf("first after %s", p.InitialDelay)
	if p.Backoff == taxonomy.Constant {
		delay = fmt.Sprintf("%s apart", p.InitialDelay)
	}
	if p.InitialDelay == 0 {
		delay = "without a pause"
	}
	s := fmt.Sprintf("%d calls in all, %s", p.MaxAttempts, delay)
	if p.MaxElapsed > 0 {
		s += fmt.Sprintf(", for %s at most", p.MaxElapsed.Round(time.Second))
	}
	return s
}

// cell fits a text into a cell.
func cell(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(s), "\n", " "), "|", "\\|")
}
