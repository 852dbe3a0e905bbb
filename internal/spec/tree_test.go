package spec_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

func everything(t *testing.T) *spec.Taxonomy {
	t.Helper()
	src, err := os.ReadFile("testdata/valid/everything.yaml")
	require.NoError(t, err)
	taxonomy, findings := spec.Parse("everything.yaml", src)
	require.Empty(t, findings)
	return taxonomy
}

// texts returns the values of a list.
func texts(list []spec.Text) []string {
	var out []string
	for _, t := range list {
		out = append(out, t.V)
	}
	return out
}

func TestTreeHead(t *testing.T) {
	x := everything(t)
	assert.Equal(t, 1, x.Version.V)
	assert.Equal(t, "printshop", x.Package.V)
	assert.Equal(t, diag.Span{Line: 3, Col: 10, Len: 9}, x.Package.Span)
	assert.Equal(t, "shop.example.org", x.Domain.V)
	assert.Equal(t, "Errors of the print shop.", x.Doc.V)
	assert.Equal(t, "https://help.example.org/{code}", x.HelpURL.V)
	require.Len(t, x.Sources, 3)
	assert.Equal(t, "proof", x.Sources[2].Name.V)
	assert.Equal(t, "A person who reads proofs.", x.Sources[2].Doc.V)
	assert.Equal(t, "bind", x.Ops[0].Name.V)
	assert.Equal(t, "x-files", x.Groups[1].Name.V)
	assert.Equal(t, "split_job", x.Strategies[0].Name.V)
	assert.Equal(t, "ink", x.Checks[0].Name.V)
	assert.Equal(t, "Whether there is ink.", x.Checks[0].Doc.V)
	require.Len(t, x.Tiers, 3)
	assert.Equal(t, spec.Bool{V: false, Set: true, Span: x.Tiers[0].Classifies.Span}, x.Tiers[0].Classifies)
	assert.False(t, x.Tiers[2].Classifies.Set)
	assert.True(t, x.Tiers[2].Classifies.Or(true))
	assert.True(t, x.Tiers[2].Person.V)
	assert.Equal(t, "analysis", x.Tiers[1].Purpose.V)
	assert.False(t, x.Tiers[0].Purpose.Set)
	assert.Equal(t, "PRESS_STOPPED", x.Fallback.Code.V)
	assert.Equal(t, "surprise", x.Fallback.Set[0].Field.V)
	assert.Equal(t, spec.LitBool, x.Fallback.Set[0].Value.Kind)
	assert.Equal(t, "brisk", x.Uncategorized.Inline.Policy.Name.V)
	assert.Equal(t, 4, x.Reserved.Numbers[1].V)
	assert.Equal(t, []string{"PRESS_LOST"}, texts(x.Reserved.Codes))
}

