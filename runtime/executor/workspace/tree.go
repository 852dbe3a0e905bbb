package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
)

const absent, modeLink = "000000", "120000"

// Snapshot returns the tree of the files that git does not ignore, and of the watched ones.
func (s *Space) Snapshot(ctx context.Context) (executor.Tree, error) {
	return operate(s, loop.OpDetect, func() executor.Tree { return s.snapshot(ctx) })
}

func (s *Space) snapshot(ctx context.Context) executor.Tree {
	for s.err == nil {
		changed, gone, again := s.compare(ctx)
		if !again && len(changed) == 0 && s.last != "" {
			break
		}
		s.last = ""
		s.updateIndex(ctx, gone, "--force-remove")
		s.updateIndex(ctx, changed, "--add", "--remove", "--replace")
		if again {
			continue
		}
		if tree := s.own(ctx, "write-tree", "--missing-ok"); s.err == nil {
			s.last = executor.Tree(tree)
		}
		break
	}
	return s.last
}

// updateIndex gives the paths in the run's index the content of their files.
func (s *Space) updateIndex(ctx context.Context, paths []string, flags ...string) {
	if len(paths) > 0 && s.err == nil {
		args := append(append([]string{"update-index"}, flags...), "-z", "--stdin")
		s.git(ctx, command{args: args, stdin: zeroTerminated(paths), typ: "unreadable"})
	}
}

// status compares files with an index. The entries begin with two letters and a space.
func (s *Space) status(ctx context.Context, c command, flags ...string) []string {
	c.args = append([]string{"status", "--porcelain=v1", "-z", "--no-renames", "--ignore-submodules=all"}, flags...)
	return parts(s.git(ctx, c))
}

// compare returns the files that differ from the index. It moves the .git of a nested repository
// aside, because a commit cannot contain it. Then, and if a directory is where a file was, another
// comparison finds more files.
func (s *Space) compare(ctx context.Context) (changed, gone []string, again bool) {
	for _, e := range s.status(ctx, command{}, "-uall", "--ignored=matching") {
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
			gone, again = append(gone, p), true
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
	if s.opts.Watch == nil {
		return nil
	}
	top := filepath.Join(s.Dir(), filepath.FromSlash(p))
	_ = filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
		name, _ := inside(s.Dir(), file)
		name = filepath.ToSlash(name)
		switch {
		case err != nil: // it disappeared
		case d.IsDir() && (isGitName(d.Name()) || !s.opts.Watch.WatchesBelow(name)):
			return fs.SkipDir
		case !d.IsDir() && d.Type()&^fs.ModeSymlink == 0 && !isGitName(d.Name()) && s.watches(name):
			files = append(files, name)
		}
		return nil
	})
	return files
}

// change is a path that differs between two trees, as git describes it.
type change struct{ path, oldMode, newMode, oldID, newID string }

func (c change) kind() executor.ChangeKind {
	switch absent {
	case c.oldMode:
		return executor.Added
	case c.newMode:
		return executor.Removed
	}
	return executor.Modified
}

// diff compares two trees or commits.
func (s *Space) diff(ctx context.Context, from, to string) (changes []change) {
	if s.err != nil || from == to {
		return nil
	}
	fields := parts(s.git(ctx, command{typ: "missing", args: []string{"diff-tree", "-r", "-z", "--raw", "--no-renames",
		"--no-abbrev", from, to}}))
	for i := 0; i+1 < len(fields) && s.err == nil; i += 2 {
		c := change{path: fields[i+1]}
		_, s.err = fmt.Sscanf(fields[i], ":%s %s %s %s", &c.oldMode, &c.newMode, &c.oldID, &c.newID)
		changes = append(changes, c)
	}
	return changes
}

// Diff returns the differences between two trees, sorted by path.
func (s *Space) Diff(ctx context.Context, from, to executor.Tree) ([]executor.Change, error) {
	return operate(s, loop.OpDetect, func() []executor.Change { return s.describe(ctx, string(from), string(to)) })
}

