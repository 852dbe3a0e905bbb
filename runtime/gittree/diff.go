package gittree

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

// change is a path that differs between two trees, as git describes it.
type change struct {
	Path             string
	OldMode, NewMode string // of git; absent is no file
	OldID, NewID     string // of the contents
	Git              bool
}

const absent = "000000"

// diff returns what differs between two trees.
func (a *area) diff(ctx context.Context, from, to Tree) ([]change, error) {
	if from == to {
		return nil, nil
	}
	fields, err := a.list(ctx, command{area: a, args: []string{"diff-tree", "-r", "-z", "--raw", "--no-renames",
		"--no-abbrev", string(from), string(to)}})
	if err != nil {
		return nil, err
	}
	var changes []change
	for i := 0; i+1 < len(fields); i += 2 {
		var c change
		if _, err := fmt.Sscanf(fields[i], ":%s %s %s %s", &c.OldMode, &c.NewMode, &c.OldID, &c.NewID); err != nil {
			return nil, err
		}
		c.Path = fields[i+1]
		changes = append(changes, c)
	}
	return changes, nil
}

// exported returns a change in the executor's form.
func (c change) exported() Change {
	out := Change{Path: c.Path, Kind: executor.Modified, Hash: c.NewID}
	switch {
	case c.OldMode == absent:
		out.Kind = executor.Added
	case c.NewMode == absent:
		out.Kind, out.Hash = executor.Removed, ""
	}
	return out
}

func exported(changes []change) (out []Change) {
	for _, c := range changes {
		out = append(out, c.exported())
	}
	return out
}

// describe returns changes of the working tree in the executor's form.
func (s *Space) describe(ctx context.Context, changes []change) ([]Change, error) {
	ignored, err := s.ignored(ctx, pathsOf(changes))
	out := exported(changes)
	for i := range out {
		c := &out[i]
		c.Ignored = ignored[c.Path] || c.Hash != "" && c.Hash == s.state.Revealed[c.Path]
		// A person's file is not committed because a rule no longer ignores it.
		if err == nil && changes[i].NewMode == modeLink {
			var target []byte
			target, err = s.git(ctx, command{args: []string{"cat-file", "blob", changes[i].NewID}})
			c.Escapes = s.escapes(path.Dir(c.Path), string(target))
		}
	}
	return out, err
}

const modeLink, modeModule = "120000", "160000"

// escapes reports whether a symbolic link in dir leads out of the working tree or into git's
// directory, also by way of other links. A loop counts as leading out.
func (s *Space) escapes(dir, target string) bool {
	name := filepath.FromSlash(target)
	if !filepath.IsAbs(name) { // joined, not cleaned, because a link can come before ".."
		name = s.abs(dir) + string(filepath.Separator) + name
	}
	for {
		real, err := filepath.EvalSymlinks(name)
		if err == nil {
			rel, err := filepath.Rel(s.root, real)
			inGit := slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"),
				func(part string) bool { return strings.EqualFold(part, ".git") })
			return err != nil || !filepath.IsLocal(rel) || inGit
		}
		if !notFound(err) {
			return true
		}
		name = strings.TrimRight(name, string(filepath.Separator))
		name = name[:strings.LastIndexByte(name, filepath.Separator)+1]
	}
}

// accept returns base with the accepted ones of the changes between base and from.
func (a *area) accept(ctx context.Context, base, from Tree, changes, accepted []change) (Tree, error) {
	switch len(accepted) {
	case 0:
		return base, nil
	case len(changes):
		return from, nil
	}
	env := a.otherIndex("accept.index")
	if _, err := a.Space.git(ctx, command{area: a, env: env, args: []string{"read-tree", string(base)}}); err != nil {
		return "", err
	}
	if _, err := a.Space.git(ctx, command{area: a, env: env, stdin: indexInfo(accepted),
		args: []string{"update-index", "-z", "--index-info"}}); err != nil {
		return "", err
	}
	tree, err := a.Space.line(ctx, command{area: a, env: env, args: []string{"write-tree"}})
	return Tree(tree), err
}

// otherIndex returns the environment of commands that use another index of the store.
func (s *Space) otherIndex(name string) []string {
	index := filepath.Join(s.store, name)
	_ = os.Remove(index + ".lock") // of a git command that was ended
	return []string{"GIT_INDEX_FILE=" + index}
}

func pathsOf(changes []change) (paths []string) {
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	return paths
}

// indexInfo is the standard input of update-index --index-info. Removals come first, because a
// directory can replace a file.
func indexInfo(changes []change) io.Reader {
	var removed, added strings.Builder
	for _, c := range changes {
		if c.NewMode == absent {
			fmt.Fprintf(&removed, "0 %s\t%s\x00", strings.Repeat("0", len(c.NewID)), c.Path)
		} else {
			fmt.Fprintf(&added, "%s %s\t%s\x00", c.NewMode, c.NewID, c.Path)
		}
	}
	return strings.NewReader(removed.String() + added.String())
}

// only returns the changes of the paths.
func only(changes []change, paths []string) (out []change) {
	wanted := setOf(paths)
	for _, c := range changes {
		if wanted[c.Path] {
			out = append(out, c)
		}
	}
	return out
}

func setOf(paths []string) map[string]bool {
	set := make(map[string]bool, len(paths))
	for _, p := range paths {
		set[p] = true
	}
	return set
}
