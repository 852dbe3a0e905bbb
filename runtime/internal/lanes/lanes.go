// Package lanes is what all lanes that processes share have in common, wherever they are kept:
// which instants there are, what a caller is called, and in which form a lane is kept. The rule is
// [retry.Lane].
package lanes

import (
	"context"
	"time"

	"github.com/errgen/errgen/runtime/retry"
)

// Store keeps lanes under their keys; see [Key]. It is safe for concurrent use, also by several
// processes.
type Store interface {
	// Has reports whether something is kept. It waits for nobody who changes it.
	Has(ctx context.Context, key string) (bool, error)
	// Change has f change what is kept, nil when there is nothing, while nobody else does. F gets
	// the error of reading it, too. An error of f changes nothing, and is in the error of Change.
	Change(ctx context.Context, key string, f func(kept []byte, err error) (Kept, error)) error
}

// Kept is what a store is to keep.
type Kept struct {
	// Body is the lane as it is kept; nil when there is nothing to keep.
	Body []byte
	// Until is when the lane opens, in UTC.
	Until time.Time
}

// Lanes are [retry.Lanes] that are kept in a [Store]. A lane that is open needs not be kept.
type Lanes struct {
	store Store
	ramp  retry.Ramp
	clock retry.Clock
}

var _ retry.Lanes = (*Lanes)(nil)

// New returns the lanes in the store. Ramp and clock are as for [retry.NewLanes].
func New(store Store, ramp retry.Ramp, clock retry.Clock) *Lanes {
	if clock == nil {
		clock = retry.System
	}
	return &Lanes{store: store, ramp: ramp, clock: clock}
}

// Pause closes the lane until t; see [retry.Lanes]. A lane that cannot be read is made anew. An
// error is the store's.
func (l *Lanes) Pause(ctx context.Context, lane string, t time.Time) error {
	now := l.clock.Now()
	if !t.After(now) {
		return nil
	}
	if t.After(last) {
		t = last
	}
	t = t.UTC()
	return l.store.Change(ctx, Key(lane), func(kept []byte, err error) (Kept, error) {
		was, err := decode(kept, err)
		if err != nil {
			was = retry.Lane{}
		}
		was.Pause(t, now, l.ramp)
		return l.kept(was, now)
	})
}

// Opens returns when the caller may enter the lane; see [retry.Lanes]. With an error, which is the
// store's, it is now.
func (l *Lanes) Opens(ctx context.Context, lane, caller string, now time.Time) (time.Time, error) {
	key := Key(lane)
	if has, err := l.store.Has(ctx, key); err != nil || !has {
		return now, err
	}
	opens := now
	err := l.store.Change(ctx, key, func(kept []byte, err error) (Kept, error) {
		was, err := decode(kept, err)
		if err != nil {
			return Kept{}, err
		}
		opens = was.Opens(named(caller), now, l.ramp)
		return l.kept(was, now)
	})
	if err != nil {
		return now, err
	}
	return opens, nil
}

// kept returns what is to be kept of a lane.
func (l *Lanes) kept(lane retry.Lane, now time.Time) (Kept, error) {
	if lane.Over(now, l.ramp) {
		return Kept{}, nil
	}
	b, err := encode(lane)
	return Kept{Body: b, Until: lane.Until.UTC()}, err
}