func TestTreePoliciesAndReactions(t *testing.T) {
	x := everything(t)
	p := x.Policies[0]
	assert.Equal(t, "patient", p.Name.V)
	assert.Equal(t, 8, p.MaxAttempts.V)
	assert.Equal(t, 90*time.Second, p.InitialDelay.V)
	assert.Equal(t, 10*time.Minute, p.MaxDelay.V)
	assert.Equal(t, 1.5, p.Multiplier.V)
	assert.Equal(t, "linear", p.Backoff.V)
	assert.Equal(t, 0.25, p.Jitter.Fraction.V)
	assert.False(t, p.Jitter.Kind.Set)
	assert.Equal(t, 2*time.Hour, p.MaxElapsed.V)
	assert.Equal(t, time.Hour, p.MaxRetryAfter.V)
	assert.Equal(t, 2, p.Adapt.Attempts.Min.V)
	assert.Equal(t, 12, p.Adapt.Attempts.Max.V)
	assert.Equal(t, 30*time.Second, p.Adapt.Delay.Min.V)
	assert.Equal(t, 5*time.Minute, p.Adapt.Delay.Max.V)
	assert.Equal(t, 0.9, p.Adapt.Target.V)
	assert.Equal(t, 100, p.Adapt.Window.V)
	assert.Equal(t, 0.2, p.Budget.Retries.V)
	assert.Equal(t, 5, p.Budget.Reserve.V)
	assert.Equal(t, time.Minute, p.Budget.Window.V)
	assert.Equal(t, 3, p.Budget.Breaker.Failures.V)
	assert.Equal(t, 10, p.Budget.Breaker.Of.V)
	assert.Equal(t, 20*time.Second, p.Budget.Breaker.Probe.V)
	assert.Equal(t, 2, p.Budget.Breaker.Successes.V)
	assert.True(t, p.Adapt.Span.Valid())
	assert.True(t, p.Budget.Breaker.Span.Valid())
	assert.Nil(t, x.Policies[1].Adapt)
	assert.Nil(t, x.Policies[1].Budget)
	assert.Equal(t, "full", x.Policies[1].Jitter.Kind.V)

	warm := x.Reactions[0]
	assert.Equal(t, "retry", warm.Action.V)
	assert.Equal(t, "patient", warm.Policy.Name.V)
	assert.True(t, warm.CountFailure.Set)
	assert.False(t, warm.CountFailure.V)
	assert.True(t, warm.HonorRetryAfter.V)
	assert.Equal(t, "credential", warm.Shared.V)
	assert.Equal(t, "block", warm.Then.Name.V)
	assert.Equal(t, "warn", warm.Log.Level.V)
	assert.Equal(t, "The press warms up: {press}", warm.Log.Message.V)
	undo := x.Reactions[1]
	assert.Equal(t, "iteration", undo.Revert.V)
	assert.True(t, undo.AcceptCompletion.V)
	assert.True(t, undo.FeedBack.V)
	assert.Equal(t, "fresh", undo.Session.V)
	assert.Equal(t, 2, undo.Policy.Inline.MaxAttempts.V)
	assert.Equal(t, "run", undo.Then.Inline.Extent.V)
	assert.False(t, undo.Then.Inline.Name.Set, "a reaction in place has no name")
	assert.Equal(t, "split_job", x.Reactions[2].Strategy.V)
	assert.Equal(t, "operation", x.Reactions[2].Resume.V)
	assert.Equal(t, "journeyman", x.Reactions[3].To.V)
	assert.Equal(t, "diagnosis", x.Reactions[3].Purpose.V)
}

func TestTreeCategory(t *testing.T) {
	x := everything(t)
	f := x.Fields[1]
	assert.Equal(t, "press", f.Name.V)
	assert.True(t, f.Required.V)
	assert.Equal(t, []string{"attributes.press", "source"}, texts(f.From))
	assert.Equal(t, "unknown", f.Default.Text)
	c := x.Categories[0]
	assert.Equal(t, "PressFailure", c.Type.V)
	assert.Equal(t, "failure", c.Traits.Kind.V)
	assert.Equal(t, "high", c.Traits.Severity.V)
	assert.True(t, c.Traits.Retryable.V)
	assert.Equal(t, "retryable", c.Traits.Recoverability.V)
	assert.Equal(t, "warm_up", c.Traits.Reaction.Name.V)
	assert.Equal(t, 503, c.Traits.HTTP.V)
	assert.Equal(t, "UNAVAILABLE", c.Traits.GRPC.V)
	require.Len(t, c.Fields, 5)
	assert.Equal(t, "Temperature", c.Fields[0].GoName.V)
	assert.Equal(t, []string{"attributes.heat"}, texts(c.Fields[0].From))
	assert.True(t, c.Fields[1].Scrub.V)
	assert.Equal(t, 500, c.Fields[1].MaxLength.V)
	assert.Equal(t, "tail", c.Fields[1].Keep.V)
	assert.True(t, c.Fields[1].MessageOnly.V)
	assert.True(t, c.Fields[2].Sensitive.V)
	assert.Equal(t, []string{"cyan", "magenta", "yes"}, texts(c.Fields[3].Enum))
	assert.True(t, c.Fields[3].EnumSpan.Valid())
	require.Len(t, c.Fields[4].Fields, 2)
	assert.Equal(t, "strings", c.Fields[4].Fields[1].Type.V)
}