func (s *Space) describe(ctx context.Context, from, to string) (out []executor.Change) {
	changes := s.diff(ctx, from, to)
	if len(changes) == 0 || s.err != nil {
		return nil
	}
	ignored, forbidden := s.ignored(ctx, changes), s.forbiddenFiles(ctx, from)
	for _, c := range changes {
		e := executor.Change{Path: c.path, Kind: c.kind(), Hash: c.newID, Ignored: ignored[c.path]}
		if e.Kind == executor.Removed {
			e.Hash = ""
		} else if c.newID != c.oldID && !s.watches(c.path) {
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

// forbiddenFiles returns the watched files of a tree, by their content. Empty files do not count.
func (s *Space) forbiddenFiles(ctx context.Context, tree string) map[string]string {
	found := map[string]string{}
	if s.opts.Watch == nil {
		return found
	}
	for _, f := range parts(s.own(ctx, "ls-tree", "-r", "-z", "--full-tree", tree)) {
		if info, p, _ := strings.Cut(f, "\t"); s.watches(p) {
			found[info[strings.LastIndexByte(info, ' ')+1:]] = p
		}
	}
	if len(found) > 0 {
		delete(found, s.own(ctx, "hash-object", "--stdin"))
	}
	return found
}

// ignored returns the paths that are not committed: those that were ignored at the beginning, or
// are ignored now, and are not in the last commit.
func (s *Space) ignored(ctx context.Context, changes []change) map[string]bool {
	out, asked := map[string]bool{}, []string(nil)
	for _, c := range changes {
		if out[c.path] = s.wasIgnored(c.path); !out[c.path] {
			asked = append(asked, "./"+c.path) // a name can begin like a pattern
		}
	}
	if len(asked) > 0 {
		env := append(s.otherIndex(ctx, "HEAD"), "GIT_LITERAL_PATHSPECS=0")
		found, _ := s.try(ctx, command{args: []string{"check-ignore", "-z", "--stdin"}, env: env,
			stdin: zeroTerminated(asked)})
		for _, p := range parts(found) {
			out[strings.TrimPrefix(p, "./")] = true
		}
	}
	return out
}

// unignored returns the changes that can be committed.
func (s *Space) unignored(ctx context.Context, changes []change) []change {
	ignored := s.ignored(ctx, changes)
	return slices.DeleteFunc(changes, func(c change) bool { return ignored[c.path] })
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
	name = strings.TrimRight(name, " .")
	return name == ".git" || name == "git~1"
}

// Accept returns a tree with the content of from in the paths, and that of base in all others.
func (s *Space) Accept(ctx context.Context, base, from executor.Tree, paths []string) (executor.Tree, error) {
	return operate(s, loop.OpDetect, func() executor.Tree {
		return executor.Tree(s.with(ctx, string(base), only(s.diff(ctx, string(base), string(from)), paths)))
	})
}

// with returns a tree with changes in it.
func (s *Space) with(ctx context.Context, base string, changes []change) string {
	if len(changes) == 0 {
		return base
	}
	env := s.otherIndex(ctx, base)
	s.git(ctx, command{env: env, args: indexInfoArgs, stdin: indexInfo(changes)})
	return s.git(ctx, command{env: env, args: []string{"write-tree", "--missing-ok"}})
}

// otherIndex reads a tree into an index beside the run's, and returns the variable that selects it.
func (s *Space) otherIndex(ctx context.Context, tree string) []string {
	index := s.file("other.index")
	_ = os.Remove(index + ".lock")
	env := []string{"GIT_INDEX_FILE=" + index}
	s.git(ctx, command{env: env, args: []string{"read-tree", tree}})
	return env
}

// indexInfoArgs make changes in an index. A file can replace a directory, and the other way round.
var indexInfoArgs = []string{"update-index", "--add", "--replace", "-z", "--index-info"}

// indexInfo is the input of a command with indexInfoArgs.
func indexInfo(changes []change) string {
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "%s %s\t%s\x00", c.newMode, c.newID, c.path)
	}
	return b.String()
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

// Restore gives the paths the content that they have in a tree. It changes no other path, and
// returns the resulting tree. If files changed again meanwhile, it fails with type left.
func (s *Space) Restore(ctx context.Context, to executor.Tree, paths []string) (executor.Tree, error) {
	return operate(s, loop.OpRevert, func() executor.Tree { return s.restore(ctx, string(to), paths) })
}

func (s *Space) restore(ctx context.Context, to string, paths []string) executor.Tree {
	now := s.snapshot(ctx)
	changes := only(s.diff(ctx, string(now), to), paths)
	if len(changes) == 0 {
		return now
	}
	s.last = ""
	s.write(ctx, inRun, s.Dir(), changes)
	now = s.snapshot(ctx)
	if left := only(s.diff(ctx, string(now), to), paths); len(left) > 0 {
		s.fail("left", "the files changed again", pathsOf(left)...)
	}
	return now
}

// write makes changes in a working tree and its index. It removes directories that become empty.
func (s *Space) write(ctx context.Context, at place, dir string, changes []change) {
	var written []string
	s.do(func() error {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return err
		}
		defer root.Close()
		for _, c := range slices.Backward(changes) { // the deepest first
			if c.newMode != absent {
				written = append(written, c.path)
				continue
			}
			beforeStep("remove " + c.path)
			if err := root.Remove(c.path); err != nil && !notFound(err) {
				return err
			}
			for dir := path.Dir(c.path); dir != "." && root.Remove(dir) == nil; dir = path.Dir(dir) {
			}
		}
		return nil
	})
	s.git(ctx, command{at: at, args: indexInfoArgs, stdin: indexInfo(changes)})
	if len(written) > 0 {
		s.git(ctx, command{at: at, args: []string{"checkout-index", "-f", "-u", "-z", "--stdin"},
			stdin: zeroTerminated(written)})
	}
}

// head returns the last commit and its tree.
func (s *Space) head(ctx context.Context) (commit, tree string) {
	commit, tree, _ = strings.Cut(s.own(ctx, "rev-parse", "HEAD", "HEAD^{tree}"), "\n")
	return commit, tree
}

// Head returns the tree of the last commit.
func (s *Space) Head(ctx context.Context) (executor.Tree, error) {
	return operate(s, loop.OpPrepare, func() executor.Tree {
		_, tree := s.head(ctx)
		return executor.Tree(tree)
	})
}
