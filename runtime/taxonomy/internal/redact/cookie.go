package redact

// cookies finds the cookies in the value of a Cookie or Set-Cookie header, which begins at i:
// name=value, and all that follows it on the line. Prose about cookies has no such pair.
func cookies(s string, i int) (int, int) {
	listed := bracket(s, i)
	i = skipSpaces(s, i+listed)
	n := opening(s, i)
	start := i + n
	name := skipWhile(s[:min(len(s), start+sample)], start, isCookieName)
	if name == start || !hasAt(s, name, "=") || name+1 == len(s) || !isCookieValue(s[name+1]) || ends(s, name+1) {
		return -1, 0
	}
	if n > 0 {
		return start, closingWithin(s, start, len(s), s[i:start], false)
	}
	return start, cookiesEnd(s, name+1, listed > 0)
}

// cookiesEnd returns where cookies without quotes around them end. A value itself may be in quotes.
func cookiesEnd(s string, i int, listed bool) int {
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case isLineBreak(c), c == escape, c == '\\', c == '\'', c == '`', listed && c == ']', ends(s, i):
			return i
		case c == '"' && s[i-1] != '=' && !closesCookie(s, i):
			return i
		}
	}
	return i
}

// closesCookie reports whether the quote at i, which opens no value, closes one: then another
// cookie follows, or nothing on the line.
func closesCookie(s string, i int) bool {
	return i+1 == len(s) || s[i+1] == ';' || s[i+1] == '\n' || s[i+1] == '\r'
}

func isCookieName(c byte) bool { return isToken(c) || c == '.' }

func isCookieValue(c byte) bool { return c > ' ' && c != ';' && c != ',' && c != '\\' && c != 0x7f }

// inQuery reports whether the key before i is a parameter of a URL's query.
func inQuery(s string, i, floor int) bool {
	for last := max(floor, i-maxKey); i > last && isToken(s[i-1]); {
		i--
	}
	return i > floor && (s[i-1] == '?' || s[i-1] == '&' || s[i-1] == ';')
}