func TestTreeCode(t *testing.T) {
	c := everything(t).Categories[0].Codes[0]
	assert.Equal(t, "PRESS_STOPPED", c.Name.V)
	assert.Equal(t, "Stopped", c.GoName.V)
	assert.Equal(t, "press.stopped", c.Value.V)
	assert.Equal(t, []string{"PRESS_HALTED"}, texts(c.Aliases))
	assert.Equal(t, 10, c.Number.V)
	assert.Equal(t, "v1.2", c.Since.V)
	assert.Equal(t, []string{"hardware", "x-files"}, texts(c.Groups))
	assert.Equal(t, []string{"press"}, texts(c.Args))
	assert.True(t, c.ArgsSet)
	assert.Equal(t, "colour", c.Set[0].Field.V)
	assert.Equal(t, "ink", c.Prevent.Check.V)
	assert.Equal(t, 2*time.Second, c.Prevent.Throttle.V)
	assert.Equal(t, 1, c.Prevent.Concurrency.V)
	assert.Equal(t, 0.75, c.Prevent.Likely.V)
	assert.Equal(t, "Look for paper between the rollers.", c.Resolution.V)
	assert.Equal(t, "The press stopped; print fewer sheets.", c.Feedback.V)

	require.Len(t, c.When, 1)
	w := c.When[0]
	require.Len(t, w.If, 4)
	assert.Equal(t, "80", w.If[0].Match.Min.Text)
	assert.Equal(t, "99.5", w.If[0].Match.Max.Text)
	assert.Equal(t, spec.LitBool, w.If[1].Match.Values[0].Kind)
	assert.Len(t, w.If[2].Match.Not, 2)
	assert.Equal(t, []string{"offset"}, texts(w.If[3].Match.Prefix))
	assert.True(t, w.If[3].Match.Present.V)
	assert.Equal(t, "abort", w.Traits.Reaction.Name.V)
	assert.Equal(t, "permanent", w.Traits.Recoverability.V)

	off := everything(t).Categories[0].Codes[1]
	assert.Equal(t, "press {press} is off\n", off.Message.V)
	assert.Equal(t, "folded into PRESS_STOPPED", off.Deprecated.V)
	assert.Equal(t, "PRESS_STOPPED", off.ReplacedBy.V)
	assert.False(t, off.ArgsSet)
}

func TestTreeDetection(t *testing.T) {
	c := everything(t).Categories[0].Codes[0]
	r := c.Detect[0]
	var keys []string
	for _, cond := range r.Conditions {
		key := cond.Key.V
		if cond.Attribute.Set {
			key += "." + cond.Attribute.V
		}
		keys = append(keys, key)
	}
	assert.Equal(
		t, "source op status type code exit_code signal errno is as attributes.heat attributes.line attributes.bell",
		strings.Join(keys, " "))
	assert.Len(t, r.Conditions[0].Match.Values, 2)
	assert.Equal(t, "bind", r.Conditions[1].Match.Not[0].Text)
	assert.Equal(t, "501", r.Conditions[2].Match.Not[0].Text)
	assert.Equal(t, []string{"jam", "stop"}, texts(r.Conditions[3].Match.Prefix))
	assert.True(t, r.Conditions[5].Match.Present.V)
	assert.False(t, r.Conditions[12].Match.Present.V)
	assert.True(t, r.Conditions[12].Match.Present.Set)
	assert.Equal(t, []string{`(?i)paper\s+jam`}, texts(r.Text))
	assert.Equal(t, []string{"roller", "paper"}, texts(r.Contains))
	assert.Equal(t, -5, r.Priority.V)
	assert.Equal(t, "magenta", r.Set[0].Value.Text)
	assert.Equal(t, []string{"stopped"}, texts(c.Detect[1].Contains))

	e := c.Examples[0]
	require.Len(t, e.Entries, 17)
	assert.Equal(t, "attributes", e.Entries[16].Key.V)
	assert.Equal(t, "81", e.Entries[16].Value.Keys[0].Value.Text)
	assert.False(t, e.Want.Retryable.V)
	assert.True(t, e.Want.Retryable.Set)
	assert.Equal(t, "abort", e.Want.Reaction.V)
	assert.Len(t, e.Want.Context, 2)
	assert.Nil(t, c.NotExamples[0].Want)
}

