package anthropic

import (
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/stretchr/testify/assert"
)

func TestSessionsAreBounded(t *testing.T) {
	var s sessions
	first := s.keep("", conversation{user(sdk.NewTextBlock("x"))})
	second := s.keep("", conversation{user(sdk.NewTextBlock("y"))})
	for range maxSessions - 1 {
		_, known := s.get(first) // in use, and so kept
		assert.True(t, known)
		s.keep("", conversation{user(sdk.NewTextBlock("z"))})
	}
	assert.Len(t, s.byID, maxSessions)
	_, known := s.get(second)
	assert.False(t, known, "the longest unused one is forgotten")

	long := conversation{user(sdk.NewTextBlock(strings.Repeat("x", maxConversation)))}
	assert.Empty(t, s.keep(first, long), "one that is too long is not kept")
	_, known = s.get(first)
	assert.False(t, known)

	half := conversation{user(sdk.NewTextBlock(strings.Repeat("x", maxConversation/2)))}
	for range 100 {
		s.keep("", half)
	}
	assert.LessOrEqual(t, s.size, maxKept)
	size := 0
	for _, c := range s.byID {
		size += c.size()
	}
	assert.Equal(t, size, s.size)
	assert.Len(t, s.order, len(s.byID))
}
