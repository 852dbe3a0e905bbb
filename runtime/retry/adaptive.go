package retry

import (
	"sync"
	"time"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// maxLearned bounds the codes, and the pairs of a policy and a code, that are remembered. Those
	// that were not heard of for longest are forgotten first.
	maxLearned = 1024
	// maxLearnedName bounds the names of policies and codes, in bytes. What has a longer one, or
	// one that is not UTF-8, is not learned from.
	maxLearnedName = 256
)

// Adaptive moves the numbers of policies within the bounds of their `adapt`, by what came of
// earlier tries. What it learns of a policy after failures of one code changes that policy after
// that code only.
//
//   - Attempts. Of each call number from the second on, the last `window` outcomes are kept. The
//     policy gives up at the smallest number of calls after which going on is not worth it:
//     whatever number of further calls is looked at, the chance that one of them succeeds, divided
//     by how many of them would be made on average, is below 1 in 10. The chance of each call is an
//     end of Wilson's interval (one-sided, 90 %): the upper one for calls that the policy makes of
//     itself, so that they are given up only when they are surely not worth it, and the lower one
//     for those beyond, so that they are added only when they surely are.
//   - Exploration. Of each 8 times 16 outcomes that concern a code, during 16 that the seed picks,
//     all attempts that the bounds allow are made. So what was given up is tried again, and is
//     taken up again when it has become worth it.
//   - Delay. InitialDelay is a weighted up-down staircase (Kaernbach 1991): when only a later retry
//     succeeds, the delay becomes longer by a step, when the first one does, shorter by a step
//     times (1-target)/target. It comes to rest where, of the operations that a retry mends, the
//     share `target` is mended by the first. What no retry mends says nothing: waiting longer might
//     not have helped. Only where a single retry is all there may be, its failure makes the delay
//     longer. A step is a factor of 2 at first, and shrinks to 1.25 as the direction changes.
//     Retries that waited less than an eighth of the delay, and first ones that waited more than
//     four times it, waited for other reasons and do not count.
//
// The numbers follow from the seed, the policies and the outcomes alone, so that the same outcomes
// in the same order always lead to the same policies. What an outcome means for a delay is known
// only with the policy: of one that [NewAdaptive] was not given, the last 256 outcomes of a pair
// are kept until it is first asked for, and older ones are lost.
//
// It marshals to JSON, so that it can be kept. It is safe for concurrent use. A nil *Adaptive
// changes nothing; the zero Adaptive has the seed 0.
type Adaptive struct {
	mu    sync.Mutex
	seed  uint64
	heard uint64 // outcomes in all, to tell what was not heard of for longest
	codes map[string]*heardCode
	pairs map[pair]*learned
	known map[string]delayBounds // of the policies that it was given, by name
}

// pair is what is learned about.
type pair struct{ policy, code string }

// heardCode counts what concerned a code.
type heardCode struct{ outcomes, last uint64 }

// learned is what is known of a pair.
type learned struct {
	last  uint64
	calls []window // of the call with the number of the index plus 2
	stairs
	limit limit
}

// NewAdaptive returns an Adaptive that has learned nothing yet; seed decides what it tries out.
// Policies are those of the taxonomy (Table.Taxonomy.Policies), which it needs to learn all of a
// long history before they are asked for; those without `adapt` are left out. One that is read from
// JSON keeps the policies that it was given, and takes what it reads in place of the seed.
func NewAdaptive(seed uint64, policies ...*taxonomy.Policy) *Adaptive {
	a := &Adaptive{seed: seed, known: make(map[string]delayBounds)}
	for _, p := range policies {
		if p == nil || p.Adapt == nil {
			continue
		}
		if b, ok := delaysOf(p); ok {
			a.known[p.Name] = b
		}
	}
	return a
}

// Policy returns p as it is to be used after a failure of the code. P is the policy as its taxonomy
// has it; one without `adapt` comes back as it is, and nil as the zero Policy.
func (a *Adaptive) Policy(p *taxonomy.Policy, code string) taxonomy.Policy {
	if p == nil {
		return taxonomy.Policy{}
	}
	if a == nil || p.Adapt == nil {
		return *p
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	out := *p
	known := a.pairs[pair{p.Name, code}]
	if b, ok := attemptsOf(p); ok {
		out.MaxAttempts = b.own
		if a.explores(p.Name, code) {
			out.MaxAttempts = b.most
		} else if known != nil {
			out.MaxAttempts = known.attempts(b)
		}
	}
	if b, ok := delaysOf(p); ok {
		out.InitialDelay = b.own
		if known != nil {
			out.InitialDelay = known.delay(b)
		}
	}
	return out
}

// Learn takes an outcome into account. Only retries teach, those with After and Policy; a first
// call that fails counts for exploration.
func (a *Adaptive) Learn(o Outcome) {
	if a == nil || !isLearnable(o.Code) || !isLearnable(o.After) || !isLearnable(o.Policy) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if o.After != "" && o.Policy != "" && o.Attempt > 1 {
		a.hear(o.After)
		l := a.pair(pair{o.Policy, o.After})
		l.learn(o.Attempt, o.Wait, o.Code == "")
		if b, ok := a.known[o.Policy]; ok && l.bounds.most == 0 {
			l.bounds = b
		}
	}
	if o.Code != "" && o.Code != o.After {
		a.hear(o.Code)
	}
}

// isLearnable reports whether the name can be kept; the empty one is none.
func isLearnable(name string) bool { return len(name) <= maxLearnedName && utf8.ValidString(name) }

func (l *learned) learn(attempt int, wait time.Duration, succeeded bool) {
	i := min(attempt, maxCounted) - 2
	for len(l.calls) <= i {
		l.calls = append(l.calls, window{})
	}
	l.calls[i].add(succeeded)
	l.limit = limit{}
	if attempt == 2 || succeeded {
		l.note(trial{later: attempt > 2, wait: max(0, wait), succeeded: succeeded})
	}
}

// hear counts an outcome that concerns the code.
func (a *Adaptive) hear(code string) {
	a.heard++
	c := a.codes[code]
	if c == nil {
		if a.codes == nil {
			a.codes = make(map[string]*heardCode)
		}
		makeRoom(a.codes, func(c *heardCode) uint64 { return c.last })
		c = &heardCode{}
		a.codes[code] = c
	}
	c.outcomes++
	c.last = a.heard
}

func (a *Adaptive) pair(of pair) *learned {
	l := a.pairs[of]
	if l == nil {
		if a.pairs == nil {
			a.pairs = make(map[pair]*learned)
		}
		makeRoom(a.pairs, func(l *learned) uint64 { return l.last })
		l = &learned{}
		a.pairs[of] = l
	}
	l.last = a.heard
	return l
}

// makeRoom forgets what was not heard of for longest when there is no room for another. No two were
// heard of at once.
func makeRoom[K comparable, V any](m map[K]V, last func(V) uint64) {
	if len(m) < maxLearned {
		return
	}
	var oldest K
	found, least := false, uint64(0)
	for k, v := range m {
		if at := last(v); !found || at < least {
			oldest, least, found = k, at, true
		}
	}
	delete(m, oldest)
}
