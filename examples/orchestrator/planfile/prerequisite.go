package planfile

import (
	"regexp"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/escalate/plan"
)

// prerequisiteForm is how a prerequisite is written.
const prerequisiteForm = "file: docs/a.md"

var prerequisiteKinds = []string{
	string(plan.File), string(plan.Directory), string(plan.Program), string(plan.Variable), string(plan.Address),
}

// madeBy says which step makes a prerequisite.
var madeBy = regexp.MustCompile(`^\s+\(made by(?: step)?\s+([^\s()]+)\)`)

func prerequisites(r *reader, s section) []plan.Prerequisite {
	var all []plan.Prerequisite
	for _, it := range r.items(s, prerequisiteForm) {
		if p, ok := prerequisite(&scanner{item: it}); ok {
			all = append(all, p)
		}
	}
	return all
}

// prerequisite reads "file: docs/a.md (made by 1.2), what it is needed for".
func prerequisite(s *scanner) (plan.Prerequisite, bool) {
	none := plan.Prerequisite{}
	kind, ok := s.kind()
	if !ok {
		s.wrong(0, "what is it? Write the kind in front of it, such as file: docs/a.md; there are %s",
			config.Either(prerequisiteKinds))
		return none, false
	}
	if !slices.Contains(prerequisiteKinds, kind) {
		s.wrong(0, "%s is no kind of prerequisite; there are %s", quoted(kind), config.Either(prerequisiteKinds))
		return none, false
	}
	p := plan.Prerequisite{Kind: plan.PrerequisiteKind(kind), Line: s.line()}
	if p.Name, ok = s.name(); !ok {
		s.wrong(s.at, "the name is missing, or its quote is not closed; write such as %s", prerequisiteForm)
		return none, false
	}
	if found := madeBy.FindStringSubmatch(s.rest()); found != nil {
		p.MadeBy = found[1]
		s.at += len(found[0])
	}
	doc, commented := strings.CutPrefix(s.rest(), ",")
	if p.Doc = strings.TrimSpace(doc); p.Doc != "" && !commented {
		s.space()
		s.wrong(
			s.at, "only (made by 1.2) may follow, and a comma with what it is needed for; a name with spaces "+
				"stands in double quotes")
		return none, false
	}
	return p, true
}
