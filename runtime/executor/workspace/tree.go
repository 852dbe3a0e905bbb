package workspace

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
)

const absent, modeLink, modeModule = "000000", "120000", "160000"

// Snapshot returns the tree of the files that git does not ignore, and of the watched ones.
func (s *Space) Snapshot(ctx context.Context) (executor.Tree, error) {
	return operate(s, opDetect, func() (executor.Tree, error) { return s.snapshot(ctx) })
}

func (s *Space) snapshot(ctx context.Context) (executor.Tree, error) {
	for range 100 { // each round reveals one level of repositories within repositories
		changed, gone, again, err := s.compare(ctx)
		if err != nil {
			return "", err
		}
		if again {
			continue
		}
		if len(changed)+len(gone) == 0 && s.last != "" {
			return s.last, nil
		}
		s.last = ""
		for _, step := range []struct {
			paths []string
			args  []string
		}{
			{gone, []string{"update-index", "--force-remove", "-z", "--stdin"}},
			{changed, []string{"update-index", "--add", "--remove", "--replace", "-z", "--stdin"}},
		} {
			if len(step.paths) == 0 {
				continue
			}
			if _, err := s.git(ctx, command{args: step.args, stdin: zeroTerminated(step.paths)}); err != nil {
				return "", fault("unreadable", "", err)
			}
		}
		if len(gone) > 0 {
			continue // a directory can be where a file was
		}
		tree, err := s.own(ctx, "write-tree", "--missing-ok")
		if err != nil {
			return "", err
		}
		s.last = executor.Tree(tree)
		return s.last, nil
	}
	return "", fault("unreadable", "there are more than 100 levels of repositories in the tree", nil)
}

