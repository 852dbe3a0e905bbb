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

	mu   sync.Mutex
	left int
}

// run runs f with a context that ends after the limit. What f throws is an error. When f has not returned within the
// grace after its context has ended, it is left behind in its goroutine.
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
	go c.run(limited, f)
	select {
	case err := <-c.done:
		return err
	case <-limited.Done():
	}
	grace := time.NewTimer(k.grace)
	defer grace.Stop()
	select {
	case err := <-c.done:
		return err
	case <-grace.C:
		c.leave()
		return &hung{context.Cause(limited)}
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
	done       chan error
	gone, over bool // under the keeper's lock
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

// leave gives up on the function.
func (c *kept) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
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
