package redact

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// doubt says how much a value must look like a secret.
type doubt uint8

const (
	noDoubt   doubt = iota // any value is one
	someDoubt              // words are none
	muchDoubt              // names in source code are none either
)

const (
	// minDigits is how many digits make a value random; names in source code seldom have as many.
	minDigits = 3
	// minChanges is how often capitals, small letters and digits take turns in a value that is
	// random.
	minChanges = 8
)

// isSecret reports whether s, the beginning of a value, can be one under d.
func isSecret(s string, d doubt, least int) bool {
	switch {
	case isReference(s):
		return false
	case d == noDoubt:
		return true
	case d == muchDoubt:
		return len(s) >= sample || len(s) >= least && looksRandom(s)
	}
	return !isType(s) && looksSecret(s, least)
}

// looksSecret reports whether s, the beginning of a value, is unlike a word: long enough, with a
// digit, a capital after a small letter or, not at its end, a sign that words do not have. What
// fills the sample is.
func looksSecret(s string, least int) bool {
	if len(s) >= sample {
		return true
	}
	if len(s) < least {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c), i < len(s)-1 && strings.IndexByte("!@#$%^*+=~", c) >= 0:
			return true
		case isUpper(c) && i > 0 && isLower(s[i-1]):
			return true
		}
	}
	return false
}

// looksRandom reports whether s is unlike a name in source code, too: it has many digits, or its
// letters take turns too often.
func looksRandom(s string) bool {
	digits, changes := 0, 0
	for i := range len(s) {
		if isDigit(s[i]) {
			digits++
		}
		if i > 0 && kindOf(s[i]) != kindOf(s[i-1]) {
			changes++
		}
	}
	return digits >= minDigits || changes >= minChanges
}

// kindOf tells capitals, small letters and digits apart.
func kindOf(c byte) byte {
	switch {
	case isUpper(c):
		return 'A'
	case isLower(c):
		return 'a'
	case isDigit(c):
		return '0'
	}
	return 0
}

// isReference reports whether a value that begins with s only says where to find one: ${X},
// whatever follows, and $X in capitals, because a password may well begin with a dollar sign. A
// lone dollar sign is what is left of a reference that a mask stands in.
func isReference(s string) bool {
	if s == "" || s[0] != '$' || len(s) >= sample {
		return false
	}
	return hasAt(s, 1, "{") || skipWhile(s, 1, isConstant) == len(s)
}

func isConstant(c byte) bool { return isCapital(c) || c == '_' }

// isType reports whether s is a pointer's type in source code, such as *rsa.PrivateKey2.
func isType(s string) bool {
	return len(s) > 1 && len(s) < sample && s[0] == '*' && skipWhile(s, 1, isSelector) == len(s)
}

func isSelector(c byte) bool { return isWord(c) || c == '_' || c == '.' }

// isUserPassword reports whether s begins as user:password does in base64, or is so random that it
// is no word after Basic. Only what is before the colon is looked at, so that a longer text is none
// the less one.
func isUserPassword(s string) bool {
	if len(s) >= sample {
		return true
	}
	return len(s) >= minCredential && (looksRandom(s) || hasColonInBase64(s))
}

func hasColonInBase64(s string) bool {
	var encoded, decoded [sample]byte
	n := copy(encoded[:], s[:skipWhile(s, 0, isBase64)])
	n, err := base64.RawStdEncoding.Decode(decoded[:], encoded[:n&^3])
	if err != nil {
		return false
	}
	user, _, ok := bytes.Cut(decoded[:n], []byte(":"))
	return ok && bytes.IndexFunc(user, isControl) < 0
}

func isBase64(c byte) bool { return isWord(c) || c == '+' || c == '/' }

func isControl(r rune) bool { return r < ' ' || r == 0x7f || r == '\ufffd' }
