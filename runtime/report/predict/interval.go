package predict

import "math"

// below is how sure it is, of a share p among n calls, that the true share is below x. Where it is
// α and 1-α are the ends of Wilson's interval.
func below(x, p, n float64) float64 {
	if !(n > 0) {
		return 0.5
	}
	z := (x - p) / math.Sqrt(max(x*(1-x)/n, math.SmallestNonzeroFloat64))
	return math.Erfc(-z/math.Sqrt2) / 2
}

// lastWhere returns the greatest x between 0 and 1 where f is true, which it is up to there and not
// beyond; 0 when it never is.
func lastWhere(f func(x float64) bool) float64 {
	if f(1) {
		return 1
	}
	yes, no := 0.0, 1.0
	for range 30 {
		if x := (yes + no) / 2; f(x) {
			yes = x
		} else {
			no = x
		}
	}
	return yes
}
