package main

import (
	"bytes"
	"strings"

	"github.com/errgen/errgen/runtime/proc"
)

// maxTold bounds in bytes what is told of a line.
const maxTold = 4 << 10

// progress passes output on, and tells the last of the lines that have ended.
type progress struct {
	to   *proc.Tail
	mask *strings.Replacer
	tell func(string)
	line *proc.Head // the one that goes on
}

func (p *process) telling(to *proc.Tail, tell func(string)) *progress {
	return &progress{to, p.mask, tell, proc.NewHead(maxTold)}
}

// Write never fails.
func (w *progress) Write(b []byte) (int, error) {
	if w.tell != nil {
		w.read(b)
	}
	return w.to.Write(b)
}

// read tells of b the last line that has ended and says something.
func (w *progress) read(b []byte) {
	last := ""
	for {
		line, rest, ended := bytes.Cut(b, []byte("\n"))
		_, _ = w.line.Write(line)
		if !ended {
			break
		}
		if said := w.end(); said != "" {
			last = said
		}
		b = rest
	}
	w.pass(last)
}

// flush tells the line that goes on, and ends it.
func (w *progress) flush() { w.pass(w.end()) }

// end ends the line that goes on, and returns it.
func (w *progress) end() string {
	if w.line.Total() == 0 {
		return ""
	}
	line := strings.TrimSpace(w.line.Masked(w.mask.Replace))
	w.line = proc.NewHead(maxTold)
	return line
}

func (w *progress) pass(line string) {
	if line != "" && w.tell != nil {
		w.tell(line)
	}
}
