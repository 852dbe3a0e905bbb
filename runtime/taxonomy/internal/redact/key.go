package redact

// keyKind says how the key before a separator is written, if it names a secret.
type keyKind uint8

const (
	noKey keyKind = iota
	plainKey
	quotedKey
	authorizationKey
)

// keyBefore says what kind of key ends before the separator at i.
func keyBefore(s string, i, floor int) keyKind {
	for n := 0; n < maxSpaces && i > floor && (s[i-1] == ' ' || s[i-1] == '\t'); n++ {
		i--
	}
	kind := plainKey
	if i > floor && isQuote(s[i-1]) {
		kind = quotedKey
		if i--; i > floor && s[i-1] == '\\' {
			i--
		}
	}
	if i-floor < minName {
		return noKey
	}
	for _, n := range namesEndingIn(s[i-2]|0x20, s[i-1]|0x20) {
		if endsInName(s, i, floor, n) {
			return refine(s, i, n, kind)
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

// The names of secrets by their last two letters, without '_' and '-', which may stand anywhere in them. A longer
// key that ends with a name as a word of its own names a secret, too: clientSecret, AWS_SECRET_ACCESS_KEY.
var (
	namesRD = []string{"password"}
	namesWD = []string{"passwd", "pwd"}
	namesSE = []string{"passphrase"}
	namesET = []string{"secret"}
	namesEN = []string{"token", "authtoken", "accesstoken", "refreshtoken"}
	namesEY = []string{"apikey", "accesskey", "secretkey", "privatekey"}
	namesLS = []string{"credentials"}
	namesON = []string{"authorization"}
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
	}
	return nil
}

// endsInName reports whether name ends at i as a word of its own.
func endsInName(s string, i, floor int, name string) bool {
	for n, last := len(name), max(floor, i-maxKey); n > 0; {
		if i--; i < last {
			return false
		}
		c := s[i]
		if c == '_' || c == '-' {
			continue
		}
		if n--; c|0x20 != name[n] {
			return false
		}
	}
	return i == floor || !isWord(s[i-1]) || isUpper(s[i]) && !isUpper(s[i-1])
}

// refine returns the kind of a key whose name, n, ends at end.
func refine(s string, end int, n string, kind keyKind) keyKind {
	switch {
	case n == "authorization":
		return authorizationKey
	case n == "pwd" && hasAt(s, end, "=/"):
		return noKey // the working directory
	}
	return kind
}
