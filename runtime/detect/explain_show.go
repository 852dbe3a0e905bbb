package detect

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// maxRunnersUp is how many rules are printed that matched, too.
const maxRunnersUp = 5

// String returns the outcome's word.
func (o Outcome) String() string {
	switch o {
	case Nothing:
		return "nothing"
	case Cancelled:
		return "cancelled"
	case Passed:
		return "passed"
	case Matched:
		return "matched"
	case Fallback:
		return "fallback"
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// MarshalText returns the outcome's word.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// why says what the outcome means, for those without a rule.
func (o Outcome) why() string {
	switch o {
	case Nothing:
		return "there is no error"
	case Cancelled:
		return "a cancelled context is not classified"
	case Passed:
		return "it is an error of the taxonomy already"
	}
	return "no rule matches"
}

// String says on a few lines what the error became and why, secrets masked.
func (e Explanation) String() string {
	var b strings.Builder
	shown := e.Shown()
	if e.Err != nil {
		if code := taxonomy.CodeOf(e.Err); code != "" {
			fmt.Fprintf(&b, "%s (%s): ", text.Printable(text.Masked(code), ""),
				text.Printable(text.Masked(taxonomy.CategoryOf(e.Err)), ""))
		}
		b.WriteString(text.Printable(text.Masked(textOf(e.Err)), "") + "\n")
	}
	if e.Rule != nil {
		line(&b, "rule", e.Rule.line())
	} else {
		line(&b, "rule", "none: "+e.Outcome.why())
	}
	for i, r := range e.RunnersUp {
		if i == maxRunnersUp {
			line(&b, "also matched", fmt.Sprintf("and %d more", len(e.RunnersUp)-i))
			break
		}
		line(&b, "also matched", r.line())
	}
	if len(e.Missing) > 0 {
		line(&b, "missing", strings.Join(e.Missing, ", "))
	}
	if e.Outcome == Matched || e.Outcome == Fallback {
		line(&b, "evidence", text.Printable(text.Masked(shown.Error()), ""))
	}
	if shown.StatusDerived {
		line(&b, "status", fmt.Sprintf("%d, read out of the text", shown.Status))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (r *Rule) line() string {
	if r.Doc == "" {
		return r.Name
	}
	return r.Name + " " + text.Printable(text.Masked(r.Doc), "")
}

func line(b *strings.Builder, label, text string) {
	fmt.Fprintf(b, "  %-12s  %s\n", label, text)
}

// ruleJSON is a rule in the JSON of an explanation.
type ruleJSON struct {
	Name string `json:"name"`
	Rule string `json:"rule,omitempty"`
}

func (r *Rule) json() ruleJSON { return ruleJSON{r.Name, r.Doc} }

// MarshalJSON returns the explanation as an object: outcome, code, category, message, error, rule,
// runners_up, missing and evidence, secrets masked; what does not apply is left out.
func (e Explanation) MarshalJSON() ([]byte, error) {
	out := struct {
		Outcome   Outcome            `json:"outcome"`
		Code      string             `json:"code,omitempty"`
		Category  string             `json:"category,omitempty"`
		Message   string             `json:"message,omitempty"`
		Error     any                `json:"error,omitempty"`
		Rule      *ruleJSON          `json:"rule,omitempty"`
		RunnersUp []ruleJSON         `json:"runners_up,omitempty"`
		Missing   []string           `json:"missing,omitempty"`
		Evidence  *taxonomy.Evidence `json:"evidence,omitempty"`
	}{Outcome: e.Outcome, Missing: e.Missing}
	if e.Err != nil {
		out.Code, out.Category = taxonomy.CodeOf(e.Err), taxonomy.CategoryOf(e.Err)
		out.Message = taxonomy.Scrub(textOf(e.Err))
		if own, ok := taxonomy.First(e.Err, nil); ok {
			if m, ok := own.(json.Marshaler); ok {
				out.Error = m
			}
		}
	}
	if e.Rule != nil {
		rule := e.Rule.json()
		out.Rule = &rule
	}
	for _, r := range e.RunnersUp {
		out.RunnersUp = append(out.RunnersUp, r.json())
	}
	if e.Outcome == Matched || e.Outcome == Fallback {
		shown := e.Shown()
		out.Evidence = &shown
	}
	return json.Marshal(out)
}
