package escalate

import (
	"encoding/json"
	"errors"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// claimable is a code that an agent may give its failure.
type claimable struct {
	Code, Category, Doc string
	// Findings are what the report's finding may be, and Context what its context may hold by name,
	// where the taxonomy says so.
	Findings []string
	Context  []choice
}

// choice is a name with the words that it may have.
type choice struct {
	Name  string
	Words []string
}

// claims returns the codes that the taxonomy's rules take from an agent as labels. Nothing but the
// rules knows, so they are asked, once in a run.
func (r *run) claims() []claimable {
	if r.labels == nil {
		r.labels = findClaims(r.cfg.Calls.Table.Taxonomy, func(ev *taxonomy.Evidence) error {
			err, _ := r.cfg.Calls.Classify(ev, ev.Source, ev.Op)
			return err
		})
	}
	return r.labels
}

// findClaims asks for each code whether a report with it, and nothing else, becomes it. The result
// is not nil.
func findClaims(t *taxonomy.Taxonomy, classify func(*taxonomy.Evidence) error) []claimable {
	all := []claimable{}
	for row, code := range t.Codes() {
		said := taxonomy.Evidence{Source: sourceAgent, Op: string(Execute), Code: code.Value}
		becomes := func(ev taxonomy.Evidence) map[string]any {
			err := classify(&ev)
			if taxonomy.CodeOf(err) != code.Value {
				return nil
			}
			return contextOf(err)
		}
		if becomes(said) == nil {
			continue
		}
		category := t.Categories[row.Category()]
		c := claimable{Code: code.Value, Category: category.Name, Doc: code.Doc}
		for _, field := range category.Fields {
			if len(field.Enum) > 0 {
				c.learn(field, said, becomes)
			}
		}
		all = append(all, c)
	}
	return all
}

// learn finds out where in a report the words of a field are taken from.
func (c *claimable) learn(field taxonomy.Field, said taxonomy.Evidence,
	becomes func(taxonomy.Evidence) map[string]any) {
	word := field.Enum[0]
	said.Type = word
	if becomes(said)[field.Name] == word {
		c.Findings = append(c.Findings, field.Enum...)
	}
	said.Type, said.Attributes = "", map[string]string{field.Name: word}
	if becomes(said)[field.Name] == word {
		c.Context = append(c.Context, choice{field.Name, field.Enum})
	}
}

// contextOf returns the context of an error; not nil.
func contextOf(err error) map[string]any {
	context := map[string]any{}
	if e, ok := errors.AsType[taxonomy.Error](err); ok {
		// an error that does not say its context has none to learn from
		_ = json.Unmarshal(e.AppendContext(nil), &context)
	}
	return context
}
