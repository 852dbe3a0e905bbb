// Errs shows what the package generated from errgen's own taxonomy can do. It follows a task
// through a bad day: the provider is overloaded, the agent touches what it must not, a push fails;
// and lets some things really fail, to have them classified. Every decision is looked up in the
// generated table; nothing here, advice apart, knows what a code means.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	if err := tell(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// tell writes the story to w.
func tell(w io.Writer) error {
	s := &story{w: w}
	day := badDay()
	s.morning(day.overloaded)
	s.statuses()
	s.scope(day.forbidden)
	s.log(day.push)
	s.wire(day.overloaded)
	s.stranger()
	s.verbose(day.overloaded)
	s.incidents()
	s.table()
	s.advise(day.push)
	return s.err
}

// story writes chapters, and keeps the first thing that goes wrong in telling them.
type story struct {
	w       io.Writer
	chapter int
	err     error
}

func (s *story) title(text string) {
	if s.chapter > 0 {
		s.line("")
	}
	s.chapter++
	s.line("%d. %s", s.chapter, text)
}

func (s *story) line(format string, args ...any) {
	_, err := fmt.Fprintf(s.w, format+"\n", args...)
	s.check(err)
}

// check reports whether all is well so far.
func (s *story) check(err error) bool {
	if s.err == nil {
		s.err = err
	}
	return s.err == nil
}
