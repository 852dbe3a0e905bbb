package scenarios_test

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// reactionData is the part of a taxonomy that an executor obeys, in a form that can be changed:
// what its rows react with, and the profile's settings. It starts as a copy.
type reactionData struct {
	profile   taxonomy.Profile
	rows      []taxonomy.RowOverride
	unknown   *taxonomy.Reaction
	reactions []*taxonomy.Reaction // all that can be reached, in the order in which they are found
	policies  []*taxonomy.Policy
	copies    map[*taxonomy.Reaction]*taxonomy.Reaction
	copied    map[*taxonomy.Policy]*taxonomy.Policy
}

// dataOf copies the data of the shipped taxonomy under the named profile; "" is without a profile.
func dataOf(profile string) *reactionData {
	table := errs.Table
	d := &reactionData{copies: map[*taxonomy.Reaction]*taxonomy.Reaction{},
		copied: map[*taxonomy.Policy]*taxonomy.Policy{}}
	d.profile = taxonomy.Profile{
		Detection: taxonomy.Detection{Text: true, Severity: true, Recoverability: true},
		Recovery:  taxonomy.Recovery{Enabled: true}, Retry: taxonomy.RetryDefaults{Enabled: true},
	}
	if profile != "" {
		var err error
		if table, err = errs.Table.Profile(taxonomy.ProfileName(profile)); err != nil {
			panic(err)
		}
		d.profile = *table.Overlay
	}
	d.unknown = table.Taxonomy.Uncategorized
	if o := table.Overlay; o != nil && o.Uncategorized != nil {
		d.unknown = o.Uncategorized
	}
	d.unknown = d.reaction(d.unknown)
	for row := range table.Taxonomy.Rows() {
		traits := table.Row(row)
		traits.Reaction = d.reaction(traits.Reaction)
		d.rows = append(d.rows, taxonomy.RowOverride{Row: row, Traits: traits})
	}
	return d
}

// reaction returns the copy of a reaction.
func (d *reactionData) reaction(r *taxonomy.Reaction) *taxonomy.Reaction {
	if r == nil || d.copies[r] != nil {
		return d.copies[r]
	}
	c := *r
	d.copies[r] = &c
	d.reactions = append(d.reactions, &c)
	c.Then = d.reaction(r.Then)
	if r.Policy != nil {
		c.Policy = d.policy(r.Policy)
	}
	return &c
}

func (d *reactionData) policy(p *taxonomy.Policy) *taxonomy.Policy {
	if d.copied[p] == nil {
		c := *p
		d.copied[p] = &c
		d.policies = append(d.policies, &c)
	}
	return d.copied[p]
}

// table returns the table of the data. The taxonomy itself is the shipped one, so that its errors
// are known.
func (d *reactionData) table() taxonomy.Table {
	p := d.profile
	p.Rows, p.Uncategorized = slices.SortedFunc(slices.Values(d.rows), func(a, b taxonomy.RowOverride) int {
		return cmp.Compare(a.Row, b.Row)
	}), d.unknown
	return taxonomy.Table{Taxonomy: errs.Table.Taxonomy, Overlay: &p}
}

// mutant is a single change of the data.
type mutant struct {
	name string
	// about is the name of the changed reaction, policy or code.
	about  string
	change func(d *reactionData)
}