func TestTreeProfile(t *testing.T) {
	p := everything(t).Profiles[0]
	assert.Equal(t, "night", p.Name.V)
	require.Len(t, p.Codes, 4)
	assert.Equal(t, "warm_up", p.Codes[0].Traits.Reaction.ByFlag.Retryable.V)
	assert.Equal(t, "abort", p.Codes[0].Traits.Reaction.ByFlag.Permanent.V)
	assert.Equal(t, "@hardware", p.Codes[2].Key.V)
	assert.Equal(t, "abort", p.Codes[2].Traits.Reaction.Inline.Action.V)
	assert.Equal(t, "*", p.Codes[3].Key.V)
	assert.False(t, p.Reactions[0].Action.Set, "an overlay need not say all")
	assert.True(t, p.Reactions[0].CountFailure.V)
	assert.Equal(t, 20, p.Policies[0].MaxAttempts.V)
	assert.True(t, p.Detection.Text.Set)
	assert.False(t, p.Detection.Text.V)
	assert.Equal(t, []string{"split_job"}, texts(p.Recovery.Allowed))
	assert.True(t, p.Recovery.AllowedSet)
	assert.Equal(t, 1, p.Recovery.MaxAttempts.V)
	assert.True(t, p.Retry.Enabled.V)
	assert.True(t, p.Retry.Set)
	assert.Equal(t, "none", p.Retry.Policy.Jitter.Kind.V)
	assert.Equal(t, 5*time.Minute, p.Retry.Policy.MaxRetryAfter.V)
	assert.Equal(t, "error", p.Reporting.LogLevel.V)
	assert.True(t, p.Reporting.Stack.V)
	assert.False(t, p.Reporting.Context.V)
}

// TestEverythingUsesEveryKey keeps the fixture complete, and with it the parser: a key without a
// place in the tree would make it panic.
func TestEverythingUsesEveryKey(t *testing.T) {
	src, err := os.ReadFile("testdata/valid/everything.yaml")
	require.NoError(t, err)
	doc, err := spec.Plain(src)
	require.NoError(t, err)
	sameAs := map[string]bool{"reaction overlay": true, "counter-example": true} // decoded by the code of their likes
	used := map[*spec.Mapping]map[string]bool{}
	collect(doc, &spec.Type{Form: spec.FormMapping, Mapping: spec.TheLanguage().Root}, used)
	for _, m := range spec.TheLanguage().Mappings {
		for _, name := range m.Names() {
			assert.True(t, used[m][name] || sameAs[m.Name], "%s: %s", m.Name, name)
		}
	}
}

// collect notes the keys that a value uses, by the type that the tables give it.
func collect(v any, typ *spec.Type, used map[*spec.Mapping]map[string]bool) {
	for i := range typ.Alts {
		collect(v, &typ.Alts[i], used)
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if typ.Elem != nil {
				collect(item, typ.Elem, used)
			}
		}
	case map[string]any:
		if typ.Form == spec.FormMap {
			for _, value := range v {
				collect(value, typ.Elem, used)
			}
			return
		}
		if typ.Mapping == nil {
			return
		}
		for name, value := range v {
			k := typ.Mapping.Key(name)
			if k == nil {
				continue
			}
			if used[typ.Mapping] == nil {
				used[typ.Mapping] = map[string]bool{}
			}
			used[typ.Mapping][name] = true
			collect(value, &k.Type, used)
		}
	}
}
