package recovery

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
)

// keeping is what becomes of changes that are put back: whether they were saved first.
type keeping struct {
	seen    []executor.Change // of each path what was seen last
	at      map[string]int    // the places of paths there
	saved   map[executor.Change]bool
	refs    []string
	unsaved error // why something could not be saved; nil when all was
}

// saw remembers changes that are there.
func (k *keeping) saw(changes []executor.Change) {
	if k.at == nil {
		k.at, k.saved = map[string]int{}, map[executor.Change]bool{}
	}
	for _, c := range changes {
		if i, known := k.at[c.Path]; known {
			k.seen[i] = c
			continue
		}
		k.at[c.Path] = len(k.seen)
		k.seen = append(k.seen, c)
	}
}

// kept remembers that changes are saved.
func (k *keeping) kept(ref string, changes []executor.Change) {
	for _, c := range changes {
		k.saved[c] = true
	}
	if ref != "" {
		k.refs = append(k.refs, ref)
	}
}

// isKept reports whether a change is saved. Of what was removed there is nothing to save.
func (k *keeping) isKept(c executor.Change) bool { return c.Kind == executor.Removed || k.saved[c] }

// lost returns what could not be saved, and is not there any more.
func (k *keeping) lost(left []executor.Change) []executor.Change {
	return slices.DeleteFunc(
		slices.Clone(k.seen), func(c executor.Change) bool { return k.isKept(c) || slices.Contains(left, c) })
}

// save saves what is left to put back and is not saved. Where that cannot be, as on a full disk, it
// gives up what is biggest of what was added, which makes room for the rest: twice as many files
// each time, until the rest can be saved.
func (p *putBack) save() error {
	for most := 1; !p.allKept(); most *= 2 {
		ref, err := p.tree.Save(p.ctx, p.left)
		if err == nil {
			p.kept(ref, p.left)
			return nil
		}
		p.unsaved = err
		gone, err := p.giveUp(most)
		if err != nil || !gone {
			return err
		}
	}
	return nil
}

func (p *putBack) allKept() bool {
	return !slices.ContainsFunc(p.left, func(c executor.Change) bool { return !p.saved[c] })
}

// giveUp puts back the biggest of the files that were added, unsaved, and reports whether any of
// them is gone and others are left.
func (p *putBack) giveUp(most int) (gone bool, err error) {
	sizes, ok := p.tree.(interface {
		Size(c executor.Change) int64
	})
	if !ok || p.ctx.Err() != nil {
		return false, nil
	}
	var added []executor.Change
	size := map[string]int64{}
	for _, c := range p.left {
		if c.Kind == executor.Added && !c.Git && !p.saved[c] {
			added, size[c.Path] = append(added, c), sizes.Size(c)
		}
	}
	slices.SortStableFunc(added, func(a, b executor.Change) int { return cmp.Compare(size[b.Path], size[a.Path]) })
	added = added[:min(len(added), most)]
	before := len(p.left)
	if len(added) == 0 || len(added) == before {
		return false, nil
	}
	_ = p.tree.Revert(p.ctx, added) // what is left says whether it worked
	if err := p.look(); err != nil {
		return false, fmt.Errorf("look for what has changed: %w", err)
	}
	return len(p.left) < before, nil
}

// noteKept notes what was saved, and what was not.
func (p *putBack) noteKept() {
	p.note(DataSaved, strings.Join(p.refs, " "))
	lost := p.lost(p.left)
	p.note(DataLost, listed(lost))
	if len(lost) > 0 {
		p.warn(fmt.Sprintf("%s could not be saved before it was put back: %s", first(lost, maxNamed),
			text.Error(p.unsaved, maxMessage)))
	}
}

// Size returns how many bytes a change has, or 0 where that cannot be found out.
func (t *localTree) Size(c executor.Change) int64 {
	info, err := os.Lstat(filepath.Join(t.tree.Dir(), filepath.FromSlash(c.Path)))
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}
