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

// rate returns how many there were in a second, and over how long that was seen.
func (c *counter) rate(now time.Time) (perSecond float64, seen time.Duration) {
	sum := c.sum(now)
	from := c.begun.Add(time.Duration(max(0, c.last-parts+1)) * c.slice)
	seen = now.Sub(from)
	if seen <= 0 {
		return 0, 0
	}
	return float64(sum) / seen.Seconds(), seen
}
