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

// report is what is said of a step. A nil report says that nothing failed.
type report struct {
	Code           string                  `json:"code"`
	Category       string                  `json:"category"`
	Message        string                  `json:"message"`
	Kind           taxonomy.Kind           `json:"kind"`
	Severity       taxonomy.Severity       `json:"severity"`
	Recoverability taxonomy.Recoverability `json:"recoverability"`
	Retryable      bool                    `json:"retryable"`
	Reaction       reaction                `json:"reaction"`
	Why            detect.Explanation      `json:"why"`
}

// reaction is the part of a reaction that shows before it is carried out.
type reaction struct {
	Name     string           `json:"name"`
	Action   taxonomy.Action  `json:"action"`
	To       string           `json:"to,omitempty"`
	Attempts int              `json:"attempts"`
	Session  taxonomy.Session `json:"session"`
	Then     string           `json:"then,omitempty"`
}

// newReport says what x came to, in the words of table; nil where x says that nothing failed.
func newReport(table taxonomy.Table, x detect.Explanation) *report {
	if x.Err == nil {
		return nil
	}
	traits := table.Traits(x.Err)
	return &report{
		Code: taxonomy.CodeOf(x.Err), Category: taxonomy.CategoryOf(x.Err), Message: x.Err.Error(),
		Kind: traits.Kind, Severity: traits.Severity, Recoverability: traits.Recoverability,
		Retryable: traits.Retryable,
		Reaction:  newReaction(table, x.Err), Why: x,
	}
}

func newReaction(table taxonomy.Table, err error) reaction {
	r := table.Reaction(err)
	out := reaction{Name: r.Name, Action: r.Action, To: r.To, Attempts: 1, Session: r.Session}
	if r.Policy != nil {
		out.Attempts = r.Policy.MaxAttempts
	}
	if next := table.Overlay.Next(&r); next != nil {
		out.Then = next.Name
	}
	return out
}

func (r *report) writeJSON(w io.Writer) error {
	failed := struct {
		Failed bool `json:"failed"`
		*report
	}{r != nil, r}
	b, err := json.MarshalIndent(failed, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	_, err = w.Write(append(terminal.PrintableJSON(b), '\n'))
	return err
}

func (r *report) writeText(w io.Writer) error {
	if r == nil {
		_, err := fmt.Fprintln(w, "nothing failed")
		return err
	}
	var b strings.Builder
	line := func(name, value string) { fmt.Fprintf(&b, "%-15s %s\n", name, terminal.Printable(value)) }
	line("code", r.Code)
	line("category", r.Category)
	line("message", r.Message)
	line("kind", r.Kind.String())
	line("severity", r.Severity.String())
	line("recoverability", r.Recoverability.String())
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
	say(r.Action == taxonomy.Escalate, "escalate to "+r.To+" or one tier up from there")
	say(r.Action == taxonomy.Retry, fmt.Sprintf("retry, %d attempts in total", r.Attempts))
	say(r.Action == taxonomy.Abort || r.Action == taxonomy.Block, r.Action.String())
	say(r.Session == taxonomy.SessionReduced, "with less context")
	say(r.Then != "", "then "+r.Then)
	return r.Name + ": " + strings.Join(parts, ", ")
}

// shownLimit is how much of a rule is shown to a reader, in characters.
const shownLimit = 160

// shown returns a rule by its name and as the taxonomy has it, which the answer in JSON holds in
// full.
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
