// Package diff shows how two texts differ, as a unified diff. It is anchored at the lines that
// stand exactly once in both texts, so its time grows as n log n whatever the texts are, and what
// it shows is what a reader would have marked: whole clauses, not stray braces.
package diff

import (
	"bytes"
	"fmt"
	"io"
)

// context is the number of equal lines shown around a change.
const context = 3

// noNewline marks a last line that does not end in a newline.
const noNewline = "\\ No newline at end of file\n"

// Unified writes the difference from old to new in the unified format, headed by their names. Equal
// texts write nothing. A text that does not exist is nil and goes by the name /dev/null.
func Unified(w io.Writer, oldName string, old []byte, newName string, new []byte) error {
	if bytes.Equal(old, new) {
		return nil
	}
	var buf bytes.Buffer
	fmt.Fprintf(&buf, "--- %s\n+++ %s\n", oldName, newName)
	h := hunks{out: &buf, old: lines(old), new: lines(new)}
	for _, m := range matches(h.old, h.new) {
		h.match(m)
	}
	h.flush()
	_, err := w.Write(buf.Bytes())
	return err
}

// Count returns how many lines the difference from old to new adds and removes.
func Count(old, new []byte) (added, removed int) {
	from, to := lines(old), lines(new)
	added, removed = len(to), len(from)
	for _, m := range matches(from, to) {
		added -= m.len
		removed -= m.len
	}
	return added, removed
}

// lines splits a text after each newline.
func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	parts := bytes.SplitAfter(text, []byte("\n"))
	if len(parts[len(parts)-1]) == 0 {
		parts = parts[:len(parts)-1]
	}
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = string(p)
	}
	return out
}
