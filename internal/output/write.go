package output

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Write makes the changes. It locks the directory, waits for another errgen that writes there, and
// compares once more. Afterwards Steps lists the changes that were made. All files are written
// beside their targets before the first one is renamed, so a full disk changes nothing. Each file
// is replaced atomically.
func (p *Plan) Write(ctx context.Context) error {
	if p.Clean() && len(p.leftovers) == 0 {
		return nil
	}
	if err := os.MkdirAll(p.target.Dir, 0o755); err != nil {
		return p.target.wrap("", err)
	}
	unlock, err := lock(ctx, p.target.Dir)
	if err != nil {
		return p.target.wrap("", err)
	}
	defer unlock()
	now, err := NewPlan(p.target, p.files)
	if err != nil {
		return err
	}
	p.Steps, p.leftovers = now.Steps, now.leftovers
	return p.replace()
}

func (p *Plan) replace() error {
	for _, name := range p.leftovers {
		if err := os.Remove(p.target.file(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return p.target.wrap(name, err)
		}
	}
	temps := make(map[string]string) // by the name of the step
	defer func() {
		for _, temp := range temps {
			_ = os.Remove(temp) // after an error; if it fails, the next run removes the file
		}
	}()
	for _, s := range p.Steps {
		if s.Action != Create && s.Action != Change {
			continue
		}
		temp, err := p.writeTemp(s)
		if err != nil {
			return fmt.Errorf("%w (nothing was changed)", p.target.wrap(s.Name, err))
		}
		temps[s.Name] = temp
	}
	for _, s := range p.Steps {
		if err := p.apply(s, temps[s.Name]); err != nil {
			return fmt.Errorf("%w (repeat the command to complete it)", p.target.wrap(s.Name, err))
		}
		delete(temps, s.Name)
	}
	return nil
}

// apply renames the temporary file of a step to its target, or removes a stale file.
func (p *Plan) apply(s Step, temp string) error {
	if s.Action == Unchanged {
		return nil
	}
	if err := p.fault(s.Action.String()); err != nil {
		return err
	}
	name := p.target.file(s.Name)
	if s.Action != Remove {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return os.Rename(temp, name)
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := path.Dir(s.Name); dir != "."; dir = path.Dir(dir) {
		if os.Remove(p.target.file(dir)) != nil { // it has other files
			break
		}
	}
	return nil
}

// The name of a temporary file does not contain the target's, which may have the maximum length.
const (
	tempBegin = ".errgen-"
	tempEnd   = ".tmp"
)

func isTemp(name string) bool {
	return strings.HasPrefix(name, tempBegin) && strings.HasSuffix(name, tempEnd)
}

// writeTemp writes the content of a step to a new file and returns its path. The file has the
// permissions of the one that it replaces.
func (p *Plan) writeTemp(s Step) (path string, err error) {
	path = p.target.file(tempBegin + strconv.FormatUint(rand.Uint64(), 36) + tempEnd)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	if info, statErr := os.Lstat(p.target.file(s.Name)); statErr == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if err == nil {
		_, err = f.Write(s.content)
	}
	if err = errors.Join(err, p.fault("write"), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(path))
	}
	return path, nil
}

// How long Write waits for another errgen that writes to the directory, and how often it checks.
const (
	lockTimeout  = 30 * time.Second
	lockInterval = 20 * time.Millisecond
)

// lock waits until no other errgen writes to the directory. A killed process loses its lock. On a
// system that cannot lock a directory, there is no lock.
func lock(ctx context.Context, dir string) (unlock func(), err error) {
	l := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	waiting, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	_, err = l.TryLockContext(waiting, lockInterval)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("another errgen has been writing here for %v (nothing was changed): generate again "+
			"when it has ended", lockTimeout)
	}
	return func() { _ = l.Close() }, nil
}

// Replace replaces a file atomically. The new one has its permissions.
func Replace(path string, content []byte) error {
	dir, name := filepath.Split(path)
	p := &Plan{target: Target{Dir: dir}, fault: func(string) error { return nil }}
	temp, err := p.writeTemp(Step{Name: name, content: content})
	if err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}
