package chat

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func said(text string) Message[string] { return Message[string]{Param: text, Size: len(text)} }

func ofTool(text string) Message[string] {
	return Message[string]{Param: text, Size: len(text), Tools: true}
}

func TestReduced(t *testing.T) {
	for _, c := range []struct {
		what string
		of   Conversation[string]
		want []string
	}{
		{"nothing", nil, []string{}},
		{"the task stays", Conversation[string]{said("task")}, []string{"task"}},
		{"tools are left out",
			Conversation[string]{said("task"), ofTool("asks"), ofTool("a file"), said("done"), said("more")},
			[]string{"task", "done", "more"}},
		{"the older half of what followed the task",
			Conversation[string]{said("task"), said("1"), said("2"), said("3"), said("4")}, []string{"task", "3", "4"}},
		{"the answer to the task", Conversation[string]{said("task"), said("1")}, []string{"task"}},
	} {
		before := c.of.Params()
		got := c.of.Reduced()
		assert.Equal(t, c.want, got.Params(), c.what)
		assert.Equal(t, before, c.of.Params(), "what others hold is not changed")
		_ = append(got, said("prompt"))
		assert.Equal(t, before, c.of.Params(), "nor by what is added")
	}
}

func TestStoreIsBounded(t *testing.T) {
	var s Store[string]
	_, known := s.Get("x")
	assert.False(t, known)

	first := s.Keep("", Conversation[string]{said("a")})
	require.NotEmpty(t, first)
	assert.Equal(t, first, s.Keep(first, Conversation[string]{said("a"), said("b")}))
	second := s.Keep("", Conversation[string]{said("c")})
	for range maxConversations - 1 {
		got, known := s.Get(first) // in use, and so kept
		assert.True(t, known)
		assert.Equal(t, []string{"a", "b"}, got.Params())
		s.Keep("", Conversation[string]{said("d")})
	}
	assert.Len(t, s.byID, maxConversations)
	_, known = s.Get(second)
	assert.False(t, known, "the longest unused one is forgotten")

	assert.Empty(t, s.Keep(first, Conversation[string]{{Size: maxConversation + 1}}),
		"one that is too long is not kept")
	_, known = s.Get(first)
	assert.False(t, known)

	for range 2 * maxKept / maxConversation {
		s.Keep("", Conversation[string]{{Size: maxConversation / 2}, {Size: maxConversation / 2}})
	}
	assert.LessOrEqual(t, s.size, maxKept)
	size := 0
	for _, c := range s.byID {
		size += c.Size()
	}
	assert.Equal(t, size, s.size)
	assert.Len(t, s.order, len(s.byID))
	for len(s.order) > 0 {
		s.forget(s.order[0])
	}
	assert.Zero(t, s.size)
	assert.Empty(t, s.byID)
}
