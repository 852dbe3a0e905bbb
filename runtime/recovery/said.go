package recovery

import (
	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// maxSaid is how much of the beginning and of the end of each text is looked at.
	maxSaid = 64 << 10
	// maxErrors bounds how many errors of a tree are looked at.
	maxErrors = 64
)

// said is what a failure says of itself. All of it is untrusted.
type said struct {
	texts []string
	files []string
	left  int // errors that may still be read
}

// saidBy collects the texts of a failure: of its error and of what that wraps, the outermost first,
// and of the evidence that it was classified from, since the message of a classified error may be a
// line of it.
func saidBy(failed taxonomy.RecoveryRequest) said {
	s := said{left: maxErrors}
	hints := taxonomy.HintsOf(failed.Err)
	s.files = append(s.files, hints.Files...)
	s.walk(failed.Err)
	if failed.Evidence != nil {
		s.walk(failed.Evidence)
	}
	s.add(hints.Output)
	return s
}

func (s *said) walk(tree error) {
	for err := range errtree.Walk(tree) {
		if s.left--; s.left < 0 {
			return
		}
		if ev, ok := err.(*taxonomy.Evidence); ok && ev != nil {
			s.add(ev.Text)
			s.add(ev.Output)
			s.files = append(s.files, ev.Files...)
		} else {
			s.add(errtree.Text(err))
		}
	}
}

func (s *said) add(content string) {
	switch {
	case content == "":
	case len(content) <= 2*maxSaid:
		s.texts = append(s.texts, text.Beginning(content, 2*maxSaid))
	default:
		s.texts = append(s.texts, text.Beginning(content, maxSaid), text.Ending(content, maxSaid))
	}
}
