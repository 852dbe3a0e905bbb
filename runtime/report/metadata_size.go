package report

// metadataMeasure is what metadata comes to.
type metadataMeasure struct {
	// left is how many bytes of texts it may still have; size is about how many bytes a copy of it
	// takes, rather too many than too few.
	left, size int
}

// What values take besides what they consist of.
const (
	// sizeText is the head of a text, and what is rounded up for it.
	sizeText = 32
	// sizeNumber is a number, which stands outside of the map or list that it is in, and what is
	// rounded up for it.
	sizeNumber = 16
	// sizeList is the head of a list, and what is rounded up for it; sizeItem is the place of one
	// of its values.
	sizeList = 32
	sizeItem = 20
	// sizeMap is the head of a map, and sizeSlot one of its slots, of which there are leastMapSlots
	// in the smallest.
	sizeMap       = 128
	sizeSlot      = 40
	leastMapSlots = 8
)

// mapSize is how many bytes a map of n entries takes, its texts and values apart. Of more than
// eight slots, which are as many as a power of two, at most seven of eight are in use.
func mapSize(n int) int {
	slots := leastMapSlots
	for n > leastMapSlots && 8*n > 7*slots {
		slots *= 2
	}
	return sizeMap + sizeSlot*slots
}

// object reports whether an object consists of what encoding/json reads, is not deep, and takes no
// more than what is left.
func (s *metadataMeasure) object(m map[string]any, depth int) bool {
	if len(m) > maxEntries+marks {
		return false
	}
	s.size += mapSize(len(m))
	for k, v := range m {
		s.left -= len(k) + 2
		s.size += len(k) + sizeText
		if len(k) > maxName || !s.value(v, depth-1) {
			return false
		}
	}
	return s.left >= 0
}

func (s *metadataMeasure) value(v any, depth int) bool {
	if depth <= 0 || s.left < 0 {
		return v == nil
	}
	switch x := v.(type) {
	case nil, bool:
		return true
	case float64:
		s.size += sizeNumber
		return true
	case string:
		s.left -= len(x) + 1
		s.size += len(x) + sizeText
		return len(x) <= maxMessage
	case map[string]any:
		return s.object(x, depth)
	case []any:
		return s.list(x, depth)
	}
	return false
}

func (s *metadataMeasure) list(all []any, depth int) bool {
	s.left -= len(all)
	s.size += sizeList + sizeItem*len(all)
	if len(all) > maxEntries {
		return false
	}
	for _, v := range all {
		if !s.value(v, depth-1) {
			return false
		}
	}
	return true
}
