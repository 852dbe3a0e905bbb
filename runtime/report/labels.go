package report

import "slices"

// other counts what comes when there are too many keys.
const other = "other"

// labels counts by key, and tells at most so many keys apart.
type labels[K comparable] struct {
	max   int
	index map[K]int
	// first are the first keys; where there are no others, to compare them takes less time than a map.
	first  []K
	names  []string
	counts []int
}

func newLabels[K comparable](limit int) labels[K] { return labels[K]{max: limit, index: map[K]int{}} }

// add counts a key, and returns its index. The name of a new one is asked for.
func (l *labels[K]) add(key K, name func(K) string) int {
	i := -1
	if len(l.index) <= maxFirst {
		i = slices.Index(l.first, key)
	}
	if i < 0 {
		i = l.find(key, name)
	}
	l.counts[i]++
	return i
}

// maxFirst is how many keys are compared.
const maxFirst = 16

func (l *labels[K]) find(key K, name func(K) string) int {
	if i, ok := l.index[key]; ok {
		return i
	}
	return l.newIndex(key, name)
}

// newIndex returns an index for a key that is new: its own, or that of all others.
func (l *labels[K]) newIndex(key K, name func(K) string) int {
	if len(l.index) >= l.max {
		if len(l.names) == len(l.index) {
			l.grow(other)
		}
		return len(l.names) - 1
	}
	if len(l.first) < maxFirst {
		l.first = append(l.first, key)
	}
	l.index[key] = l.grow(name(key))
	return l.index[key]
}

func (l *labels[K]) grow(name string) int {
	l.names, l.counts = append(l.names, name), append(l.counts, 0)
	return len(l.names) - 1
}

// toMap returns counts by name; counts are those of the labels, or of some of them.
func (l *labels[K]) toMap(counts []int) map[string]int {
	out := make(map[string]int, len(counts))
	for i, n := range counts {
		if n > 0 {
			out[l.names[i]] += n
		}
	}
	return out
}
