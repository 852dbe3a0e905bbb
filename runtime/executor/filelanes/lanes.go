// Package filelanes has processes share their waits: lanes in a directory, a file for each that is closed.
package filelanes

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/durable"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// version is that of the files' form.
const version = 1

// state is what a file holds.
type state struct {
	Version int        `json:"errgen_lane"`
	Lane    retry.Lane `json:"lane"`
}

const (
	laneSuffix = ".lane"
	lockSuffix = ".lock"
	// maxFile is how many bytes a file may have.
	maxFile = 4 << 20
	// maxCaller is how many bytes of a caller's name are kept; a longer one has a fingerprint for it.
	maxCaller = 128
	// lockWait and lockEvery are for how long, and how often, a lane is tried that another process is working on.
	lockWait  = 10 * time.Second
	lockEvery = 2 * time.Millisecond
)

// Lanes are [retry.Lanes] that all processes share which have the same directory. Errors are a *taxonomy.Evidence of
// source "state", op "state_write", with the attribute path; the names of lanes are in no file's name.
type Lanes struct {
	dir   string
	ramp  retry.Ramp
	clock retry.Clock
	mu    sync.Mutex // among the goroutines of this process; the lock on a lane's file is among processes
}

var _ retry.Lanes = (*Lanes)(nil)

// New returns the lanes in dir, which is made by the first pause, for its owner only. Ramp and clock are as for
// [retry.NewLanes]; all processes should have the same ramp.
func New(dir string, ramp retry.Ramp, clock retry.Clock) *Lanes {
	if clock == nil {
		clock = retry.System
	}
	return &Lanes{dir: dir, ramp: ramp, clock: clock}
}

// Pause closes the lane until t; see [retry.Lanes]. A lane whose file cannot be read is made anew.
func (l *Lanes) Pause(ctx context.Context, lane string, t time.Time) error {
	now := l.clock.Now()
	if !t.After(now) {
		return nil
	}
	if last := time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC); t.After(last) {
		t = last // JSON has no form for later ones
	}
	if err := durable.MakeDir(l.dir); err != nil {
		return evidence(l.dir, fmt.Errorf("make the directory of lanes: %w", err))
	}
	return l.change(ctx, lane, now, func(state *retry.Lane, _ error) error {
		state.Pause(t, now, l.ramp)
		return nil
	})
}

// Opens returns when the caller may enter the lane; see [retry.Lanes]. With an error it is now.
func (l *Lanes) Opens(ctx context.Context, lane, caller string, now time.Time) (time.Time, error) {
	if _, err := os.Lstat(l.path(lane, laneSuffix)); errors.Is(err, fs.ErrNotExist) {
		return now, nil
	}
	opens := now
	err := l.change(ctx, lane, now, func(state *retry.Lane, err error) error {
		if err == nil {
			opens = state.Opens(named(caller), now, l.ramp)
		}
		return err
	})
	if err != nil {
		return now, err
	}
	return opens, nil
}

// change has f change a lane, and keeps what it became. F gets the error of reading the lane, which is then open.
func (l *Lanes) change(ctx context.Context, lane string, now time.Time, f func(state *retry.Lane, err error) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	path := l.path(lane, laneSuffix)
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	lock, err := durable.WaitLock(ctx, l.path(lane, lockSuffix), lockEvery)
	if err != nil {
		return evidence(path, fmt.Errorf("lock lane: %w", err))
	}
	before, was, err := read(path)
	if err = f(&was, err); err == nil {
		err = l.keep(path, was, before, now)
	}
	if err = errors.Join(err, lock.Release()); err != nil {
		return evidence(path, fmt.Errorf("keep lane: %w", err))
	}
	return nil
}

// keep writes a lane if it is not as before; one that is open needs no file.
func (l *Lanes) keep(path string, lane retry.Lane, before []byte, now time.Time) error {
	if lane.Over(now, l.ramp) {
		err := os.Remove(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	after, err := json.Marshal(state{Version: version, Lane: lane})
	if err != nil || bytes.Equal(after, before) {
		return err
	}
	return durable.Replace(path, after)
}

// read returns the bytes of a lane's file and the lane; nothing and an open lane when there is none.
func read(path string) ([]byte, retry.Lane, error) {
	f, err := durable.OpenRegular(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, retry.Lane{}, nil
	}
	if err != nil {
		return nil, retry.Lane{}, err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, retry.Lane{}, err
	}
	var s state
	switch err := json.Unmarshal(b, &s); {
	case len(b) > maxFile:
		return b, retry.Lane{}, fmt.Errorf("it has more than %d bytes", maxFile)
	case err != nil:
		return b, retry.Lane{}, err
	case s.Version != version:
		return b, retry.Lane{}, fmt.Errorf("it has version %d, and only version %d is known here", s.Version, version)
	}
	return b, s.Lane, nil
}

// path returns the path of a lane's file. The lane's name is anybody's text, and so is hashed.
func (l *Lanes) path(lane, suffix string) string {
	return filepath.Join(l.dir, fingerprint(lane)+suffix)
}

func fingerprint(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

// named returns the name that a caller has in a file.
func named(caller string) string {
	if len(caller) > maxCaller || !utf8.ValidString(caller) {
		return "#" + fingerprint(caller)
	}
	return caller
}

func evidence(path string, err error) *taxonomy.Evidence {
	ev := detect.Of(err)
	ev.Source, ev.Op = "state", "state_write"
	ev.Attributes = maps.Clone(ev.Attributes)
	if ev.Attributes == nil {
		ev.Attributes = make(map[string]string)
	}
	ev.Attributes["path"] = path
	return &ev
}
