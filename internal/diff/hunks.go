package diff

import (
	"bytes"
	"fmt"
)

// hunks collects lines into hunks. The fields oldAt and newAt are the lines already dealt with; the
// hunk that is open began at oldFrom and newFrom.
type hunks struct {
	out      *bytes.Buffer
	old, new []string

	oldAt, newAt     int
	oldFrom, newFrom int
	body             bytes.Buffer
	changed          bool
}

// match deals with what differs before the run m, and then with the run.
func (h *hunks) match(m run) {
	if m.old > h.oldAt || m.new > h.newAt {
		h.change(m.old, m.new)
	}
	last := m.old == len(h.old)-m.len && m.new == len(h.new)-m.len
	if h.changed && !last && m.len <= 2*context {
		h.equal(m.len)
		return
	}
	if h.changed {
		h.equal(min(context, m.len))
		h.flush()
	}
	h.skipTo(m.old+m.len, m.new+m.len)
}

// skipTo passes over equal lines, but for those that lead the next hunk.
func (h *hunks) skipTo(old, new int) {
	lead := min(context, old-h.oldAt, old)
	h.oldAt, h.newAt = old-lead, new-lead
	h.oldFrom, h.newFrom = h.oldAt, h.newAt
	h.body.Reset()
	h.equal(lead)
}

func (h *hunks) equal(n int) {
	for range n {
		h.line(' ', h.old[h.oldAt])
		h.oldAt++
		h.newAt++
	}
}

func (h *hunks) change(old, new int) {
	h.changed = true
	for ; h.oldAt < old; h.oldAt++ {
		h.line('-', h.old[h.oldAt])
	}
	for ; h.newAt < new; h.newAt++ {
		h.line('+', h.new[h.newAt])
	}
}

func (h *hunks) line(mark byte, text string) {
	h.body.WriteByte(mark)
	h.body.WriteString(text)
	if text[len(text)-1] != '\n' {
		h.body.WriteString("\n" + noNewline)
	}
}

// flush writes the open hunk, if anything changed in it, and opens the next where it ends.
func (h *hunks) flush() {
	if h.changed {
		fmt.Fprintf(h.out, "@@ -%s +%s @@\n", span(h.oldFrom, h.oldAt), span(h.newFrom, h.newAt))
		h.out.Write(h.body.Bytes())
	}
	h.body.Reset()
	h.changed = false
	h.oldFrom, h.newFrom = h.oldAt, h.newAt
}

// span is the lines [from, to) in the form of a hunk's head: an empty one names the line before it.
func span(from, to int) string {
	switch n := to - from; n {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprintf("%d", from+1)
	default:
		return fmt.Sprintf("%d,%d", from+1, n)
	}
}
