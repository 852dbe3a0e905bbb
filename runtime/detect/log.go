package detect

import (
	"io"
	"slices"
	"sync"

	"github.com/errgen/errgen/runtime/detect/triage"
	place "github.com/errgen/errgen/runtime/internal/finding"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// LogResult is the cause of the failure of a job.
type LogResult struct {
	triage.Result
	// Rule is the index of the rule that the cause meets, or [NoRule].
	Rule int
	// Evidence is that of the cause. Its text is the line, without times and tags of runners, and
	// up to two lines after it. If the line names a file, a line or a code, they are attributes.
	Evidence taxonomy.Evidence
	// Err is the error of the taxonomy for the cause. Without a rule it is the fallback. It is nil
	// if there is no cause.
	Err error
}

// Log finds the line of a job's log that is the cause of its failure, and classifies it by the
// taxonomy of the table. It reads the log to its end, in bounded memory. The outcome is
// [triage.Unknown] unless the caller has the exit status of the job. A table without detection
// rules classifies nothing.
func Log(r io.Reader, t taxonomy.Table, outcome triage.Outcome, opts ...Option) (LogResult, error) {
	d, ok := t.Classifier.(*Detection)
	if !ok {
		return new(Rules).Log(r, outcome, nil)
	}
	return d.Rules().Log(r, outcome, append([]Option{WithTable(t)}, opts...))
}

// Log is [Log] by rules.
func (r *Rules) Log(in io.Reader, outcome triage.Outcome, opts []Option) (LogResult, error) {
	m := &logMatcher{rules: r, option: merge(opts)}
	found, err := triage.Log(in, m, outcome)
	result := LogResult{Result: found, Rule: NoRule}
	if err != nil || found.Cause == nil {
		return result, err
	}
	var room taxonomy.Evidence
	ev := m.evidence(found.Cause.Searched)
	if f, ok := place.First(ev.Text); ok {
		ev.Attributes = make(map[string]string)
		place.Add(ev.Attributes, f)
	}
	as := &ev
	result.Rule = m.rule(found.Cause.Class)
	if result.Rule != NoRule {
		as = r.Rules[result.Rule].Like.extract(as, &room, ev.Text)
	} else if m.option.unmatched != nil {
		c := hide(*as, r.Sensitive)
		try(func() { _ = m.option.unmatched.Record(&c) })
	}
	result.Evidence = *as
	if r.Make != nil {
		result.Err = r.makeError(result.Rule, as, &m.option)
	}
	return result, nil
}

// logMatcher recognises the lines of a log.
type logMatcher struct {
	rules  *Rules
	option Option
}

// Mark returns the mark of a line.
func (m *logMatcher) Mark(line string) triage.Mark {
	marks := markRules()
	if rule := marks.match(&noEvidence, line); rule != NoRule {
		return logMarks[marks.Rules[rule].Row].mark
	}
	return triage.Mark{}
}

// noEvidence is the evidence of a line. Marks test only the text.
var noEvidence taxonomy.Evidence

// Classify returns the class of a text by the rules.
func (m *logMatcher) Classify(text string) triage.Class {
	ev := m.evidence(text)
	rule := m.rules.Match(&ev, []Option{m.option})
	if rule == NoRule {
		return triage.Class{}
	}
	matched := &m.rules.Rules[rule]
	if matched.Like == nil {
		return triage.Class{Name: matched.Name, Rule: rule}
	}
	return triage.Class{Name: matched.Like.Name, Rule: rule, Weak: matched.weak}
}

func (m *logMatcher) evidence(text string) taxonomy.Evidence {
	return taxonomy.Evidence{Text: text, Source: m.option.source, Op: m.option.op}
}

// rule returns the rule of a class. For the class of a mark, it is the first rule that names the
// signature, and that requires no more than the source and the operation.
func (m *logMatcher) rule(class triage.Class) int {
	switch {
	case class.Name == "":
		return NoRule
	case !class.Marked:
		return class.Rule
	}
	ev := m.evidence("")
	isMet := func(c Condition) bool { return c.Key != Source && c.Key != Op || m.rules.meets(&c, &ev) }
	return slices.IndexFunc(m.rules.Rules, func(r Rule) bool {
		return r.Like != nil && r.Like.Name == class.Name && len(r.Text)+len(r.Contains) == 0 &&
			!slices.ContainsFunc(r.Conditions, func(c Condition) bool { return !isMet(c) })
	})
}

// logMark is a form of lines, from signatures/marks.
type logMark struct {
	mark  triage.Mark
	texts Patterns
}

// markRules returns the rules of the marks. The row of a rule is its place in the list.
var markRules = sync.OnceValue(func() *Rules {
	r := new(Rules)
	places := placesIn(&r.Patterns)
	for i := range logMarks {
		r.Rules = append(r.Rules, Rule{Text: places(logMarks[i].texts.unpack(nil)), Row: taxonomy.Row(i)})
	}
	return r
})
