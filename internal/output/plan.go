// Package output brings a directory to hold the files that were generated: it plans what would
// change, shows that as a diff, or writes it. Every file is replaced as a whole or not at all,
// files whose bytes are right are not touched, and nothing is touched that errgen did not make.
package output

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// File is a generated file. Its name is a base name that ends in _gen.go or _gen_test.go.
type File struct {
	Name    string
	Content []byte
}

// Target is where generated files go, and what they are made from.
type Target struct {
	Dir     string // the directory; need not exist
	Show    string // the directory as messages name it; Dir unless said
	Package string // the Go package of the files
	Source  string // base name of the taxonomy's file, as the header of the files tells it

	// SourceDir is where the taxonomy's file stands. Files made from a taxonomy that is no longer
	// there count as made from this one: it was renamed.
	SourceDir string
}

// Action is what becomes of a file.
type Action uint8

// The actions.
const (
	Unchanged Action = iota
	Create
	Change
	Remove
)

// String returns the action as -v tells it: "unchanged", "created", "changed", "removed".
func (a Action) String() string {
	return [...]string{"unchanged", "created", "changed", "removed"}[a]
}

// Step is what becomes of one file.
type Step struct {
	Action Action
	Name   string // base name
	Path   string // as messages name it

	content []byte
}

// Plan is what has to be done to a directory. It holds for as long as nobody else changes the
// directory.
type Plan struct {
	Steps []Step // by name

	target    Target
	leftovers []string // base names of temporary files that a killed run left
	disk      disk
}

// NewPlan compares files with the target and returns what has to be done. It reads only. Its error
// names every file that stands in the way; then nothing must be written.
func NewPlan(t Target, files []File) (*Plan, error) {
	t.Show = cmp.Or(t.Show, t.Dir)
	p := &Plan{target: t, disk: osDisk{}}
	present, err := readDir(t)
	if err != nil {
		return nil, err
	}
	var refused []error
	wanted := make(map[string]bool, len(files))
	for _, f := range files {
		if err := checkName(f.Name); err != nil {
			return nil, err
		}
		if wanted[f.Name] {
			return nil, fmt.Errorf("%s: generated twice", f.Name)
		}
		wanted[f.Name] = true
		action, err := t.compare(f)
		if err != nil {
			refused = append(refused, err)
		}
		p.add(action, f.Name, f.Content)
	}
	for _, e := range present {
		switch {
		case !e.Type().IsRegular() || wanted[e.Name()]:
		case isGenerated(e.Name()) && t.stale(e.Name()):
			p.add(Remove, e.Name(), nil)
		case isTemporary(e.Name()) && t.leftover(e.Name()):
			p.leftovers = append(p.leftovers, e.Name())
		default:
			refused = append(refused, t.foreign(e.Name()))
		}
	}
	slices.SortFunc(p.Steps, func(a, b Step) int { return strings.Compare(a.Name, b.Name) })
	if !p.Clean() {
		refused = append(refused, t.writable())
	}
	if err := t.joined(refused); err != nil {
		return nil, err
	}
	return p, nil
}

// Clean reports whether the directory holds what it should, so that nothing has to be done.
func (p *Plan) Clean() bool {
	return !slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Action != Unchanged })
}

func (p *Plan) add(a Action, name string, content []byte) {
	p.Steps = append(p.Steps, Step{Action: a, Name: name, Path: p.target.path(name), content: content})
}

// checkName refuses what is not plainly a file of the directory.
func checkName(name string) error {
	if strings.ContainsAny(name, `/\:`) || strings.HasPrefix(name, ".") || !isGenerated(name) {
		return fmt.Errorf("%q is no name of a generated file", name)
	}
	return nil
}

func isGenerated(name string) bool {
	return strings.HasSuffix(name, "_gen.go") || strings.HasSuffix(name, "_gen_test.go")
}
