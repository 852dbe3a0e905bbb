package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const absent, modeLink, modeModule = "000000", "120000", "160000"

// Snapshot returns the tree of the files that git does not ignore, and of the watched ones.
func (s *Space) Snapshot(ctx context.Context) (executor.Tree, error) {
	return operate(s, opDetect, func() executor.Tree { return s.snapshot(ctx) })
}

func (s *Space) snapshot(ctx context.Context) executor.Tree {
	for range 100 { // each round reveals one level of repositories within repositories
		changed, gone, again := s.compare(ctx)
		if s.err != nil || !again && len(changed)+len(gone) == 0 && s.last != "" {
			return s.last
		}
		if again {
			continue
		}
		s.last = ""
		s.updateIndex(ctx, gone, "--force-remove")
		s.updateIndex(ctx, changed, "--add", "--remove", "--replace")
		if len(gone) > 0 {
			continue // a directory can be where a file was
		}
		if tree := s.own(ctx, "write-tree", "--missing-ok"); s.err == nil {
			s.last = executor.Tree(tree)
		}
		return s.last
	}
	s.fail("unreadable", "there are more than 100 levels of repositories in the tree")
	return ""
}

// updateIndex gives the paths in the run's index the content of their files.
func (s *Space) updateIndex(ctx context.Context, paths []string, flags ...string) {
	if len(paths) > 0 && s.err == nil {
		args := append(append([]string{"update-index"}, flags...), "-z", "--stdin")
		s.git(ctx, command{args: args, stdin: zeroTerminated(paths)})
		if ev, ok := errors.AsType[*taxonomy.Evidence](s.err); ok && ev.Type == "" {
			s.retype("unreadable")
		}
	}
}

// statusArgs compare the files with the run's index.
var statusArgs = []string{"status", "--porcelain=v1", "-z", "-uall", "--ignored=matching", "--no-renames",
	"--ignore-submodules=all"}

// compare returns the files that differ from the index. It moves the .git of a nested repository
// aside, because a commit cannot contain it. Then the next comparison finds the repository's files.
func (s *Space) compare(ctx context.Context) (changed, gone []string, again bool) {
	for _, e := range s.list(ctx, inRun, statusArgs...) {
		code, p := e[:2], e[3:]
		name, isDir := strings.CutSuffix(p, "/")
		switch {
		case code == "!!":
			changed = append(changed, s.watched(p)...)
		case code == "??" && s.wasIgnored(name) && !s.watches(name): // its rule does not apply any more
		case isDir || strings.EqualFold(path.Base(name), ".git"):
			again = true
			if isDir {
				name = path.Join(name, ".git")
			}
			s.moveAside(name)
		case code[1] == 'D':
			gone = append(gone, p)
		case code[1] != ' ':
			changed = append(changed, p)
		}
	}
	return changed, gone, again
}

// watches reports whether an ignored file is watched.
func (s *Space) watches(p string) bool { return s.opts.Watch != nil && s.opts.Watch.Watches(p) }

// watched returns the watched files of an ignored file or directory.
func (s *Space) watched(p string) (files []string) {
	dir, isDir := strings.CutSuffix(p, "/")
	if !isDir {
		if s.watches(p) {
			files = []string{p}
		}
		return files
	}
	if s.opts.Watch == nil || !s.opts.Watch.WatchesBelow(dir) {
		return nil
	}
	entries, _ := os.ReadDir(filepath.Join(s.Dir(), filepath.FromSlash(dir)))
	for _, e := range entries {
		switch name := dir + "/" + e.Name(); {
		case isGitName(e.Name()):
		case e.IsDir():
			files = append(files, s.watched(name+"/")...)
		case e.Type().IsRegular() || e.Type()&os.ModeSymlink != 0:
			files = append(files, s.watched(name)...)
		}
	}
	return files
}

// change is a path that differs between two trees, as git describes it.
type change struct{ path, oldMode, newMode, oldID, newID string }

// diff compares two trees or commits.
func (s *Space) diff(ctx context.Context, from, to string) (changes []change) {
	if s.err != nil || from == to {
		return nil
	}
	fields := s.list(ctx, inRun, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to)
	if failed := s.err; failed != nil {
		s.err = nil
		for _, tree := range []string{from, to} {
			if s.find(ctx, inRun, tree+"^{tree}") == "" {
				s.fail("missing", "the clone does not have the tree "+tree+": it was made after the run's state",
					s.home)
			}
		}
		s.err = cmp.Or(s.err, failed)
	}
	for i := 0; i+1 < len(fields) && s.err == nil; i += 2 {
		c := change{path: fields[i+1]}
		_, s.err = fmt.Sscanf(fields[i], ":%s %s %s %s", &c.oldMode, &c.newMode, &c.oldID, &c.newID)
		changes = append(changes, c)
	}
	return changes
}

// Diff returns the differences between two trees, sorted by path.
func (s *Space) Diff(ctx context.Context, from, to executor.Tree) ([]executor.Change, error) {
	return operate(s, opDetect, func() []executor.Change { return s.describe(ctx, string(from), string(to)) })
}

func (s *Space) describe(ctx context.Context, from, to string) (out []executor.Change) {
	changes := s.diff(ctx, from, to)
	if len(changes) == 0 || s.err != nil {
		return nil
	}
	ignored, forbidden := s.ignored(ctx, changes), s.forbiddenFiles(ctx, from, changes)
	for _, c := range changes {
		e := executor.Change{Path: c.path, Kind: executor.Modified, Hash: c.newID, Ignored: ignored[c.path]}
		switch {
		case c.oldMode == absent:
			e.Kind = executor.Added
		case c.newMode == absent:
			e.Kind, e.Hash = executor.Removed, ""
		}
		if hasNewContent(c) && !s.watches(c.path) {
			e.Copies = forbidden[c.newID]
		}
		e.Escapes = slices.ContainsFunc(strings.Split(c.path, "/"), isGitName)
		if c.newMode == modeLink {
			target := s.git(ctx, command{args: []string{"cat-file", "blob", c.newID}})
			e.Escapes = e.Escapes || s.escapes(c.path, target)
		}
		out = append(out, e)
	}
	return out
}

