package gittree

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The baseline is git's directory as it was when the run began, or as an own command left it.
const (
	baselineFile = "baseline"
	refsFile     = "refs.txt"
	indexFile    = "index.sum"
)

// lockPatience is how long a lock of git's gets to be removed by its owner.
const lockPatience = 3 * time.Second

// Guard returns the changes of git itself since the run began or committed last, and of
// repositories within the working tree. It belongs after Snapshot. A changed index, locks and cut
// logs are restored without a report. Changes by other working trees and by git's housekeeping are
// accepted: remote branches, packed references, grown logs, an index with equal entries.
func (s *Space) Guard(ctx context.Context) (changes []Change, err error) {
	leave, err := s.enter(opDetect)
	if err != nil {
		return nil, err
	}
	defer leave(&err)
	found, err := s.guard(ctx)
	return exported(found), err
}

// Adopt makes git as it is now the baseline of Guard, for a run that a person continues.
func (s *Space) Adopt(ctx context.Context) (err error) {
	leave, err := s.enter(opPrepare)
	if err != nil {
		return err
	}
	defer leave(&err)
	if _, err := link(s.objects(), filepath.Join(s.store, "objects")); err != nil {
		return err
	}
	s.objectNames = nil
	if err := recordLinked(s.store); err != nil {
		return err
	}
	return s.recordGit(ctx)
}

