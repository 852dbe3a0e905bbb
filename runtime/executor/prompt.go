package executor

import (
	"cmp"
	"regexp"
	"strings"
)

// withDefaultMarkers returns the markers with the defaults.
func withDefaultMarkers(m Markers) Markers {
	m.Done, m.Blocked = cmp.Or(m.Done, "TASK COMPLETE"), cmp.Or(m.Blocked, "BLOCKED")
	return m
}

// signalOf returns the signal and the question in an answer. If err is an error of the taxonomy, no
// signal counts. If err is any other error, only [SignalBlocked] counts.
func signalOf(a Answer, m Markers, err error, categorized bool) (Signal, string) {
	answer := a.Text
	switch {
	case err != nil && categorized:
		return SignalNone, ""
	case err != nil:
		answer = cmp.Or(answer, a.Failure)
	}
	found, question := findMarkers(answer, m)
	if a.Signal != SignalNone && a.Signal <= SignalBlocked {
		found = a.Signal
	}
	if found != SignalBlocked {
		question = ""
	} else {
		question = cmp.Or(a.Question, question)
	}
	if err != nil && found != SignalBlocked {
		return SignalNone, ""
	}
	return found, question
}

// findMarkers looks for markers. The blocked marker takes precedence.
func findMarkers(answer string, m Markers) (Signal, string) {
	found := SignalNone
	if m.Off {
		return found, ""
	}
	for line := range strings.Lines(answer) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, m.Blocked); ok && (rest == "" || rest[0] == ':') {
			return SignalBlocked, strings.TrimSpace(strings.TrimPrefix(rest, ":"))
		}
		if line == m.Done {
			found = SignalDone
		}
	}
	return found, ""
}

// DefaultPrompt returns the task, or "Continue the task." in a conversation that contains it, then
// the answers of persons, the feedback, and how to end the answer.
func DefaultPrompt(in PromptInput) string {
	var b strings.Builder
	if in.Session != "" {
		b.WriteString("Continue the task.\n")
	} else {
		b.WriteString(strings.TrimRight(in.Task.Prompt, "\n"))
		b.WriteString("\n")
	}
	for _, answer := range in.Answers {
		b.WriteString("\nA person wrote:\n" + strings.TrimSpace(answer) + "\n")
	}
	if in.Feedback != "" {
		b.WriteString("\n" + in.Feedback + "\n")
	}
	if in.Markers.Off {
		return b.String()
	}
	b.WriteString("\nWhen the whole task is done, end your answer with a line that contains only: " + in.Markers.Done)
	b.WriteString("\nIf you need a person to continue, end it with a line such as: " + in.Markers.Blocked +
		": your question\n")
	return b.String()
}

// prompt makes the prompt of a call.
func (h *host) prompt(in PromptInput) string {
	in.Markers = h.cfg.Markers
	prompt := h.cfg.Prompt(in)
	clone, ok := h.cfg.Workspace.(Clone)
	if !ok || clone.Root() == h.dir() {
		return prompt
	}
	moved := movePaths(prompt, clone.Root(), h.dir())
	if moved == prompt {
		return prompt
	}
	return moved + "\nYou work in a clone of " + clone.Root() + ": paths of that directory are replaced above.\n"
}

// movePaths replaces a directory at the beginning of paths in a text. A dot behind it can end a
// sentence.
func movePaths(s, from, to string) string {
	path := regexp.MustCompile(`(^|[^\pL\pN_./-]|://)` + regexp.QuoteMeta(from) + `(\.*(?:[^\pL\pN_.-]|$))`)
	replacement := "${1}" + strings.ReplaceAll(to, "$", "$$") + "${2}"
	// The second pass finds a path that is directly behind the first one.
	return path.ReplaceAllString(path.ReplaceAllString(s, replacement), replacement)
}
