package anthropic

import (
	"crypto/rand"
	"slices"
	"sync"

	sdk "github.com/anthropics/anthropic-sdk-go"
)

const (
	// maxSessions bounds the conversations that are kept.
	maxSessions = 256
	// maxConversation bounds in bytes the texts of one conversation, and maxKept those of all.
	maxConversation = 16 << 20
	maxKept         = 256 << 20
)

// message is a message of a conversation, and about how many bytes it takes.
type message struct {
	sdk.MessageParam
	size int
	// tools reports that it asks for tools, or has their results.
	tools bool
}

// conversation is messages that are never changed once they are in one. It may end with results of tools: several messages
// of the user in a row count as one.
type conversation []message

func (c conversation) size() int {
	n := 0
	for _, m := range c {
		n += m.size
	}
	return n
}

func (c conversation) params() []sdk.MessageParam {
	out := make([]sdk.MessageParam, len(c))
	for i, m := range c {
		out[i] = m.MessageParam
	}
	return out
}

// reduced returns a shorter conversation: without tools and what they returned; if there are none, without the older half
// of what came after the first message, which has the task.
func (c conversation) reduced() conversation {
	said := slices.DeleteFunc(slices.Clone(c), func(m message) bool { return m.tools })
	if len(said) < len(c) || len(said) < 2 {
		return said
	}
	return append(slices.Clip(said[:1]), said[1+len(said)/2:]...)
}

// sessions are the conversations that can be continued, in memory and for as long as the process lives. The longest unused
// one is forgotten first.
type sessions struct {
	mu    sync.Mutex
	byID  map[string]conversation
	order []string // the longest unused first
	size  int
}

// get returns a conversation, and whether it is known.
func (s *sessions) get(id string) (conversation, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.byID[id]
	if ok {
		i := slices.Index(s.order, id)
		s.order = append(slices.Delete(s.order, i, i+1), id)
	}
	return c, ok
}

// keep keeps a conversation under its id, or under a new one. It returns "" for one that is too long to be kept.
func (s *sessions) keep(id string, c conversation) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(id)
	size := c.size()
	if size > maxConversation {
		return ""
	}
	if id == "" {
		id = rand.Text()
	}
	if s.byID == nil {
		s.byID = map[string]conversation{}
	}
	s.byID[id] = slices.Clip(c)
	s.order = append(s.order, id)
	for s.size += size; len(s.order) > maxSessions || s.size > maxKept; {
		s.forget(s.order[0])
	}
	return id
}

func (s *sessions) forget(id string) {
	c, ok := s.byID[id]
	if !ok {
		return
	}
	s.size -= c.size()
	delete(s.byID, id)
	i := slices.Index(s.order, id)
	s.order = slices.Delete(s.order, i, i+1)
}
