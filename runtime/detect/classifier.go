package detect

import (
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// maxWhy bounds in bytes what a classifier says of why.
const maxWhy = 512

// Classifier returns a function that classifies with a generated package's Explain, and says in one
// line why an error became what it became: by which rule, and which one it beat, or that no rule
// matched. Source and op, where they are not empty, say who reported the error during what, unless
// it says so itself. Nil, a cancelled context and an error of the taxonomy are returned as they
// are. The function is safe for concurrent use, and is what an executor classifies with.
//
// Explain reports nothing to a recorder: an [Unmatched] among opts gets the evidence from the
// classifier, unless a rule matched.
func Classifier(explain func(raw any, opts ...Option) Explanation, opts ...Option) func(err error, source, op string) (
	error, string) {
	recorder := merged(opts).unmatched
	//lint:ignore ST1008 an executor's classifier returns the error first
	return func(err error, source, op string) (error, string) {
		if err == nil {
			return nil, Nothing.why()
		}
		all := make([]Option, 0, len(opts)+2)
		all = append(append(all, opts...), From(source), During(op))
		e := explain(err, all...)
		if e.Outcome == Fallback && recorder != nil {
			hidden := hide(e.Evidence, e.sensitive)
			try(func() { _ = recorder.Record(&hidden) })
		}
		return e.Err, e.because()
	}
}

// because says on one line why the outcome is what it is, secrets masked.
func (e Explanation) because() string {
	why := e.Outcome.why()
	switch {
	case e.Rule != nil:
		why = "rule " + e.Rule.Name + e.Rule.bracketed() + e.beaten()
	case e.Outcome == Fallback && taxonomy.CodeOf(e.Err) != "":
		why += ", so it is the fallback " + taxonomy.CodeOf(e.Err)
	case e.Outcome == Fallback:
		why += ", and there is no fallback"
	}
	if len(e.Missing) > 0 {
		why += "; nothing fills " + strings.Join(e.Missing, ", ")
	}
	return maskedBeginning(text.Printable(text.Masked(why), ""), maxWhy)
}

// bracketed returns what the rule says, in brackets.
func (r *Rule) bracketed() string {
	if r.Doc == "" {
		return ""
	}
	return " (" + r.Doc + ")"
}

// beaten names the first rule that matched as well.
func (e Explanation) beaten() string {
	if len(e.RunnersUp) == 0 {
		return ""
	}
	text := "; also matched " + e.RunnersUp[0].Name
	if more := len(e.RunnersUp) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
