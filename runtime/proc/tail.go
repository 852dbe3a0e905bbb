package proc

import (
	"strings"
	"sync"

	"github.com/errgen/errgen/runtime/internal/text"
)

// beyond is how much more is kept than is shown: what masks a secret that the cut goes through, and
// a byte more, which shows that there is more before it.
const beyond = text.Margin + 1

// Tail keeps the last bytes that were written to it. It is safe for concurrent use. Make it with
// [NewTail]; the zero Tail keeps nothing.
type Tail struct {
	mu    sync.Mutex
	limit int
	buf   []byte // at most twice the limit, so that bytes are moved seldom
	total int64
}

// NewTail returns a Tail that shows the last limit bytes.
func NewTail(limit int) *Tail { return &Tail{limit: max(limit, 0)} }

// Write takes p and never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, room := len(p), t.room()
	t.total += int64(n)
	p = p[max(0, n-room):]
	if len(t.buf)+len(p) > 2*room {
		keep := min(len(t.buf), room-len(p))
		copy(t.buf, t.buf[len(t.buf)-keep:])
		t.buf = t.buf[:keep]
	}
	t.buf = append(t.buf, p...)
	return n, nil
}

// room is how many bytes are kept.
func (t *Tail) room() int {
	if t.limit == 0 {
		return 0
	}
	return t.limit + beyond
}

// String returns the text unchanged if it fits. Otherwise it returns the end, as valid UTF-8 with
// secrets masked by [taxonomy.Redact], because half of a secret is not recognised as one.
func (t *Tail) String() string { return t.Masked(nil) }

// Masked returns what String returns, masked by mask as well, and before anything is cut; nil is no
// mask.
func (t *Tail) Masked(mask func(string) string) string {
	t.mu.Lock()
	kept, whole := string(t.buf[max(0, len(t.buf)-t.room()):]), t.total <= int64(t.limit)
	t.mu.Unlock()
	switch {
	case whole && mask == nil:
		return kept
	case whole:
		return mask(kept)
	}
	return scrubbing(mask).Tail(kept, t.limit)
}

// Total returns how many bytes were written.
func (t *Tail) Total() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.total
}

// Head keeps the first bytes that were written to it. It is safe for concurrent use. Make it with
// [NewHead]; the zero Head keeps nothing.
type Head struct {
	mu    sync.Mutex
	limit int
	buf   []byte
	total int64
}

// NewHead returns a Head that shows the first limit bytes.
func NewHead(limit int) *Head { return &Head{limit: max(limit, 0)} }

// Write takes p and never fails.
func (h *Head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.total += int64(len(p))
	if h.limit > 0 {
		h.buf = append(h.buf, p[:min(len(p), h.limit+beyond-len(h.buf))]...)
	}
	return len(p), nil
}

// String returns the text unchanged if it fits, otherwise its beginning, masked as by
// [Tail.String].
func (h *Head) String() string { return h.Masked(nil) }

// Masked returns what String returns, masked by mask as well, and before anything is cut; nil is no
// mask.
func (h *Head) Masked(mask func(string) string) string {
	h.mu.Lock()
	kept, whole := string(h.buf), h.total <= int64(h.limit)
	h.mu.Unlock()
	switch {
	case whole && mask == nil:
		return kept
	case whole:
		return mask(kept)
	}
	return scrubbing(mask).Head(kept, h.limit)
}

// Total returns how many bytes were written.
func (h *Head) Total() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.total
}

// scrubbing returns mask with the default one.
func scrubbing(mask func(string) string) text.Mask {
	if mask == nil {
		return text.Masked
	}
	return func(s string) string { return text.Masked(mask(strings.ToValidUTF8(s, "\uFFFD"))) }
}
