package chat

import (
	"crypto/rand"
	"slices"
	"sync"
)

const (
	// maxConversations bounds the conversations that are kept.
	maxConversations = 256
	// maxConversation bounds in bytes the texts of one conversation, and maxKept those of all.
	maxConversation = 16 << 20
	maxKept         = 256 << 20
)

// Store has the conversations that can be continued, in memory and for as long as the process
// lives. The longest unused one is forgotten first. The zero Store is empty and ready; it is safe
// for concurrent use.
type Store[P any] struct {
	mu    sync.Mutex
	byID  map[string]Conversation[P]
	order []string // the longest unused first
	size  int
}

// Get returns a conversation, and whether it is known.
func (s *Store[P]) Get(id string) (Conversation[P], bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.byID[id]
	if ok {
		i := slices.Index(s.order, id)
		s.order = append(slices.Delete(s.order, i, i+1), id)
	}
	return c, ok
}

// Keep keeps a conversation under its id, or under a new one if id is "". It returns the id, and ""
// for a conversation that is too long to be kept: it is not known any more then.
func (s *Store[P]) Keep(id string, c Conversation[P]) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(id)
	size := c.Size()
	if size > maxConversation {
		return ""
	}
	if id == "" {
		id = rand.Text()
	}
	if s.byID == nil {
		s.byID = map[string]Conversation[P]{}
	}
	s.byID[id] = slices.Clip(c)
	s.order = append(s.order, id)
	for s.size += size; len(s.order) > maxConversations || s.size > maxKept; {
		s.forget(s.order[0])
	}
	return id
}

func (s *Store[P]) forget(id string) {
	c, ok := s.byID[id]
	if !ok {
		return
	}
	s.size -= c.Size()
	delete(s.byID, id)
	i := slices.Index(s.order, id)
	s.order = slices.Delete(s.order, i, i+1)
}
