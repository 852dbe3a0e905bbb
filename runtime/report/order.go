package report

// order lists entries from the oldest to the newest. One that is taken out leaves a gap: to tell
// its neighbours, as a linked list must, would wait for memory that the processor has long
// forgotten.
type order struct {
	// places are as many as a power of two, or none; that of the number i is i modulo their number.
	// Those from head on, up to tail, are in use, or gaps; the first is no gap.
	places     []*entry
	head, tail int
	n          int
}

// leastPlaces is how many places there are at least.
const leastPlaces = 64

// oldest returns the oldest entry, or nil.
func (l *order) oldest() *entry {
	if l.n == 0 {
		return nil
	}
	return *l.at(l.head)
}

func (l *order) at(i int) **entry { return &l.places[i&(len(l.places)-1)] }

// push appends an entry.
func (l *order) push(e *entry) {
	if l.tail-l.head == len(l.places) {
		l.grow()
	}
	e.place = l.tail
	*l.at(l.tail) = e
	l.tail++
	l.n++
}

// remove takes an entry out that is there.
func (l *order) remove(e *entry) {
	*l.at(e.place) = nil
	l.n--
	for l.head < l.tail && *l.at(l.head) == nil {
		l.head++
	}
}

// grow closes the gaps, and makes more places unless most were gaps.
func (l *order) grow() {
	size := max(leastPlaces, len(l.places))
	if 4*l.n > len(l.places) {
		size = max(size, 2*len(l.places))
	}
	next := order{places: make([]*entry, size)}
	l.each(next.push)
	*l = next
}

// each calls f with the entries, the oldest first.
func (l *order) each(f func(e *entry)) {
	for i := l.head; i < l.tail; i++ {
		if e := *l.at(i); e != nil {
			f(e)
		}
	}
}

// last returns the newest entries, at most so many, the oldest of them first.
func (l *order) last(n int) []*entry {
	n = max(0, min(n, l.n))
	out := make([]*entry, n)
	for i := l.tail - 1; n > 0; i-- {
		if e := *l.at(i); e != nil {
			n--
			out[n] = e
		}
	}
	return out
}
