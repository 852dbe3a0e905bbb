package redact

import "strings"

// keyKind says how the key before a separator is written, if it names a secret.
type keyKind uint8

const (
	noKey keyKind = iota
	plainKey
	quotedKey
	tokenKey     // one of two words at least, such as access_token
	bareTokenKey // the word itself, which is what parsers say, too
	authorizationKey
	cookieKey
	signatureKey
)

// isToken reports whether the key names a token, without quotes.
func (k keyKind) isToken() bool { return k == tokenKey || k == bareTokenKey }

// keyBefore says what kind of key ends before the separator at i.
func keyBefore(s string, i, floor int) keyKind {
	for n := 0; n < maxSpaces && i > floor && isSpace(s[i-1]); n++ {
		i--
	}
	kind := plainKey
	if i > floor && isQuote(s[i-1]) {
		kind = quotedKey
		i--
		for n := 0; n < maxSlashes && i > floor && s[i-1] == '\\'; n++ {
			i--
		}
	}
	if i-floor < minName {
		return noKey
	}
	for _, n := range namesEndingIn(s[i-2]|0x20, s[i-1]|0x20) {
		if start := nameStart(s, i, floor, n); start >= 0 {
			return refine(s, start, i, floor, n, kind)
		}
	}
	return noKey
}

const (
	// minName is the length of the shortest name.
	minName = 3
	// maxKey bounds how many bytes a name may take with the '_' and '-' in it.
	maxKey = 48
)

// The names of secrets by their last two letters, without '_' and '-', which may stand anywhere in
// them. A longer key that ends with a name as a word of its own names a secret, too: clientSecret,
// AWS_SECRET_ACCESS_KEY; with some names even as a part of a word: PGPASSWORD.
var (
	namesRD = []string{"password"}
	namesWD = []string{"passwd", "pwd"}
	namesSE = []string{"passphrase"}
	namesET = []string{"secret"}
	namesEN = []string{"token", "authtoken", "accesstoken", "refreshtoken"}
	namesEY = []string{"apikey", "accesskey", "secretkey", "privatekey", "accountkey"}
	namesLS = []string{"credentials"}
	namesON = []string{"authorization"}
	namesIE = []string{"cookie"}
	namesRE = []string{"signature"}
	namesIG = []string{"sig"}
)

func namesEndingIn(a, b byte) []string {
	switch uint16(a)<<8 | uint16(b) {
	case 'r'<<8 | 'd':
		return namesRD
	case 'w'<<8 | 'd':
		return namesWD
	case 's'<<8 | 'e':
		return namesSE
	case 'e'<<8 | 't':
		return namesET
	case 'e'<<8 | 'n':
		return namesEN
	case 'e'<<8 | 'y':
		return namesEY
	case 'l'<<8 | 's':
		return namesLS
	case 'o'<<8 | 'n':
		return namesON
	case 'i'<<8 | 'e':
		return namesIE
	case 'r'<<8 | 'e':
		return namesRE
	case 'i'<<8 | 'g':
		return namesIG
	}
	return nil
}

// nameStart returns where name begins if it ends at i, as a word of its own if it must be one;
// otherwise -1.
func nameStart(s string, i, floor int, name string) int {
	for n, last := len(name), max(floor, i-maxKey); n > 0; {
		if i--; i < last {
			return -1
		}
		c := s[i]
		if c == '_' || c == '-' {
			continue
		}
		if n--; c|0x20 != name[n] {
			return -1
		}
	}
	if isWordName(name) && !startsWord(s, i, floor) {
		return -1
	}
	return i
}

// isWordName reports whether name names a secret only as a word of its own: the others say what
// they are as the end of a longer word, too.
func isWordName(name string) bool {
	switch name {
	case "token", "pwd", "authorization", "cookie", "signature", "sig":
		return true
	}
	return false
}

// startsWord reports whether a word begins at i, be it after a small letter.
func startsWord(s string, i, floor int) bool {
	return i == floor || !isWord(s[i-1]) || isUpper(s[i]) && !isUpper(s[i-1]) || afterEscape(s, i, floor)
}

// refine returns the kind of a key whose name, n, is s[start:end].
func refine(s string, start, end, floor int, n string, kind keyKind) keyKind {
	switch {
	case n == "authorization":
		return authorizationKey
	case n == "cookie":
		return cookieKey
	case n == "signature" || n == "sig":
		return signatureKey
	case n == "pwd" && hasAt(s, end, "=/"):
		return noKey // the working directory
	case n == "token" && isCount(s, start, floor):
		return noKey
	case kind == quotedKey:
		return quotedKey
	case n == "token" && isBare(s, start, floor):
		return bareTokenKey
	case namesToken(n):
		return tokenKey
	}
	return kind
}

func namesToken(name string) bool { return strings.HasSuffix(name, "token") }

// isCount reports whether a word is before i with which a token is a number: max_token.
func isCount(s string, i, floor int) bool {
	if i > floor && (s[i-1] == '_' || s[i-1] == '-') {
		i--
	}
	for _, word := range [...]string{"max", "min", "num"} {
		start := i - len(word)
		if start >= floor && foldAt(s, start, word) && startsWord(s, start, floor) {
			return true
		}
	}
	return false
}

// isBare reports whether nothing of a key is before the name at i.
func isBare(s string, i, floor int) bool {
	return i == floor || !isToken(s[i-1]) || afterEscape(s, i, floor)
}
