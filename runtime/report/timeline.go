package report

import (
	"cmp"
	"time"
)

const (
	// maxBuckets is the number of buckets of a timeline.
	maxBuckets = 120
	// ahead is the limit for times in the future, because clocks differ. Later times count as now.
	ahead = time.Hour
	// maxOutside is the divisor for the errors that a timeline may leave out: 1 of 100. So a wrong
	// time does not change its step.
	maxOutside = 100
)

// steps are the lengths of buckets in seconds.
var steps = [...]int64{1, 5, 15, 60, 300, 900, 3600, 6 * 3600, 86400, 7 * 86400, 14 * 86400, 28 * 86400}

// timeline counts kinds by time, in a ring of buckets for each step. Reading it chooses the first
// step whose ring has nearly all errors.
type timeline struct {
	n     int
	rings [len(steps)]ring
}

// ring has the latest buckets of a step. A bucket is at its number modulo the length.
type ring struct {
	newest  int64 // number of the newest bucket
	outside int   // errors that are older than the oldest bucket
	buckets []ringBucket
}

// ringBucket counts errors by the index of their kind.
type ringBucket struct {
	number int64
	n      int
	kinds  []int32
}

// add counts an error of a kind.
func (t *timeline) add(at time.Time, kind int) {
	seconds := at.Unix()
	t.n++
	for i := range t.rings {
		t.rings[i].add(floorDiv(seconds, steps[i]), kind, t.n == 1)
	}
}

func (r *ring) add(number int64, kind int, first bool) {
	if first {
		r.newest, r.buckets = number, make([]ringBucket, maxBuckets)
	}
	r.newest = max(r.newest, number)
	b := &r.buckets[number-floorDiv(number, maxBuckets)*maxBuckets]
	if b.number > number && b.n > 0 || number <= r.newest-maxBuckets {
		r.outside++
		return
	}
	if b.number != number {
		r.outside += b.n
		*b = ringBucket{number: number, kinds: b.kinds[:0]}
	}
	for len(b.kinds) <= kind {
		b.kinds = append(b.kinds, 0)
	}
	b.kinds[kind]++
	b.n++
}

// before counts the errors before the window of buckets that ends with the newest.
func (r *ring) before() int {
	n := r.outside
	for _, b := range r.buckets {
		if b.number <= r.newest-maxBuckets {
			n += b.n
		}
	}
	return n
}

// series returns the timeline, with the names of the kinds.
func (t *timeline) series(kinds []kindCount) Timeline {
	if t.n == 0 {
		return Timeline{}
	}
	level := 0
	for level < len(steps)-1 && t.rings[level].before() > t.n/maxOutside {
		level++
	}
	r, step := &t.rings[level], steps[level]
	first := r.newest
	for _, b := range r.buckets {
		if b.n > 0 && b.number > r.newest-maxBuckets {
			first = min(first, b.number)
		}
	}
	out := Timeline{Step: time.Duration(step) * time.Second, Outside: r.before(),
		Buckets: make([]Bucket, r.newest-first+1)}
	for i := range out.Buckets {
		out.Buckets[i] = Bucket{time.Unix((first+int64(i))*step, 0).UTC(), map[string]int{}, map[string]int{},
			map[string]int{}}
	}
	for _, b := range r.buckets {
		if b.n == 0 || b.number < first {
			continue
		}
		into := out.Buckets[b.number-first]
		for i, n := range b.kinds {
			if n > 0 {
				into.ByCategory[kinds[i].category] += int(n)
				into.ByCode[kinds[i].code] += int(n)
				into.BySeverity[cmp.Or(severities[kinds[i].rank], unknown)] += int(n)
			}
		}
	}
	return out
}

func floorDiv(a, b int64) int64 {
	n := a / b
	if a%b != 0 && a < 0 {
		n--
	}
	return n
}
