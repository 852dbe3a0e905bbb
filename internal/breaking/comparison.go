package breaking

import (
	"fmt"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
)

// comparison is one run of Compare.
type comparison struct {
	old, new *Taxonomy

	to   map[*model.Code]*model.Code // from old to new; absent where the code is gone
	from map[*model.Code]*model.Code // from new to the old one that it carries on; others were merged into it

	// heirs leads from categories of the old taxonomy to what they are now.
	heirs map[*model.Category]*model.Category
	// known is what is found of the fields that are being compared, and knownOf of those of each
	// old category.
	known   *fieldsKnown
	knownOf map[*model.Category]*fieldsKnown

	traits traitChanges
	same   map[[2]*model.Reaction]bool
	out    []Change
}

func newComparison(old, new *Taxonomy) *comparison {
	c := &comparison{
		old: old, new: new,
		to: make(map[*model.Code]*model.Code), from: make(map[*model.Code]*model.Code),
		knownOf: make(map[*model.Category]*fieldsKnown),
		same:    make(map[[2]*model.Reaction]bool),
	}
	c.match()
	return c
}

// match finds what became of each code of the old taxonomy: the code of that value, else the one
// with that alias, else the one under that key, unless that is a value which meant something else
// before.
func (c *comparison) match() {
	ways := []func(o *model.Code) *model.Code{
		func(o *model.Code) *model.Code { return c.new.byValue[o.Value] },
		func(o *model.Code) *model.Code { return c.new.byAlias[o.Value] },
		func(o *model.Code) *model.Code {
			n := c.new.byKey[o.Key]
			if n == nil || c.old.decodes(n.Value) != nil || c.new.reserves(o.Value) {
				return nil
			}
			return n
		},
	}
	for _, way := range ways {
		for _, o := range c.old.model.Codes {
			if c.to[o] != nil || c.old.byValue[o.Value] != o {
				continue
			}
			if n := way(o); n != nil {
				c.to[o] = n
				first(c.from, n, o)
			}
		}
	}
}

// carriedOn returns the code that o is now, unless it was merged into another one.
func (c *comparison) carriedOn(o *model.Code) *model.Code {
	if n := c.to[o]; n != nil && c.from[n] == o {
		return n
	}
	return nil
}

// changed adds a change that stands in the new taxonomy.
func (c *comparison) changed(id string, at diag.Span, hint, format string, args ...any) {
	c.add(Change{Finding: finding(id, at, hint, format, args), Levels: levels[id]})
}

// gone adds a change that stands in the old taxonomy.
func (c *comparison) gone(id string, at diag.Span, hint, format string, args ...any) {
	c.add(Change{Finding: finding(id, at, hint, format, args), Levels: levels[id], Gone: true})
}

// either adds a change that stands in the new taxonomy if it says anything there, and otherwise in
// the old one.
func (c *comparison) either(id string, at, was diag.Span, hint, format string, args ...any) {
	if at.Valid() {
		c.changed(id, at, hint, format, args...)
		return
	}
	c.gone(id, was, hint, format, args...)
}

func (c *comparison) add(change Change) { c.out = append(c.out, change) }

// narrow leaves a level out of the change that was added last.
func (c *comparison) narrow(without Level) { c.out[len(c.out)-1].Levels &^= without }

func finding(id string, at diag.Span, hint, format string, args []any) diag.Finding {
	return diag.Finding{ID: id, Severity: severity(id), Span: at, Hint: hint, Message: fmt.Sprintf(format, args...)}
}

// at returns the first place that is one.
func at(spans ...diag.Span) diag.Span {
	for _, s := range spans {
		if s.Valid() {
			return s
		}
	}
	return diag.Span{}
}

// list joins words for a sentence, and counts those that would make it long.
func list(words []string) string {
	const most = 3
	if len(words) > most+1 {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), len(words)-most)
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// missing returns those of old that are not in new.
func missing(old, new []string) []string {
	have := make(map[string]bool, len(new))
	for _, w := range new {
		have[w] = true
	}
	var out []string
	for _, w := range old {
		if !have[w] {
			out = append(out, w)
		}
	}
	return out
}
