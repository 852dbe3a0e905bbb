package proc

import (
	"sync"
	"unicode/utf8"
)

// Tail keeps the last bytes that were written to it. It is safe for concurrent use. Make it with [NewTail]; the zero
// Tail keeps nothing.
type Tail struct {
	mu    sync.Mutex
	limit int
	buf   []byte // at most twice the limit, so that bytes are moved seldom
	total int64
}

// NewTail returns a Tail that keeps the last limit bytes.
func NewTail(limit int) *Tail { return &Tail{limit: max(limit, 0)} }

// Write takes p and never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	t.total += int64(n)
	p = p[max(0, n-t.limit):]
	if len(t.buf)+len(p) > 2*t.limit {
		keep := min(len(t.buf), t.limit-len(p))
		copy(t.buf, t.buf[len(t.buf)-keep:])
		t.buf = t.buf[:keep]
	}
	t.buf = append(t.buf, p...)
	return n, nil
}

// String returns what is kept. A character that the cut went through is left out.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := t.buf[max(0, len(t.buf)-t.limit):]
	if t.total > int64(len(kept)) {
		kept = fromRune(kept)
	}
	return string(kept)
}

// Total returns how many bytes were written.
func (t *Tail) Total() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.total
}

// Head keeps the first bytes that were written to it. It is safe for concurrent use. Make it with [NewHead]; the zero
// Head keeps nothing.
type Head struct {
	mu    sync.Mutex
	limit int
	buf   []byte
	total int64
}

// NewHead returns a Head that keeps the first limit bytes.
func NewHead(limit int) *Head { return &Head{limit: max(limit, 0)} }

// Write takes p and never fails.
func (h *Head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.total += int64(len(p))
	h.buf = append(h.buf, p[:min(len(p), h.limit-len(h.buf))]...)
	return len(p), nil
}

// String returns what is kept. A character that the cut went through is left out.
func (h *Head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.total > int64(len(h.buf)) {
		return string(toRune(h.buf))
	}
	return string(h.buf)
}

// Total returns how many bytes were written.
func (h *Head) Total() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.total
}

// fromRune drops the end of a cut character from the beginning of b.
func fromRune(b []byte) []byte {
	for i := 0; i < len(b) && i < utf8.UTFMax; i++ {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b
}

// toRune drops the beginning of a cut character from the end of b.
func toRune(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if !utf8.RuneStart(b[i]) {
			continue
		}
		if !utf8.FullRune(b[i:]) {
			return b[:i]
		}
		break
	}
	return b
}
