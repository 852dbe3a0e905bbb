package retry

import (
	"cmp"
	"math"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// maxTrials bounds the retries that are kept until a policy says what they mean.
	maxTrials = 256
	// maxTurns bounds the counting of turns, after which steps no longer shrink.
	maxTurns = 100
	// shortest is the least delay that is moved where a policy has no least; a factor could not
	// move nothing.
	shortest = time.Millisecond

	firstStep = math.Ln2
	// lastStep is the logarithm of 1.25.
	lastStep = 0.22314355131420976

	// Retries whose wait was less than this share of the delay, or more than that multiple, waited
	// for another reason.
	leastShare, mostShare = 0.125, 4
)

// delayBounds are what a policy says about its first delay.
type delayBounds struct {
	least, own, most time.Duration
	target           float64
	single           bool // there is one retry at most
}

// delaysOf returns false when the delay is not to be moved.
func delaysOf(p *taxonomy.Policy) (delayBounds, bool) {
	if p.Adapt.MinDelay <= 0 && p.Adapt.MaxDelay <= 0 {
		return delayBounds{}, false
	}
	least := max(0, p.Adapt.MinDelay)
	most := max(least, min(p.Adapt.MaxDelay, longestDelay(p)))
	target := p.Adapt.Target
	if !(target > 0 && target < 1) {
		target = 0.8
	}
	target = min(max(target, 0.01), 0.99)
	return delayBounds{
		least: least, own: min(max(p.InitialDelay, least), most), most: most, target: target, single: hasOneRetry(p),
	}, true
}

func hasOneRetry(p *taxonomy.Policy) bool {
	if b, ok := attemptsOf(p); ok {
		return b.most <= 2
	}
	return p.MaxAttempts > 0 && p.MaxAttempts <= 2
}

func (b delayBounds) hold(seconds float64) float64 {
	return min(max(seconds, cmp.Or(b.least, min(shortest, b.most)).Seconds()), b.most.Seconds())
}

// stairs is a weighted up-down staircase.
type stairs struct {
	level  float64 // in seconds; 0 until the first step
	turns  int     // how often the direction has changed
	up     bool    // the last step
	trials []trial // not yet taken
	bounds delayBounds
}

// trial is a first retry, or a later one that succeeded.
type trial struct {
	later     bool
	wait      time.Duration
	succeeded bool
}

// note keeps a trial. It is taken when the policy is asked for, since only that knows the target
// and the bounds.
func (s *stairs) note(t trial) {
	if len(s.trials) >= maxTrials {
		if s.bounds.most > 0 {
			s.climb(s.bounds)
		} else {
			copy(s.trials, s.trials[1:])
			s.trials = s.trials[:maxTrials-1]
		}
	}
	s.trials = append(s.trials, t)
}

func (s *stairs) delay(b delayBounds) time.Duration {
	s.climb(b)
	if s.level == 0 {
		return b.own
	}
	return max(b.least, bounded(b.hold(s.level)*float64(time.Second), b.most))
}

// climb takes the steps that the trials ask for.
func (s *stairs) climb(b delayBounds) {
	s.bounds = b
	for _, t := range s.trials {
		s.step(t, b)
	}
	s.trials = s.trials[:0]
}

func (s *stairs) step(t trial, b delayBounds) {
	level := b.own.Seconds()
	if s.level > 0 {
		level = b.hold(s.level)
	}
	if wait := t.wait.Seconds(); wait < level*leastShare || !t.later && wait > level*mostShare {
		return
	}
	if !t.succeeded && !b.single {
		return
	}
	up := t.later || !t.succeeded
	if s.level > 0 && up != s.up {
		s.turns = min(s.turns+1, maxTurns)
	}
	size := max(lastStep, firstStep/float64(1+s.turns))
	if !up {
		size *= -(1 - b.target) / b.target
	}
	s.level, s.up = b.hold(level*math.Exp(size)), up
}
