package report

// other counts what comes when there are too many keys.
const other = "other"

// labels counts by key, and tells at most so many keys apart.
type labels[K comparable] struct {
	max   int
	index map[K]int
	// keys are those of the index, by it.
	keys []K
	// likely has for each mark one more than the index of the key that was looked for last, 0 for
	// none: to compare one key takes less time than a map.
	likely [marked]int32
	names  []string
	counts []int
}

// marked is how many marks of keys there are, a power of two.
const marked = 128

func newLabels[K comparable](limit int) labels[K] { return labels[K]{max: limit, index: map[K]int{}} }

// add counts a key with a mark, and returns its index. The name of a new one is asked for.
func (l *labels[K]) add(key K, mark uint, name func(K) string) int {
	likely := &l.likely[mark%marked]
	i := int(*likely) - 1
	if i < 0 || l.keys[i] != key {
		if i = l.find(key, name); i < len(l.keys) {
			*likely = int32(i) + 1
		}
	}
	l.counts[i]++
	return i
}

func (l *labels[K]) find(key K, name func(K) string) int {
	if i, ok := l.index[key]; ok {
		return i
	}
	return l.newIndex(key, name)
}

// markOf returns a number that mostly differs between the keys of a program.
func markOf(key string) uint {
	n := len(key)
	if n == 0 {
		return 0
	}
	return uint(n) + 3*uint(key[0]) + 5*uint(key[n/2]) + 7*uint(key[n-1])
}

// markOfPair is [markOf] for two keys.
func markOfPair(key [2]string) uint { return markOf(key[0]) + 11*markOf(key[1]) }

// newIndex returns an index for a key that is new: its own, or that of all others.
func (l *labels[K]) newIndex(key K, name func(K) string) int {
	if len(l.index) >= l.max {
		if len(l.names) == len(l.index) {
			l.grow(other)
		}
		return len(l.names) - 1
	}
	l.keys = append(l.keys, key)
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
