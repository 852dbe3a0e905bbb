package report

import "time"

const (
	// maxBuckets is how many buckets a timeline has; when time goes on, several of them become one.
	maxBuckets = 120
	// ahead is how far in the future an occurrence may be; clocks differ.
	ahead = time.Hour
	// behind is how far before the time of the clock an occurrence may be until the clock is asked
	// again.
	behind = time.Minute
	// farthest is the time, in seconds before and after 1970, that no occurrence is beyond, so that
	// differences of times can be counted with.
	farthest = 1 << 55
)

const (
	hour = 60 * 60
	day  = 24 * hour
	week = 7 * day
)

// steps are how many seconds a bucket may last, each a multiple of the one before, so that buckets
// can be merged. What is older than a timeline of the last ones is not in it.
var steps = [...]int64{1, 5, 15, 60, 5 * 60, 15 * 60, hour, 6 * hour, day, week, 2 * week, 4 * week}

// timeline counts by time. There is a ring of buckets for each step. An occurrence is counted in
// the first ring that has a place for its time; when a later time needs the place, the counts go on
// to the next ring. So one wrong time costs no other occurrence its place: which step is shown, and
// from when on, is decided when it is asked for.
type timeline struct {
	rings [len(steps)]ring
	// newest is the latest time, if n is not 0.
	newest int64
	// n counts all, outside those that are in no ring.
	n, outside int
}

// ring has the bucket of a number at the place of that number modulo its length. It has no places
// before the first use.
type ring []ringBucket

type ringBucket struct {
	timeBucket
	// number is the time of the bucket by its step, n how many it has counted; with none it is
	// free.
	number int64
	n      int
}

// timeBucket counts by the indexes of categories and severities.
type timeBucket struct{ categories, severities []int }

// add counts an occurrence at a time.
func (t *timeline) add(at time.Time, category, severity int) {
	seconds := max(-farthest, min(at.Unix(), farthest))
	if t.n++; t.n == 1 || seconds > t.newest {
		t.newest = seconds
	}
	b := t.place(0, seconds)
	if b == nil {
		t.outside++
		return
	}
	b.n++
	b.categories = counted(b.categories, category, 1)
	b.severities = counted(b.severities, severity, 1)
}

// place returns the bucket for a time in the first ring, from a level on, that has a place for it;
// nil when none has.
func (t *timeline) place(level int, seconds int64) *ringBucket {
	for ; level < len(steps); level++ {
		if t.rings[level] == nil {
			t.rings[level] = make(ring, maxBuckets)
		}
		number := floorDiv(seconds, steps[level])
		b := &t.rings[level][number-floorDiv(number, maxBuckets)*maxBuckets]
		switch {
		case b.n == 0:
			b.number = number
		case b.number > number:
			continue
		case b.number < number:
			t.pass(level, b)
			b.number = number
		}
		return b
	}
	return nil
}

// pass moves the counts of a bucket to the next rings, and leaves it free.
func (t *timeline) pass(level int, b *ringBucket) {
	if to := t.place(level+1, b.number*steps[level]); to != nil {
		to.merge(b.timeBucket)
		to.n += b.n
	} else {
		t.outside += b.n
	}
	b.free()
}

func (b *ringBucket) free() {
	clear(b.categories)
	clear(b.severities)
	b.n = 0
}

// back forgets what is later than a time, by a clock that has been ahead.
func (t *timeline) back(to time.Time) {
	limit := to.Add(ahead).Unix()
	if t.n == 0 || t.newest <= limit {
		return
	}
	t.newest = limit
	for level := range t.rings {
		for i := range t.rings[level] {
			if b := &t.rings[level][i]; b.n > 0 && b.number*steps[level] > limit {
				t.outside += b.n
				b.free()
			}
		}
	}
}

// counted adds n to the count at an index, which there may be none of yet.
func counted(counts []int, i, n int) []int {
	for len(counts) <= i {
		counts = append(counts, 0)
	}
	counts[i] += n
	return counts
}

func (b *timeBucket) merge(c timeBucket) {
	for i, n := range c.categories {
		b.categories = counted(b.categories, i, n)
	}
	for i, n := range c.severities {
		b.severities = counted(b.severities, i, n)
	}
}

func floorDiv(a, b int64) int64 {
	n := a / b
	if a%b != 0 && a < 0 {
		n--
	}
	return n
}
