package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// describe says what a reaction does, one sentence each, without what follows it.
func describe(r *model.Reaction) []string {
	var out []string
	say := func(is bool, format string, args ...any) {
		if is {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	say(r.Revert == taxonomy.RevertFiles, "takes back the files that the error names")
	say(r.Revert == taxonomy.RevertIteration, "takes back all that the iteration changed")
	say(r.AcceptCompletion, "what is left after that may count as done, once it is validated")
	say(true, "%s", action(r))
	if r.Policy != nil {
		out = append(out, describePolicy(r.Policy)...)
	}
	say(r.HonorRetryAfter, "a hint how long to wait takes the place of the delay%s", hintBound(r.Policy))
	say(r.Shared == taxonomy.SharedCredential, "whoever uses the same credential waits, too")
	tries := r.Retries() || r.Action == taxonomy.Recover
	say(tries && !r.CountFailure, "does not count as a failure")
	say(!tries && r.CountFailure, "counts as a failure")
	say(r.FeedBack, "the next prompt tells of the error")
	say(r.LogLevel != taxonomy.LogNone && r.LogMessage == "", "logs the error (%s)", r.LogLevel)
	say(r.LogLevel != taxonomy.LogNone && r.LogMessage != "", "logs %q (%s)", r.LogMessage, r.LogLevel)
	return out
}

func action(r *model.Reaction) string {
	extent := "this task"
	if r.Extent == taxonomy.ExtentRun {
		extent = "the whole run"
	}
	switch r.Action {
	case taxonomy.Block:
		return "stops " + extent + " until a person has seen to it"
	case taxonomy.Continue:
		return "goes on as if nothing had happened"
	case taxonomy.Retry:
		return asks(r) + "runs the iteration again" + conversation(r)
	case taxonomy.RetryOperation:
		return asks(r) + "runs again only what failed" + conversation(r)
	case taxonomy.Escalate:
		if r.To == "" {
			return "hands over to the next tier" + conversation(r) + asked(r)
		}
		return "hands over to tier " + r.To + ", or one up from there" + conversation(r) + asked(r)
	case taxonomy.Recover:
		again := "runs the iteration again"
		if r.Resume == taxonomy.ResumeOperation {
			again = "runs again only what failed"
		}
		return "runs the strategy " + r.Strategy + ", then " + again + conversation(r)
	default:
		return "ends " + extent + " as failed"
	}
}

// asks says whom a retry asks first, and for what.
func asks(r *model.Reaction) string {
	if r.Purpose == taxonomy.PurposeNone {
		return ""
	}
	return "asks tier " + r.To + " for " + withArticle(r.Purpose.String()) + ", then "
}

// asked says what the tier that takes over is asked for.
func asked(r *model.Reaction) string {
	if r.Purpose == taxonomy.PurposeNone {
		return ""
	}
	return ", which is asked for " + withArticle(r.Purpose.String()) + " first"
}

func withArticle(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiou") {
		return "an " + noun
	}
	return "a " + noun
}

func conversation(r *model.Reaction) string {
	switch r.Session {
	case taxonomy.SessionFresh:
		return ", in a new conversation"
	case taxonomy.SessionReduced:
		return ", in a new and shorter conversation"
	default:
		return ""
	}
}

// describePolicy returns how often and how far apart a policy tries.
func describePolicy(p *model.Policy) []string {
	out := []string{fmt.Sprintf("at most %s in total", count(p.MaxAttempts, "call", "calls"))}
	if p.MaxAttempts > 1 && p.InitialDelay > 0 {
		out = append(out, "waits "+delays(p)+jitter(p))
	}
	if p.MaxElapsed > 0 {
		out = append(out, "waits no more than "+short(p.MaxElapsed)+" in a row")
	}
	out = append(out, adapted(p.Adapt)...)
	return append(out, budgeted(p.Budget)...)
}

func delays(p *model.Policy) string {
	first := short(p.InitialDelay)
	switch {
	case p.Backoff == taxonomy.Constant:
		return first + " each time"
	case p.Backoff == taxonomy.Linear:
		return fmt.Sprintf("%s, then %s more each time, up to %s", first, first, short(p.MaxDelay))
	default:
		factor := strconv.FormatFloat(p.Multiplier, 'g', -1, 64)
		return fmt.Sprintf("%s, then %s times as long each time, up to %s", first, factor, short(p.MaxDelay))
	}
}

func jitter(p *model.Policy) string {
	switch p.JitterKind {
	case taxonomy.JitterProportional:
		return fmt.Sprintf(", give or take %s%%", strconv.FormatFloat(p.Jitter*100, 'f', -1, 64))
	case taxonomy.JitterFull:
		return ", or any shorter time by chance"
	case taxonomy.JitterDecorrelated:
		return ", moved by chance from one wait to the next"
	default:
		return ""
	}
}

func hintBound(p *model.Policy) string {
	if p == nil || p.MaxRetryAfter == 0 {
		return ""
	}
	return " (no longer than " + short(p.MaxRetryAfter) + ")"
}

// short writes a duration without the units that are zero.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// conditions returns the tests of a `when` branch.
func conditions(b *model.Branch) []string {
	var out []string
	for _, c := range b.Conds {
		out = append(out, condition(c))
	}
	return out
}

// condition says what a `when` branch asks of one field.
func condition(c model.Cond) string {
	var is []string
	if len(c.Values) > 0 {
		is = append(is, "is "+either(c.Field, c.Values))
	}
	switch {
	case c.Min != nil && c.Max != nil:
		is = append(is, fmt.Sprintf("is from %s to %s", literal(c.Field, *c.Min), literal(c.Field, *c.Max)))
	case c.Min != nil:
		is = append(is, "is at least "+literal(c.Field, *c.Min))
	case c.Max != nil:
		is = append(is, "is at most "+literal(c.Field, *c.Max))
	}
	if len(c.Not) > 0 {
		is = append(is, "is given and not "+either(c.Field, c.Not))
	}
	if len(c.Prefix) > 0 {
		quoted := make([]string, len(c.Prefix))
		for i, p := range c.Prefix {
			quoted[i] = strconv.Quote(p)
		}
		is = append(is, "begins with "+orWords(quoted))
	}
	if c.Present != nil && *c.Present {
		is = append(is, "is given")
	}
	if c.Present != nil && !*c.Present {
		is = append(is, "is absent")
	}
	return c.Field.Wire + " " + strings.Join(is, " and ")
}

func either(f *model.Field, values []model.Value) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = literal(f, v)
	}
	return orWords(words)
}

