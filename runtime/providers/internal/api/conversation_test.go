package api

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReduced(t *testing.T) {
	said := func(text string) message[string] { return newMessage(text, len(text), false) }
	tool := func(text string) message[string] { return newMessage(text, len(text), true) }
	for what, c := range map[string]struct {
		of   conversation[string]
		want []string
	}{
		"nothing":  {nil, []string{}},
		"the task": {conversation[string]{said("task")}, []string{"task"}},
		"tools": {conversation[string]{said("task"), tool("uses"), tool("result"), said("done")},
			[]string{"task", "done"}},
		"no tools": {conversation[string]{said("task"), said("1"), said("2"), said("3"), said("4")},
			[]string{"task", "3", "4"}},
		"one message": {conversation[string]{said("task"), said("1")}, []string{"task"}},
	} {
		before := c.of.params()
		got := c.of.reduced()
		assert.Equal(t, c.want, got.params(), what)
		_ = append(got, said("prompt"))
		assert.Equal(t, before, c.of.params(), "%s: the original is unchanged", what)
	}
}

func TestStoreIsBounded(t *testing.T) {
	var s store[string]
	first := s.put("", conversation[string]{newMessage("a", 1, false)})
	second := s.put("", conversation[string]{newMessage("b", 1, false)})
	for range maxConversations - 1 {
		_, known := s.get(first)
		require.True(t, known)
		s.put("", conversation[string]{newMessage("c", 1, false)})
	}
	assert.Len(t, s.all, maxConversations)
	_, known := s.get(second)
	assert.False(t, known, "the least recently used is evicted")
	assert.Empty(t, s.put(first, conversation[string]{newMessage("x", maxConversation, false)}), "too long")
	_, known = s.get(first)
	assert.False(t, known)
	for range 2 * maxStored / maxConversation {
		s.put("", conversation[string]{newMessage("x", maxConversation/2, false)})
	}
	assert.LessOrEqual(t, s.size(), maxStored)
}
