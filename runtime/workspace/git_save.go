package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
)

// maxSaves bounds how many saves of one attempt there may be.
const maxSaves = 10_000

// Save makes a commit of the checked tree with the changes in it and the reference
// refs/errgen/RUN/ATTEMPT, with -2, -3 and so on if that is taken. Commits that were made meanwhile
// are its parents. Files that may hold a secret, that git ignores or that are git's own are copied
// to errgen/saved/RUN/ATTEMPT in git's directory instead.
func (g *Git) Save(ctx context.Context, run string, attempt int, checked executor.Checked, changes []executor.Change) (
	string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := checkRun(opSave, run); err != nil {
		return "", err
	}
	s, err := g.load(ctx, opSave, checked)
	if err != nil {
		return "", err
	}
	st, err := g.state(opSave, run)
	if err != nil {
		return "", err
	}
	sv := &saving{scan: g.scanOf(ctx, opSave, s, st), snap: s}
	sv.name, sv.dir, err = g.freeSave(run, attempt)
	if err != nil {
		return "", fault(opSave, "", nil, err)
	}
	if err := sv.take(changes); err != nil {
		return "", sv.scan.fail(err)
	}
	id, err := g.store(ctx, opSave, sv.items(), sv.message(run, attempt), sv.parents)
	if err != nil {
		return "", err
	}
	for {
		ref := "refs/errgen/" + refPart(run) + "/" + sv.name
		err := g.writeRef(ref, id, true)
		if err == nil {
			return ref, nil
		}
		if !errors.Is(err, errRefExists) {
			return "", fault(opSave, "", nil, err)
		}
		if sv.name, _, err = g.freeSave(run, attempt); err != nil {
			return "", fault(opSave, "", nil, err)
		}
	}
}

// freeSave returns a name for a save that nothing has yet.
func (g *Git) freeSave(run string, attempt int) (name, dir string, err error) {
	for n := 1; n <= maxSaves; n++ {
		name = strconv.Itoa(attempt)
		if n > 1 {
			name += "-" + strconv.Itoa(n)
		}
		dir = g.savedDir(run, name)
		if _, err := os.Lstat(dir); err == nil {
			continue
		}
		err := g.refAbsent("refs/errgen/" + refPart(run) + "/" + name)
		if err == nil {
			return name, dir, nil
		}
		if !errors.Is(err, errRefExists) {
			return "", "", err
		}
	}
	return "", "", fmt.Errorf("there are %d saves of attempt %d", maxSaves, attempt)
}

// saving is one save.
type saving struct {
	scan *scan
	snap *snapshot
	name string
	dir  string // of what is kept apart; it is made when there is something

	changed map[string]*item // nil for what is gone
	parents []string
	apart   []raw
	left    []raw // pipes and the like, of which there is no content
	removed []raw
}

func (s *saving) take(changes []executor.Change) error {
	s.changed = map[string]*item{}
	for _, c := range changes {
		if err := s.one(c); err != nil {
			return err
		}
	}
	return nil
}

func (s *saving) one(c executor.Change) error {
	if c.Path == ".git/HEAD" || strings.HasPrefix(c.Path, ".git/refs/") {
		return s.commit(c)
	}
	e, err := s.scan.present(c.Path, s.snap.entries[c.Path], c.Ignored || c.Git)
	if err != nil {
		return err
	}
	s.changed[c.Path] = nil
	switch {
	case e == nil:
		s.removed = append(s.removed, raw(c.Path))
		return nil
	case e.special():
		s.left = append(s.left, raw(c.Path))
		return nil
	case e.mode == modeDir && !c.Ignored && !c.Git:
		return nil
	case e.mode == modeDir || c.Git || c.Ignored || e.kept == inFiles:
		return s.keepApart(c.Path)
	}
	s.changed[c.Path] = &item{path: c.Path, mode: e.mode, id: e.id, from: s.scan.path(c.Path)}
	return nil
}

// commit keeps a commit to which something has moved from being collected.
func (s *saving) commit(c executor.Change) error {
	if !isID(c.Hash) || slices.Contains(s.parents, c.Hash) {
		return nil
	}
	kind, err := s.scan.git(
		s.scan.ctx,
		call{op: opSave, shadow: true,
			args: []string{"rev-parse", "--verify", "--quiet", "--end-of-options", c.Hash + "^{commit}"}, none: 1})
	if err != nil {
		return err
	}
	if id := strings.TrimSpace(string(kind)); isID(id) && !slices.Contains(s.parents, id) {
		s.parents = append(s.parents, id)
	}
	return nil
}

// keepApart copies what must not get into the object store.
func (s *saving) keepApart(p string) error {
	from, to := s.scan.where(p), filepath.Join(s.dir, filepath.FromSlash(apartName(p)))
	info, err := os.Lstat(from)
	switch {
	case err != nil:
	case info.IsDir():
		err = copyTree(to, from)
	case info.Mode()&fs.ModeSymlink != 0:
		err = copyLink(to, from)
	default:
		err = copyFile(to, from)
	}
	s.apart = append(s.apart, raw(p))
	return err
}

// apartName is where a file is kept apart. Git's own directories have another name there, so that
// no git command takes them for a repository.
func apartName(p string) string {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		if ofGit(part) {
			parts[i] = strings.TrimLeft(part, ".")
		}
	}
	return strings.Join(parts, "/")
}

// items returns the files of the commit: those of the checked tree, with the changes.
func (s *saving) items() []item {
	var items []item
	for p, e := range s.snap.entries {
		if _, ok := s.changed[p]; !ok && e.inTree() && !s.below(p) {
			items = append(items, item{path: p, mode: e.mode, id: e.id})
		}
	}
	for _, it := range s.changed {
		if it != nil {
			items = append(items, *it)
		}
	}
	slices.SortFunc(items, func(a, b item) int { return strings.Compare(a.path, b.path) })
	return items
}

// below reports whether something above p has become a file.
func (s *saving) below(p string) bool {
	for i := strings.LastIndexByte(p, '/'); i > 0; i = strings.LastIndexByte(p[:i], '/') {
		if it := s.changed[p[:i]]; it != nil {
			return true
		}
	}
	return false
}

// message says what is in the commit and what is not.
func (s *saving) message(run string, attempt int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "errgen: saved before it was put back\n\n")
	list := func(title string, paths []raw) {
		if len(paths) == 0 {
			return
		}
		b.WriteString(title + "\n")
		for _, p := range paths {
			quotedPath, _ := json.Marshal(p)
			b.WriteString("  " + string(quotedPath) + "\n")
		}
		b.WriteString("\n")
	}
	list("Removed:", s.removed)
	list("Kept apart in errgen/saved of git's directory:", s.apart)
	list("Not kept, since there is no content:", s.left)
	fmt.Fprintf(&b, "Errgen-Saved-Run: %s\nErrgen-Saved-Attempt: %d\n", run, attempt)
	return []byte(b.String())
}
