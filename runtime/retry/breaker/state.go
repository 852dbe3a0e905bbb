package breaker

import (
	"fmt"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
)

// State is that of a breaker.
type State uint8

// The states. The zero State is closed: calls are made.
const (
	Closed   State = iota
	Open           // nobody calls
	HalfOpen       // a probe is made, or may be
)

var stateWords = [...]string{Closed: "closed", Open: "open", HalfOpen: "half-open"}

// String returns the state in a word.
func (s State) String() string {
	if int(s) < len(stateWords) {
		return stateWords[s]
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}

// MarshalText returns the state in a word.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func stateOf(s circuitbreaker.State) State {
	switch s {
	case circuitbreaker.ClosedState:
		return Closed
	case circuitbreaker.HalfOpenState:
		return HalfOpen
	}
	return Open
}
