package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/scope"

	"orchestrator.example.com/runner/errs"
)

// maxLinks bounds the symbolic links that lead to a file.
const maxLinks = 255

// scope says which files tiers may change: none of those that decide about them, when they are in
// the tree.
func (o *options) scope(root string, tiers ladder) (*scope.Scope, error) {
	c := scope.Config{Allowed: o.allow, Forbidden: slices.Clone(o.forbid)}
	for _, name := range o.deciding(tiers) {
		own, err := patternsFor(root, name)
		if err != nil {
			return nil, fmt.Errorf("keep %s from changes: %w", name, err)
		}
		c.Forbidden = append(c.Forbidden, own...)
	}
	return scope.New(c)
}

// deciding are the files that decide what is to be done, what counts, and who does it. A script
// that is not there would be played as well.
func (o *options) deciding(tiers ladder) []string {
	all := []string{o.plan}
	if o.tiers != "" {
		all = append(all, o.tiers)
	} else {
		for _, t := range errs.Table.Taxonomy.Tiers {
			all = append(all, scriptOf(o.plan, t.Name))
		}
	}
	for _, t := range tiers {
		if t.Script != "" {
			all = append(all, t.Script)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// patternsFor returns the patterns of a file, and of the symbolic links that lead to it, as far as
// they are below root.
func patternsFor(root, name string) ([]string, error) {
	way, err := wayTo(name)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, path := range way {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) && rel != "." {
			all = append(all, scope.Literal(filepath.ToSlash(rel)))
		}
	}
	return all, nil
}

// wayTo returns where a file is, and each symbolic link on the way to it. It need not be there.
func wayTo(name string) ([]string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	var way []string
	at, left := start(abs)
	for len(left) > 0 {
		next := filepath.Join(at, left[0])
		left = left[1:]
		info, err := os.Lstat(next)
		if err != nil || info.Mode()&os.ModeSymlink == 0 {
			at = next
			continue
		}
		if way = append(way, next); len(way) > maxLinks {
			return nil, fmt.Errorf("more than %d symbolic links lead to it", maxLinks)
		}
		target, err := os.Readlink(next)
		if err != nil {
			return nil, err
		}
		if filepath.IsAbs(target) {
			var more []string
			at, more = start(target)
			left = append(more, left...)
			continue
		}
		left = append(parts(target), left...)
	}
	return append(way, at), nil
}

// start splits an absolute path into where it begins and its parts.
func start(abs string) (at string, left []string) {
	volume := filepath.VolumeName(abs)
	return volume + string(filepath.Separator), parts(abs[len(volume):])
}

func parts(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r < utf8.RuneSelf && os.IsPathSeparator(byte(r)) })
}
