package breaking

import (
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/summary"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Consumer is a program that handles codes which a change concerns.
type Consumer struct {
	Module string   `json:"module"`
	Commit string   `json:"commit,omitempty"`
	At     []string `json:"at"` // each place with its ways: "client.go:40 (code, default)"
}

// maxPlaces is the number of places of a consumer that a message has.
const maxPlaces = 6

// AddConsumers adds to each change the programs that handle its codes, and to its message their
// places. Handling by parent, type, reaction or default counts.
func AddConsumers(changes []Change, old, new *Taxonomy, programs []*summary.Uses) {
	for i := range changes {
		c := &changes[i]
		concerns := c.concerns(old, new)
		for _, p := range programs {
			if at := placesOf(p, old, new, concerns); len(at) > 0 {
				c.Consumers = append(c.Consumers, Consumer{p.Module, p.Commit, at})
			}
		}
		c.Message += "; " + handlersText(c.Consumers)
	}
}

func handlersText(consumers []Consumer) string {
	if len(consumers) == 0 {
		return "nobody handles it"
	}
	var texts []string
	for _, c := range consumers {
		at := c.At
		if rest := len(at) - maxPlaces; rest > 0 {
			at = append(slices.Clone(at[:maxPlaces]), fmt.Sprintf("%d more", rest))
		}
		name := c.Module
		if len(c.Commit) > 8 {
			name += "@" + c.Commit[:8]
		}
		texts = append(texts, name+" handles it at "+strings.Join(at, ", "))
	}
	return strings.Join(texts, "; ")
}

// placesOf returns the places of a program that handle a code of one of the taxonomies.
func placesOf(p *summary.Uses, old, new *Taxonomy, concerns func(summary.Use) bool) (at []string) {
	ways := make(map[string][]string)
	for _, u := range p.Uses {
		domain := p.Domains[u.Package]
		known := domain == old.model.Domain || domain == new.model.Domain
		if domain == "" { // a taxonomy without a domain has the name of its package only
			known = known && strings.HasSuffix("/"+u.Package, "/"+old.model.Name)
		}
		if !known || !concerns(u) {
			continue
		}
		if ways[u.At] == nil {
			at = append(at, u.At)
		}
		if !slices.Contains(ways[u.At], string(u.How)) {
			ways[u.At] = append(ways[u.At], string(u.How))
		}
	}
	for i, place := range at {
		at[i] = place + " (" + strings.Join(ways[place], ", ") + ")"
	}
	return at
}

// concerns returns whether a change concerns a use of a code. Changes of operations, groups, reactions
// and policies concern their codes, and those of other declarations all codes.
func (c *Change) concerns(old, new *Taxonomy) func(summary.Use) bool {
	s := c.Subject
	kind, name, _ := strings.Cut(s.Name, " ")
	switch {
	case s.Code != "":
		was := old.byKey[s.Code]
		if s.Was != "" && s.Field == "" {
			was = old.byKey[s.Was]
		}
		if was == nil {
			return addedCode(old, new.byKey[s.Code])
		}
		return old.uses(func(code *model.Code) bool { return code == was })
	case s.Category != "":
		return old.uses(func(code *model.Code) bool {
			now := new.decodes(code.Value) // its category can be renamed
			return code.Category.Name == s.Category || now != nil && now.Category.Name == s.Category
		})
	case kind == "operation":
		for _, o := range old.model.Operations {
			if o.Value.Name == name {
				return old.uses(func(code *model.Code) bool { return slices.Contains(o.Codes, code) })
			}
		}
	case kind == "group":
		return old.uses(func(code *model.Code) bool {
			return slices.ContainsFunc(code.InGroups, func(g *model.Group) bool { return g.Name == name })
		})
	case kind == "reaction", kind == "policy":
		return old.uses(func(code *model.Code) bool { return reactsWith(code, kind, name) })
	}
	return func(summary.Use) bool { return true }
}

// uses returns whether a use is of a code that is selected, also under an alias.
func (t *Taxonomy) uses(selected func(*model.Code) bool) func(summary.Use) bool {
	return func(u summary.Use) bool {
		code := t.decodes(u.Code)
		return code != nil && selected(code)
	}
}

// addedCode returns whether a use will handle a new code: one of a code above it, or one that
// handles its category in another way than by single codes and types.
func addedCode(old *Taxonomy, added *model.Code) func(summary.Use) bool {
	return func(u summary.Use) bool {
		if added == nil {
			return false
		}
		for above := added.Above; above != nil; above = above.Above {
			if above.Value == u.Code {
				return true
			}
		}
		code := old.decodes(u.Code)
		return code != nil && code.Category.Name == added.Category.Name &&
			u.How != summary.ByCode && u.How != summary.ByType
	}
}

// reactsWith reports whether a code or a branch of it has a reaction, or a reaction with a policy.
func reactsWith(code *model.Code, kind, name string) bool {
	rows := []*model.Row{code.Row}
	for _, b := range code.Branches {
		rows = append(rows, b.Row)
	}
	return slices.ContainsFunc(rows, func(r *model.Row) bool {
		seen := make(map[*taxonomy.Reaction]bool) // it can lead back to itself
		for a := r.Reaction; a != nil && !seen[a]; a = a.Then {
			seen[a] = true
			if kind == "reaction" && a.Name == name || kind == "policy" && a.Policy != nil && a.Policy.Name == name {
				return true
			}
		}
		return false
	})
}
