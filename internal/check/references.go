package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
)

// runtimeOps are the operations that the runtime itself reports.
var runtimeOps = strings.Fields(`
	load_config prepare lock resume available detect_changes save revert scope ask budget call
	validate_pre_commit validate_pre_push validate_pre_pr commit deliver push pr file_task notify state_write`)

// Operations returns the operations that no taxonomy has to declare.
func Operations() []string { return slices.Clone(runtimeOps) }

// furtherActions are the actions without a predeclared reaction.
var furtherActions = []string{"retry", "retry_operation", "escalate", "recover"}

// sections has the sections that declare names, by the kind of name.
var sections = map[spec.Ref]string{
	spec.RefSource: "sources", spec.RefOp: "ops", spec.RefGroup: "groups", spec.RefStrategy: "strategies",
	spec.RefCheck: "checks", spec.RefTier: "tiers", spec.RefPolicy: "policies", spec.RefReaction: "reactions",
	spec.RefSignature: "signatures", spec.RefConstant: "constants", spec.RefCode: "a category",
	spec.RefOverlay: "categories or groups",
}

// undeclaredNames finds references to undeclared names.
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

// unknownFields finds references to fields that the code does not have, and to unknown evidence.
func unknownFields(c *checker) {
	c.eachFieldRef(func(k *model.Code, name spec.Text, _ *spec.Literal) {
		if fieldOf(k, name.V) == nil {
			c.report("E-unknown-name", name.Span, fmt.Sprintf("category %q has no field %q", k.Category.Name, name.V),
				c.suggest(name.V, fieldNames(k.Fields()), "declare it under fields"))
		}
	})
	sources := append(slices.Sorted(maps.Keys(filledTypes)), attributePrefix+"name")
	c.eachField(func(f *model.Field) {
		for _, from := range f.Decl.From {
			if _, ok := filledTypes[from.V]; ok || isAttribute(from.V) {
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
	c.cycles("E-then-cycle", "then", "end the chain with abort, block or continue", spec.RefReaction,
		func(name string) []spec.Text {
			i := slices.IndexFunc(c.t.Reactions, func(r spec.Reaction) bool { return r.Name.V == name })
			if i < 0 {
				return nil
			}
			for r := &c.t.Reactions[i]; r.Then != nil && slices.Contains(furtherActions, r.Action.V); {
				if r.Then.Inline == nil {
					return []spec.Text{r.Then.Name}
				}
				r = r.Then.Inline
			}
			return nil
		})
}

// overCycles finds signatures of the taxonomy that are over each other in a circle.
func overCycles(c *checker) {
	c.cycles("E-over-cycle", "over", "put only more specific signatures over others", spec.RefSignature,
		func(name string) []spec.Text {
			i := slices.IndexFunc(c.t.Signatures, func(s spec.Signature) bool { return s.Name.V == name })
			if i >= 0 {
				return c.t.Signatures[i].Over
			}
			var out []spec.Text
			if s := resolve.SignatureNamed(c.t, name); s != nil {
				for _, over := range s.Over {
					out = append(out, spec.Text{V: over})
				}
			}
			return out
		})
}

// cycles reports references that lead back to their declaration. key is the key with the
// references, and next returns those of a declaration. The place of a finding is the reference that
// closes the circle.
func (c *checker) cycles(id, key, hint string, ref spec.Ref, next func(name string) []spec.Text) {
	done := make(map[string]bool)
	var visit func(name spec.Text, path []string)
	visit = func(name spec.Text, path []string) {
		if i := slices.Index(path, name.V); i >= 0 {
			c.report(id, name.Span, key+" leads in a circle: "+strings.Join(append(path[i:], name.V), ", "), hint)
			return
		}
		if done[name.V] {
			return
		}
		done[name.V] = true
		for _, to := range next(name.V) {
			if !to.Span.Valid() {
				to.Span = name.Span // a signature of errgen
			}
			visit(to, append(slices.Clone(path), name.V))
		}
	}
	c.t.Names(func(n spec.Name) {
		if n.Declares && n.Ref == ref {
			visit(n.Text, nil)
		}
	})
}
