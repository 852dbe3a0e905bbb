package main

import (
	"strings"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The lines by which an agent says how its task stands. They count in its answer only, as whole
// lines outside code fences: a marker that is quoted or explained is none.
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
	question                  string // of the first that is asked
}

// verdictOf reads the markers in an answer. That a task is done is to be said to the letter. That
// it is not is heard however it is adorned, since what is overlooked would be a success; as an item
// of a list it counts at the end, where nothing is explained.
func verdictOf(answer string) (v verdict) {
	lines := unfenced(answer)
	for i, line := range lines {
		v.complete = v.complete || strings.TrimSpace(line) == markComplete
		if !strings.Contains(line, "TASK") {
			continue
		}
		text, listed := unlisted(bare(line))
		if listed && !blank(lines[i+1:]...) {
			continue
		}
		if reason, ok := cutMarker(text, markFailed); ok && !v.failed {
			v.failed, v.reason = true, reason
		}
		if question, ok := cutMarker(text, markBlocked); ok && !v.blocked {
			v.blocked, v.question = true, question
		}
	}
	return v
}

// judge says what became of a call. What the agent says of its task outweighs how its program
// ended, but not what whoever watched the program knows: that its time was over, or that its
// service refused the request. That the task failed outweighs that it is complete. A call that
// succeeded and says nothing of its task has done it, unless the marker is required; one that says
// nothing at all has not.
func judge(a executor.Answer, err error, required bool) (executor.Answer, error) {
	ev, known := err.(*taxonomy.Evidence)
	if err != nil && !known {
		return a, err
	}
	v := verdictOf(a.Text)
	outweighs := err == nil || !reported(ev)
	switch {
	case v.failed:
		return a, v.failure(ev, a.Text)
	case v.complete && outweighs:
		a.Signal = executor.SignalDone
		return a, nil
	case v.blocked && outweighs:
		a.Signal, a.Question = executor.SignalBlocked, v.question
		return a, nil
	case err != nil:
		if !v.blocked {
			a.Text = unasked(a.Text)
		}
		return a, err
	case blank(a.Text):
		return a, unsaid("no_answer", "the agent ended without an answer")
	case required:
		return a, unsaid("no_marker", "the answer has no line that says only "+markComplete+", which it is to end with")
	}
	a.Signal = executor.SignalDone
	return a, nil
}

// unsaid returns the evidence of a call that ended well and does not say what it is to say.
func unsaid(kind, text string) *taxonomy.Evidence {
	return &taxonomy.Evidence{Source: sourceAgent, Op: opCall, Type: kind, Text: text}
}

// unasked returns an answer in which the executor finds no question, for one that only quotes it.
func unasked(text string) string {
	if !strings.Contains(text, markBlocked) {
		return text
	}
	return executor.Neutral(text, markers)
}

// reported reports whether whoever watched the program says more than what it exited with.
func reported(ev *taxonomy.Evidence) bool {
	return ev.Type != "" || ev.Status != 0 || ev.Code != "" || ev.Signal != "" || ev.Errno != "" || ev.Err != nil
}

// maxReason is how many bytes of an answer stand in for a reason that the agent does not give.
const maxReason = 2000

// failure returns the evidence of a call whose agent says that the task failed. What is known of
// the call is kept.
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
		told.Text = detect.CutMasked(quiet(answer), maxReason)
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

// unmarked returns a text in which no line is a marker. An agent that prints what it was told would
// end its attempt with what an earlier one has said.
func unmarked(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if isMarker(line) {
			line = "(" + strings.TrimSpace(strings.ReplaceAll(line, "\r", " ")) + ")\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

func isMarker(line string) bool { return verdictOf(line) != (verdict{}) }
