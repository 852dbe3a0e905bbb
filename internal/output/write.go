package output

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
)

// Write does what is planned. It locks the directory, waiting for another run that writes to it,
// and compares once more, so that Steps tells what was done. Everything is first written beside its
// target, so that a full disk or a directory that refuses leaves all as it was; only then are the
// files put in place, each at once, and the stale ones removed. When a file cannot be put in place,
// those before it are put back.
func (p *Plan) Write(ctx context.Context) error {
	if p.Clean() && len(p.leftovers) == 0 {
		return nil
	}
	held, made, err := p.lock(ctx)
	if err != nil {
		p.removeDirs(made)
		return p.target.fault("", err)
	}
	err = p.write(held)
	held.release(func() {
		if err != nil {
			p.removeDirs(made)
		}
	})
	return err
}

// write does what is to be done now that no other run writes to the directory.
func (p *Plan) write(held *dirLock) error {
	if err := p.again(); err != nil {
		return err
	}
	for _, name := range p.leftovers {
		if err := p.disk.Remove(p.target.real(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return p.target.fault(name, err)
		}
	}
	staged, err := p.stage()
	if err == nil {
		err = p.place(staged)
	}
	if err != nil {
		p.discard(staged)
		return err
	}
	if err := p.removeStale(); err != nil || held.held() {
		return err
	}
	return p.verify()
}

// again compares the files with the directory as it is now.
func (p *Plan) again() error {
	now, err := NewPlan(p.target, p.files())
	if err != nil {
		return err
	}
	p.Steps, p.leftovers = now.Steps, now.leftovers
	return nil
}

// verify stands in for a lock where there is none: of two runs at the same time, one sees what the
// other undid.
func (p *Plan) verify() error {
	now, err := NewPlan(p.target, p.files())
	if err == nil && !now.Clean() {
		err = fmt.Errorf("%s: another errgen wrote here at the same time: generate again", p.target.Show)
	}
	return err
}

// files returns what the directory is to hold.
func (p *Plan) files() []File {
	var out []File
	for _, s := range p.Steps {
		if s.Action != Remove {
			out = append(out, File{Name: s.Name, Content: s.content})
		}
	}
	return out
}

// staged is a file that stands written beside its target.
type staged struct {
	step *Step
	temp string // path; "" once it is in place
}

// writers is how many files are written at a time: syncing is waiting.
const writers = 16

// stage writes all files that change to temporary ones. It returns those that it made also when it
// fails.
func (p *Plan) stage() ([]*staged, error) {
	var all []*staged
	for i, s := range p.Steps {
		if s.Action == Create || s.Action == Change {
			all = append(all, &staged{step: &p.Steps[i]})
		}
	}
	errs := make([]error, len(all))
	slots := make(chan struct{}, writers)
	var wg sync.WaitGroup
	for i, s := range all {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			s.temp, errs[i] = p.disk.WriteTemp(p.target.Dir, p.target.real(s.step.Name), s.step.content)
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return all, fmt.Errorf("%w (nothing was changed)", p.target.fault(all[i].step.Name, err))
		}
	}
	return all, nil
}

// place renames the temporary files to their targets.
func (p *Plan) place(all []*staged) error {
	var done []placed
	for _, s := range all {
		before, err := p.before(s.step)
		if err == nil {
			err = p.disk.Rename(s.temp, p.target.real(s.step.Name))
		}
		if err != nil {
			return p.putBack(done, p.target.fault(s.step.Name, err))
		}
		s.temp = ""
		done = append(done, placed{step: s.step, before: before})
	}
	return nil
}

// placed is a file that was put in place, and what stood there before it.
type placed struct {
	step   *Step
	before []byte
}

func (p *Plan) before(s *Step) ([]byte, error) {
	if s.Action == Create {
		return nil, nil
	}
	return p.disk.ReadFile(p.target.real(s.Name))
}

// putBack undoes what was done before cause came up.
func (p *Plan) putBack(done []placed, cause error) error {
	failed := 0
	for _, d := range slices.Backward(done) {
		if err := p.restore(d); err != nil {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%w (%d files are already the new ones, each of them whole: generate again)", cause, failed)
	}
	return fmt.Errorf("%w (nothing was changed)", cause)
}

func (p *Plan) restore(d placed) error {
	target := p.target.real(d.step.Name)
	if d.step.Action == Create {
		if err := p.disk.Remove(target); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	temp, err := p.disk.WriteTemp(p.target.Dir, target, d.before)
	if err != nil {
		return err
	}
	if err := p.disk.Rename(temp, target); err != nil {
		return errors.Join(err, p.disk.Remove(temp))
	}
	return nil
}

// discard removes the temporary files that are left. What cannot be removed the next run removes,
// so that failing here is not worth an error beside the first one.
func (p *Plan) discard(all []*staged) {
	for _, s := range all {
		if s.temp != "" {
			_ = p.disk.Remove(s.temp)
		}
	}
}

// removeDirs removes the directories that were made, the topmost of them last, unless they came to
// hold anything.
func (p *Plan) removeDirs(made string) {
	if made == "" {
		return
	}
	for dir := filepath.Clean(p.target.Dir); ; dir = filepath.Dir(dir) {
		err := p.disk.Remove(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) || dir == made {
			return
		}
	}
}

func (p *Plan) removeStale() error {
	for _, s := range p.Steps {
		if s.Action != Remove {
			continue
		}
		if err := p.disk.Remove(p.target.real(s.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove stale file: %w", p.target.fault(s.Name, err))
		}
	}
	return nil
}
