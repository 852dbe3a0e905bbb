package retry

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
)

const (
	// maxLogged bounds the operations that a Log remembers.
	maxLogged = 1024
	// maxNoted bounds the attempts that it remembers of each.
	maxNoted = 100
	// maxNotedText bounds the text of an error, in bytes.
	maxNotedText = 1024
)

// Noted is one call in a [Log].
type Noted struct {
	// Attempt counts the calls of its Do from 1.
	Attempt int
	// At is when the call began.
	At time.Time
	// Delay is how long was waited before it, by the policy or a hint; 0 for the first.
	Delay time.Duration
	// Error is what the error said, masked and at most 1024 bytes long. Failed tells an error that
	// says nothing from none.
	Error  string
	Failed bool
}

// MarshalJSON writes times as milliseconds: attempt, timestamp, delayMs and, for a call that
// failed, error.
func (n Noted) MarshalJSON() ([]byte, error) {
	var said *string
	if n.Failed {
		said = &n.Error
	}
	return json.Marshal(struct {
		Attempt   int     `json:"attempt"`
		Timestamp int64   `json:"timestamp"`
		DelayMs   int64   `json:"delayMs"`
		Error     *string `json:"error,omitempty"`
	}{n.Attempt, n.At.UnixMilli(), n.Delay.Milliseconds(), said})
}

// Log remembers the calls of operations by name: the last 100 calls of each of the last 1024
// operations. The zero Log is empty; a nil *Log notes nothing. It is safe for concurrent use.
type Log struct {
	mu    sync.Mutex
	calls map[string]*notes
	notes uint64 // in all, to tell which operation is the oldest
}

// notes are those of one operation.
type notes struct {
	calls []Noted
	last  uint64
}

// Attempts returns the operation's calls in the order in which they ended; none for one that is not
// known. What it returns is the caller's own.
func (l *Log) Attempts(operation string) []Noted {
	out := []Noted{}
	if l == nil {
		return out
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if of := l.calls[operation]; of != nil {
		out = append(out, of.calls...)
	}
	return out
}

// Clear forgets the operation.
func (l *Log) Clear(operation string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.calls, operation)
}

func (l *Log) note(operation string, attempt int, at time.Time, delay time.Duration, err error) {
	if l == nil {
		return
	}
	n := Noted{Attempt: attempt, At: at, Delay: delay}
	if err != nil {
		n.Error, n.Failed = text.Error(err, maxNotedText), true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(operation, n)
}

func (l *Log) add(operation string, n Noted) {
	of := l.calls[operation]
	if of == nil {
		l.forget()
		of = &notes{}
		l.calls[operation] = of
	}
	l.notes++
	of.last = l.notes
	if len(of.calls) >= maxNoted {
		copy(of.calls, of.calls[1:])
		of.calls = of.calls[:maxNoted-1]
	}
	of.calls = append(of.calls, n)
}

// forget makes room for another operation.
func (l *Log) forget() {
	if l.calls == nil {
		l.calls = make(map[string]*notes)
	}
	if len(l.calls) < maxLogged {
		return
	}
	oldest, last := "", uint64(0)
	for name, of := range l.calls {
		if last == 0 || of.last < last {
			oldest, last = name, of.last
		}
	}
	delete(l.calls, oldest)
}
