package breaking

import (
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	idOperationCode = "W-changed-operation"
	idExhaustive    = "E-break-exhaustive"
)

// operations adds the operations that the program offers. The codes in which they can end are
// compared by [comparison.operationCodes].
func (l *declarations) operations(file *decl) {
	for _, o := range l.model.Operations {
		label := "operation " + o.Value.Name
		d := l.add(&decl{kind: "operation", path: label, name: o.Value.Name, label: label, within: file,
			pos: o.Decl.Name.Span, subject: Subject{Name: label}, trees: []any{o.Decl}})
		d.set("http", taxonomy.Route(o.Value.HTTP))
		d.set("rpc", o.Value.RPC)
		d.set("idempotent", o.Value.Idempotent == taxonomy.Yes)
		d.set("exhaustive", o.Value.Exhaustive)
	}
}

// operationCodes reports each code in which operations can end now, or no longer, once with all
// these operations. A new code of an exhaustive operation breaks the promise of its list.
func (c *comparison) operationCodes() {
	for _, n := range c.new.model.Codes {
		var usual, exhaustive []string
		for _, o := range c.new.model.Operations {
			before := c.operationBefore(o)
			switch {
			case before == nil || !slices.Contains(o.Codes, n) || slices.Contains(before.Codes, c.from[n]):
			case before.Value.Exhaustive:
				exhaustive = append(exhaustive, o.Value.Name)
			default:
				usual = append(usual, o.Value.Name)
			}
		}
		c.operationCode(idExhaustive, n, c.is, exhaustive, "is new for %s, whose list of errors is exhaustive")
		c.operationCode(idOperationCode, n, c.is, usual, "is new for %s")
	}
	for _, old := range c.old.model.Codes {
		var names []string
		for _, o := range c.new.model.Operations {
			before := c.operationBefore(o)
			if before != nil && slices.Contains(before.Codes, old) && !slices.Contains(o.Codes, c.to[old]) {
				names = append(names, o.Value.Name)
			}
		}
		if c.to[old] != nil { // the removal of a code is a change of its own
			c.operationCode("", old, c.was, names, "is no longer an error of %s")
		}
	}
}

// operationCode reports a code of the operations, if there are any.
func (c *comparison) operationCode(id string, code *model.Code, side *declarations, operations []string, text string) {
	if len(operations) == 0 {
		return
	}
	list := strings.Join(operations, ", ")
	change := c.change(id, side.codes[code], "", "", list, fmt.Sprintf("code %s "+text, code.Name, list))
	change.Key = "operations"
	if id == idOperationCode && c.isBelowKnown(code) {
		change.Hint = ruleByID(idSplit).hint
	}
	for i := range c.new.tree.Operations {
		if d := &c.new.tree.Operations[i]; d.Name.V == operations[0] {
			change.Span = d.Name.Span
		}
	}
}

// isBelowKnown reports whether a new code is below one that clients know.
func (c *comparison) isBelowKnown(n *model.Code) bool {
	above := n.Above
	for above != nil && c.from[above] == nil {
		above = above.Above
	}
	return c.from[n] == nil && above != nil && !above.Abstract
}

// operationBefore returns the operation of the old taxonomy with the name of o, or nil.
func (c *comparison) operationBefore(o *model.Operation) *model.Operation {
	i := slices.IndexFunc(c.old.model.Operations, func(p *model.Operation) bool { return p.Value.Name == o.Value.Name })
	if i < 0 {
		return nil
	}
	return c.old.model.Operations[i]
}
