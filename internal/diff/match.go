package diff

import "slices"

// run is len equal lines, from old[run.old] and new[run.new] on.
type run struct{ old, new, len int }

// matches returns the runs of equal lines, in order, as long as they can be. The last one ends both
// texts and may be empty.
func matches(old, new []string) []run {
	var runs []run
	at := run{}
	for _, a := range append(anchors(old, new), anchor{len(old), len(new)}) {
		if a.old < at.old {
			continue // within the run before
		}
		m := run{old: a.old, new: a.new}
		for m.old > at.old && m.new > at.new && old[m.old-1] == new[m.new-1] {
			m.old, m.new, m.len = m.old-1, m.new-1, m.len+1
		}
		for m.old+m.len < len(old) && m.new+m.len < len(new) && old[m.old+m.len] == new[m.new+m.len] {
			m.len++
		}
		runs = append(runs, m)
		at = run{old: m.old + m.len, new: m.new + m.len}
	}
	return runs
}

// anchor is a line that stands once in each text.
type anchor struct{ old, new int }

// anchors returns a longest sequence of anchors that grows in both texts, led by the first lines if
// they are equal.
func anchors(old, new []string) []anchor {
	found := longest(unique(old, new))
	if len(old) > 0 && len(new) > 0 && old[0] == new[0] {
		return append([]anchor{{}}, found...)
	}
	return found
}

// unique returns the anchors in the order of old.
func unique(old, new []string) []anchor {
	type seen struct{ inOld, inNew, at int }
	table := make(map[string]seen, len(old))
	for _, l := range old {
		s := table[l]
		s.inOld++
		table[l] = s
	}
	for i, l := range new {
		s, ok := table[l]
		if !ok {
			continue
		}
		s.inNew++
		s.at = i
		table[l] = s
	}
	var all []anchor
	for i, l := range old {
		if s := table[l]; s.inOld == 1 && s.inNew == 1 {
			all = append(all, anchor{i, s.at})
		}
	}
	return all
}

// longest returns a longest subsequence of all, which is ordered by old, that is ordered by new
// too.
func longest(all []anchor) []anchor {
	var ends []int // ends[n] is the anchor with the least new that ends a sequence of n+1
	before := make([]int, len(all))
	for i, a := range all {
		n, _ := slices.BinarySearchFunc(ends, a.new, func(e, target int) int { return all[e].new - target })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	out := make([]anchor, 0, len(ends))
	for i := ends[len(ends)-1]; i >= 0; i = before[i] {
		out = append(out, all[i])
	}
	slices.Reverse(out)
	return out
}
