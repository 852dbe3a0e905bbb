package state

import (
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
)

// Bounds on the summary of an attempt, in bytes and numbers.
const (
	maxTail  = 2 << 10
	maxFiles = 20
	maxPath  = 200
)

// unknownWork is the summary of an attempt of which nothing is known.
const unknownWork = "Nothing is known of what it did."

// tried sums an attempt up: the files that it has changed, each on a line, and the end of its
// answer.
func tried(a *Attempt) string {
	var parts []string
	if files := changedFiles(a.Changed); files != "" {
		parts = append(parts, "It changed these files:\n"+files)
	}
	if tail := strings.TrimSpace(textMask.Ending(strings.TrimSpace(a.Output), maxTail)); tail != "" {
		parts = append(parts, "Its answer ended with:\n"+tail)
	}
	if len(parts) == 0 {
		return unknownWork
	}
	return strings.Join(parts, "\n")
}

// changedFiles returns the paths, each on a line; of many the first.
func changedFiles(paths []string) string {
	var b strings.Builder
	for i, path := range paths {
		if i == maxFiles {
			b.WriteString("- and " + strconv.Itoa(len(paths)-i) + " more\n")
			break
		}
		b.WriteString("- " + textMask.Ending(text.Name(path), maxPath) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// firstLine returns the first line of a text that says something, of at most n bytes.
func firstLine(s string, n int) string {
	for line := range strings.Lines(s) {
		if line = textMask.OneLine(line, n); line != "" {
			return line
		}
	}
	return ""
}
