package report

import (
	"cmp"
	"slices"
)

const (
	// outliers is which share of all occurrences, as a divisor, may be left out of a series because
	// they are far before the others.
	outliers = 100
	// leastBeside is of how many occurrences at least, if they are too few for that, the first may
	// be left out.
	leastBeside = 20
)

// series is a timeline as it is shown: buckets that follow each other without a gap, of the
// shortest step with which they are few enough.
type series struct {
	// step is in seconds, start in seconds since 1970: a multiple of the step.
	step, start int64
	buckets     []timeBucket
	// outside counts what is in no bucket.
	outside int
}

// countedFrom is a bucket of a ring, and where it begins.
type countedFrom struct {
	start int64
	level int
	*ringBucket
}

// series returns what is shown of a timeline.
func (t *timeline) series() series {
	all := t.all()
	s := series{outside: t.outside}
	for len(all) > 0 {
		level := levelOf(all)
		first := leftOut(all, level)
		if first == 0 {
			s.fill(all, steps[level])
			return s
		}
		for _, b := range all[:first] {
			s.outside += b.n
		}
		all = all[first:]
	}
	return s
}

// all returns the buckets that have counted, the oldest first.
func (t *timeline) all() []countedFrom {
	var all []countedFrom
	for level := range t.rings {
		for i := range t.rings[level] {
			if b := &t.rings[level][i]; b.n > 0 {
				all = append(all, countedFrom{b.number * steps[level], level, b})
			}
		}
	}
	slices.SortFunc(all, func(a, b countedFrom) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.level, b.level))
	})
	return all
}

// levelOf returns the first level at which buckets are few enough and none has to be divided,
// otherwise the last one.
func levelOf(all []countedFrom) int {
	level := 0
	for _, b := range all {
		level = max(level, b.level)
	}
	for level < len(steps)-1 && between(all[0], all[len(all)-1], level) >= maxBuckets {
		level++
	}
	return level
}

// between returns how many buckets of a level two of them are apart.
func between(a, b countedFrom, level int) int64 {
	return floorDiv(b.start, steps[level]) - floorDiv(a.start, steps[level])
}

// leftOut returns how many of the oldest buckets are not shown: those that there is no room for,
// and those that are few, and so far from the others that most of the series would be empty because
// of them. Of few occurrences it is one at most, a month before all others, and only if those would
// be seen as a bucket or two.
func leftOut(all []countedFrom, level int) int {
	last := all[len(all)-1]
	span := between(all[0], last, level)
	n, before, total := 0, 0, 0
	for _, b := range all {
		total += b.n
	}
	for i := range len(all) - 1 {
		before += all[i].n
		tooOld := between(all[i], last, level) >= maxBuckets
		few := level > 0 && before <= total/outliers && 4*between(all[i], all[i+1], level) > 3*span
		lone := before == 1 && total >= leastBeside && steps[level] >= day && between(all[i+1], last, level) <= 1
		if tooOld || few || lone {
			n = i + 1
		}
	}
	return n
}

// fill makes the buckets, of a step.
func (s *series) fill(all []countedFrom, step int64) {
	first, last := floorDiv(all[0].start, step), floorDiv(all[len(all)-1].start, step)
	s.step, s.start, s.buckets = step, first*step, make([]timeBucket, last-first+1)
	for _, b := range all {
		s.buckets[floorDiv(b.start, step)-first].merge(b.timeBucket)
	}
}