func (s *Space) guard(ctx context.Context) ([]change, error) {
	if s.made.DotGit != nil {
		if now, err := os.ReadFile(filepath.Join(s.root, ".git")); err != nil || !bytes.Equal(now, s.made.DotGit) {
			return []change{{Path: ".git/gitdir", OldMode: "100644", NewMode: "100644", Git: true}}, nil
		}
	}
	if err := errors.Join(s.restoreObjects(), s.restoreModes()); err != nil {
		return nil, err
	}
	found, err := s.guardNested(ctx)
	if err != nil {
		return nil, err
	}
	base, err := s.baseline()
	if err != nil {
		return nil, err
	}
	now, err := s.inside.snapshot(ctx)
	if err != nil || now == base {
		return found, err
	}
	changes, err := s.inside.diff(ctx, base, now)
	if err != nil {
		return nil, err
	}
	j, err := s.newJudge()
	if err != nil {
		return nil, err
	}
	var accepted, quiet []string
	for _, c := range changes {
		switch {
		case j.accepts(ctx, c):
			accepted = append(accepted, c.Path)
		case isGuarded(c.Path):
			c.Path, c.Git = ".git/"+c.Path, true
			found = append(found, c)
		default:
			quiet = append(quiet, c.Path)
		}
	}
	if accepted != nil {
		next, err := s.inside.accept(ctx, base, now, accepted)
		if err != nil {
			return nil, err
		}
		if err := s.write(baselineFile, []byte(next+"\n")); err != nil {
			return nil, err
		}
		base = next
	}
	if quiet != nil {
		s.awaitLocks(quiet)
		if _, err := s.inside.restore(ctx, base, quiet); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// isGuarded reports whether a changed file of git's directory is a violation. The other files are
// restored quietly.
func isGuarded(p string) bool {
	for {
		first, rest, _ := strings.Cut(p, "/")
		switch first {
		case "HEAD", "config", "config.worktree", "commondir", "gitdir", "shallow", "hooks", "refs", "packed-refs",
			"objects", ".gitignore", ".gitattributes":
			return !strings.HasSuffix(p, ".lock")
		case "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply":
			return true
		case "info":
			return rest == "attributes" || rest == "exclude" || rest == "grafts" || rest == "sparse-checkout"
		case "modules", "worktrees":
			if _, p, _ = strings.Cut(rest, "/"); p != "" {
				continue
			}
		}
		return false
	}
}

// judge decides which changes of git's directory are accepted.
type judge struct {
	*Space
	sameRefs bool
	index    string // the path of the user's index
}

func (s *Space) newJudge() (*judge, error) {
	was, err := s.recordedRefs()
	if err != nil {
		return nil, err
	}
	is, err := s.readRefs()
	if err != nil {
		return nil, err
	}
	for _, refs := range []map[string]string{was, is} {
		maps.DeleteFunc(refs, func(ref, _ string) bool { return s.isOthers(ref) })
	}
	return &judge{s, maps.Equal(was, is), path.Join(s.worktreeName(), "index")}, nil
}

// isOthers reports whether a reference belongs to other working trees or to remote repositories.
func (s *Space) isOthers(ref string) bool {
	return strings.HasPrefix(ref, "refs/remotes/") || slices.Contains(s.made.Others, ref)
}

func (j *judge) accepts(ctx context.Context, c change) bool {
	isRef := strings.HasPrefix(c.Path, "refs/") || c.Path == "packed-refs"
	switch {
	case strings.HasSuffix(c.Path, ".lock"):
		return c.OldMode != absent // its owner may write it and remove it; a new one is waited for, and removed
	case isRef:
		return j.sameRefs || j.isOthers(c.Path)
	case strings.Contains("/"+c.Path, "/logs/") && !strings.HasSuffix(c.Path, "/stash"): // which is more than a log
		return j.grew(ctx, c)
	case c.Path == j.index:
		return c.OldMode != absent && c.NewMode != absent && j.sameIndex(ctx)
	}
	return false
}

// grew reports whether a log begins with what it was.
func (s *Space) grew(ctx context.Context, c change) bool {
	if c.OldMode == absent || c.NewMode == absent {
		return c.OldMode == absent
	}
	was, err := s.git(ctx, command{args: []string{"cat-file", "blob", c.OldID}})
	now, rerr := os.ReadFile(filepath.Join(s.common, filepath.FromSlash(c.Path)))
	return err == nil && rerr == nil && bytes.HasPrefix(now, was)
}

// awaitLocks waits a moment for the end of git commands that have locks.
func (s *Space) awaitLocks(paths []string) {
	until := time.Now().Add(lockPatience)
	for _, p := range paths {
		if strings.HasSuffix(p, ".lock") {
			awaitRemoval(filepath.Join(s.common, filepath.FromSlash(p)), until)
		}
	}
}

func awaitRemoval(file string, until time.Time) {
	for time.Now().Before(until) {
		if _, err := os.Lstat(file); err != nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (s *Space) baseline() (Tree, error) {
	b, err := os.ReadFile(filepath.Join(s.store, baselineFile))
	if err != nil {
		return "", fault(typeStore, "", err)
	}
	return Tree(strings.TrimSpace(string(b))), nil
}

// setBaseline makes a tree of git's directory the baseline.
func (s *Space) setBaseline(ctx context.Context, tree Tree) error {
	refs, err := s.readRefs()
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		fmt.Fprintf(&lines, "%s\t%s\n", refs[ref], ref)
	}
	for _, file := range []struct {
		name    string
		content []byte
	}{{refsFile, []byte(lines.String())}, {indexFile, s.indexSum(ctx)}, {baselineFile, []byte(tree + "\n")}} {
		if err := s.write(file.name, file.content); err != nil {
			return err
		}
	}
	return nil
}

// settle accepts into the baseline what an own command did to git's directory.
func (s *Space) settle(ctx context.Context, own func(p string) bool) error {
	base, err := s.baseline()
	if err != nil {
		return err
	}
	now, err := s.inside.snapshot(ctx)
	if err != nil {
		return err
	}
	changes, err := s.inside.diff(ctx, base, now)
	if err != nil {
		return err
	}
	var paths []string
	for _, c := range changes {
		if own(c.Path) {
			paths = append(paths, c.Path)
		}
	}
	next, err := s.inside.accept(ctx, base, now, paths)
	if err != nil {
		return err
	}
	return s.setBaseline(ctx, next)
}

// indexSum identifies the entries of the user's index, without the times of files, which every git
// status may update. It is nil if the index cannot be read.
func (s *Space) indexSum(ctx context.Context) []byte {
	out, err := s.git(ctx, command{env: []string{"GIT_INDEX_FILE=" + filepath.Join(s.gitDir, "index")},
		args: []string{"ls-files", "-z", "-s", "-v", "--full-name"}})
	if err != nil {
		return nil
	}
	sum := sha256.Sum256(out)
	return sum[:]
}

func (s *Space) sameIndex(ctx context.Context) bool {
	was, err := os.ReadFile(filepath.Join(s.store, indexFile))
	return err == nil && len(was) > 0 && bytes.Equal(was, s.indexSum(ctx))
}

// recordedRefs returns the references of the baseline.
func (s *Space) recordedRefs() (map[string]string, error) {
	refs := map[string]string{}
	b, err := os.ReadFile(filepath.Join(s.store, refsFile))
	for line := range strings.Lines(string(b)) {
		id, ref, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		refs[ref] = id
	}
	return refs, err
}

// readRefs returns the user's references, loose and packed, and HEAD.
func (s *Space) readRefs() (map[string]string, error) {
	refs := map[string]string{}
	packed, err := os.ReadFile(filepath.Join(s.common, "packed-refs"))
	if err != nil && !notFound(err) {
		return nil, err
	}
	for line := range strings.Lines(string(packed)) {
		if id, ref, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok && line[0] != '#' && line[0] != '^' {
			refs[ref] = id
		}
	}
	err = filepath.WalkDir(filepath.Join(s.common, "refs"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, ".lock") {
			return err
		}
		content, err := os.ReadFile(name)
		if notFound(err) {
			return nil
		}
		rel, _ := filepath.Rel(s.common, name)
		refs[filepath.ToSlash(rel)] = strings.TrimSpace(string(content))
		return err
	})
	head, herr := os.ReadFile(filepath.Join(s.gitDir, "HEAD"))
	refs["HEAD"] = strings.TrimSpace(string(head))
	return refs, errors.Join(err, herr)
}
