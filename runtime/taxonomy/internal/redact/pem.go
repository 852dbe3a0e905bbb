package redact

import "strings"

const (
	pemBegin = "-----BEGIN "
	pemEnd   = "-----END "
	pemDash  = "-----"
)

// maxLabel bounds the label of a PEM block.
const maxLabel = 64

// privateKey finds a private key in PEM, which begins at i: all up to the end of its last line, or
// of the text when that line is missing.
func privateKey(s string, i int) (int, int) {
	start := i + len(pemBegin)
	end := labelEnd(s, start)
	if !hasAt(s, end, pemDash) || !strings.Contains(s[start:end], "PRIVATE KEY") {
		return -1, 0
	}
	body := end + len(pemDash)
	n := strings.Index(s[body:], pemEnd)
	if n < 0 {
		return i, len(s)
	}
	end = labelEnd(s, body+n+len(pemEnd))
	if !hasAt(s, end, pemDash) {
		return i, len(s)
	}
	return i, end + len(pemDash)
}

func labelEnd(s string, i int) int {
	limit := min(len(s), i+maxLabel)
	for i < limit && (s[i] == ' ' || isCapital(s[i])) {
		i++
	}
	return i
}
