package executor

import (
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
)

// signal returns what a provider says about its task. A marker counts in the final answer only, as
// a whole line. A failure that has a category says nothing of the kind; of one without, it can be
// heard that a person is needed.
func (r *runner) signal(a Answer, f *failure) (Signal, string) {
	s := a.Text
	switch {
	case f != nil && f.known:
		return SignalNone, ""
	case f != nil && s == "":
		s = a.Failure
	}
	said, question := r.cfg.Markers.read(s)
	if a.Signal != SignalNone && a.Signal <= SignalBlocked {
		said = a.Signal
	}
	if said != SignalBlocked {
		question = ""
	} else if a.Question != "" {
		question = a.Question
	}
	if f != nil && said != SignalBlocked {
		return SignalNone, ""
	}
	return said, text.Beginning(question, maxMessage)
}

// asksForPerson reports that an answer says that it cannot go on without a person.
func (r *runner) asksForPerson(a Answer) bool { return a.Signal == SignalBlocked }

// read looks for markers; that a person is needed outweighs that the task is done.
func (m Markers) read(text string) (Signal, string) {
	said := SignalNone
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if question, ok := m.blocks(line); ok {
			return SignalBlocked, question
		}
		if line == m.Done {
			said = SignalDone
		}
	}
	return said, ""
}

// blocks reports whether a line is the blocked marker, and returns the question behind it.
func (m Markers) blocks(line string) (question string, ok bool) {
	rest, ok := strings.CutPrefix(line, m.Blocked)
	if !ok {
		return "", false
	}
	if rest == "" {
		return "", true
	}
	question, ok = strings.CutPrefix(rest, ":")
	return strings.TrimSpace(question), ok
}
