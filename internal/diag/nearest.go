package diag

import "strings"

// Nearest returns the one of names that a person who wrote name most likely meant, or "" when none
// is near. Case and the separators - _ . and space do not count. Among equals the first wins.
func Nearest(name string, names []string) string {
	return nearest(name, names, max(1, len(fold(name))/3))
}

// nearest returns the nearest name within a number of edits, or "".
func nearest(name string, names []string, edits int) string {
	want := fold(name)
	if want == "" || len(want) > 64 {
		return ""
	}
	best, bestDistance := "", edits+1
	for _, n := range names {
		f := fold(n)
		if n == name || abs(len(f)-len(want)) >= bestDistance {
			continue
		}
		if d := distance(want, f); d < bestDistance && d < len(f) {
			best, bestDistance = n, d
		}
	}
	return best
}

// DidYouMean returns the hint that proposes the one of names nearest to name, or "".
func DidYouMean(name string, names []string) string { return proposal(Nearest(name, names)) }

// DidYouMeanExactly returns the hint that proposes the one of names that is one edit from name, or
// "".
func DidYouMeanExactly(name string, names []string) string { return proposal(nearest(name, names, 1)) }

func proposal(name string) string {
	if name == "" {
		return ""
	}
	return `did you mean "` + name + `"?`
}

func fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '-', '_', '.', ' ':
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// distance is the number of bytes to insert, delete, change or swap with a neighbour.
func distance(a, b string) int {
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}

func abs(n int) int { return max(n, -n) }
