package redact

import (
	"slices"
	"strings"
)

// schemes are the schemes of an Authorization header. From lineScheme on, the credentials are the
// rest of the line.
var schemes = [...]string{"bearer", "basic", "token", "apikey", "negotiate", "digest", "aws4-hmac-sha256"}

const lineScheme = 5

// authorization finds the credentials in the value at i of an Authorization header.
func authorization(s string, i int, as form) (int, int) {
	q := opening(s, i)
	end := skipWhile(s, i+q, base64url)
	start := skipSpaces(s, end)
	scheme := slices.IndexFunc(schemes[:], func(name string) bool { return strings.EqualFold(name, s[i+q:end]) })
	switch {
	case scheme < 0, start == end && end < len(s) && !terminator.has(s[end]) && !ends(s, end):
		return value(s, i, rules[authorizationKey][as])
	case start == end, q > 0 && hasAt(s, start, s[i:i+q]): // only the scheme
		return -1, 0
	case scheme >= lineScheme:
		for end = start; end < len(s) && !lineBreak.has(s[end]) && !ends(s, end); {
			end++
		}
		if end == start {
			return -1, 0
		}
		return start, end
	case q == 0 && as == code:
		return value(s, start, rule{complexWord, complexWord})
	}
	return value(s, start, rule{anyValue, anyValue})
}

// credentials finds the credentials after the words Bearer and Basic, which begin at i.
func credentials(s string, i, floor int) (int, int) {
	n, accept := len("bearer"), isBearer
	if !foldAt(s, i, "bearer") {
		n, accept = len("basic"), isUserPassword
		if !foldAt(s, i, "basic") {
			return -1, 0
		}
	}
	if !startsToken(s, i, floor) {
		return -1, 0
	}
	from := i + n
	if hasAt(s, from, ":") {
		from++
	}
	start := skipSpaces(s, from)
	if start == i+n {
		return -1, 0
	}
	start += opening(s, start)
	if !accept(s[start:valueEnd(s, start, min(len(s), start+sample), "")]) {
		return -1, 0
	}
	return start, valueEnd(s, start, len(s), "")
}

// userinfo finds the user:password of user:password@host, which begins at i, after "://". It
// includes the user, because some services take a key for it. A user without a password may also be
// a key.
func userinfo(s string, i int) (int, int) {
	start, user, end, hasPassword := i, -1, -1, false
	for ; i < len(s) && !endsUserinfo(s[i]) && !ends(s, i); i++ {
		switch {
		case s[i] == ':':
			hasPassword = true
		case s[i] == '@' && hasPassword:
			end = i
		case s[i] == '@':
			user = i
		}
	}
	switch {
	case end >= 0:
		return start, end
	case user >= start+16 && hasDigit(s[start:user]):
		return start, user
	}
	return -1, 0
}

func endsUserinfo(c byte) bool {
	return c == '/' || c == '?' || c == '#' || terminator.has(c) && c != '&' && c != ']'
}

// cookies finds the cookies in the value at i of a Cookie or Set-Cookie header: name=value and the
// rest of the line, or of the element of a list. Prose about cookies has no such pair.
func cookies(s string, i int, listed bool) (int, int) {
	q := opening(s, i)
	start := i + q
	name := skipWhile(s[:min(len(s), start+sample)], start, dotted)
	if name == start || !hasAt(s, name, "=") || name+1 == len(s) || !isCookieValue(s[name+1]) || ends(s, name+1) {
		return -1, 0
	}
	if q > 0 {
		return start, valueEnd(s, start, len(s), s[i:start])
	}
	for i = name + 1; i < len(s) && !ends(s, i); i++ {
		c := s[i]
		if lineBreak.has(c) || c == escape || c == '\\' || c == '\'' || c == '`' || listed && c == ']' {
			break
		}
		// A quote around a cookie's value follows '=', or ends the cookie.
		if c == '"' && s[i-1] != '=' && i+1 < len(s) && s[i+1] != ';' && !lineBreak.has(s[i+1]) {
			break
		}
	}
	return start, i
}

func isCookieValue(c byte) bool { return c > ' ' && c != ';' && c != ',' && c != '\\' && c != 0x7f }
