package output

import (
	"fmt"
	"io"
	"os"

	"github.com/errgen/errgen/internal/diff"
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
	if s.Action == Create {
		return diff.Unified(w, devNull, nil, s.Path, s.content)
	}
	info, err := os.Lstat(p.target.real(s.Name))
	if err != nil {
		return p.target.fault(s.Name, err)
	}
	if info.Size() > maxDiff || len(s.content) > maxDiff {
		_, err := fmt.Fprintf(w, "Files %s and what is generated differ\n", s.Path)
		return err
	}
	old, err := os.ReadFile(p.target.real(s.Name))
	if err != nil {
		return p.target.fault(s.Name, err)
	}
	if s.Action == Remove {
		return diff.Unified(w, s.Path, old, devNull, nil)
	}
	return diff.Unified(w, s.Path, old, s.Path, s.content)
}
