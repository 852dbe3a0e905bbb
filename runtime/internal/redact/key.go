package redact

import (
	"math/bits"
	"strings"
)

// keyKind is the kind of the key before a separator. It selects how the value is judged.
type keyKind uint8

const (
	noKey keyKind = iota
	plainKey
	quotedKey
	passKey          // pass by itself, which test runners print, too
	tokenKey         // at least two words, such as access_token
	bareTokenKey     // token by itself, which parsers print, too
	authorizationKey // a scheme and credentials
	cookieKey        // cookies up to the end of the line
	queryKey         // a secret only in the query of a URL
	googleKey        // a secret only in the query of a URL of googleapis.com
	nameOnly         // prose uses the word; only [IsSecretKey] counts it
)

// names are the keys of secrets in small letters, without '_' and '-'. A longer key that ends in
// one counts as well, such as clientSecret or AWS_SECRET_ACCESS_KEY. If word is set, the name must
// be a word of its own, otherwise a part of one is enough: PGPASSWORD.
var names = [...]struct {
	name string
	word bool
	kind keyKind
}{
	{name: "password", kind: plainKey},
	{name: "passwd", kind: plainKey},
	{name: "pwd", word: true, kind: plainKey},
	{name: "pass", word: true, kind: plainKey},
	{name: "passphrase", kind: plainKey},
	{name: "secret", kind: plainKey},
	{name: "credentials", kind: plainKey},
	{name: "apikey", kind: plainKey},
	{name: "accesskey", kind: plainKey},
	{name: "secretkey", kind: plainKey},
	{name: "privatekey", kind: plainKey},
	{name: "accountkey", kind: plainKey},
	{name: "token", word: true, kind: tokenKey},
	{name: "authtoken", kind: tokenKey},
	{name: "accesstoken", kind: tokenKey},
	{name: "refreshtoken", kind: tokenKey},
	{name: "authorization", word: true, kind: authorizationKey},
	{name: "cookie", word: true, kind: cookieKey},
	{name: "signature", word: true, kind: queryKey},
	{name: "sig", word: true, kind: queryKey},
	{name: "key", word: true, kind: googleKey},

	{name: "auth", word: true, kind: nameOnly},
	{name: "bearer", word: true, kind: nameOnly},
	{name: "cookies", word: true, kind: nameOnly},
	{name: "credential", word: true, kind: nameOnly},
	{name: "dsn", word: true, kind: nameOnly},
	{name: "session", word: true, kind: nameOnly},
}

const (
	minName    = 3
	maxName    = 13
	maxKey     = 48  // with the '_' and '-' in it
	maxCommand = 64  // distance of a command from its flag
	maxURL     = 256 // distance of a host from a parameter
)

// IsSecretKey reports whether a value is a secret because its key is name.
func IsSecretKey(name string) bool {
	kind, _ := findName(name, len(name), 0)
	return kind != noKey && kind != googleKey
}

// Sets of [names], in which bit k is names[k].
var (
	// nameLetters are the names by a letter: its place, counted from the end, and its low 5 bits.
	nameLetters [maxName][32]uint32
	// nameLengths are the names by their lengths.
	nameLengths [maxName + 1]uint32
)

var _ [32 - len(names)]struct{} // each name has a bit

// findName returns the kind and the start of the name of a secret that ends at i.
func findName(s string, i, floor int) (kind keyKind, start int) {
	found, left := len(names), ^uint32(0)
	first := max(floor, i-maxKey)
	for n := 0; i > first && n < maxName; {
		i--
		switch c := s[i]; {
		case letter.has(c):
			left &= nameLetters[n][c&31]
			n++
		case n == 0 || c != '_' && c != '-':
			left = 0
		}
		if left == 0 {
			break
		}
		k := bits.TrailingZeros32(left & nameLengths[n])
		if k < found && (!names[k].word || startsWord(s, i, floor)) {
			found, start = k, i
		}
	}
	if found == len(names) || names[found].name == "token" && isCount(s, start, floor) {
		return noKey, 0
	}
	return names[found].kind, start
}

// startsWord reports whether a word begins at i, even after a small letter.
func startsWord(s string, i, floor int) bool {
	return i == floor || !alnum.has(s[i-1]) || capital.has(s[i]) && !capital.has(s[i-1]) ||
		afterEscape(s, i, floor)
}

