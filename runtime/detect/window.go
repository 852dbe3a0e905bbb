package detect

import "strings"

const (
	// glance is how much of a text is looked at, on each side of a literal, before all of it is,
	// when matches have no bound.
	glance = 256
	// glances is how many places of a literal are looked at in that way.
	glances = 2
)

// in reports whether the pattern stands in the text. It looks at windows around the literals that
// were found as long as these are less than the text, and else at the whole text.
func (p *pattern) in(text string, s *scratch) bool {
	c := p.compiled()
	switch {
	case c.re == nil:
		return false
	case p.always || s.whole || c.textEnds && !c.line:
		return c.run(text, s)
	case p.Reach == 0 && !c.line:
		return p.glimpsed(c, text, s) || c.run(text, s)
	}
	w := windows{c: c, text: text, reach: p.Reach, s: s}
	for _, id := range p.literals {
		at := s.places[id]
		if at == 0 {
			continue
		}
		h := &s.hits[at-1]
		for i, n := h.next(text, -1, 0); i >= 0; i, n = h.next(text, i, n) {
			if w.add(i, len(h.literal.text)) {
				return true
			}
		}
		if w.look() {
			return true
		}
	}
	return w.given && c.run(text, s)
}

// windows runs a program on windows around literals.
type windows struct {
	c     *program
	text  string
	reach int
	s     *scratch
	// from and to are the window that is open; to is 0 when none is.
	from, to int
	// read and run are how many bytes were looked at for literals, and by the program.
	read, run int
	// given reports that windows were given up, because together they are more than the text.
	given bool
}

// maxRead is how many times the length of a text may be looked at for literals that a match must
// hold, too, before the program is run on the whole of it.
const maxRead = 8

// add takes up the window around a literal of the given size at i, and reports whether a match is
// found. The window is looked at once it is known where the next one begins, as windows that
// overlap become one.
func (w *windows) add(i, size int) bool {
	if w.given {
		return false
	}
	if w.reach > 0 {
		lo, hi := reached(w.text, i, size, w.reach)
		if w.read += hi - lo; w.read > maxRead*len(w.text) {
			w.given = true
			return false
		}
		if !w.c.may(w.text[lo:hi]) {
			return false
		}
	}
	from, to := w.c.window(w.text, i, size, w.reach)
	if w.to > 0 && from <= w.to {
		w.to = max(w.to, to)
		return false
	}
	yes := w.look()
	w.from, w.to = from, to
	return yes
}

// look reports whether a match is found in the open window, and closes it.
func (w *windows) look() bool {
	from, to := w.from, w.to
	w.to = 0
	if to == 0 || w.given {
		return false
	}
	if w.run += to - from; w.run > len(w.text) {
		w.given = true
		return false
	}
	return w.c.run(w.text[from:to], w.s)
}

// reached returns what matches of at most reach bytes (0 is no bound) can hold, around a literal of
// the given size.
func reached(text string, i, size, reach int) (from, to int) {
	if reach == 0 {
		return 0, len(text)
	}
	return max(0, i+size-reach), min(len(text), i+reach)
}

// glimpsed reports whether the program matches close to one of the first places of its literals.
// When it does not, it may match all the same.
func (p *pattern) glimpsed(c *program, text string, s *scratch) bool {
	for _, id := range p.literals {
		at := s.places[id]
		if at == 0 {
			continue
		}
		h := &s.hits[at-1]
		for _, start := range h.at[:min(h.n, glances)] {
			size := len(h.literal.text)
			from, to := c.window(text, int(start), size, size+glance)
			if c.run(text[from:to], s) {
				return true
			}
		}
	}
	return false
}

// run runs the program on a text.
func (c *program) run(text string, s *scratch) bool {
	if !s.whole {
		if !c.may(text) {
			return false
		}
		if c.literal {
			return true
		}
	}
	s.work.runs++
	s.work.bytes += len(text)
	return c.re.MatchString(text)
}

// window returns a part of the text in which the program finds every match of at most reach bytes
// (0 is no bound) that holds the literal of the given size at i, and finds nothing that it would
// not find in the text.
func (c *program) window(text string, i, size, reach int) (from, to int) {
	lo, hi := reached(text, i, size, reach)
	if !c.line {
		return c.open(text, lo), c.close(text, hi)
	}
	// The ends of the line are part of the window. A match cannot hold them, so that it cannot
	// touch where the window is cut.
	if from = strings.LastIndexByte(text[lo:i], '\n'); from >= 0 {
		from += lo
	} else {
		from = c.open(text, lo)
	}
	if to = strings.IndexByte(text[i+size:max(hi, i+size)], '\n'); to >= 0 {
		to += i + size + 1
	} else {
		to = c.close(text, hi)
	}
	return from, to
}

// open returns the last place at or before i at which a window can begin: what stands there looks
// to the program as it does in the text.
func (c *program) open(text string, i int) int {
	switch {
	case c.textEnds:
		// Only for programs that no match of takes in the end of a line.
		return max(0, strings.LastIndexByte(text[:i], '\n'))
	case c.lineEnds:
		return strings.LastIndexByte(text[:i], '\n') + 1
	}
	for i > 0 && (c.wordEnds && isWord(text[i-1]) || inside(text, i)) {
		i--
	}
	return i
}

// close returns the first place at or after i at which a window can end.
func (c *program) close(text string, i int) int {
	if c.textEnds || c.lineEnds {
		n := strings.IndexByte(text[i:], '\n')
		switch {
		case n < 0:
			return len(text)
		case c.textEnds:
			return i + n + 1
		}
		return i + n
	}
	for i < len(text) && (c.wordEnds && isWord(text[i]) || inside(text, i)) {
		i++
	}
	return i
}

// folded returns the text with the letters beyond ASCII that fold to ASCII letters replaced by
// these.
func folded(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, longS, "s"), kelvinSign, "k")
}

// The letters beyond ASCII that regular expressions take for an s and a k where case does not
// count.
const (
	longS      = "\u017F"
	kelvinSign = "\u212A"
)
