package api

import (
	"cmp"
	"crypto/rand"
	"slices"
	"sync"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// overhead is the approximate size of a message without its texts, in bytes.
const overhead = 256

// message is a message of a conversation.
type message[M any] struct {
	param M
	size  int
	tools bool // uses tools, or has their results
}

func newMessage[M any](param M, size int, tools bool) message[M] {
	return message[M]{param, size + overhead, tools}
}

// conversation is a list of messages, which are never changed.
type conversation[M any] []message[M]

func (c conversation[M]) size() int {
	n := 0
	for _, m := range c {
		n += m.size
	}
	return n
}

// params returns the messages for the SDK. The caller owns the slice.
func (c conversation[M]) params() []M {
	out := make([]M, len(c))
	for i, m := range c {
		out[i] = m.param
	}
	return out
}

// reduced returns a shorter conversation, without tools and their results. If it has none, reduced
// omits the older half after the first message, which is the task.
func (c conversation[M]) reduced() conversation[M] {
	texts := slices.DeleteFunc(slices.Clone(c), func(m message[M]) bool { return m.tools })
	if len(texts) < len(c) || len(texts) < 2 {
		return texts
	}
	return append(slices.Clip(texts[:1]), texts[1+len(texts)/2:]...)
}

const (
	// maxConversations bounds the stored conversations, maxConversation the bytes of one, and
	// maxStored those of all.
	maxConversations = 256
	maxConversation  = 16 << 20
	maxStored        = 256 << 20
)

// store holds the conversations that can be continued, in memory. It evicts the least recently
// used.
type store[M any] struct {
	mu  sync.Mutex
	all []entry[M] // the least recently used first
}

type entry[M any] struct {
	id string
	conversation[M]
}

// get returns a conversation, and whether it is known. The conversation without an id is empty.
func (s *store[M]) get(id string) (conversation[M], bool) {
	if id == "" {
		return nil, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.index(id)
	if i < 0 {
		return nil, false
	}
	found := s.all[i]
	s.all = append(slices.Delete(s.all, i, i+1), found)
	return found.conversation, true
}

// put stores a conversation under its id, or a new one if id is empty, and returns the id. A
// conversation that is too long is not stored, and the id is empty.
func (s *store[M]) put(id string, c conversation[M]) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.index(id); i >= 0 {
		s.all = slices.Delete(s.all, i, i+1)
	}
	if c.size() > maxConversation {
		return ""
	}
	if id == "" {
		id = rand.Text()
	}
	s.all = append(s.all, entry[M]{id, slices.Clip(c)})
	for len(s.all) > maxConversations || s.size() > maxStored {
		s.all = slices.Delete(s.all, 0, 1)
	}
	return id
}

func (s *store[M]) index(id string) int {
	return slices.IndexFunc(s.all, func(c entry[M]) bool { return c.id == id })
}

func (s *store[M]) size() int {
	n := 0
	for _, c := range s.all {
		n += c.size()
	}
	return n
}

// Tokens are the numbers of tokens that a request used. Input does not include tokens that were
// read from a cache or written to one.
type Tokens struct{ Input, CacheWrite, CacheRead, Output int64 }

// tokenSum adds up the tokens of the requests of a call.
type tokenSum struct {
	sum              Tokens
	counted, unknown bool
}

// add adds a request. If the service did not report all of its tokens, the sum is unknown, unless
// the service certainly did no work.
func (s *tokenSum) add(x *Exchange, used taxonomy.Opt[Tokens]) {
	t, ok := used.Get()
	switch {
	case ok && min(t.Input, t.CacheWrite, t.CacheRead, t.Output) >= 0:
		s.counted = true
		s.sum = Tokens{s.sum.Input + t.Input, s.sum.CacheWrite + t.CacheWrite, s.sum.CacheRead + t.CacheRead,
			s.sum.Output + t.Output}
	case ok || !x.unused():
		s.unknown = true
	}
}

// usage returns the sum and its cost. An unknown sum is absent. So is the cost if prices is nil.
func (s *tokenSum) usage(prices *providers.Prices) executor.Usage {
	switch {
	case s.unknown:
		return executor.Usage{}
	case !s.counted:
		return executor.UnusedCall()
	}
	u := executor.Usage{InputTokens: taxonomy.Some(s.sum.Input + s.sum.CacheWrite + s.sum.CacheRead),
		OutputTokens: taxonomy.Some(s.sum.Output)}
	if p := prices; p != nil {
		const million = 1e6
		u.CostUSD = taxonomy.Some((float64(s.sum.Input)*p.Input + float64(s.sum.Output)*p.Output +
			float64(s.sum.CacheWrite)*cmp.Or(p.CacheWrite, p.Input) +
			float64(s.sum.CacheRead)*cmp.Or(p.CacheRead, p.Input)) / million)
	}
	return u
}