// isCount reports whether the word before the name at i makes it a number: max_token.
func isCount(s string, i, floor int) bool {
	if i > floor && (s[i-1] == '_' || s[i-1] == '-') {
		i--
	}
	start := i - len("max")
	if start < floor {
		return false
	}
	switch strings.ToLower(s[start:i]) {
	case "max", "min", "num":
		return startsWord(s, start, floor)
	}
	return false
}

// keyBefore returns the kind of the key that ends before the separator at i.
func keyBefore(s string, i, floor int) keyKind {
	for n := 0; n < maxSpaces && i > floor && space.has(s[i-1]); n++ {
		i--
	}
	quoted := i > floor && quote.has(s[i-1])
	if quoted {
		i--
		for n := 0; n < maxSlashes && i > floor && s[i-1] == '\\'; n++ {
			i--
		}
	}
	if i-floor < minName || !isPair(&nameEnds, s[i-2], s[i-1]) {
		return noKey
	}
	kind, start := findName(s, i, floor)
	switch {
	case kind == nameOnly:
		return noKey
	case quoted && (kind == plainKey || kind == tokenKey):
		return quotedKey
	case kind != plainKey && kind != tokenKey:
		return kind
	}
	switch bare := startsToken(s, start, floor); {
	case bare && kind == tokenKey && i-start == len("token"):
		return bareTokenKey
	case bare && i-start == len("pass"):
		if s[start+1] == 'A' && hasAt(s, i, ":") { // a test's result
			return noKey
		}
		return passKey
	case hasAt(s, i, "=/") && foldAt(s, i-3, "pwd"): // the working directory
		return noKey
	}
	return kind
}

// assigned finds the value of a key in key=value, key = "value", key := value and key => value; '='
// is at i.
func assigned(s string, i, floor int) (int, int) {
	at := i
	if at > floor && s[at-1] == ':' {
		at--
	}
	spaced := at > floor && space.has(s[at-1])
	from := i + 1
	if hasAt(s, from, "=") || hasAt(s, from, ">") {
		from++
	}
	from = skipSpaces(s, from)
	switch kind := keyBefore(s, at, floor); kind {
	case noKey, cookieKey:
		return -1, 0
	case queryKey:
		if !inQuery(s, at, floor) {
			return -1, 0
		}
	case googleKey:
		if !inQuery(s, at, floor) || !inGoogleURL(s, at, floor) {
			return -1, 0
		}
	case authorizationKey:
		n := acceptAny
		if spaced {
			n = needComplex
		}
		return authorization(s, from, acceptAny, n)
	case passKey:
		return quotedOr(s, from, needComplex)
	case tokenKey, bareTokenKey:
		if spaced || at < i { // an assignment in source code
			return quotedOr(s, from, needRandom)
		}
	}
	return value(s, from, acceptAny)
}

// mapped finds the value of a key in key: value and "key": "value"; ':' is at i.
func mapped(s string, i, floor int) (int, int) {
	from := skipSpaces(s, i+1)
	switch keyBefore(s, i, floor) {
	case plainKey, passKey:
		return quotedOr(s, from, needComplex)
	case tokenKey:
		return value(s, from, needComplex)
	case bareTokenKey:
		return value(s, from, needRandom)
	case quotedKey:
		if n := bracket(s, from); n > 0 {
			return list(s, skipSpaces(s, from+n))
		}
		return quotedOr(s, from, needComplex)
	case authorizationKey:
		return authorization(s, from+bracket(s, from), needComplex, acceptAny)
	case cookieKey:
		return cookies(s, from)
	}
	return -1, 0
}

// bracket returns the length of the bracket at i that begins a list, or 0.
func bracket(s string, i int) int {
	if hasAt(s, i, "[") && !hasAt(s, i, Mask) {
		return 1
	}
	return 0
}

// flagValue finds the value of a flag whose first '-' is at i: --password VALUE, -token VALUE, and
// user:password after curl's -u and --user.
func flagValue(s string, i, floor int) (int, int) {
	if hasAt(s, i, "-u ") || hasAt(s, i, "--user ") {
		return curlUser(s, i, floor)
	}
	end := skipWhile(s[:min(len(s), i+maxKey)], i+1, base64url)
	start := skipSpaces(s, end)
	if start == end {
		return -1, 0
	}
	kind := keyBefore(s, end, i)
	if kind == noKey {
		return -1, 0
	}
	if token, _ := next(s, i+1, end, floor); token >= 0 {
		return -1, 0 // the flag itself contains a secret, which comes first
	}
	switch kind {
	case plainKey, passKey:
		return quotedOr(s, start, needComplex)
	case tokenKey, bareTokenKey:
		return value(s, start, needComplex)
	}
	return -1, 0
}