// forbiddenFiles returns the watched files of a tree, by their content. It is empty if no file gets
// new content. Empty files do not count.
func (s *Space) forbiddenFiles(ctx context.Context, tree string, changes []change) map[string]string {
	found := map[string]string{}
	if s.opts.Watch == nil || !slices.ContainsFunc(changes, hasNewContent) {
		return found
	}
	for _, f := range s.list(ctx, inRun, "ls-tree", "-r", "-l", "-z", "--full-tree", tree) {
		info, p, _ := strings.Cut(f, "\t")
		if fields := strings.Fields(info); s.watches(p) && len(fields) == 4 && fields[3] != "0" && fields[3] != "-" {
			found[fields[2]] = p
		}
	}
	return found
}

func hasNewContent(c change) bool { return c.newMode != absent && c.newID != c.oldID }

// ignored returns the paths that are not committed: those that were ignored at the beginning, or
// are ignored now, and are not in the last commit.
func (s *Space) ignored(ctx context.Context, changes []change) map[string]bool {
	if head, _ := s.head(ctx); s.err == nil && head != s.trackedAt {
		s.trackedAt, s.tracked = head, map[string]bool{}
		for _, p := range s.list(ctx, inRun, "ls-tree", "-r", "-z", "--name-only", "--full-tree", head) {
			s.tracked[p] = true
		}
	}
	out, asked := map[string]bool{}, []string(nil)
	for _, c := range changes {
		if s.tracked[c.path] {
			continue
		}
		if out[c.path] = s.wasIgnored(c.path); !out[c.path] {
			asked = append(asked, "./"+c.path) // a name can begin like a pattern
		}
	}
	if len(asked) > 0 {
		found, _ := s.try(ctx, command{args: []string{"check-ignore", "--no-index", "-z", "--stdin"},
			env: []string{"GIT_LITERAL_PATHSPECS=0"}, stdin: zeroTerminated(asked)})
		for _, p := range parts(found) {
			out[strings.TrimPrefix(p, "./")] = true
		}
	}
	return out
}

// escapes reports whether a link is absolute, leads out of the tree, or leads into git's directory.
func (s *Space) escapes(p, target string) bool {
	if filepath.IsAbs(target) || slices.ContainsFunc(strings.Split(filepath.ToSlash(target), "/"), isGitName) {
		return true
	}
	root, err := os.OpenRoot(s.Dir())
	if err != nil {
		return true
	}
	defer root.Close()
	_, err = root.Stat(p)
	return err != nil && !notFound(err)
}

// isGitName reports whether some system confuses a name with .git.
func isGitName(name string) bool {
	name, _, _ = strings.Cut(strings.ToLower(name), ":")
	name = strings.Map(func(r rune) rune { // HFS+ ignores these
		if r >= 0x200c && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff {
			return -1
		}
		return r
	}, name)
	name = strings.TrimRight(name, " .")
	return name == ".git" || name == "git~1"
}

// Accept returns a tree with the content of from in the paths, and that of base in all others.
func (s *Space) Accept(ctx context.Context, base, from executor.Tree, paths []string) (executor.Tree, error) {
	return operate(s, opDetect, func() executor.Tree {
		changes := only(s.diff(ctx, string(base), string(from)), paths)
		return executor.Tree(s.with(ctx, string(base), changes))
	})
}

// with returns a tree with changes in it.
func (s *Space) with(ctx context.Context, base string, changes []change) string {
	if len(changes) == 0 {
		return base
	}
	index := s.file("other.index")
	_ = os.Remove(index + ".lock")
	env := []string{"GIT_INDEX_FILE=" + index}
	s.git(ctx, command{env: env, args: []string{"read-tree", base}})
	s.git(ctx, command{env: env, args: []string{"update-index", "-z", "--index-info"}, stdin: indexInfo(changes)})
	return s.git(ctx, command{env: env, args: []string{"write-tree", "--missing-ok"}})
}

// indexInfo is the input of update-index. Removals come first, because a directory can replace a
// file.
func indexInfo(changes []change) string {
	var removed, added strings.Builder
	for _, c := range changes {
		if c.newMode == absent {
			fmt.Fprintf(&removed, "0 %s\t%s\x00", strings.Repeat("0", len(c.newID)), c.path)
		} else {
			fmt.Fprintf(&added, "%s %s\t%s\x00", c.newMode, c.newID, c.path)
		}
	}
	return removed.String() + added.String()
}

// only returns the changes of the paths.
func only(changes []change, paths []string) []change {
	wanted := make(map[string]bool, len(paths))
	for _, p := range paths {
		wanted[p] = true
	}
	return slices.DeleteFunc(slices.Clone(changes), func(c change) bool { return !wanted[c.path] })
}

func pathsOf(changes []change) (paths []string) {
	for _, c := range changes {
		paths = append(paths, c.path)
	}
	return paths
}

// head returns the last commit and its tree.
func (s *Space) head(ctx context.Context) (commit, tree string) {
	commit, tree, _ = strings.Cut(s.own(ctx, "rev-parse", "HEAD", "HEAD^{tree}"), "\n")
	return commit, tree
}

// Head returns the tree of the last commit.
func (s *Space) Head(ctx context.Context) (executor.Tree, error) {
	return operate(s, opPrepare, func() executor.Tree {
		_, tree := s.head(ctx)
		return executor.Tree(tree)
	})
}
