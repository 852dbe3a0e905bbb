package report

import "time"

const (
	// maxBuckets is how many buckets a timeline has; when time goes on, several of them become one.
	maxBuckets = 120
	// ahead is how far in the future an occurrence may be; clocks differ.
	ahead = time.Hour
	// farthest is the time, in seconds before and after 1970, that no occurrence is beyond, so that differences of times
	// can be counted with.
	farthest = 1 << 55
)

const (
	hour = 60 * 60
	day  = 24 * hour
	week = 7 * day
)

// steps are how many seconds a bucket may last, each a multiple of the one before, so that buckets can be merged. What is
// older than a timeline of the last ones is not in it.
var steps = [...]int64{1, 5, 15, 60, 5 * 60, 15 * 60, hour, 6 * hour, day, week, 2 * week, 4 * week}

// timeline counts by time, in buckets that follow each other without a gap.
type timeline struct {
	// start is when the first bucket begins, in seconds since 1970: a multiple of the step.
	start int64
	// level is the index of the step.
	level   int
	buckets []timeBucket
}

// timeBucket counts by the indexes of categories and severities.
type timeBucket struct{ categories, severities []int }

// step returns how many seconds a bucket lasts.
func (t *timeline) step() int64 { return steps[t.level] }

// add counts an occurrence at a time.
func (t *timeline) add(at time.Time, category, severity int) {
	if i := t.at(max(-farthest, min(at.Unix(), farthest))); i >= 0 {
		b := &t.buckets[i]
		b.categories = counted(b.categories, category, 1)
		b.severities = counted(b.severities, severity, 1)
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

// at returns the index of the bucket for a time in seconds, or -1 when it is too old. The timeline grows for it.
func (t *timeline) at(at int64) int {
	if len(t.buckets) == 0 {
		t.start = at
		t.buckets = make([]timeBucket, 1, maxBuckets)
		return 0
	}
	i := t.index(at)
	for t.level < len(steps)-1 && t.span(i) > maxBuckets {
		t.merge()
		i = t.index(at)
	}
	if i < 0 {
		return t.prepend(i)
	}
	if i >= maxBuckets {
		t.slide(i - maxBuckets + 1)
		i = maxBuckets - 1
	}
	for int64(len(t.buckets)) <= i {
		t.buckets = append(t.buckets, timeBucket{})
	}
	return int(i)
}

// index returns the index of the bucket that a time in seconds belongs to, which there may be none of.
func (t *timeline) index(at int64) int64 { return floorDiv(at-t.start, t.step()) }

// span returns how many buckets there would be with the one of an index.
func (t *timeline) span(i int64) int64 { return max(i, int64(len(t.buckets))-1) - min(i, 0) + 1 }

// prepend puts buckets before the first, if there is room for them, and returns the index of the new first one.
func (t *timeline) prepend(i int64) int {
	if t.span(i) > maxBuckets {
		return -1
	}
	t.buckets = append(make([]timeBucket, -i, maxBuckets), t.buckets...)
	t.start += i * t.step()
	return 0
}

// slide drops n buckets at the beginning.
func (t *timeline) slide(n int64) {
	dropped := min(n, int64(len(t.buckets)))
	t.buckets = append(t.buckets[:0], t.buckets[dropped:]...)
	t.start += n * t.step()
}

// merge makes one bucket of all that are in one of the next step.
func (t *timeline) merge() {
	start, step := t.start, t.step()
	t.level++
	t.start = floorDiv(start, t.step()) * t.step()
	index := func(i int) int64 { return t.index(start + int64(i)*step) }
	merged := make([]timeBucket, index(len(t.buckets)-1)+1, maxBuckets)
	for i, b := range t.buckets {
		merged[index(i)].add(b)
	}
	t.buckets = merged
}

func (b *timeBucket) add(c timeBucket) {
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
