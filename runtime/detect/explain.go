package detect

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

const (
	// maxRunnersUp is how many other matching rules are printed.
	maxRunnersUp = 5
	// maxReason bounds in bytes the reason that a classifier returns.
	maxReason = 512
)

// Outcome is the kind of result of a classification.
type Outcome uint8

// The outcomes.
const (
	NoError      Outcome = iota // there was no error
	Cancelled                   // a cancelled context is never classified
	AlreadyTyped                // it was an error of the taxonomy
	Matched                     // a rule matched
	Fallback                    // no rule matched
)

var outcomes = [...]struct{ word, reason string }{
	NoError:      {"nothing", "there is no error"},
	Cancelled:    {"cancelled", "a cancelled context is not classified"},
	AlreadyTyped: {"passed", "it is an error of the taxonomy already"},
	Matched:      {"matched", "a rule matches"},
	Fallback:     {"fallback", "no rule matches"},
}

// String returns the word of the outcome.
func (o Outcome) String() string {
	if int(o) >= len(outcomes) {
		return fmt.Sprintf("Outcome(%d)", uint8(o))
	}
	return outcomes[o].word
}

// MarshalText returns the word of the outcome.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Explanation is the result of a classification and the reason for it.
type Explanation struct {
	Outcome Outcome
	// Err is the result of Classify.
	Err error
	// Rule is the rule that won. It is nil unless the outcome is [Matched].
	Rule *Rule
	// Matched is the text in which the rule matched: its lines, secrets masked. It is empty if the
	// rule searches no text, or if the text is sensitive.
	Matched string
	// RunnersUp are the other rules that matched, the best one first.
	RunnersUp []*Rule
	// Evidence is the evidence that the rules tested. Its text is the part that the rules searched,
	// masked; see [DefaultTextLimit]. It contains the values of sensitive fields, which String and
	// the JSON do not show.
	Evidence taxonomy.Evidence
	// Missing are the required fields, by wire name, that the evidence did not fill. They have zero
	// values.
	Missing []string

	sensitive []string
}

// Explain returns the result of [Rules.Classify] for raw, and the reason. It tries every rule, and
// passes nothing to an [OnUnmatched] recorder.
func (r *Rules) Explain(raw any, opts []Option) Explanation {
	outcome, done := r.unclassified(raw)
	if outcome != Matched {
		return Explanation{Outcome: outcome, Err: done}
	}
	o := merge(opts)
	ev := o.evidence(raw)
	var room taxonomy.Evidence
	as, text := r.prepare(&ev, &room, &o)
	rules := r.matching(as, text)
	e := Explanation{Outcome: Fallback, sensitive: r.Sensitive}
	rule := NoRule
	if len(rules) > 0 {
		rule = rules[0]
		e.Outcome, e.Rule = Matched, &r.Rules[rule]
		e.Matched = r.matched(e.Rule, text)
		as = e.Rule.Like.extract(as, &room, text)
		as = e.Rule.observe(as, &room)
		names := []string{e.Rule.Name}
		for _, other := range rules[1:] { // a rule may match in several forms of its signatures
			if name := r.Rules[other].Name; !slices.Contains(names, name) {
				names = append(names, name)
				e.RunnersUp = append(e.RunnersUp, &r.Rules[other])
			}
		}
	}
	e.Evidence = *cut(as, &room)
	e.Err = r.makeError(rule, &e.Evidence, &o)
	e.Missing = r.missing(e.Rule, &e.Evidence)
	return e
}

// missing returns the required fields that the evidence does not fill, of the code of a rule or of
// the fallback.
func (r *Rules) missing(rule *Rule, ev *taxonomy.Evidence) (missing []string) {
	if r.Taxonomy == nil {
		return nil
	}
	row, filled := taxonomy.RowUnknown, r.FallbackSet
	if rule != nil {
		row, filled = rule.Row, rule.Set
	} else {
		row, _ = r.Taxonomy.FallbackFor(ev.Source)
	}
	code := r.Taxonomy.Code(row)
	if code == nil {
		return nil
	}
	filled = append(setNames(code.Set), filled...)
	for _, f := range r.Taxonomy.Fields(row) {
		if (f.Required || slices.Contains(code.Takes, f.Name)) && !slices.Contains(filled, f.Name) {
			missing = appendMissing(missing, "", &f, ev)
		}
	}
	return missing
}