// curlUser finds user:password after the flag at i of the command curl.
func curlUser(s string, i, floor int) (int, int) {
	command := s[max(floor, i-maxCommand):i]
	if !strings.Contains(command[strings.LastIndexAny(command, "\n]")+1:], "curl ") { // a mask ends in ']'
		return -1, 0
	}
	start := skipSpaces(s, i+strings.IndexByte(s[i:], ' '))
	q := opening(s, start)
	quote := s[start : start+q]
	start += q
	end := valueEnd(s, start, len(s))
	if q > 0 {
		end = closing(s, start, len(s), quote)
	}
	colon := strings.IndexByte(s[start:min(end, start+sample)], ':')
	if colon < 0 || start+colon == end-1 {
		return -1, 0
	}
	return start, end
}

// inQuery reports whether the key before i is a parameter of a URL's query.
func inQuery(s string, i, floor int) bool {
	for first := max(floor, i-maxKey); i > first && base64url.has(s[i-1]); {
		i--
	}
	return i > floor && (s[i-1] == '?' || s[i-1] == '&' || s[i-1] == ';')
}

// inGoogleURL reports whether i is in a URL of googleapis.com, with no mask before it.
func inGoogleURL(s string, i, floor int) bool {
	url := s[max(floor, i-maxURL):i]
	return strings.Contains(url[strings.LastIndexAny(url, " \t\r\n\"'<>[]")+1:], ".googleapis.com/")
}

// schemes are the schemes of an Authorization header. If line is set, the credentials are the rest
// of the line.
var schemes = [...]struct {
	name string
	line bool
}{
	{name: "bearer"}, {name: "basic"}, {name: "token"}, {name: "apikey"}, {name: "negotiate"},
	{name: "digest", line: true}, {name: "aws4-hmac-sha256", line: true},
}

// authorization finds the credentials in the value at i of an Authorization header. They must meet
// unquoted if their scheme is known and they have no quotes, and alone if they have no scheme.
func authorization(s string, i int, alone, unquoted need) (int, int) {
	q := opening(s, i)
	scheme := skipWhile(s, i+q, base64url)
	start := skipSpaces(s, scheme)
	for _, known := range schemes {
		switch {
		case !strings.EqualFold(s[i+q:scheme], known.name):
		case start == scheme && start < len(s) && !terminator.has(s[start]):
		case start == scheme, q > 0 && hasAt(s, start, s[i:i+q]):
			return -1, 0 // only the scheme
		case known.line:
			end := start
			for end < len(s) && !lineBreak.has(s[end]) && !ends(s, end) {
				end++
			}
			if end == start {
				return -1, 0
			}
			return start, end
		case q > 0:
			return value(s, start, acceptAny)
		default:
			return value(s, start, unquoted)
		}
	}
	if q == 0 || alone == acceptAny {
		return value(s, i, alone)
	}
	start = i + q
	end := closing(s, start, min(len(s), start+sample), s[i:start])
	if end-start < minValue || !alone.metBy(s[start:end]) {
		return -1, 0
	}
	return start, closing(s, end, len(s), s[i:start])
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
	end := valueEnd(s, start, min(len(s), start+sample))
	if !accept(s[start:end]) {
		return -1, 0
	}
	return start, valueEnd(s, end, len(s))
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
// rest of the line. Prose about cookies has no such pair.
func cookies(s string, i int) (int, int) {
	listed := bracket(s, i)
	i = skipSpaces(s, i+listed)
	q := opening(s, i)
	start := i + q
	name := skipWhile(s[:min(len(s), start+sample)], start, dotted)
	if name == start || !hasAt(s, name, "=") || name+1 == len(s) || !isCookieValue(s[name+1]) || ends(s, name+1) {
		return -1, 0
	}
	if q > 0 {
		return start, closing(s, start, len(s), s[i:start])
	}
	for i = name + 1; i < len(s) && !ends(s, i); i++ {
		c := s[i]
		if lineBreak.has(c) || c == escape || c == '\\' || c == '\'' || c == '`' || listed > 0 && c == ']' {
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

// foldAt reports whether word, in small letters, is at i in any case.
func foldAt(s string, i int, word string) bool {
	return len(s)-i >= len(word) && strings.EqualFold(s[i:i+len(word)], word)
}
