package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/spec"
)

// runtimeOps are the operations that the runtime itself reports.
var runtimeOps = strings.Fields(`
	load_config prepare lock resume available detect_changes save revert scope ask budget call
	validate_pre_commit validate_pre_push validate_pre_pr commit push pr file_task notify state_write`)

// Operations returns the operations that no taxonomy has to declare.
func Operations() []string { return slices.Clone(runtimeOps) }

// furtherActions are the actions that are no predeclared reactions.
var furtherActions = []string{"retry", "retry_operation", "escalate", "recover"}

// sections are where names are declared.
var sections = map[spec.Ref]string{
	spec.RefSource: "sources", spec.RefOp: "ops", spec.RefGroup: "groups", spec.RefStrategy: "strategies",
	spec.RefCheck: "checks", spec.RefTier: "tiers", spec.RefPolicy: "policies", spec.RefReaction: "reactions",
	spec.RefSignature: "signatures", spec.RefConstant: "constants", spec.RefCode: "a category",
	spec.RefOverlay: "categories or groups",
}

// undeclaredNames finds references to names that are not declared.
func undeclaredNames(c *checker) {
	valid := c.t.Declared()
	valid[spec.RefOp] = append(valid[spec.RefOp], runtimeOps...)
	sets := make(map[spec.Ref]map[string]bool)
	for ref, names := range valid {
		sets[ref] = make(map[string]bool, len(names))
		for _, n := range names {
			sets[ref][n] = true
		}
	}
	c.t.Names(func(n spec.Name) {
		section, closed := sections[n.Ref]
		switch {
		case n.Declares, !closed, sets[n.Ref][n.V]:
		case n.Prefix && !beginsAny(valid[n.Ref], n.V):
			c.report("E-unknown-name", n.Span, fmt.Sprintf("no %s begins with %q", n.Ref, n.V),
				c.suggest(n.V, valid[n.Ref], "declare one under "+section))
		case !n.Prefix:
			hint := "declare it under " + section
			if n.Ref == spec.RefReaction && slices.Contains(furtherActions, n.V) {
				hint = fmt.Sprintf(
					"it is an action: declare a reaction with {action: %s} under reactions, and name that", n.V)
			}
			c.report("E-unknown-name", n.Span, fmt.Sprintf("%s %q is not declared", n.Ref, n.V),
				c.suggest(n.V, valid[n.Ref], hint))
		}
	})
}

func beginsAny(names []string, prefix string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, prefix) })
}

// unknownFields finds references to fields that the category does not have.
func unknownFields(c *checker) {
	c.eachFieldRef(func(k *code, name spec.Text, _ *spec.Literal) {
		if _, ok := k.byName[name.V]; !ok {
			c.report("E-unknown-name", name.Span, fmt.Sprintf("category %q has no field %q", k.category.Name.V, name.V),
				c.suggest(name.V, k.fieldNames(), "declare it under fields"))
		}
	})
	sources := append(slices.Sorted(maps.Keys(evidence)), attributePrefix+"name")
	c.eachField(func(f field) {
		for _, from := range f.From {
			if _, ok := evidence[from.V]; ok || isAttribute(from.V) {
				continue
			}
			hint := "use one of " + strings.Join(sources, ", ")
			if _, attribute, dotted := strings.Cut(from.V, "."); dotted && attribute != "" {
				hint = fmt.Sprintf("did you mean %q?", attributePrefix+attribute)
			}
			c.report("E-unknown-name", from.Span, fmt.Sprintf("evidence has no %q", from.V),
				c.suggest(from.V, sources, hint))
		}
	})
}

// thenCycles finds reactions of the table that lead back to themselves.
func thenCycles(c *checker) {
	done := make(map[*spec.Reaction]bool)
	for _, r := range c.reactions {
		var path []*spec.Reaction
		for ; r != nil && !done[r]; r = c.then(r) {
			done[r] = true
			path = append(path, r)
		}
		if i := slices.Index(path, r); r != nil && i >= 0 {
			c.cycle(path[i:])
		}
	}
}

// cycle reports a circle at the `then` that is last in the file.
func (c *checker) cycle(path []*spec.Reaction) {
	last := 0
	for i, r := range path {
		if isLater(refSpan(r.Then, false), refSpan(path[last].Then, false)) {
			last = i
		}
	}
	path = slices.Concat(path[last+1:], path[:last+1])
	var names []string
	for _, r := range append(path, path[0]) {
		names = append(names, r.Name.V)
		if r.Name.V == "" {
			names[len(names)-1] = "(in place)"
		}
	}
	c.report("E-then-cycle", refSpan(path[len(path)-1].Then, false),
		"then leads in a circle: "+strings.Join(names, ", "), "end the chain with abort, block or continue")
}