// appendMissing appends the path of a field that the evidence does not fill, or the paths of the
// required fields of an object that is always present.
func appendMissing(missing []string, path string, f *taxonomy.Field, ev *taxonomy.Evidence) []string {
	if _, filled := gen.Read(f, ev); f.Type != "object" && f.Default == "" && !filled {
		missing = append(missing, path+f.Name)
	}
	for i := range f.Fields {
		if f.Type == "object" && f.Required && f.Fields[i].Required {
			missing = appendMissing(missing, path+f.Name+".", &f.Fields[i], ev)
		}
	}
	return missing
}

// Redacted returns the evidence without the values of sensitive fields, as String and MarshalJSON
// show it.
func (e Explanation) Redacted() taxonomy.Evidence { return hide(e.Evidence, e.sensitive) }

// classified reports whether there was something to classify.
func (e Explanation) classified() bool { return e.Outcome == Matched || e.Outcome == Fallback }

// String returns the result and the reason in a few lines, secrets masked.
func (e Explanation) String() string {
	var b strings.Builder
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "  %-12s  %s\n", label, fmt.Sprintf(format, args...))
	}
	if e.Err != nil {
		if code := taxonomy.CodeOf(e.Err); code != "" {
			fmt.Fprintf(&b, "%s (%s): ", oneLine(code), oneLine(taxonomy.CategoryOf(e.Err)))
		}
		text, _ := textOf(e.Err, e.Err.Error)
		b.WriteString(oneLine(text) + "\n")
	}
	if e.Rule != nil {
		line("rule", "%s", e.Rule.line())
	} else {
		line("rule", "none: %s", outcomes[e.Outcome].reason)
	}
	if e.Rule != nil && e.Rule.Like != nil {
		line("like", "%s", e.Rule.Like.Name)
		if e.Matched != "" {
			line("matched", "%s", e.Matched)
		}
	}
	for i, r := range e.RunnersUp {
		if i == maxRunnersUp {
			line("also matched", "and %d more", len(e.RunnersUp)-i)
			break
		}
		line("also matched", "%s", r.line())
	}
	if len(e.Missing) > 0 {
		line("missing", "%s", strings.Join(e.Missing, ", "))
	}
	shown := e.Redacted()
	if e.classified() {
		line("evidence", "%s", oneLine(shown.Error()))
	}
	if shown.StatusDerived {
		line("status", "%d, read out of the text", shown.Status)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// line returns the name of the rule and the rule on one line.
func (r *Rule) line() string {
	if r.Doc == "" {
		return r.Name
	}
	return r.Name + " " + oneLine(r.Doc)
}

// oneLine returns text on one line without control characters, secrets masked.
func oneLine(s string) string { return text.Printable(text.Masked(s), "") }

// ruleJSON is a rule in the JSON of an explanation.
type ruleJSON struct {
	Name string `json:"name"`
	Rule string `json:"rule,omitempty"`
	// Like is the signature of the form that matched, Matched the text in which it did.
	Like    string `json:"like,omitempty"`
	Matched string `json:"matched,omitempty"`
}

// MarshalJSON returns the explanation as an object: outcome, code, category, message, error, rule,
// runners_up, missing and evidence, secrets masked. Empty members are omitted.
func (e Explanation) MarshalJSON() ([]byte, error) {
	out := struct {
		Outcome   Outcome            `json:"outcome"`
		Code      string             `json:"code,omitempty"`
		Category  string             `json:"category,omitempty"`
		Message   string             `json:"message,omitempty"`
		Error     json.Marshaler     `json:"error,omitempty"`
		Rule      *ruleJSON          `json:"rule,omitempty"`
		RunnersUp []ruleJSON         `json:"runners_up,omitempty"`
		Missing   []string           `json:"missing,omitempty"`
		Evidence  *taxonomy.Evidence `json:"evidence,omitempty"`
	}{Outcome: e.Outcome, Missing: e.Missing}
	if e.Err != nil {
		out.Code, out.Category = taxonomy.CodeOf(e.Err), taxonomy.CategoryOf(e.Err)
		text, _ := textOf(e.Err, e.Err.Error)
		out.Message = taxonomy.Redact(text)
		if own, ok := taxonomy.First(e.Err, nil); ok {
			out.Error, _ = own.(json.Marshaler)
		}
	}
	if e.Rule != nil {
		out.Rule = &ruleJSON{Name: e.Rule.Name, Rule: e.Rule.Doc}
		if e.Rule.Like != nil {
			out.Rule.Like, out.Rule.Matched = e.Rule.Like.Name, e.Matched
		}
	}
	for _, r := range e.RunnersUp {
		out.RunnersUp = append(out.RunnersUp, ruleJSON{Name: r.Name, Rule: r.Doc})
	}
	if e.classified() {
		shown := e.Redacted()
		out.Evidence = &shown
	}
	return json.Marshal(out)
}

// Classifier returns the function that an executor classifies with. It calls Explain of a generated
// package, and returns the error and, on one line, the reason: the rule that matched and the one
// that it beat, or that no rule matched. Its source and op, unless empty, are set if the error
// has none. Nil, a cancelled context and an error of the taxonomy are returned unchanged. The
// function is safe for concurrent use.
//
// Because Explain passes nothing to a recorder, the function passes the evidence to an
// [OnUnmatched] among opts if no rule matches.
func Classifier(explain func(raw any, opts ...Option) Explanation, opts ...Option) func(err error, source, op string) (
	error, string) {
	recorder := merge(opts).unmatched
	//lint:ignore ST1008 an executor's classifier returns the error first
	return func(err error, source, op string) (error, string) {
		if err == nil {
			return nil, outcomes[NoError].reason
		}
		e := explain(err, append(slices.Clone(opts), Option{source: source, op: op})...)
		if e.Outcome == Fallback && recorder != nil {
			shown := e.Redacted()
			try(func() { _ = recorder.Record(&shown) })
		}
		return e.Err, e.reason()
	}
}

// reason returns the reason for the outcome on one line, secrets masked.
func (e Explanation) reason() string {
	reason := outcomes[e.Outcome].reason
	switch code := taxonomy.CodeOf(e.Err); {
	case e.Rule != nil:
		reason = "rule " + e.Rule.Name
		if e.Rule.Doc != "" {
			reason += " (" + e.Rule.Doc + ")"
		}
		if len(e.RunnersUp) > 0 {
			reason += "; also matched " + e.RunnersUp[0].Name
		}
		if more := len(e.RunnersUp) - 1; more > 0 {
			reason += fmt.Sprintf(" and %d more", more)
		}
	case e.Outcome == Fallback && code != "":
		reason += ", so it is the fallback " + code
	case e.Outcome == Fallback:
		reason += ", and there is no fallback"
	}
	if len(e.Missing) > 0 {
		reason += "; nothing fills " + strings.Join(e.Missing, ", ")
	}
	return text.Head(oneLine(reason), maxReason)
}

// hide returns ev without the values under the given keys of evidence, from which sensitive fields
// are filled. A text becomes [taxonomy.Redacted], any other value is removed.
func hide(ev taxonomy.Evidence, keys []string) taxonomy.Evidence {
	shared := true // whether other evidence has the same map of attributes
	for _, key := range keys {
		name, isAttribute := strings.CutPrefix(key, "attributes.")
		switch {
		case isAttribute && ev.Attributes[name] != "":
			if shared {
				ev.Attributes, shared = maps.Clone(ev.Attributes), false
			}
			ev.Attributes[name] = taxonomy.Redacted
		case key == "status":
			ev.Status, ev.StatusDerived = 0, false
		case key == "exit_code":
			ev.ExitCode = taxonomy.Opt[int]{}
		case key == "files":
			ev.Files = nil
		case key == "retry_after":
			ev.RetryAfter, ev.RetryAfterDerived = taxonomy.Opt[time.Duration]{}, false
		case key == "reset_at":
			ev.ResetAt = time.Time{}
		default:
			if text := gen.TextField(&ev, key); text != nil && *text != "" {
				*text = taxonomy.Redacted
			}
		}
	}
	return ev
}
