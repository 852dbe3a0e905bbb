package plan

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/internal/text"
)

// oneStep checks the step with that index.
func (c *checking) oneStep(s *Step, index int, shared []Prerequisite) {
	c.step, c.line = text.Beginning(s.ID, maxID), s.Line
	c.id(s.ID, index)
	c.instructions(s.Instructions)
	for i := range s.Prerequisites {
		c.prerequisite(&s.Prerequisites[i])
		c.madeBy(s.ID, &s.Prerequisites[i])
	}
	c.prerequisiteConflicts(shared, s.Prerequisites)
	if len(s.Criteria) == 0 {
		c.add(Unclear, 0, "the step has no criteria: say what must be true when it is done")
	}
	for i := range s.Criteria {
		c.criterion(&s.Criteria[i])
	}
	c.criterionConflicts(s.Criteria)
}

// maxID is how many bytes an ID has at most.
const maxID = 40

func (c *checking) id(id string, index int) {
	switch {
	case id == "":
		c.add(Invalid, 0, "step %d has no ID: give it one, such as %q", index+1, strconv.Itoa(index+1))
	case !validID(id):
		c.add(Invalid, 0,
			"the ID %s is none: use 1 to %d letters, digits, '.', '-' and '_', the first a letter or a digit",
			text.Quote(id, maxShown), maxID)
	}
	if id != "" && c.earlier[id] {
		c.add(Invalid, 0, "another step has the ID %s, too: give each its own", text.Quote(id, maxShown))
	}
}

func validID(id string) bool {
	if len(id) > maxID || strings.ContainsRune(".-_", rune(id[0])) {
		return false
	}
	for _, r := range id {
		if r >= utf8.RuneSelf || !isWord(byte(r)) && r != '.' && r != '-' {
			return false
		}
	}
	return true
}

// isWord reports whether b is an ASCII letter, a digit or '_'.
func isWord(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_'
}

func (c *checking) instructions(s string) {
	switch open := placeholders(s); {
	case !says(s):
		c.add(Silent, 0, "the step has no instructions: say what is to be done")
	case len(open) == 0:
	case onlyPlaceholders(s):
		c.add(Silent, 0, "the instructions are %s and nothing else: say what is to be done",
			text.Quote(open[0], maxShown))
	default:
		c.add(Several, 0, "the instructions leave open what %s stands for: write it out", text.Quote(open[0], maxShown))
	}
}

// madeBy checks who makes a prerequisite of a step.
func (c *checking) madeBy(id string, p *Prerequisite) {
	by := p.MadeBy
	switch {
	case by == "" || by != id && c.earlier[by]:
	case by == id:
		c.add(Conflicting, p.Line,
			"the step is to make %s itself, which it needs before it begins: make it a criterion",
			text.Quote(p.Name, maxShown))
	case c.all[by]:
		c.add(Conflicting, p.Line, "%s is made by step %s, which comes later: change the order of the steps",
			text.Quote(p.Name, maxShown), text.Quote(by, maxShown))
	default:
		c.add(Conflicting, p.Line, "%s is made by step %s, which there is not: name an earlier step",
			text.Quote(p.Name, maxShown),
			text.Quote(by, maxShown))
	}
}
