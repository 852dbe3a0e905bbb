package proc

import (
	"strings"
	"sync"

	"github.com/errgen/errgen/runtime/internal/text"
)

// beyond is how much more is kept than is shown: what masks a secret that the cut goes through, and
// a byte more, which shows that there is more before it.
const beyond = text.Margin + 1

// kept is the part of an output that is kept.
type kept struct {
	mu    sync.Mutex
	limit int
	buf   []byte
	total int64
}

// Total returns how many bytes were written.
func (k *kept) Total() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.total
}

// room is how many bytes are kept.
func (k *kept) room() int {
	if k.limit == 0 {
		return 0
	}
	return k.limit + beyond
}

// masked returns the text, masked and then cut.
func (k *kept) masked(mask func(string) string, cut func(text.Mask, string, int) string) string {
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

// Tail keeps the last bytes that were written to it. It is safe for concurrent use. Make it with
// [NewTail]; the zero Tail keeps nothing.
type Tail struct{ kept }

// NewTail returns a Tail that shows the last limit bytes.
func NewTail(limit int) *Tail { return &Tail{kept{limit: max(limit, 0)}} }

// Write takes p and never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, room := len(p), t.room()
	t.total += int64(n)
	p = p[max(0, n-room):]
	if len(t.buf)+len(p) > 2*room { // bytes are moved seldom
		keep := min(len(t.buf), room-len(p))
		copy(t.buf, t.buf[len(t.buf)-keep:])
		t.buf = t.buf[:keep]
	}
	t.buf = append(t.buf, p...)
	return n, nil
}

// String returns the text unchanged if it fits. Otherwise it returns the end, as valid UTF-8 with
// secrets masked by [taxonomy.Redact], because half of a secret is not recognised as one.
func (t *Tail) String() string { return t.Masked(nil) }

// Masked returns what String returns, masked by mask as well, and before anything is cut; nil is no
// mask.
func (t *Tail) Masked(mask func(string) string) string { return t.masked(mask, text.Mask.Tail) }

// Head keeps the first bytes that were written to it, as [Tail] keeps the last. Make it with
// [NewHead].
type Head struct{ kept }

// NewHead returns a Head that shows the first limit bytes.
func NewHead(limit int) *Head { return &Head{kept{limit: max(limit, 0)}} }

// Write takes p and never fails.
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