// literal writes a value of the taxonomy as the taxonomy could.
func literal(f *model.Field, v model.Value) string {
	if v.Type == model.String {
		return strconv.Quote(v.Str)
	}
	return f.Shown(v)
}

func orWords(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// adapted says how experience moves a policy's numbers.
func adapted(a *taxonomy.Adapt) []string {
	if a == nil {
		return nil
	}
	var out []string
	if a.MaxAttempts > 0 {
		out = append(out, fmt.Sprintf("experience moves the calls between %d and %d", a.MinAttempts, a.MaxAttempts))
	}
	if a.MaxDelay > 0 {
		out = append(
			out, fmt.Sprintf("experience moves the first wait between %s and %s, so that %s of first retries succeed",
				short(a.MinDelay), short(a.MaxDelay), percent(a.Target)))
	}
	return append(out, "remembers the last "+count(a.Window, "outcome", "outcomes")+
		" of each code and number of the call")
}

// budgeted says what all callers of a provider may do together.
func budgeted(b *taxonomy.Budget) []string {
	if b == nil {
		return nil
	}
	var out []string
	if b.Retries >= 0 {
		out = append(
			out, fmt.Sprintf(
				"all callers of the provider together retry at most %s of their calls in %s, and %s in any case",
				percent(b.Retries), short(b.Window), count(b.Reserve, "time", "times")))
	}
	if c := b.Breaker; c != nil {
		out = append(out, fmt.Sprintf("after %s in %s no call is made but one in %s, until %s in a row",
			count(c.Failures, "failure", "failures"), count(c.Of, "call", "calls"), short(c.Probe),
			count(c.Successes, "success", "successes")))
	}
	return out
}

// describePrevention returns what happens before a call that is likely to fail with a code.
func describePrevention(p *taxonomy.Prevention) []string {
	if p == nil {
		return nil
	}
	out := []string{"when it is " + percent(p.Likely) + " likely or more"}
	if p.Check != "" {
		out = append(out, "runs the check "+p.Check+" before the call")
	}
	if p.Throttle > 0 {
		out = append(out, "begins no two calls within "+short(p.Throttle))
	}
	if p.Concurrency > 0 {
		out = append(out, "runs at most "+count(p.Concurrency, "call", "calls")+" at once")
	}
	return out
}

func percent(share float64) string { return strconv.FormatFloat(share*100, 'g', 6, 64) + "%" }
