package triage

import "slices"

// diagnosed are the classes of diagnoses of the program that is built or tested. A tool reports
// many of them, and goes on. Failures of other classes end a command; programs under test also
// print them.
var diagnosed = []string{"test_failure", "compile_error", "type_error", "lint_finding"}

func isDiagnosed(class string) bool { return slices.Contains(diagnosed, class) }

const (
	// clusterGap is the number of lines between two candidates of a cluster of errors.
	clusterGap = 6
	// wordDistance is the greatest distance of a line with only a word of failures to the end.
	wordDistance = 40
	// paragraphLength is the greatest length of a paragraph that may be the cause.
	paragraphLength = 12
	maxSide         = 5
)

// result ranks the candidates.
func (t *reader) result() Result {
	r := Result{Outcome: t.stated, Lines: t.line}
	if r.Outcome == Unknown {
		switch {
		case t.failed:
			r.Outcome = Failed
		case t.passed:
			r.Outcome = Succeeded
		}
	}
	if r.Outcome == Succeeded {
		return r
	}
	s := t.failedSegment()
	if t.abort.Line > 0 && (s == nil || t.abort.Line <= s.end || t.abort.Class.Name == "timeout") {
		r.Cause = &t.abort.Finding
		return r
	}
	if s == nil {
		return r
	}
	c := t.cause(s)
	if c.Line == 0 || r.Outcome == Unknown && !isCertain(&c) {
		return r
	}
	r.Cause = &c.Finding
	r.Side = t.side(s, &c)
	return r
}

// isCertain reports whether a candidate is reported though nothing says that the job failed.
func isCertain(c *candidate) bool {
	switch c.Kind {
	case Report, Diagnosis, Summary:
		return true
	case Stage:
		return c.Class.Name == ""
	}
	return c.level == failure || c.Kind == Problem || c.Kind == Package
}

// failedSegment returns the segment with the cause, or nil.
func (t *reader) failedSegment() *segment {
	for _, isWanted := range []func(s *segment) bool{
		func(s *segment) bool { return s.isFailed() && !s.teardown },
		func(s *segment) bool { return s.hasError && !s.teardown },
		func(s *segment) bool { return s.isFailed() || s.hasError },
	} {
		if i := slices.IndexFunc(t.ended, isWanted); i >= 0 {
			return t.ended[i]
		}
	}
	if n := len(t.ended); n > 0 {
		return t.ended[n-1]
	}
	return nil
}

// classify sets the class of a candidate that has none, or only that of a package.
func (t *reader) classify(c *candidate) {
	if c.Class.Name != "" && c.Kind != Package {
		return
	}
	class := t.matcher.Classify(c.Searched)
	if class.Name == "" && c.next != "\n" {
		both := c.Searched + "\n" + c.next
		class = t.matcher.Classify(both)
		if class.Name != "" && t.matcher.Classify(c.next).Name != "" {
			class = Class{} // the next lines have their own failure
		}
		if class.Name != "" {
			c.Searched = both
		}
	}
	if class.Name != "" {
		c.Class = class
	}
}

// cause returns the cause of a segment's failure.
func (t *reader) cause(s *segment) candidate {
	problems := slices.Concat(s.first, s.last.all())
	for i := range problems {
		t.classify(&problems[i])
		if isDiagnosed(problems[i].Class.Name) {
			s.note(problems[i])
		}
	}
	if c, ok := t.diagnosis(s); ok {
		return c
	}
	if c := cluster(s, problems); c != nil {
		return *c
	}
	p := s.paragraph
	isShort := s.lastLine-p.Line < paragraphLength
	if p.Line > s.start && isShort && (len(s.stages) == 0 || p.Line < s.stages[0].Line) {
		return p
	}
	if len(s.stages) > 0 {
		return s.stages[0]
	}
	return candidate{Finding: s.exit}
}

// diagnosis returns the first line of the class of diagnoses that is reported last. Failed tests
// come before other diagnoses, except those of a compiler after them.
func (t *reader) diagnosis(s *segment) (c candidate, ok bool) {
	best, last := "", 0
	for _, class := range diagnosed {
		if d := s.diagnoses[class]; d != nil && d.last > last {
			best, last = class, d.last
		}
	}
	if best == "" {
		return c, false
	}
	compile := s.diagnoses["compile_error"]
	if tests := s.diagnoses["test_failure"]; tests != nil {
		best = "test_failure"
		if compile != nil && compile.first.Line > tests.last {
			best = "compile_error"
		}
	}
	switch {
	case best == "test_failure" && len(s.reports) > 0:
		return s.reports[0], true
	case best == "compile_error" && s.diagnoses["type_error"] != nil:
		best = "type_error"
	}
	c = s.diagnoses[best].first
	switch {
	case best == "lint_finding" && compile != nil && compile.first.Line < c.Line:
		// The report has the form of a compiler's; its summary names a linter.
		class := c.Class
		c = compile.first
		c.Class = class
	case best == "compile_error" && c.Class.Marked:
		marked := c.Class
		c.Class = Class{}
		if t.classify(&c); !isDiagnosed(c.Class.Name) {
			c.Class = marked
		}
	}
	return c, true
}

// cluster returns the first error with a class in the last cluster of errors before the exit, or
// else its first error.
func cluster(s *segment, problems []candidate) *candidate {
	var pick *candidate
	for i := len(problems) - 1; i >= 0; i-- {
		x := &problems[i]
		if pick != nil && pick.Line-x.Line > clusterGap {
			break
		}
		isWord := x.Class.Name == "" && x.Kind == Word && x.level != failure
		switch {
		case isWord && pick == nil && s.lastLine-x.Line <= wordDistance:
			pick = x
		case isWord:
		case pick == nil, x.Class.Name != "", pick.Class.Name == "":
			pick = x
		}
	}
	if pick == nil || pick.Class.Name != "" || pick.Kind != Word || s.start > 1 {
		return pick
	}
	// A log without segments: rather the first error of the last cluster with a class.
	for i := len(problems) - 1; i >= 0; i-- {
		if problems[i].Class.Name != "" && problems[i].Kind != Word {
			for i > 0 && problems[i].Line-problems[i-1].Line <= 3 && problems[i-1].Class.Name != "" {
				i--
			}
			return &problems[i]
		}
	}
	return pick
}

// side returns other failures than the cause: of its segment and those of later ones.
func (t *reader) side(s *segment, cause *candidate) []Finding {
	var all []Finding
	for _, other := range t.ended {
		if len(all) > 4*maxSide {
			break
		}
		problems := slices.Concat(other.first, other.last.all())
		for i := range problems {
			p := &problems[i]
			if p.Line == cause.Line || p.Kind == Word && p.level != failure {
				continue
			}
			t.classify(p)
			if p.Class.Name != "" && p.Class.Name != cause.Class.Name {
				all = append(all, p.Finding)
			}
		}
		if other.isFailed() && other != s {
			all = append(all, other.exit)
		}
	}
	slices.SortFunc(all, func(a, b Finding) int { return a.Line - b.Line })
	// The nearest ones before the cause, and those after it.
	before := slices.IndexFunc(all, func(f Finding) bool { return f.Line > cause.Line })
	if before < 0 {
		before = len(all)
	}
	from := max(0, min(before-maxSide/2, len(all)-maxSide))
	return all[from:min(from+maxSide, len(all))]
}
