package breaker

import "time"

// parts is how many slices a counter's window has.
const parts = 10

// counter counts what happened in the last window, to a tenth of it.
type counter struct {
	begun time.Time
	slice time.Duration
	last  int64 // the number of the slice that is counted in, from begun
	n     [parts]int
}

func newCounter(window time.Duration, now time.Time) counter {
	return counter{begun: now, slice: max(window/parts, 1)}
}

func (c *counter) add(now time.Time) {
	c.turn(now)
	c.n[c.last%parts]++
}

func (c *counter) sum(now time.Time) int {
	c.turn(now)
	sum := 0
	for _, n := range c.n {
		sum += n
	}
	return sum
}

// turn empties the parts that are over.
func (c *counter) turn(now time.Time) {
	slice := int64(now.Sub(c.begun) / c.slice)
	for i := max(c.last, slice-parts) + 1; i <= slice; i++ {
		c.n[i%parts] = 0
	}
	c.last = max(c.last, slice)
}

// take counts what the other one has counted within this one's window, to the nearest slice.
func (c *counter) take(from *counter, now time.Time) {
	from.turn(now)
	c.begun, c.last = now.Add(-parts*c.slice), parts
	for i := max(0, from.last-parts+1); i <= from.last; i++ {
		middle := from.begun.Add(time.Duration(i)*from.slice + from.slice/2)
		if since := middle.Sub(c.begun); since >= 0 {
			slice := min(max(1, int64(since/c.slice)), c.last)
			c.n[slice%parts] += from.n[i%parts]
		}
	}
}

// historyWindows are those over which calls are counted before a policy says what its window is. A
// longer one counts as the last.
var historyWindows = [...]time.Duration{time.Second, 10 * time.Second, 100 * time.Second, 1000 * time.Second,
	10000 * time.Second}

// history counts calls for windows that are not known yet.
type history [len(historyWindows)]counter

func newHistory(now time.Time) (h history) {
	for i, w := range historyWindows {
		h[i] = newCounter(w, now)
	}
	return h
}

func (h *history) add(now time.Time) {
	for i := range h {
		h[i].add(now)
	}
}

// counter returns one that has counted from the beginning.
func (h *history) counter(window time.Duration, now time.Time) counter {
	i := 0
	for i < len(h)-1 && historyWindows[i] < window {
		i++
	}
	c := newCounter(window, now)
	c.take(&h[i], now)
	return c
}
