package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// TestReactionTables compares the tables in docs/executor.md with the table of gen/errs.
func TestReactionTables(t *testing.T) {
	const page, begin, end = "../../docs/executor.md", "<!-- reactions -->\n", "<!-- /reactions -->\n"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok, begin)
	got, after, ok := strings.Cut(rest, end)
	require.True(t, ok, end)
	want := reactionTables(errs.Table)
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(before+begin+want+end+after), 0o644))
		return
	}
	assert.Equal(t, want, got, "run make generate")
}

// reactionTables returns two tables: the reaction to each code, and the effects of each reaction.
func reactionTables(t taxonomy.Table) string {
	var b strings.Builder
	b.WriteString("\n| code | what happened | may be retried | reaction |\n|---|---|---|---|\n")
	for row, code := range t.Taxonomy.Codes() {
		retryable, reactions := rowsOf(t, row, code)
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

// rowsOf returns the values of the code's rows, each value once.
func rowsOf(t taxonomy.Table, row taxonomy.Row, code *taxonomy.Code) (retryable, reactions []string) {
	add := func(list []string, s string) []string {
		if slices.Contains(list, s) {
			return list
		}
		return append(list, s)
	}
	for branch := range len(code.When) + 1 {
		traits := t.Row(row.When(uint8(branch)))
		retryable = add(retryable, map[bool]string{true: "yes", false: "no"}[traits.Retryable])
		reactions = add(reactions, "`"+traits.Reaction.Name+"`")
	}
	return retryable, reactions
}

// effects describes what a reaction does besides its action.
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
	if r.Then != nil {
		out = append(out, fmt.Sprintf("then `%s`", r.Then.Name))
	}
	say(r.Extent == taxonomy.ExtentRun, "ends every other task too")
	if len(out) == 0 {
		return "nothing else"
	}
	return strings.Join(out, "; ")
}

// tries describes the number of calls and the delays of a policy.
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

// cell returns the text as a cell of a Markdown table.
func cell(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(s), "\n", " "), "|", "\\|")
}