// mutants returns every single change of the data under a profile: another value of each field of
// each reaction and policy that can be reached, as far as the language lets the action have the
// field, and another reaction for each row. Of a profile's data those are changed that the profile
// has in another way.
func mutants(profile string) []mutant {
	base, plain := dataOf(profile), dataOf("")
	var all []mutant
	add := func(about, what string, change func(d *reactionData)) {
		all = append(all, mutant{strings.TrimSpace(about + " " + what), about, change})
	}
	for i, r := range base.reactions {
		if profile != "" &&
			slices.ContainsFunc(plain.reactions, func(p *taxonomy.Reaction) bool { return reflect.DeepEqual(p, r) }) {
			continue
		}
		for _, c := range reactionChanges(base, i) {
			add(r.Name, c.name, func(d *reactionData) { c.change(d, d.reactions[i]) })
		}
	}
	for i, p := range base.policies {
		if profile != "" &&
			slices.ContainsFunc(plain.policies, func(other *taxonomy.Policy) bool { return *other == *p }) {
			continue
		}
		for _, c := range policyChanges(p) {
			add(p.Name, c.name, func(d *reactionData) { c.change(d.policies[i]) })
		}
	}
	for row, o := range base.rows {
		traits := o.Traits
		if profile != "" && reflect.DeepEqual(traits.Reaction, plain.rows[row].Traits.Reaction) {
			continue
		}
		code, branch := rowName(o.Row)
		for i, r := range base.reactions {
			if *r != *traits.Reaction {
				add(code, branch+"reaction="+r.Name,
					func(d *reactionData) { d.rows[row].Traits.Reaction = d.reactions[i] })
			}
		}
	}
	for i, r := range base.reactions {
		if *r != *base.unknown {
			add("", "uncategorized="+r.Name, func(d *reactionData) { d.unknown = d.reactions[i] })
		}
	}
	add("", "retryable", func(d *reactionData) {
		for row := range d.rows {
			d.rows[row].Traits.Retryable = !d.rows[row].Traits.Retryable
		}
	})
	add("", "retry.enabled", func(d *reactionData) { d.profile.Retry.Enabled = !d.profile.Retry.Enabled })
	return all
}

// rowName returns the code of a row, and which of its branches the row is. The first two rows have
// no code.
func rowName(row taxonomy.Row) (code, branch string) {
	c := errs.Table.Taxonomy.Code(row)
	if c == nil {
		return "", fmt.Sprint("row ", row, " ")
	}
	if row.Branch() == 0 {
		return c.Value, ""
	}
	return c.Value, fmt.Sprint("branch ", row.Branch(), " ")
}

type reactionChange struct {
	name   string
	change func(d *reactionData, r *taxonomy.Reaction)
}

// reactionChanges returns the changes of one reaction.
func reactionChanges(base *reactionData, i int) []reactionChange {
	r := base.reactions[i]
	var all []reactionChange
	add := func(name string, value any, change func(d *reactionData, r *taxonomy.Reaction)) {
		all = append(all, reactionChange{fmt.Sprintf("%s=%v", name, value), change})
	}
	waits := r.Action == taxonomy.Retry || r.Action == taxonomy.RetryOperation || r.Action == taxonomy.Recover
	leads := waits || r.Action == taxonomy.Escalate
	for a := taxonomy.Abort; a <= taxonomy.Recover; a++ {
		if a != r.Action {
			add("action", a, func(_ *reactionData, r *taxonomy.Reaction) { r.Action = a })
		}
	}
	for v := taxonomy.RevertNone; v <= taxonomy.RevertIteration; v++ {
		if v != r.Revert {
			add("revert", v, func(_ *reactionData, r *taxonomy.Reaction) { r.Revert = v })
		}
	}
	for l := taxonomy.LogNone; l <= taxonomy.LogError; l++ {
		if l != r.LogLevel {
			add("log.level", l, func(_ *reactionData, r *taxonomy.Reaction) { r.LogLevel = l })
		}
	}
	add("log.message", "other", func(_ *reactionData, r *taxonomy.Reaction) { r.LogMessage = "something else" })
	add("count_failure", !r.CountFailure,
		func(_ *reactionData, r *taxonomy.Reaction) { r.CountFailure = !r.CountFailure })
	if r.Revert != taxonomy.RevertNone {
		add("accept_completion", !r.AcceptCompletion,
			func(_ *reactionData, r *taxonomy.Reaction) { r.AcceptCompletion = !r.AcceptCompletion })
	}
	if r.Action != taxonomy.Abort {
		add("feed_back", !r.FeedBack, func(_ *reactionData, r *taxonomy.Reaction) { r.FeedBack = !r.FeedBack })
	}
	if r.Action == taxonomy.Abort || r.Action == taxonomy.Block {
		add("extent", taxonomy.ExtentRun-r.Extent,
			func(_ *reactionData, r *taxonomy.Reaction) { r.Extent = taxonomy.ExtentRun - r.Extent })
	}
	if waits {
		all = append(all, waitingChanges(base, r)...)
	}
	if leads {
		all = append(all, leadingChanges(base, i)...)
	}
	return all
}

