package detection

import (
	"cmp"
	"slices"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/detect"
)

// class ranks a rule among the rules of its priority.
type class uint8

const (
	structured class = iota // tests more than source and op
	textual                 // searches the text
	general                 // tests source and op only
)

// Beside reports whether only the order in the file decides which of two rules ranks first.
func Beside(a, b *model.Rule) bool {
	return a.Priority == b.Priority && classOf(a) == classOf(b) && derivedClass(a) == derivedClass(b)
}

// Ranked returns the rules of m in the order in which they win: higher priority, class, order of
// the file. The rules of [Rules] are in this order.
func Ranked(m *model.Package) []*model.Rule { return ranked(m, classOf) }

// ranked sorts stably, so that the order of the file decides last.
func ranked(m *model.Package, of func(*model.Rule) class) []*model.Rule {
	out := slices.Clone(m.Rules)
	slices.SortStableFunc(out, func(a, b *model.Rule) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(of(a), of(b)))
	})
	return out
}

// derivedRanks returns where each rule of m ranks when the status was read out of the text.
func derivedRanks(m *model.Package) map[*model.Rule]int {
	out := make(map[*model.Rule]int, len(m.Rules))
	for i, r := range ranked(m, derivedClass) {
		out[r] = i
	}
	return out
}

func classOf(r *model.Rule) class { return classWithout(r, detect.Source, detect.Op) }

// derivedClass is the class of a rule when the status was read out of the text: it is no more than
// text then.
func derivedClass(r *model.Rule) class {
	c := classWithout(r, detect.Source, detect.Op, detect.Status)
	if c == general && classOf(r) == structured {
		return textual
	}
	return c
}

// classWithout returns the class of a rule that has no conditions on the given keys.
func classWithout(r *model.Rule, keys ...detect.Key) class {
	switch {
	case slices.ContainsFunc(r.Conditions, func(c detect.Condition) bool { return !slices.Contains(keys, c.Key) }):
		return structured
	case len(r.Text)+len(r.Contains) > 0:
		return textual
	}
	return general
}
