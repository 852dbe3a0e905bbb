package recovery

import (
	"context"
	"errors"
	"sync"
	"time"
)

// The words of evidence.
const (
	typePanic   = "panic"
	typeTimeout = "timeout"
)

// maxLeft is how many functions that hang are left behind before no more are begun.
const maxLeft = 8

var (
	errOvertime = errors.New("its time is over")
	errCutShort = errors.New("its goroutine was ended from within, as runtime.Goexit does")
	errCrowded  = errors.New("not begun, because too many that hang are left behind already")
)

// hung says that a function was left behind.
type hung struct{ cause error }

func (h *hung) Error() string { return "it does not return, and was left behind: " + h.cause.Error() }
func (h *hung) Unwrap() error { return h.cause }

// panicked says what a function has thrown.
type panicked struct{ text string }

func (p *panicked) Error() string { return p.text }

// keeper runs functions of others for a limited time each.
type keeper struct {
	limit, grace time.Duration
	putBack      time.Duration // for which a function that holds on is waited for besides

	mu   sync.Mutex
	left int
}

// run runs f with a context that ends after the limit. What f throws is an error. When f has not
// returned within the grace after its context has ended, it is left behind in its goroutine, unless
// it holds on; see [hold].
func (k *keeper) run(ctx context.Context, f func(context.Context) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !k.room() {
		return errCrowded
	}
	limited, cancel := context.WithTimeoutCause(ctx, k.limit, errOvertime)
	defer cancel()
	c := &kept{keeper: k, done: make(chan error, 1)}
	c.above, _ = ctx.Value(keptKey{}).(*kept)
	go c.run(context.WithValue(limited, keptKey{}, c), f)
	select {
	case err := <-c.done:
		return err
	case <-limited.Done():
	}
	if err, returned := c.last(); returned {
		return err
	}
	return &hung{context.Cause(limited)}
}

// last waits for a function whose context has ended: for the grace, as long as it holds on, and for
// the grace again. It leaves it behind when it has not returned then.
func (c *kept) last() (err error, returned bool) {
	var bound <-chan time.Time // a nil channel never says anything
	for {
		grace := time.NewTimer(c.grace)
		select {
		case err := <-c.done:
			grace.Stop()
			return err, true
		case <-grace.C:
		}
		free := c.leave()
		if free == nil {
			return nil, false
		}
		if bound == nil {
			timer := time.NewTimer(c.putBack)
			defer timer.Stop()
			bound = timer.C
		}
		select {
		case err := <-c.done:
			return err, true
		case <-free:
		case <-bound:
			c.abandon()
			return nil, false
		}
	}
}

func (k *keeper) room() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.left < maxLeft
}

// kept is a function that is run.
type kept struct {
	*keeper
	done  chan error
	above *kept // what it is run within; nil for nothing

	// The rest is under the keeper's lock.
	gone, over bool
	holds      int
	free       chan struct{} // is closed when nothing holds on any more; nil while nothing does
}

type keptKey struct{}

// hold has the functions that the context is of waited for until done is called, also when their
// time is over: what they have begun must be brought to an end. The wait is bounded, so it must be
// called in any case.
func hold(ctx context.Context) (done func()) {
	c, _ := ctx.Value(keptKey{}).(*kept)
	for k := c; k != nil; k = k.above {
		k.hold()
	}
	return func() {
		for k := c; k != nil; k = k.above {
			k.letGo()
		}
	}
}

func (c *kept) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holds++; c.holds == 1 {
		c.free = make(chan struct{})
	}
}

func (c *kept) letGo() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holds--; c.holds == 0 {
		close(c.free)
		c.free = nil
	}
}

func (c *kept) run(ctx context.Context, f func(context.Context) error) {
	err := errCutShort
	defer func() {
		if p := recover(); p != nil {
			err = &panicked{thrown(p)}
		}
		c.mu.Lock()
		if c.over = true; c.gone {
			c.left--
		}
		c.mu.Unlock()
		c.done <- err
	}()
	err = f(ctx)
}

// leave gives up on the function, unless it holds on: then it returns what is closed when that is
// over.
func (c *kept) leave() (free <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holds > 0 {
		return c.free
	}
	c.gives()
	return nil
}

// abandon gives up on the function.
func (c *kept) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gives()
}

func (c *kept) gives() {
	if !c.over {
		c.gone = true
		c.left++
	}
}

// safely runs f. What it throws is an error.
func safely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicked{thrown(p)}
		}
	}()
	return f()
}
