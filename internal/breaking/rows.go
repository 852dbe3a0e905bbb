package breaking

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
)

// aspect is one thing that a row says.
type aspect struct {
	id   string
	what string
	none string // what it comes to where nothing is said
	text func(t *model.Traits) string
	span func(t *spec.Traits) diag.Span
}

// same reports whether two rows come to the same.
func (a *aspect) same(o, n *model.Traits) bool {
	return cmp.Or(a.text(o), a.none) == cmp.Or(a.text(n), a.none)
}

var aspects = []aspect{
	{idRetryable, "retryable", "", func(t *model.Traits) string { return strconv.FormatBool(t.Retryable) },
		func(t *spec.Traits) diag.Span { return t.Retryable.Span }},
	{idRetryable, "recoverability", "", func(t *model.Traits) string { return t.Recoverability.String() },
		func(t *spec.Traits) diag.Span { return t.Recoverability.Span }},
	{idSeverity, "severity", "", func(t *model.Traits) string { return t.Severity.String() },
		func(t *spec.Traits) diag.Span { return t.Severity.Span }},
	{idKind, "kind", "", func(t *model.Traits) string { return t.Kind.String() },
		func(t *spec.Traits) diag.Span { return t.Kind.Span }},
	{idStatus, "http", "500", func(t *model.Traits) string { return numberText(t.HTTP) },
		func(t *spec.Traits) diag.Span { return t.HTTP.Span }},
	{idStatus, "grpc", "UNKNOWN", func(t *model.Traits) string { return resolve.GRPCWord(t.GRPC) },
		func(t *spec.Traits) diag.Span { return t.GRPC.Span }},
}

// traitChanges are changes of rows, gathered so that one of a category is found once and not for
// each of its codes.
type traitChanges struct {
	order []traitKey
	codes map[traitKey][]string
}

type traitKey struct {
	id, what string
	at       diag.Span
	gone     bool // at is in the old taxonomy
}

func (t *traitChanges) add(k traitKey, code string) {
	if t.codes == nil {
		t.codes = make(map[traitKey][]string)
	}
	if t.codes[k] == nil {
		t.order = append(t.order, k)
	}
	t.codes[k] = append(t.codes[k], code)
}

func (t *traitChanges) report(c *comparison) {
	for _, k := range t.order {
		hint := ""
		if k.id == idStatus {
			hint = "clients see it: give what is different a code of its own"
		}
		tell := c.changed
		if k.gone {
			tell = c.gone
		}
		tell(k.id, k.at, hint, "%s: %s", list(t.codes[k]), k.what)
	}
}

// codeRows compares what is said of a code, and of it under its branches.
func (c *comparison) codeRows(o, n *model.Code) {
	own := c.row(o.Row.Traits, n.Row.Traits, n, n.Key, nil, nil)
	c.branches(o, n, own)
}

// row compares two rows. Changes that are in known are not told again. It returns those that there
// are.
func (c *comparison) row(o, n model.Traits, code *model.Code, who string, decl *spec.Traits, known []string) []string {
	var found []string
	tell := func(id, what string, at diag.Span) {
		found = append(found, what)
		if !slices.Contains(known, what) {
			c.traits.add(traitKey{id: id, what: what, at: at}, who)
		}
	}
	for _, a := range aspects {
		if a.same(&o, &n) || a.what == "recoverability" && o.Retryable != n.Retryable {
			continue
		}
		tell(a.id, differ(a.what, a.text(&o), a.text(&n)), c.place(code, decl, a.span))
	}
	if what := c.otherReaction(o.Reaction, n.Reaction); what != "" {
		tell(idReaction, what, c.place(code, decl, func(t *spec.Traits) diag.Span {
			if t.Reaction == nil {
				return diag.Span{}
			}
			return t.Reaction.Span
		}))
	}
	return found
}

// place is where a trait of a code is said: in the branch, at the code, at its category, or
// nowhere, and then it is the code.
func (c *comparison) place(code *model.Code, branch *spec.Traits, span func(*spec.Traits) diag.Span) diag.Span {
	var in diag.Span
	if branch != nil {
		in = span(branch)
	}
	return at(in, span(&c.new.codes[code].Traits), span(&c.new.categories[code.Category].Traits), c.new.codeAt(code))
}

// branches compares the branches of a code. Those with the same conditions are the same, and what
// is left is paired in its order. One that only one side has is compared with the other side's own
// row, which is what held for its contexts, unless another branch did.
func (c *comparison) branches(o, n *model.Code, own []string) {
	was, is := branchTexts(o), branchTexts(n)
	decl := c.new.codes[n]
	rows := make(map[string]*model.Row, len(was))
	for i, text := range was {
		rows[text] = o.When[i].Row
	}
	left := missing(was, is)
	for i, text := range is {
		before := o.Row
		switch row := rows[text]; {
		case row != nil:
			before = row
		case len(left) > 0:
			before = rows[left[0]]
			c.conditions(n, i, left[0], text)
			left = left[1:]
		}
		c.row(before.Traits, n.When[i].Row.Traits, n, fmt.Sprintf("%s when %d", n.Key, i+1), &decl.When[i].Traits, own)
	}
	for _, text := range left {
		c.row(rows[text].Traits, n.Row.Traits, n, fmt.Sprintf("%s where %s", n.Key, text), nil, own)
	}
	if !slices.Equal(common(was, is), common(is, was)) {
		c.changed(idWhen, at(decl.When[0].Span, c.new.codeAt(n)), "the first branch that holds is taken",
			"the branches of %s are in another order", n.Key)
	}
}

// conditions tells of a branch that holds for other contexts than it did.
func (c *comparison) conditions(n *model.Code, i int, was, is string) {
	id := idWhen
	if row := n.When[i].Row; row.HTTP != n.Row.HTTP || row.GRPC != n.Row.GRPC {
		id = idStatus
	}
	c.changed(id, at(c.new.codes[n].When[i].Span, c.new.codeAt(n)), "", "%s when %d held where %s, and holds where %s",
		n.Key, i+1, was, is)
}

// branchTexts returns the conditions of each branch as a text of its own.
func branchTexts(c *model.Code) []string {
	out := make([]string, len(c.When))
	count := make(map[string]int, len(c.When))
	for i, b := range c.When {
		text := condText(b.Conds)
		out[i] = text
		if count[text]++; count[text] > 1 {
			out[i] += fmt.Sprintf(" (%d)", count[text])
		}
	}
	return out
}

// common returns those of list that are in other.
func common(list, other []string) []string {
	return missing(list, missing(list, other))
}
