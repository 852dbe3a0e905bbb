package planfile

import (
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/escalate/plan"
)

// form is how a criterion of a kind is written, and what reads it. A reader reports what is wrong
// itself, or leaves that to the form.
type form struct {
	kind    plan.CriterionKind
	example string
	read    func(s *scanner, c *plan.Criterion) bool
}

// forms are the kinds of criteria.
func forms() []form {
	return []form{
		{plan.Exists, `exists: reports/2.3.md`, readExists},
		{plan.Format, `format: report.json is json`, readFormat},
		{plan.Sections, `sections: reports/2.3.md has "Purpose", "Rules"`, readSections},
		{plan.Count, `count: reports/2.3.md has 5 lines matching /^- /, or count: src/*.go at least 3`, readCount},
		{plan.Size, `size: reports/2.3.md 1 to 10240 bytes`, readSize},
		{plan.Content, `content: reports/2.3.md matches /AGENTS/`, readContent},
		{plan.Passes, `command: go test ./...`, readCommand},
	}
}

func criteria(r *reader, s section) []plan.Criterion {
	all := forms()
	var found []plan.Criterion
	for _, it := range r.items(s, all[0].example) {
		if c, ok := criterion(&scanner{item: it}, all); ok {
			found = append(found, c)
		}
	}
	return found
}

// criterion reads one criterion.
func criterion(s *scanner, all []form) (plan.Criterion, bool) {
	kinds := make([]string, len(all))
	for i, f := range all {
		kinds[i] = string(f.kind)
	}
	kind, ok := s.kind()
	if !ok {
		s.wrong(0, "how is it checked? Write the kind in front of it, such as %s; there are %s", all[0].example,
			config.Either(kinds))
		return plan.Criterion{}, false
	}
	i := slices.Index(kinds, kind)
	if i < 0 {
		s.wrong(0, "%s is no kind of criterion; there are %s", quoted(kind), config.Either(kinds))
		return plan.Criterion{}, false
	}
	c := plan.Criterion{Kind: all[i].kind, Line: s.line()}
	known := len(s.r.problems)
	ok = all[i].read(s, &c) && s.done()
	if !ok && len(s.r.problems) == known {
		s.space()
		s.wrong(s.at, "this is not understood from here on; write such as %s", all[i].example)
	}
	return c, ok
}

func readExists(s *scanner, c *plan.Criterion) (ok bool) {
	c.Path, ok = s.name()
	return ok
}

func readFormat(s *scanner, c *plan.Criterion) (ok bool) {
	if c.Path, ok = s.name(); !ok || !s.word("is") {
		return false
	}
	word, ok := s.name()
	c.Text = strings.ToLower(word)
	return ok
}

func readSections(s *scanner, c *plan.Criterion) (ok bool) {
	if c.Path, ok = s.name(); !ok || !s.word("has") {
		return false
	}
	c.Texts, ok = s.quotedTexts()
	return ok
}

func readContent(s *scanner, c *plan.Criterion) (ok bool) {
	if c.Path, ok = s.name(); !ok || !s.word("matches") {
		return false
	}
	return readPattern(s, c)
}

// readPattern reads the regular expression that is the last of a criterion.
func readPattern(s *scanner, c *plan.Criterion) bool {
	text, ok := s.pattern()
	if !ok {
		return false
	}
	c.Text = text
	if _, err := c.Regexp(); err != nil {
		s.wrong(s.at, "the regular expression cannot be used: %v", err)
		return false
	}
	s.at = len(s.text)
	return true
}

func readCommand(s *scanner, c *plan.Criterion) bool {
	command, ok := command(s)
	c.Command = &command
	return ok
}
