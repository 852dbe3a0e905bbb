package gittree

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	deliveredFile = "delivered"     // the tree at the beginning, with what the run committed
	leftoverFile  = "leftover.json" // what Open found of other runs
	takenFile     = "taken"         // the run that took over the leftover changes
)

// Leftover are the changes of an earlier run that are still in the working tree and that it did not
// commit.
type Leftover struct {
	Run   string   `json:"run"`
	Paths []string `json:"paths"`
	// Tree is the working tree without the changes.
	Tree Tree `json:"tree"`
}

// Leftover returns the changes of earlier runs that were in the working tree when this run began.
// They are part of the first snapshot, so they are neither judged nor committed by this run. A run
// takes them over when it treats their Tree as the one before its own changes, and calls TakeOver.
func (s *Space) Leftover() []Leftover {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.leftover)
}

// TakeOver marks the leftover changes of an earlier run as changes of this run. They are no longer
// the earlier run's, and no later run finds them as leftover of that run.
func (s *Space) TakeOver(ctx context.Context, run string) (base Tree, err error) {
	leave, err := s.enter(opPrepare)
	if err != nil {
		return "", err
	}
	defer leave(&err)
	i := slices.IndexFunc(s.leftover, func(l Leftover) bool { return l.Run == run })
	if i < 0 {
		return "", fault(typeName, "no run named "+run+" has left changes", nil)
	}
	l := s.leftover[i]
	delivered, err := s.delivered()
	if err != nil {
		return "", fault(typeStore, "", err)
	}
	next, err := s.work.accept(ctx, delivered, l.Tree, l.Paths)
	if err != nil {
		return "", err
	}
	err = s.setDelivered(next)
	if err == nil {
		err = os.WriteFile(filepath.Join(storeDir(s.common, run), takenFile), []byte(s.run), 0o600)
	}
	if err != nil {
		return "", err
	}
	return next, nil
}

func (s *Space) delivered() (Tree, error) {
	content, err := os.ReadFile(filepath.Join(s.store, deliveredFile))
	return Tree(strings.TrimSpace(string(content))), err
}

func (s *Space) setDelivered(tree Tree) error {
	return s.write(deliveredFile, []byte(tree+"\n"))
}

// findLeftover finds the changes of earlier runs in the tree with which this run begins.
func (s *Space) findLeftover(ctx context.Context, now Tree) error {
	s.leftover = nil
	stores, _ := filepath.Glob(filepath.Join(s.common, homeName, "[^.]*", settingsFile))
	for _, file := range stores {
		if filepath.Dir(file) == s.store {
			continue
		}
		l, err := s.leftoverOf(ctx, filepath.Dir(file), now)
		if err != nil {
			return err
		}
		if len(l.Paths) > 0 {
			s.leftover = append(s.leftover, l)
		}
	}
	return s.writeJSON(leftoverFile, s.leftover)
}

// leftoverOf finds the changes of one earlier run. A store that is not complete has none.
func (s *Space) leftoverOf(ctx context.Context, store string, now Tree) (Leftover, error) {
	l := Leftover{Run: filepath.Base(store)}
	made, err := readSettings(store)
	if err != nil || made.Root != s.root || made.Clone != "" {
		return l, nil
	}
	other := &Space{opts: s.opts, run: l.Run, root: s.root, gitDir: s.gitDir, common: s.common, made: made}
	other.setStore(store)
	if _, err := os.Stat(filepath.Join(store, takenFile)); err == nil || other.work.load(ctx) != nil {
		return l, nil
	}
	delivered, err := other.delivered()
	if err != nil || other.work.last == "" || other.work.last == delivered {
		return l, nil
	}
	// The trees of both runs are needed in one store.
	if _, err := link(filepath.Join(store, "objects"), filepath.Join(s.store, "objects")); err != nil {
		return l, err
	}
	changes, err := s.work.diff(ctx, delivered, other.work.last)
	if err != nil {
		return l, nil
	}
	since, err := s.work.diff(ctx, other.work.last, now)
	if err != nil {
		return l, nil
	}
	changedSince := map[string]bool{}
	for _, c := range since {
		changedSince[c.Path] = true
	}
	for _, c := range changes {
		if !changedSince[c.Path] {
			l.Paths = append(l.Paths, c.Path)
		}
	}
	if len(l.Paths) > 0 {
		l.Tree, err = s.work.accept(ctx, now, delivered, l.Paths)
	}
	return l, err
}
