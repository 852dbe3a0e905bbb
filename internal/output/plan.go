// Package output makes a directory contain the generated files. A [Plan] lists the changes; it can
// be shown as a diff or written. Files that are up to date are not touched, and files that errgen
// did not generate are never touched.
package output

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// File is a generated file. The name of a Go file is a base name that ends in _gen.go or
// _gen_test.go; other names are paths below the directory, with slashes.
type File struct {
	Name    string
	Content []byte
}

// Target is the directory of generated files and what they are generated from.
type Target struct {
	Dir     string // the directory; it may not exist yet
	Show    string // the directory as messages name it; Dir if empty
	Command string // the command that makes files other than those of a package, with its flags
	Source  string // base name of the taxonomy's file, as in the header of the files
	// SourceDir is the directory of the taxonomy's file. Files whose header names a file that no
	// longer exists there belong to this taxonomy, because it was renamed.
	SourceDir string
	// Tree compares all files below the directory that have the command's mark. Those that are no
	// longer generated are stale. Without it only the generated files are compared.
	Tree bool
}

// Action is the change of a file.
type Action uint8

// The actions.
const (
	Unchanged Action = iota
	Create
	Change
	Remove
)

// String returns the action in the past tense, as -v prints it: "unchanged", "created".
func (a Action) String() string {
	return [...]string{"unchanged", "created", "changed", "removed"}[a]
}

// Step is the change of one file.
type Step struct {
	Action Action
	Name   string // as in File
	Path   string // as messages name it

	old, content []byte
}

// devNull is the name of a file that does not exist in a diff.
const devNull = "/dev/null"

// Diff returns the change as a unified diff. It is empty if the file is unchanged.
func (s Step) Diff() []byte {
	oldName, newName := s.Path, s.Path
	switch s.Action {
	case Create:
		oldName = devNull
	case Remove:
		newName = devNull
	}
	// The first line repeats the two names as a command line.
	_, text, _ := bytes.Cut(diff.Diff(oldName, s.old, newName, s.content), []byte("\n"))
	return text
}

// Lines returns how many lines the change adds and removes.
func (s Step) Lines() (added, removed int) {
	for i, line := range bytes.Split(s.Diff(), []byte("\n")) {
		switch {
		case i < 2: // the names
		case bytes.HasPrefix(line, []byte("+")):
			added++
		case bytes.HasPrefix(line, []byte("-")):
			removed++
		}
	}
	return added, removed
}

// Plan lists the changes that make a directory contain the generated files.
type Plan struct {
	Steps []Step // sorted by name

	target    Target
	files     []File
	leftovers []string              // temporary files of a killed run
	fault     func(op string) error // called before each effect, so that tests can make it fail
}

// NewPlan compares files with the directory and returns the changes. It writes nothing. If any file
// is in the way, NewPlan returns an error that names them.
func NewPlan(t Target, files []File) (*Plan, error) {
	t.Show = cmp.Or(t.Show, t.Dir)
	names, err := t.existing()
	if err != nil {
		return nil, err
	}
	p := &Plan{target: t, files: files, fault: func(string) error { return nil }}
	var refused []error
	generated := make(map[string]bool, len(files))
	for _, f := range files {
		if !t.valid(f.Name) {
			return nil, fmt.Errorf("%q is not a valid name of a generated file", f.Name)
		}
		if generated[f.Name] {
			return nil, fmt.Errorf("%s: generated twice", f.Name)
		}
		generated[f.Name] = true
		if err := p.compare(f); err != nil {
			refused = append(refused, err)
		}
	}
	for _, name := range names {
		if generated[name] {
			continue
		}
		p.inspect(name)
	}
	slices.SortFunc(p.Steps, func(a, b Step) int { return strings.Compare(a.Name, b.Name) })
	return p, errors.Join(refused...)
}

// Clean reports whether the directory contains the generated files and no stale ones.
func (p *Plan) Clean() bool {
	return !slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Action != Unchanged })
}

// valid reports whether a generated file can have the name.
func (t Target) valid(name string) bool {
	if t.Command != "" {
		return filepath.IsLocal(filepath.FromSlash(name)) && !strings.Contains(name, `\`)
	}
	return isGenerated(name) && !strings.ContainsAny(name, `/\:`) && name[0] != '.'
}

// existing lists the files of the directory. If it does not exist, it has none.
func (t Target) existing() ([]string, error) {
	info, err := os.Lstat(t.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, t.wrap("", err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, fmt.Errorf("%s: is a symbolic link: name the directory that it leads to", t.Show)
	case !info.IsDir():
		return nil, fmt.Errorf("%s: is not a directory", t.Show)
	}
	var names []string
	err = filepath.WalkDir(t.Dir, func(file string, e os.DirEntry, err error) error {
		switch name, _ := filepath.Rel(t.Dir, file); {
		case err != nil:
			return err
		case e.Type().IsRegular():
			names = append(names, filepath.ToSlash(name))
		case e.IsDir() && name != "." && (!t.Tree || e.Name()[0] == '.' || e.Name() == "node_modules"):
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return nil, t.wrap("", err)
	}
	return names, nil
}

// compare adds the step of a generated file.
func (p *Plan) compare(f File) error {
	t := p.target
	for dir := path.Dir(f.Name); dir != "."; dir = path.Dir(dir) {
		if info, err := os.Lstat(t.file(dir)); err == nil && !info.IsDir() {
			return fmt.Errorf("%s: is not a directory", t.path(dir))
		}
	}
	info, err := os.Lstat(t.file(f.Name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.add(Create, f.Name, nil, f.Content)
		return nil
	case err != nil:
		return t.wrap(f.Name, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s: is a symbolic link", t.path(f.Name))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: is not a regular file", t.path(f.Name))
	}
	old, err := os.ReadFile(t.file(f.Name))
	if err != nil {
		return t.wrap(f.Name, err)
	}
	if bytes.Equal(old, f.Content) {
		p.add(Unchanged, f.Name, old, f.Content)
		return nil
	}
	p.add(Change, f.Name, old, f.Content)
	return t.replaceable(f.Name, old)
}

// inspect adds the step of a stale file.
func (p *Plan) inspect(name string) {
	switch {
	case isTemp(name):
		p.leftovers = append(p.leftovers, name)
		return
	case p.target.Command == "" && !isGenerated(name), p.target.Command != "" && !p.target.Tree:
		return
	}
	content, err := os.ReadFile(p.target.file(name))
	if err == nil && p.target.replaceable(name, content) == nil {
		p.add(Remove, name, content, nil)
	}
}

func (p *Plan) add(a Action, name string, old, content []byte) {
	p.Steps = append(p.Steps, Step{Action: a, Name: name, Path: p.target.path(name), old: old, content: content})
}

func isGenerated(name string) bool {
	return strings.HasSuffix(name, "_gen.go") || strings.HasSuffix(name, "_gen_test.go")
}

func (t Target) path(name string) string { return filepath.Join(t.Show, name) }
func (t Target) file(name string) string { return filepath.Join(t.Dir, filepath.FromSlash(name)) }

// wrap returns an error of the file system with the path as messages name it.
func (t Target) wrap(name string, err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	} else if link, ok := errors.AsType[*os.LinkError](err); ok {
		err = link.Err
	}
	return fmt.Errorf("%s: %w", t.path(name), err)
}
