package retry

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
)

const (
	maxLogged     = 1024 // operations
	maxNoted      = 100  // calls of each
	maxNotedBytes = 1024 // of an error's text
)

// Noted is one call in a [Log].
type Noted struct {
	// Attempt counts the calls of its Do from 1.
	Attempt int
	// At is when the call began.
	At time.Time
	// Delay is the wait before it by the policy or a hint.
	Delay time.Duration
	// Error is the text of the call's error, masked and at most 1024 bytes long.
	Error  string
	Failed bool
}

// MarshalJSON writes times in milliseconds: attempt, timestamp, delayMs and, after a failure,
// error.
func (n Noted) MarshalJSON() ([]byte, error) {
	var text *string
	if n.Failed {
		text = &n.Error
	}
	return json.Marshal(struct {
		Attempt   int     `json:"attempt"`
		Timestamp int64   `json:"timestamp"`
		DelayMs   int64   `json:"delayMs"`
		Error     *string `json:"error,omitempty"`
	}{n.Attempt, n.At.UnixMilli(), n.Delay.Milliseconds(), text})
}

// Log records the calls of operations by name: the last 100 calls of the last 1024 operations. The
// zero Log is empty; a nil *Log records nothing. It is safe for concurrent use.
type Log struct {
	mu    sync.Mutex
	calls map[string][]Noted
	names []string // the operation without calls for longest first
}

// Attempts returns a copy of the operation's calls in the order in which they ended.
func (l *Log) Attempts(operation string) []Noted {
	if l == nil {
		return []Noted{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Noted{}, l.calls[operation]...)
}

// Clear removes the operation's calls.
func (l *Log) Clear(operation string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(operation)
}

func (l *Log) remove(operation string) {
	delete(l.calls, operation)
	l.names = slices.DeleteFunc(l.names, func(name string) bool { return name == operation })
}

func (l *Log) note(operation string, attempt int, at time.Time, delay time.Duration, err error) {
	if l == nil {
		return
	}
	n := Noted{Attempt: attempt, At: at, Delay: delay}
	if err != nil {
		n.Error, n.Failed = text.Error(err, maxNotedBytes), true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls == nil {
		l.calls = make(map[string][]Noted)
	}
	calls := append(l.calls[operation], n)
	if len(calls) > maxNoted {
		calls = slices.Delete(calls, 0, 1)
	}
	l.remove(operation)
	if len(l.names) >= maxLogged {
		l.remove(l.names[0])
	}
	l.calls[operation], l.names = calls, append(l.names, operation)
}
