package executor

import (
	"slices"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// ladder is what can be escalated to. Its first rung is Config.Provider, and those above are the
// taxonomy's tiers.
type ladder []rung

// rung is a step of a ladder. One that has no provider and is no person's is passed over.
type rung struct {
	name     string
	person   bool
	provider Provider
}

func newLadder(base Provider, tiers []taxonomy.Tier, providers map[string]Provider) ladder {
	l := ladder{{provider: base}}
	for _, t := range tiers {
		l = append(l, rung{name: t.Name, person: t.Person, provider: providers[t.Name]})
	}
	return l
}

// first returns the rung that a run begins on, or -1 when there is no provider at all.
func (l ladder) first() int {
	return slices.IndexFunc(l, func(r rung) bool { return r.provider != nil && !r.person })
}

// above returns the rung that an escalation leads to: up to the named one, one up if already there;
// -1 if there is none.
func (l ladder) above(from int, to string) int {
	next := from + 1
	for i := next; i < len(l); i++ {
		if l[i].name == to && to != "" {
			next = i
			break
		}
	}
	for i := next; i < len(l); i++ {
		if l[i].person || l[i].provider != nil {
			return i
		}
	}
	return -1
}

// has reports whether i is a rung with a provider.
func (l ladder) has(i int) bool { return i >= 0 && i < len(l) && l[i].provider != nil && !l[i].person }
