// Package lanes implements [retry.SharedWait] for lanes that several processes share, on a store
// that a caller provides.
package lanes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/retry"
)

const (
	version = 1
	// MaxKept is the largest stored form of a lane, in bytes.
	MaxKept = 4 << 20
)

// last is the latest instant that a lane can be closed until: JSON has no form for later years.
var last = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// Store stores lanes under their keys; see [Key]. It is safe for concurrent use, also by several
// processes.
type Store interface {
	// Has reports whether the key has an entry. It does not wait for a concurrent Change.
	Has(ctx context.Context, key string) (bool, error)
	// Change calls f with the entry, nil if it does not exist, and the error of reading it. It
	// stores the result of f while no other caller changes the entry. An error of f changes
	// nothing.
	Change(ctx context.Context, key string, f func(kept []byte, err error) (Kept, error)) error
}

// Kept is an entry of a store.
type Kept struct {
	// Body is the stored form; nil removes the entry.
	Body []byte
	// Until is when the lane opens, in UTC.
	Until time.Time
}

// Lanes are the lanes in a [Store]. A lane that is open has no entry.
type Lanes struct {
	store  Store
	clock  retry.Clock
	random retry.Random
}

var _ retry.SharedWait = (*Lanes)(nil)

// New returns the lanes in the store. Clock and random are as for [retry.NewSharedWait].
func New(store Store, clock retry.Clock, random retry.Random) *Lanes {
	if clock == nil {
		clock = retry.System
	}
	return &Lanes{store: store, clock: clock, random: random}
}

// Pause closes the lane until t; see [retry.SharedWait]. It replaces an entry that cannot be read.
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
		if until, err := decode(kept, err); err == nil && until.After(t) {
			return Kept{Body: kept, Until: until}, nil
		}
		body, err := encode(t)
		return Kept{Body: body, Until: t}, err
	})
}

// Until returns when the caller may use the lane; see [retry.SharedWait]. The instant of an open
// lane, and with an error, is zero.
func (l *Lanes) Until(ctx context.Context, lane string) (until time.Time, err error) {
	key := Key(lane)
	if has, err := l.store.Has(ctx, key); err != nil || !has {
		return time.Time{}, err
	}
	now := l.clock.Now()
	err = l.store.Change(ctx, key, func(kept []byte, err error) (Kept, error) {
		t, err := decode(kept, err)
		if err != nil || !t.After(now) {
			return Kept{}, err
		}
		until = retry.Spread(t, now, l.random)
		return Kept{Body: kept, Until: t}, nil
	})
	if err != nil {
		return time.Time{}, err
	}
	return until, nil
}

// form is the stored form. Members that it does not have, of earlier versions, are ignored.
type form struct {
	Version int `json:"errgen_lane"`
	Lane    struct {
		Until time.Time `json:"until"`
	} `json:"lane"`
}

func encode(until time.Time) ([]byte, error) {
	f := form{Version: version}
	f.Lane.Until = until
	return json.Marshal(f)
}

// decode returns when the stored lane opens, or the error of reading it. Without an entry it is the
// zero time.
func decode(b []byte, err error) (time.Time, error) {
	if b == nil || err != nil {
		return time.Time{}, err
	}
	if len(b) > MaxKept {
		return time.Time{}, fmt.Errorf("read lane: it has more than %d bytes", MaxKept)
	}
	var f form
	if err := json.Unmarshal(b, &f); err != nil {
		return time.Time{}, err
	}
	if f.Version != version {
		return time.Time{}, fmt.Errorf("read lane: version %d is not supported (%d is)", f.Version, version)
	}
	return f.Lane.Until.UTC(), nil
}

// Key returns the key of a lane: 32 hexadecimal digits. The name is hashed, because it may contain
// any text.
func Key(lane string) string {
	sum := sha256.Sum256([]byte(lane))
	return hex.EncodeToString(sum[:16])
}
