package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor/terminal"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// answer describes a failure. A nil answer means that nothing failed.
type answer struct {
	Code           string             `json:"code"`
	Category       string             `json:"category"`
	Message        string             `json:"message"`
	Severity       string             `json:"severity,omitempty"`
	Recoverability string             `json:"recoverability,omitempty"`
	Retryable      bool               `json:"retryable"`
	Reaction       reaction           `json:"reaction"`
	Why            detect.Explanation `json:"why"`
}

// reaction is the part of a reaction that shows before it is carried out.
type reaction struct {
	Name     string          `json:"name"`
	Action   taxonomy.Action `json:"action"`
	Strategy string          `json:"strategy,omitempty"`
	Attempts int             `json:"attempts"`
	Then     string          `json:"then,omitempty"`
}

// newAnswer returns the answer for an explanation, or nil if nothing failed. A profile can omit the
// severity and the recoverability.
func newAnswer(table taxonomy.Table, x detect.Explanation) *answer {
	if x.Err == nil {
		return nil
	}
	traits := table.Traits(x.Err)
	r := &answer{
		Code: taxonomy.CodeOf(x.Err), Category: taxonomy.CategoryOf(x.Err), Message: x.Err.Error(),
		Severity: traits.Severity.String(), Recoverability: traits.Recoverability.String(), Retryable: traits.Retryable,
		Reaction: newReaction(table, x.Err), Why: x,
	}
	if o := table.Overlay; o != nil && !o.Detection.Severity {
		r.Severity = ""
	}
	if o := table.Overlay; o != nil && !o.Detection.Recoverability {
		r.Recoverability = ""
	}
	return r
}

func newReaction(table taxonomy.Table, err error) reaction {
	r := table.Reaction(err)
	out := reaction{Name: r.Name, Action: r.Action, Strategy: r.Strategy, Attempts: 1}
	if r.Policy != nil {
		out.Attempts = r.Policy.MaxAttempts
	}
	if next := table.Overlay.Next(&r); next != nil {
		out.Then = next.Name
	}
	return out
}

func (r *answer) writeJSON(w io.Writer) error {
	failed := struct {
		Failed bool `json:"failed"`
		*answer
	}{r != nil, r}
	b, err := json.MarshalIndent(failed, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	_, err = w.Write(append(terminal.PrintableJSON(b), '\n'))
	return err
}

func (r *answer) writeText(w io.Writer) error {
	if r == nil {
		_, err := fmt.Fprintln(w, "nothing failed")
		return err
	}
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-15s %s\n", name, terminal.Printable(value))
		}
	}
	line("code", r.Code)
	line("category", r.Category)
	line("message", r.Message)
	line("severity", r.Severity)
	line("recoverability", r.Recoverability)
	line("retryable", fmt.Sprint(r.Retryable))
	line("reaction", r.Reaction.String())
	line("why", shown(r.Why.Rule))
	for _, other := range r.Why.RunnersUp {
		line("also matched", shown(other))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r reaction) String() string {
	var parts []string
	say := func(is bool, part string) {
		if is {
			parts = append(parts, part)
		}
	}
	say(true, r.Action.String())
	say(r.Strategy != "", "by "+r.Strategy)
	say(r.Attempts > 1, fmt.Sprintf("%d attempts in total", r.Attempts))
	say(r.Then != "", "then "+r.Then)
	return r.Name + ": " + strings.Join(parts, ", ")
}

// shownLimit is the longest shown text of a rule, in characters.
const shownLimit = 160

// shown returns the name of a rule and the beginning of its text. The answer in JSON has all of it.
func shown(r *detect.Rule) string {
	if r == nil {
		return "no rule matches"
	}
	doc := []rune(r.Doc)
	if len(doc) > shownLimit {
		doc = append(doc[:shownLimit:shownLimit], '…')
	}
	return r.Name + " {" + string(doc) + "}"
}
