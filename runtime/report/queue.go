package report

// queue has occurrences, the oldest first. Each has a number, from 0 on.
type queue struct {
	all []*Occurrence
	// head is the index of the oldest, and base the number of the element at index 0.
	head, base int
}

func (q *queue) len() int { return len(q.all) - q.head }

// next returns the number of the next occurrence.
func (q *queue) next() int { return q.base + len(q.all) }

func (q *queue) push(o *Occurrence) { q.all = append(q.all, o) }

// pop removes the oldest occurrence.
func (q *queue) pop() *Occurrence {
	o := q.all[q.head]
	q.all[q.head] = nil
	if q.head++; q.head > 64 && 2*q.head > len(q.all) {
		n := copy(q.all, q.all[q.head:])
		clear(q.all[n:])
		q.all, q.base, q.head = q.all[:n], q.base+q.head, 0
	}
	return o
}

// at returns a pointer to the occurrence with a number in the queue.
func (q *queue) at(number int) **Occurrence { return &q.all[number-q.base] }

// last returns the latest n occurrences.
func (q *queue) last(n int) []*Occurrence { return q.all[len(q.all)-max(0, min(n, q.len())):] }

func copies(all []*Occurrence) []Occurrence {
	out := make([]Occurrence, len(all))
	for i, o := range all {
		out[i] = *o
	}
	return out
}