// compare returns the files that differ from the index. It moves the .git of a nested repository
// aside, because a commit cannot contain it. Then the next comparison finds the repository's files.
func (s *Space) compare(ctx context.Context) (changed, gone []string, again bool, err error) {
	entries, err := s.list(ctx, command{args: []string{"status", "--porcelain=v1", "-z", "-uall", "--ignored=matching",
		"--no-renames", "--ignore-submodules=all"}})
	if err != nil {
		return nil, nil, false, err
	}
	for _, e := range entries {
		code, p := e[:2], e[3:]
		name, isDir := strings.CutSuffix(p, "/")
		switch {
		case code == "!!":
			changed = append(changed, s.watched(p)...)
		case s.wasIgnored(name) && !s.watches(name) && code == "??": // a rule does not apply any more
		case isDir || strings.EqualFold(path.Base(name), ".git"):
			again = true
			if isDir {
				name = path.Join(name, ".git")
			}
			if err := s.moveAside(name); err != nil {
				return nil, nil, false, err
			}
		case code[1] == 'D':
			gone = append(gone, p)
		case code[1] != ' ':
			changed = append(changed, p)
		}
	}
	return changed, gone, again, nil
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
func (s *Space) diff(ctx context.Context, from, to string) (changes []change, err error) {
	if from == to {
		return nil, nil
	}
	fields, err := s.list(ctx, command{args: []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev",
		from, to}})
	if err != nil {
		for _, tree := range []string{from, to} {
			_, missing := s.own(ctx, "rev-parse", "--verify", "-q", tree+"^{tree}")
			if missing != nil && ctx.Err() == nil {
				text := "the clone does not have the tree " + tree + " of the state, so it was made later: "
				return nil, fault("missing", text+s.home, nil, s.home)
			}
		}
		return nil, err
	}
	for i := 0; i+1 < len(fields); i += 2 {
		c := change{path: fields[i+1]}
		if _, err := fmt.Sscanf(fields[i], ":%s %s %s %s", &c.oldMode, &c.newMode, &c.oldID, &c.newID); err != nil {
			return nil, err
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// Diff returns the differences between two trees, sorted by path.
func (s *Space) Diff(ctx context.Context, from, to executor.Tree) ([]executor.Change, error) {
	return operate(s, opDetect, func() (out []executor.Change, err error) {
		return s.describe(ctx, string(from), string(to))
	})
}

func (s *Space) describe(ctx context.Context, from, to string) (out []executor.Change, err error) {
	changes, err := s.diff(ctx, from, to)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	ignored, err := s.ignored(ctx, changes)
	if err != nil {
		return nil, err
	}
	forbidden, err := s.forbiddenFiles(ctx, from, changes)
	if err != nil {
		return nil, err
	}
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
			target, err := s.git(ctx, command{args: []string{"cat-file", "blob", c.newID}})
			if err != nil {
				return nil, err
			}
			e.Escapes = e.Escapes || s.escapes(path.Dir(c.path), string(target))
		}
		out = append(out, e)
	}
	return out, nil
}

// forbiddenFiles returns the watched files of a tree, by their content. It is empty if no file gets
// new content. Empty files do not count.
func (s *Space) forbiddenFiles(ctx context.Context, tree string, changes []change) (map[string]string, error) {
	if s.opts.Watch == nil || !slices.ContainsFunc(changes, hasNewContent) {
		return nil, nil
	}
	files, err := s.list(ctx, command{args: []string{"ls-tree", "-r", "-l", "-z", "--full-tree", tree}})
	found := map[string]string{}
	for _, f := range files {
		info, p, _ := strings.Cut(f, "\t")
		if fields := strings.Fields(info); s.watches(p) && len(fields) == 4 && fields[3] != "0" && fields[3] != "-" {
			found[fields[2]] = p
		}
	}
	return found, err
}

func hasNewContent(c change) bool { return c.newMode != absent && c.newID != c.oldID }

// ignored returns the paths that are not committed: those that were ignored at the beginning, or are
// ignored now, and are not in the last commit.
func (s *Space) ignored(ctx context.Context, changes []change) (map[string]bool, error) {
	if err := s.readTracked(ctx); err != nil {
		return nil, err
	}
	out, asked := map[string]bool{}, []string{}
	for _, c := range changes {
		if s.tracked[c.path] {
			continue
		}
		if out[c.path] = s.wasIgnored(c.path); !out[c.path] {
			asked = append(asked, "./"+c.path) // a name can begin like a pattern
		}
	}
	if len(asked) == 0 {
		return out, nil
	}
	found, err := s.list(ctx, command{args: []string{"check-ignore", "--no-index", "-z", "--stdin"},
		env: []string{"GIT_LITERAL_PATHSPECS=0"}, stdin: zeroTerminated(asked), none: 1})
	for _, p := range found {
		out[strings.TrimPrefix(p, "./")] = true
	}
	return out, err
}

// readTracked reads which files the last commit has.
func (s *Space) readTracked(ctx context.Context) error {
	head, err := s.headCommit(ctx)
	if err != nil || s.tracked != nil && head == s.head {
		return err
	}
	files, err := s.list(ctx, command{args: []string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", head}})
	if err != nil {
		return err
	}
	s.head, s.tracked = head, make(map[string]bool, len(files))
	for _, p := range files {
		s.tracked[p] = true
	}
	return nil
}

// escapes reports whether a link leads out of the tree, or into git's directory.
func (s *Space) escapes(dir, target string) bool {
	root, err := filepath.EvalSymlinks(s.Dir())
	if err != nil {
		return true
	}
	name := filepath.FromSlash(target)
	if !filepath.IsAbs(name) { // joined, not cleaned: a link can come before ".."
		name = filepath.Join(root, filepath.FromSlash(dir)) + string(filepath.Separator) + name
	}
	for {
		real, err := filepath.EvalSymlinks(name)
		if err == nil {
			rel, err := filepath.Rel(root, real)
			return err != nil || !filepath.IsLocal(rel) ||
				slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), isGitName)
		}
		if !notFound(err) {
			return true
		}
		name = strings.TrimRight(name, string(filepath.Separator))
		name = name[:strings.LastIndexByte(name, filepath.Separator)+1]
	}
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
	return operate(s, opDetect, func() (executor.Tree, error) {
		changes, err := s.diff(ctx, string(base), string(from))
		if err != nil {
			return "", err
		}
		tree, err := s.with(ctx, string(base), only(changes, paths))
		return executor.Tree(tree), err
	})
}

// with returns a tree with changes in it.
func (s *Space) with(ctx context.Context, base string, changes []change) (string, error) {
	if len(changes) == 0 {
		return base, nil
	}
	index := s.file("other.index")
	_ = os.Remove(index + ".lock")
	env := []string{"GIT_INDEX_FILE=" + index}
	for _, c := range []command{{args: []string{"read-tree", base}},
		{args: []string{"update-index", "-z", "--index-info"}, stdin: indexInfo(changes)}} {
		c.env = env
		if _, err := s.git(ctx, c); err != nil {
			return "", err
		}
	}
	return s.line(ctx, command{env: env, args: []string{"write-tree", "--missing-ok"}})
}

// indexInfo is the input of update-index. Removals come first, because a directory can replace a
// file.
func indexInfo(changes []change) io.Reader {
	var removed, added strings.Builder
	for _, c := range changes {
		if c.newMode == absent {
			fmt.Fprintf(&removed, "0 %s\t%s\x00", strings.Repeat("0", len(c.newID)), c.path)
		} else {
			fmt.Fprintf(&added, "%s %s\t%s\x00", c.newMode, c.newID, c.path)
		}
	}
	return strings.NewReader(removed.String() + added.String())
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

// headCommit returns the last commit.
func (s *Space) headCommit(ctx context.Context) (string, error) {
	return s.own(ctx, "rev-parse", "--verify", "-q", "HEAD")
}

// headTree returns the last commit and its tree.
func (s *Space) headTree(ctx context.Context) (head, tree string, err error) {
	out, err := s.own(ctx, "rev-parse", "HEAD", "HEAD^{tree}")
	head, tree, _ = strings.Cut(out, "\n")
	return head, tree, err
}

// Head returns the tree of the last commit.
func (s *Space) Head(ctx context.Context) (executor.Tree, error) {
	return operate(s, opPrepare, func() (executor.Tree, error) {
		_, tree, err := s.headTree(ctx)
		return executor.Tree(tree), err
	})
}
