package main

import (
	"strings"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The lines by which an agent says how its task stands. They count in its answer only, as whole lines: a marker that is
// quoted or explained is none.
const (
	markComplete = "TASK_COMPLETE"
	markFailed   = "TASK_FAILED"
	markBlocked  = "TASK_BLOCKED"
)

// markers are those that the executor looks for.
var markers = executor.Markers{Done: markComplete, Blocked: markBlocked}

// verdict is what an agent says of its task.
type verdict struct {
	failed, complete, blocked bool
	reason                    string // of the first failure
}

// verdictOf reads the markers in an answer.
func verdictOf(answer string) (v verdict) {
	for line := range strings.Lines(answer) {
		line = strings.TrimSpace(line)
		if reason, ok := cutMarker(line, markFailed); ok && !v.failed {
			v.failed, v.reason = true, reason
		}
		_, blocked := cutMarker(line, markBlocked)
		v.blocked = v.blocked || blocked
		v.complete = v.complete || line == markComplete
	}
	return v
}

// cutMarker reports whether a line is a marker, and returns what stands after its colon.
func cutMarker(line, marker string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(line, marker)
	if !ok {
		return "", false
	}
	rest = strings.TrimLeft(rest, " \t")
	if rest == "" {
		return "", true
	}
	rest, ok = strings.CutPrefix(rest, ":")
	return strings.TrimSpace(rest), ok
}

// judge says what became of a call. What the agent says of its task outweighs how its program ended, but not what whoever
// watched the program knows: that its time was over, or that its service refused the request. That the task failed outweighs
// that it is complete. A call that succeeded and says nothing of its task has done it.
func judge(a executor.Answer, err error) (executor.Answer, error) {
	ev, known := err.(*taxonomy.Evidence)
	if err != nil && !known {
		return a, err
	}
	v := verdictOf(a.Text)
	switch {
	case v.failed:
		return a, v.failure(ev, a.Text)
	case err == nil && v.blocked && !v.complete:
		return a, nil
	case err == nil || v.complete && !reported(ev):
		a.Signal = executor.SignalDone
		return a, nil
	}
	return a, err
}

// reported reports whether whoever watched the program says more than what it exited with.
func reported(ev *taxonomy.Evidence) bool {
	return ev.Type != "" || ev.Status != 0 || ev.Code != "" || ev.Signal != "" || ev.Errno != "" || ev.Err != nil
}

// maxReason is how many bytes of an answer stand in for a reason that the agent does not give.
const maxReason = 2000

// failure returns the evidence of a call whose agent says that the task failed. What is known of the call is kept.
func (v verdict) failure(ev *taxonomy.Evidence, answer string) error {
	told := taxonomy.Evidence{Source: sourceAgent, Op: opCall}
	if ev != nil {
		told = *ev
	}
	if told.Type == "" {
		told.Type = "task_failed"
	}
	if v.reason != "" {
		return with(&told, "reason", v.reason)
	}
	if told.Text == "" {
		told.Text = detect.CutText(quiet(answer), maxReason)
	}
	return &told
}

// quiet returns a text without the lines that are markers.
func quiet(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !isMarker(line) {
			b.WriteString(line)
		}
	}
	return strings.TrimSpace(b.String())
}

// unmarked returns a text in which no line is a marker. An agent that prints what it was told would end its attempt with what an
// earlier one has said.
func unmarked(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if isMarker(line) {
			line = "(" + strings.TrimSpace(line) + ")\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

func isMarker(line string) bool { return verdictOf(line) != (verdict{}) }
