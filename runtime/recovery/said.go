package recovery

import (
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
}

// saidBy collects the texts of a failure: of its error and of what that wraps, the outermost first,
// and of the evidence that it was classified from, since the message of a classified error may be a
// line of it.
func saidBy(failed taxonomy.Failed) said {
	var s said
	hints := taxonomy.HintsOf(failed.Err)
	s.files = append(s.files, hints.Files...)
	left := maxErrors
	s.walk(failed.Err, &left)
	if failed.Evidence != nil {
		s.walk(failed.Evidence, &left)
	}
	s.add(hints.Output)
	return s
}

func (s *said) walk(err error, left *int) {
	if *left--; err == nil || *left < 0 {
		return
	}
	if ev, ok := err.(*taxonomy.Evidence); ok && ev != nil {
		s.add(ev.Text)
		s.add(ev.Output)
		s.files = append(s.files, ev.Files...)
	} else {
		s.add(err.Error())
	}
	switch x := err.(type) {
	case interface{ Unwrap() error }:
		s.walk(x.Unwrap(), left)
	case interface{ Unwrap() []error }:
		for _, e := range x.Unwrap() {
			s.walk(e, left)
		}
	}
}

func (s *said) add(text string) {
	switch {
	case text == "":
	case len(text) <= 2*maxSaid:
		s.texts = append(s.texts, begun(text, 2*maxSaid))
	default:
		s.texts = append(s.texts, begun(text, maxSaid), ended(text, maxSaid))
	}
}
