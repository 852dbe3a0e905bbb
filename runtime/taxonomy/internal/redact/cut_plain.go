package redact

// behind is how far before a cut a secret may begin that is still seen to be one: more than private
// keys take.
const behind = 8 << 10

// maxPrefix bounds how far into a token the byte is that gives it away.
const maxPrefix = 16

// plainHead returns the greatest index, about end, up to which s can be kept: before that, each
// secret of s is still known for one.
func plainHead(s string, end int) int {
	end = lastRune(s, end)
	for range maxMoves {
		lost := lostBefore(s, end)
		if lost < 0 {
			return end
		}
		end = lost
	}
	if first, _ := next(s, 0, givenAway(s, end), 0); first >= 0 {
		return min(first, end)
	}
	return end
}

// lostBefore returns where the first secret of s begins that is not known for the same in s[:end];
// -1 when each is.
func lostBefore(s string, end int) int {
	for i, limit := 0, givenAway(s, end); ; {
		from, to := next(s, i, limit, i)
		if from < 0 || from >= end {
			return -1
		}
		if to >= end || !known(s[:end], i, from, to) { // what stands behind it may be what tells where it ends
			return from
		}
		i = to
	}
}

// givenAway returns up to where the byte may be that gives away a secret which begins before end.
func givenAway(s string, end int) int {
	return max(min(len(s), end+maxPrefix), armourAhead(s, end))
}

// plainTail returns the least index, about start, from which s can be kept: after that, each secret
// of s is still known for one.
func plainTail(s string, start int) int {
	start = nextRune(s, start)
	for i := max(0, start-behind); ; {
		from, to := next(s, i, len(s), i)
		switch {
		case from < 0, from >= start && known(s[start:], 0, from-start, to-start):
			return start // what follows a secret is judged as if nothing stood before that
		case to > start:
			start = nextRune(s, to)
		}
		i = to
	}
}

// known reports whether s[from:to] is a secret of s, of which all before i is judged.
func known(s string, i, from, to int) bool {
	for {
		start, end := next(s, i, to, i)
		if start < 0 || end > from {
			return start == from && end == to
		}
		i = end
	}
}