// waitingChanges returns the changes of what only actions have that wait.
func waitingChanges(base *reactionData, r *taxonomy.Reaction) []reactionChange {
	flip := func(f func(*taxonomy.Reaction)) func(*reactionData, *taxonomy.Reaction) {
		return func(_ *reactionData, r *taxonomy.Reaction) { f(r) }
	}
	all := []reactionChange{
		{fmt.Sprint("honor_retry_after=", !r.HonorRetryAfter),
			flip(func(r *taxonomy.Reaction) { r.HonorRetryAfter = !r.HonorRetryAfter })},
		{fmt.Sprint("shared=", taxonomy.SharedCredential-r.Shared),
			flip(func(r *taxonomy.Reaction) { r.Shared = taxonomy.SharedCredential - r.Shared })},
	}
	if r.Policy != nil {
		all = append(all, reactionChange{"policy=none", flip(func(r *taxonomy.Reaction) { r.Policy = nil })})
	}
	for i, p := range base.policies {
		if p != r.Policy {
			all = append(
				all, reactionChange{"policy=" + p.Name, func(
					d *reactionData, r *taxonomy.Reaction) {
					r.Policy = d.policies[i]
				}})
		}
	}
	return all
}

// leadingChanges returns the changes of a reaction's successor and of its conversation.
func leadingChanges(base *reactionData, i int) []reactionChange {
	r := base.reactions[i]
	var all []reactionChange
	for s := taxonomy.SessionKeep; s <= taxonomy.SessionReduced; s++ {
		if s != r.Session {
			all = append(
				all, reactionChange{fmt.Sprint("session=", s),
					func(_ *reactionData, r *taxonomy.Reaction) { r.Session = s }})
		}
	}
	for j, then := range base.reactions {
		if then != r.Then && !leadsTo(then, r) {
			all = append(
				all, reactionChange{"then=" + then.Name, func(
					d *reactionData, r *taxonomy.Reaction) {
					r.Then = d.reactions[j]
				}})
		}
	}
	return all
}

func leadsTo(from, to *taxonomy.Reaction) bool {
	return from != nil && (from == to || leadsTo(from.Then, to))
}

type policyChange struct {
	name   string
	change func(p *taxonomy.Policy)
}

// policyChanges returns the changes of one policy: each number smaller and greater, each word
// another one.
func policyChanges(p *taxonomy.Policy) []policyChange {
	var all []policyChange
	add := func(name string, value any, change func(p *taxonomy.Policy)) {
		all = append(all, policyChange{fmt.Sprintf("%s=%v", name, value), change})
	}
	for _, n := range []int{p.MaxAttempts - 1, p.MaxAttempts + 1} {
		add("max_attempts", n, func(p *taxonomy.Policy) { p.MaxAttempts = n })
	}
	for _, f := range []struct {
		name  string
		field func(p *taxonomy.Policy) *time.Duration
	}{
		{"initial_delay", func(p *taxonomy.Policy) *time.Duration { return &p.InitialDelay }},
		{"max_delay", func(p *taxonomy.Policy) *time.Duration { return &p.MaxDelay }},
		{"max_elapsed", func(p *taxonomy.Policy) *time.Duration { return &p.MaxElapsed }},
		{"max_retry_after", func(p *taxonomy.Policy) *time.Duration { return &p.MaxRetryAfter }},
	} {
		values := []time.Duration{*f.field(p) / 2, *f.field(p) * 2}
		switch {
		case *f.field(p) == 0:
			values = []time.Duration{time.Millisecond}
		case f.name == "max_delay":
			values[0] = *f.field(p) / 100
		}
		for _, v := range values {
			add(f.name, v, func(p *taxonomy.Policy) { *f.field(p) = v })
		}
	}
	add("multiplier", p.Multiplier+1, func(p *taxonomy.Policy) { p.Multiplier++ })
	if p.JitterKind == taxonomy.JitterProportional {
		add("jitter", p.Jitter/2, func(p *taxonomy.Policy) { p.Jitter /= 2 })
	}
	for b := taxonomy.Exponential; b <= taxonomy.Linear; b++ {
		if b != p.Backoff {
			add("backoff", b, func(p *taxonomy.Policy) { p.Backoff = b })
		}
	}
	for j := taxonomy.JitterNone; j <= taxonomy.JitterDecorrelated; j++ {
		if j != p.JitterKind {
			add("jitter_kind", j, func(p *taxonomy.Policy) { p.JitterKind, p.Jitter = j, 0.1 })
		}
	}
	return all
}
