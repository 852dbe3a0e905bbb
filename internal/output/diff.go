package output

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/rogpeppe/go-internal/diff"
)

// maxDiff bounds the size of a text that is compared line by line.
const maxDiff = 16 << 20

// devNull is the name that a diff gives to a file that does not exist.
const devNull = "/dev/null"

// Diff writes what the plan would change as a unified diff, file by file. It changes nothing.
func (p *Plan) Diff(w io.Writer) error {
	for _, s := range p.Steps {
		if s.Action == Unchanged {
			continue
		}
		if err := p.diff(w, s); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) diff(w io.Writer, s Step) error {
	old, ok, err := p.old(s)
	switch {
	case err != nil:
		return err
	case !ok:
		_, err := fmt.Fprintf(w, "Files %s and what is generated differ\n", s.Path)
		return err
	}
	oldName, newName := s.Path, s.Path
	switch s.Action {
	case Create:
		oldName = devNull
	case Remove:
		newName = devNull
	}
	_, err = w.Write(unified(oldName, old, newName, s.content))
	return err
}

// unified returns the unified diff of two texts, or nil if they are equal.
func unified(oldName string, old []byte, newName string, new []byte) []byte {
	// The first line repeats the two names as a command line.
	_, text, _ := bytes.Cut(diff.Diff(oldName, old, newName, new), []byte("\n"))
	return text
}

// Lines returns how many lines a step adds to its file and removes from it; not ok when the file is
// too long to compare.
func (p *Plan) Lines(s Step) (added, removed int, ok bool, err error) {
	if s.Action == Unchanged {
		return 0, 0, true, nil
	}
	old, ok, err := p.old(s)
	if err != nil || !ok {
		return 0, 0, false, err
	}
	text := unified(devNull, old, devNull, s.content)
	for i, line := range bytes.Split(text, []byte("\n")) {
		switch {
		case i < 2: // the names
		case bytes.HasPrefix(line, []byte("+")):
			added++
		case bytes.HasPrefix(line, []byte("-")):
			removed++
		}
	}
	return added, removed, true, nil
}

// old returns what stands in the file of a step now; not ok when there is too much to compare.
func (p *Plan) old(s Step) (old []byte, ok bool, err error) {
	if s.Action == Create {
		return nil, true, nil
	}
	info, err := os.Lstat(p.target.real(s.Name))
	if err != nil {
		return nil, false, p.target.fault(s.Name, err)
	}
	if info.Size() > maxDiff || len(s.content) > maxDiff {
		return nil, false, nil
	}
	if old, err = os.ReadFile(p.target.real(s.Name)); err != nil {
		return nil, false, p.target.fault(s.Name, err)
	}
	return old, true, nil
}
