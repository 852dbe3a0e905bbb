package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// table prints the reaction to each code, in the taxonomy and in its profiles.
func (s *story) table() {
	s.title("What is done about each code, and what the profiles make of it")
	strict, err := errs.Table.Profile(errs.ProfileStrict)
	if !s.check(err) {
		return
	}
	unattended, err := errs.Table.Profile(errs.ProfileUnattended)
	if !s.check(err) {
		return
	}
	tw := tabwriter.NewWriter(s.w, 0, 0, 2, ' ', 0)
	s.row(tw, "number", "code", "retryable", "reaction", "strict", "unattended")
	for row, code := range errs.Table.Taxonomy.Codes() {
		at := func(t taxonomy.Table) string { return short(*t.Row(row).Reaction) }
		s.row(tw, code.Number, code.Value, errs.Table.Row(row).Retryable, at(errs.Table), at(strict),
			at(unattended))
	}
	s.check(tw.Flush())
}

func (s *story) row(tw *tabwriter.Writer, cells ...any) {
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = fmt.Sprint(c)
	}
	_, err := fmt.Fprintln(tw, strings.Join(texts, "\t"))
	s.check(err)
}

// short is a reaction in a word, with the number of calls where it has a policy.
func short(r taxonomy.Reaction) string {
	if r.Policy == nil {
		return r.Name
	}
	return fmt.Sprintf("%s (%d)", r.Name, r.Policy.MaxAttempts)
}

// describe is a reaction in a sentence. It knows actions, and not a single code.
func describe(r taxonomy.Reaction) string {
	words := []string{r.Action.String()}
	if p := r.Policy; p != nil {
		words = append(words, fmt.Sprintf("up to %d calls, first wait %s", p.MaxAttempts, p.InitialDelay))
	}
	if r.HonorRetryAfter {
		words = append(words, "as long as the other side asks")
	}
	if r.Agent.Revert != taxonomy.RevertNone {
		words = append(words, "revert first")
	}
	if r.Agent.FeedBack {
		words = append(words, "tell the agent")
	}
	if r.Action == taxonomy.Retry && !r.CountFailure {
		words = append(words, "no failure")
	}
	if r.Then != nil {
		words = append(words, "then "+r.Then.Name)
	}
	return fmt.Sprintf("%s (%s)", r.Name, strings.Join(words, ", "))
}
