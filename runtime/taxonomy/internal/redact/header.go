package redact

import "strings"

// credentials finds what follows the words Bearer and Basic, which begin at i.
func credentials(s string, i, floor int) (int, int) {
	n, is := 0, isBearer
	switch {
	case foldAt(s, i, "bearer"):
		n = len("bearer")
	case foldAt(s, i, "basic"):
		n, is = len("basic"), isUserPassword
	}
	if n == 0 || !startsToken(s, i, floor) {
		return -1, 0
	}
	start := afterScheme(s, i+n)
	if start == i+n {
		return -1, 0
	}
	start += opening(s, start)
	end := valueEnd(s, start, min(len(s), start+sample))
	if !is(s[start:end]) {
		return -1, 0
	}
	return start, valueEnd(s, end, len(s))
}

// afterScheme skips what separates a scheme that ends at i from the credentials.
func afterScheme(s string, i int) int {
	if hasAt(s, i, ":") {
		i++
	}
	return skipSpaces(s, i)
}

// isBearer reports whether s, the beginning of what follows Bearer, is unlike a word, or longer
// than one. The names of parameters, such as error_description, are no words here.
func isBearer(s string) bool {
	return !isReference(s) && (skipWhile(s, 0, isWord) >= minKey || looksSecret(s, minCredential))
}

// authorization finds the credentials in the value of an Authorization header, which begins at i.
func authorization(s string, i int) (int, int) {
	i += opening(s, i)
	scheme := skipWhile(s, i, isToken)
	start := skipSpaces(s, scheme)
	if start == scheme {
		return value(s, i, someDoubt)
	}
	switch is := s[i:scheme]; {
	case isOneOf(is, "bearer", "basic", "token", "apikey", "negotiate"):
		return value(s, start, noDoubt)
	case isOneOf(is, "digest", "aws4-hmac-sha256"):
		return restOfLine(s, start)
	}
	return value(s, i, someDoubt)
}

// assignedAuthorization is authorization after '=', in source code perhaps.
func assignedAuthorization(s string, from int, spaced bool) (int, int) {
	n := opening(s, from)
	i := from + n
	scheme := skipWhile(s, i, isToken)
	if !isOneOf(s[i:scheme], "bearer", "basic", "token", "apikey", "negotiate") {
		return value(s, from, noDoubt)
	}
	start := skipSpaces(s, scheme)
	switch {
	case start == scheme && (start == len(s) || isTerminator(s[start])), n > 0 && hasAt(s, start, s[from:i]):
		return -1, 0 // nothing but the scheme
	case start == scheme:
		return value(s, from, noDoubt)
	case spaced && n == 0:
		return value(s, start, someDoubt)
	}
	return value(s, start, noDoubt)
}

// isOneOf reports whether s is one of the words, in any case.
func isOneOf(s string, words ...string) bool {
	for _, word := range words {
		if strings.EqualFold(s, word) {
			return true
		}
	}
	return false
}

// restOfLine returns the bounds of what is at i up to the end of the line.
func restOfLine(s string, i int) (int, int) {
	end := i
	for end < len(s) && s[end] != '\n' && s[end] != '\r' && !ends(s, end) {
		end++
	}
	if end == i {
		return -1, 0
	}
	return i, end
}

// userinfo finds user:password in user:password@host, which begins at i, after the "://". The user
// goes with the password, because some services take a key for the user's name. Without a password,
// too, the user may be a key.
func userinfo(s string, i int) (int, int) {
	start, key, end := i, -1, -1
	password := false
	for ; i < len(s) && !endsUserinfo(s[i]) && !ends(s, i); i++ {
		switch {
		case s[i] == ':':
			password = true
		case s[i] == '@' && password:
			end = i
		case s[i] == '@':
			key = i
		}
	}
	switch {
	case end >= 0:
		return start, end
	case key >= start+minKey && hasDigit(s[start:key]):
		return start, key
	}
	return -1, 0
}

func endsUserinfo(c byte) bool {
	if isBlank(c) || c == escape {
		return true
	}
	switch c {
	case '/', '?', '#', '"', '\'', '`', '\\', '<', '>', '|', '{', '}', '(', ')', ',', ';':
		return true
	}
	return false
}

// foldAt reports whether word, in lower case, is at i in any case.
func foldAt(s string, i int, word string) bool {
	if len(s)-i < len(word) {
		return false
	}
	for j := range len(word) {
		if s[i+j]|0x20 != word[j] {
			return false
		}
	}
	return true
}
