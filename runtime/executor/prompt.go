package executor

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
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

// movePaths replaces a directory at the beginning of paths in a text.
func movePaths(s, from, to string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, from)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, ".")) // a dot can end a sentence
		if isNameRune(last) || last == '/' && !strings.HasSuffix(before, "://") || isNameRune(next) {
			b.WriteString(from) // it is a part of another path
		} else {
			b.WriteString(to)
		}
		s = after
	}
}

// isNameRune reports whether a rune continues the name of a file.
func isNameRune(r rune) bool {
	return r != utf8.RuneError && (r == '-' || r == '_' || r == '.' || unicode.IsLetter(r) || unicode.IsDigit(r))
}
