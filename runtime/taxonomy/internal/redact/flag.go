package redact

import "strings"

// maxCommand bounds how far before a flag the name of the command is looked for.
const maxCommand = 64

// flagValue finds the value of a flag of a command line whose first '-' is at i: --password VALUE,
// -token VALUE, and the user:password of curl's -u and --user.
func flagValue(s string, i, floor int) (int, int) {
	if hasAt(s, i, "-u ") || hasAt(s, i, "--user ") {
		return curlUser(s, i, floor)
	}
	end := i + 1
	for last := min(len(s), i+maxKey); end < last && isToken(s[end]); {
		end++
	}
	start := skipSpaces(s, end)
	if start == end {
		return -1, 0
	}
	kind := keyBefore(s, end, i)
	if kind == noKey {
		return -1, 0
	}
	if token, _ := next(s, i+1, end, floor); token >= 0 {
		return -1, 0 // the name is itself a secret, which comes first
	}
	switch kind {
	case plainKey:
		return quotedOr(s, start, someDoubt)
	case tokenKey, bareTokenKey:
		return value(s, start, someDoubt)
	}
	return -1, 0
}

// curlUser finds the user and password in what follows the flag at i of a curl.
func curlUser(s string, i, floor int) (int, int) {
	if !commandBefore(s, i, floor, "curl ") {
		return -1, 0
	}
	start := skipSpaces(s, i+strings.IndexByte(s[i:], ' '))
	n := opening(s, start)
	quote := s[start : start+n]
	start += n
	end := endOf(s, start, min(len(s), start+sample), quote)
	colon := strings.IndexByte(s[start:end], ':')
	if colon < 0 || start+colon == end-1 {
		return -1, 0
	}
	return start, endOf(s, end, len(s), quote)
}

// endOf returns where a value that began with quote, if that is not empty, ends, at most limit.
func endOf(s string, i, limit int, quote string) int {
	if quote == "" {
		return valueEnd(s, i, limit)
	}
	return closingWithin(s, i, limit, quote, false)
}

// commandBefore reports whether name is before i, on the same line and with no mask between, before
// which nothing was looked at when it was put there.
func commandBefore(s string, i, floor int, name string) bool {
	t := s[max(floor, i-maxCommand):i]
	return strings.Contains(t[strings.LastIndexAny(t, "\n]")+1:], name)
}
