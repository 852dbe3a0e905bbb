package planfile

import (
	"cmp"
	"math"

	"github.com/errgen/errgen/runtime/escalate/plan"
)

// everyLine matches every line, for a count of lines of which nothing else is said.
const everyLine = "^"

// units are what a number may be followed by, and what it is multiplied with then.
type units []struct {
	word   string
	factor int64
}

// readCount reads "PATH has BOUNDS lines matching /…/" and "PATTERN BOUNDS files".
func readCount(s *scanner, c *plan.Criterion) (ok bool) {
	if c.Path, ok = s.name(); !ok {
		return false
	}
	has := s.word("has")
	if !readBounds(s, c, nil) {
		return false
	}
	if !has || !s.word("lines") && !s.word("line") {
		return s.word("files") || s.word("file") || s.done()
	}
	if c.Text = everyLine; s.done() {
		return true
	}
	return s.word("matching") && readPattern(s, c)
}

// readSize reads "PATH BOUNDS bytes".
func readSize(s *scanner, c *plan.Criterion) (ok bool) {
	if c.Path, ok = s.name(); !ok {
		return false
	}
	s.word("has")
	return readBounds(s, c, units{{"bytes", 1}, {"byte", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}})
}

// readBounds reads "5", "at least 5", "at most 5" and "5 to 10", with a unit after each number, or
// one for both.
func readBounds(s *scanner, c *plan.Criterion, u units) bool {
	s.space()
	begin := s.at
	least, most := s.atWord("least"), s.atWord("most")
	low, unit, ok := s.amount(u)
	if !ok {
		return false
	}
	if least || most || !s.word("to") {
		n := low * cmp.Or(unit, 1)
		c.Min, c.Max = n, n
		if least {
			c.Max = 0
		}
		if most {
			c.Min = 0
		}
		return s.bounds(begin, n > 0, "0 says nothing; write at least 1, or have a command check that there is none")
	}
	high, last, ok := s.amount(u)
	if !ok {
		return false
	}
	c.Min, c.Max = low*cmp.Or(unit, last, 1), high*cmp.Or(last, unit, 1)
	return s.bounds(begin, c.Min <= c.Max && c.Max > 0, "nothing is in between; write the smaller number first")
}

// bounds reports bounds that cannot be, with a problem.
func (s *scanner) bounds(at int, can bool, problem string) bool {
	if !can {
		s.wrong(at, "%s", problem)
	}
	return can
}

// atWord takes "at" and a word.
func (s *scanner) atWord(word string) bool {
	before := s.at
	if s.word("at") && s.word(word) {
		return true
	}
	s.at = before
	return false
}

// maxAmount is the greatest number, so that no unit makes it overflow.
const maxAmount = math.MaxInt64 >> 30

// amount reads a number and its unit; a unit of 0 is none.
func (s *scanner) amount(u units) (n, unit int64, ok bool) {
	before := s.at
	if n, ok = s.number(); !ok || n > maxAmount {
		s.at = before
		return 0, 0, false
	}
	for _, each := range u {
		if s.word(each.word) {
			return n, each.factor, true
		}
	}
	return n, 0, true
}
