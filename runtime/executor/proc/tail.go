package proc

import (
	"strings"
	"sync"

	"github.com/errgen/errgen/runtime/internal/text"
)

// beyond are the bytes that are stored in addition to the limit. They contain the rest of a secret
// that the cut splits, and one byte that shows that the output was cut.
const beyond = text.Margin + 1

// stored is the stored part of an output.
type stored struct {
	mu    sync.Mutex
	limit int
	buf   []byte
	total int64
}

// Total returns the number of written bytes.
func (k *stored) Total() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.total
}

// room returns the number of bytes that are stored at most.
func (k *stored) room() int {
	if k.limit == 0 {
		return 0
	}
	return k.limit + beyond
}

// masked returns the text, masked and then cut.
func (k *stored) masked(mask func(string) string, cut func(text.Mask, string, int) string) string {
	k.mu.Lock()
	s, whole := string(k.buf[max(0, len(k.buf)-k.room()):]), k.total <= int64(k.limit)
	k.mu.Unlock()
	switch {
	case whole && mask == nil:
		return s
	case whole:
		return mask(s)
	case mask == nil:
		return cut(text.Masked, s, k.limit)
	}
	both := func(s string) string { return text.Masked(mask(strings.ToValidUTF8(s, "\uFFFD"))) }
	return cut(both, s, k.limit)
}

// Tail stores the last bytes that were written to it. It is safe for concurrent use. The zero Tail
// stores nothing.
type Tail struct{ stored }

// NewTail returns a Tail for the last limit bytes.
func NewTail(limit int) *Tail { return &Tail{stored{limit: max(limit, 0)}} }

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, room := len(p), t.room()
	t.total += int64(n)
	p = p[max(0, n-room):]
	if len(t.buf)+len(p) > 2*room { // so bytes are rarely moved
		keep := min(len(t.buf), room-len(p))
		copy(t.buf, t.buf[len(t.buf)-keep:])
		t.buf = t.buf[:keep]
	}
	t.buf = append(t.buf, p...)
	return n, nil
}

// String returns the text unchanged if it has at most limit bytes. Otherwise it returns the end, in
// valid UTF-8 and with secrets masked, because half of a secret is not recognised.
func (t *Tail) String() string { return t.Masked(nil) }

// Masked is String for a text that mask has masked before it is cut. Mask may be nil.
func (t *Tail) Masked(mask func(string) string) string { return t.masked(mask, text.Mask.Tail) }

// Head stores the first bytes that were written to it. It is safe for concurrent use. The zero Head
// stores nothing.
type Head struct{ stored }

// NewHead returns a Head for the first limit bytes.
func NewHead(limit int) *Head { return &Head{stored{limit: max(limit, 0)}} }

// Write never fails.
func (h *Head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.total += int64(len(p))
	h.buf = append(h.buf, p[:min(len(p), h.room()-len(h.buf))]...)
	return len(p), nil
}

// String returns the beginning of the text, as [Tail.String] returns the end.
func (h *Head) String() string { return h.Masked(nil) }

// Masked returns the beginning of the text, as [Tail.Masked] returns the end.
func (h *Head) Masked(mask func(string) string) string { return h.masked(mask, text.Mask.Head) }
