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
	// stageDistance is the greatest distance of a line to the end, if a tool names a stage that
	// failed.
	stageDistance = 400
	// excerptLength is the greatest length of an excerpt.
	excerptLength = 200
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
	if r.Outcome == Unknown {
		s = t.certainSegment()
	}
	if t.abort.Line > 0 && (s == nil || t.abort.Line <= s.end || t.abort.Class.Name == "timeout") {
		r.Cause = &t.abort.Finding
		return r
	}
	if s == nil {
		return r
	}
	c := t.cause(s)
	if c.Line == 0 || r.Outcome == Unknown && !t.isCertain(&c) {
		return r
	}
	if r.Outcome == Unknown && t.line-c.Line > excerptLength && !isDiagnosed(c.Class.Name) {
		c.Class = Class{} // a job that succeeds also survives such failures
	}
	r.Cause = &c.Finding
	r.Side = t.side(s, &c)
	return r
}

// isCertain reports whether a candidate is reported though nothing says that the job failed. A
// short log is an excerpt that was cut out around a failure.
func (t *reader) isCertain(c *candidate) bool {
	switch c.Kind {
	case Report, Diagnosis, Summary, Stage, Problem, Package:
		return true
	}
	return c.level == failure || c.Class.Name != "" && t.line <= excerptLength
}

// certainSegment returns the last segment with a certain candidate, and removes all others from it.
func (t *reader) certainSegment() *segment {
	for _, words := range []bool{false, true} {
		for _, s := range slices.Backward(t.ended) {
			problems := slices.DeleteFunc(slices.Concat(s.first, s.last.all()), func(c candidate) bool {
				if words && c.Kind == Word {
					t.classify(&c)
				}
				return !t.isCertain(&c)
			})
			if len(problems)+len(s.reports)+len(s.stages.list)+len(s.diagnoses) > 0 {
				s.first, s.last, s.paragraph = problems, ring{}, candidate{}
				return s
			}
		}
	}
	return nil
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
	if class.weight() < 2 && c.next != "\n" {
		both := c.Searched + "\n" + c.next
		longer := t.matcher.Classify(both)
		// The next lines may have their own failure.
		if longer.weight() > class.weight() && t.matcher.Classify(c.next).weight() < longer.weight() {
			class, c.Searched = longer, both
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
		if isDiagnosed(problems[i].Class.Name) && !problems[i].Class.Weak {
			s.note(problems[i])
		}
	}
	if c, ok := t.diagnosis(s); ok {
		return c
	}
	if c := cluster(s, problems); c != nil {
		return *c
	}
	stages := slices.DeleteFunc(s.stages.all(), func(c candidate) bool { return s.lastLine-c.Line > stageDistance })
	p := s.paragraph
	isShort := s.lastLine-p.Line < paragraphLength
	if p.Line > s.start && isShort && (len(stages) == 0 || p.Line < stages[0].Line) {
		return p
	}
	for i := range stages {
		if t.classifyStage(&stages[i]); stages[i].Class.Name != "" {
			return stages[i]
		}
	}
	if len(stages) > 0 {
		return stages[0]
	}
	return candidate{Finding: s.exit}
}

// classifyStage classifies a stage line that also contains the reason. Diagnoses and crashes do not
// count.
func (t *reader) classifyStage(c *candidate) {
	class := t.matcher.Classify(c.Searched)
	if !isDiagnosed(class.Name) && class.Name != "crash" {
		c.Class = class
	}
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
		case pick == nil, x.Class.weight() >= pick.Class.weight():
			pick = x
		}
	}
	if pick != nil && len(s.stages.list) > 0 && s.lastLine-pick.Line > stageDistance {
		return nil // a tool has survived it, and reports at the end what failed
	}
	if pick == nil || pick.Class.Name != "" || pick.Kind != Word || pick.level == failure || s.start > 1 {
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
