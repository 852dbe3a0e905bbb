package triage

import "strings"

const (
	maxCandidates = 32 // of each list of a segment
	maxSegments   = 64 // that are kept
)

// segment is a part of the log that has one outcome.
type segment struct {
	start, end int
	exit       Finding // the line that states the failure; its Line is 0 without one
	succeeded  bool
	teardown   bool
	hasError   bool // an annotation states a failure, but no exit

	diagnoses map[string]*diagnoses // by class
	reports   []candidate           // of failed tests
	stages    ring                  // the last ones
	first     []candidate           // the first problems
	last      ring                  // the last problems after those
	// paragraph is the first line after the last empty one. It is the only hint at a cause if a
	// tool prints its message without any word of failures.
	paragraph candidate
	empty     bool // the previous line was empty
	lastLine  int  // the last line with a text
}

// candidate is a line that may be the cause.
type candidate struct {
	Finding
	level level
	next  string // the two lines after it
}

// diagnoses has the first and the last candidate of a class.
type diagnoses struct {
	first candidate
	last  int // its line
}

// ring has the last candidates that were added.
type ring struct {
	list []candidate
	next int
}

func (r *ring) add(c candidate) {
	if len(r.list) < maxCandidates {
		r.list = append(r.list, c)
		return
	}
	r.list[r.next] = c
	r.next = (r.next + 1) % len(r.list)
}

// all returns the candidates in the order of their lines.
func (r *ring) all() []candidate {
	return append(r.list[r.next:len(r.list):len(r.list)], r.list[:r.next]...)
}

// reader divides a log into segments.
type reader struct {
	matcher Matcher
	stated  Outcome
	line    int
	segment *segment
	ended   []*segment // those that may be the failed one
	failed  bool       // a mark states that the job failed
	passed  bool       // a mark states that the job succeeded
	abort   candidate  // its Line is 0 without one
	// shapes has the shapes of candidates of the segment, by their last bits.
	shapes [4096]uint32
}

func (s *segment) isFailed() bool { return s.exit.Line > 0 }

// mayFail reports whether the segment may be the failed one.
func (s *segment) mayFail() bool {
	candidates := len(s.first) + len(s.reports) + len(s.stages.list) + len(s.diagnoses)
	return s.isFailed() || s.hasError || candidates > 0 && !s.succeeded
}

// endSegment keeps the segment if it may be the failed one. If there are too many, the oldest ones
// after the first half go.
func (t *reader) endSegment() {
	t.segment.end = t.line
	if !t.segment.mayFail() {
		return
	}
	t.ended = append(t.ended, t.segment)
	if len(t.ended) > maxSegments {
		t.ended = append(t.ended[:maxSegments/2], t.ended[maxSegments/2+1:]...)
	}
}

func (t *reader) begin(teardown bool) {
	t.endSegment()
	t.segment = &segment{start: t.line, teardown: teardown}
	clear(t.shapes[:])
}

// add adds the first of three lines.
func (t *reader) add(lines *[3]entry) {
	t.line++
	e, s := &lines[0], t.segment
	if e.text == "" {
		s.empty = true
		return
	}
	mark := t.matcher.Mark(e.text)
	if rest, ok := strings.CutPrefix(e.text, "##[error]"); ok && mark.Kind == Stage {
		// GitHub's form of a failure, or of a line that a problem matcher repeats.
		t.failed, s.hasError = true, true
		e.text, e.level = rest, failure
		mark = t.matcher.Mark(rest)
	}
	switch mark.Kind {
	case Step:
		t.begin(t.failed)
		return
	case Teardown:
		t.begin(true)
		return
	case End:
		t.passed = t.passed || !t.failed
		return
	case Noise, Detail:
		return
	case Exit:
		t.failed = true
		if !s.isFailed() {
			s.exit = t.candidate(lines, mark).Finding
		}
		return
	case Success, Passed:
		s.succeeded = true
		t.passed = t.passed || mark.Kind == Passed
		return
	case Abort:
		t.failed = true
		if t.abort.Line == 0 {
			t.abort = t.candidate(lines, mark)
		}
		return
	case Retry:
		return
	}
	if s.isFailed() {
		return
	}
	if s.paragraph.Line == 0 || s.empty {
		s.paragraph = candidate{Finding: Finding{Line: t.line, Text: e.raw, Searched: e.text}}
	}
	s.empty, s.lastLine = false, t.line
	if mark.Kind == None && e.level != failure {
		return
	}
	t.addCandidate(lines, mark)
}

// addCandidate adds the first of three lines as a candidate of the segment.
func (t *reader) addCandidate(lines *[3]entry, mark Mark) {
	e, s := &lines[0], t.segment
	unspecific := mark.Kind == None || mark.Kind == Word || mark.Kind == Place || mark.Kind == Problem
	if e.level == debug || e.level == warning && mark.Kind != Report || unspecific && isWarning(e.text) ||
		isFrame(e.text) {
		return
	}
	c := t.candidate(lines, mark)
	if mark.Kind == None {
		c.Kind = Word
	}
	switch mark.Kind {
	case Stage:
		s.stages.add(c)
	case Report:
		if len(s.reports) < maxCandidates {
			s.reports = append(s.reports, c)
		}
		s.note(c)
	case Summary, Diagnosis:
		s.note(c)
	default:
		if h := shape(e.text); t.shapes[h%uint32(len(t.shapes))] != h {
			t.shapes[h%uint32(len(t.shapes))] = h
			s.addProblem(c)
		}
	}
}

func (t *reader) candidate(lines *[3]entry, mark Mark) candidate {
	c := candidate{level: lines[0].level, next: cut(lines[1].text) + "\n" + cut(lines[2].text)}
	c.Line, c.Kind, c.Text, c.Searched = t.line, mark.Kind, cut(lines[0].raw), cut(lines[0].text)
	if mark.Class != "" {
		c.Class = Class{Name: mark.Class, Marked: true}
	}
	return c
}

// cut returns the kept part of a line. It is a copy, so that the rest of the line is freed.
func cut(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.Clone(s[:maxText])
}

func (s *segment) addProblem(c candidate) {
	if len(s.first) < 2*maxCandidates {
		s.first = append(s.first, c)
	} else {
		s.last.add(c)
	}
}

// note adds a diagnosis.
func (s *segment) note(c candidate) {
	d := s.diagnoses[c.Class.Name]
	if d == nil {
		d = &diagnoses{first: c}
		if s.diagnoses == nil {
			s.diagnoses = map[string]*diagnoses{}
		}
		s.diagnoses[c.Class.Name] = d
	}
	if c.Line < d.first.Line {
		d.first = c
	}
	d.last = max(d.last, c.Line)
}

// isFrame reports whether a line is a frame of a stack.
func isFrame(s string) bool {
	t := strings.TrimLeft(s, " \t")
	return len(t) < len(s) && (strings.HasPrefix(t, "at ") || strings.HasPrefix(t, `File "`))
}
