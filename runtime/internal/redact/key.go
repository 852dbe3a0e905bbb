package redact

import (
	"strings"
)

// keyKind is the kind of the key before a separator.
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
	storeKey         // the address of a database, with its options
	hookKey          // a secret only if the value is a URL, because hooks are programs, too
	urlKey           // a hookKey directly below a hookKey
	nameOnly         // prose uses the word; only [IsSecretKey] counts it
)

// name is a name of the keys of secrets.
type name struct {
	name       string
	word       bool
	kind, bare keyKind
}

// names are the keys of secrets in small letters, without '_' and '-'. A longer key that ends in
// one counts as well, such as clientSecret or AWS_SECRET_ACCESS_KEY; the first one counts. If word
// is set, the name must be a word of its own, otherwise a part of one is enough: PGPASSWORD. A key
// that is only the name is of the kind bare, if that is set.
var names = [...]name{
	{name: "password", kind: plainKey},
	{name: "passwd", kind: plainKey},
	{name: "pwd", word: true, kind: plainKey},
	{name: "pass", word: true, kind: plainKey, bare: passKey},
	{name: "passphrase", kind: plainKey},
	{name: "secret", kind: plainKey},
	{name: "credentials", kind: plainKey},
	{name: "apikey", kind: plainKey},
	{name: "accesskey", kind: plainKey},
	{name: "secretkey", kind: plainKey},
	{name: "privatekey", kind: plainKey},
	{name: "accountkey", kind: plainKey},
	{name: "maxtoken", word: true}, // a number
	{name: "mintoken", word: true},
	{name: "numtoken", word: true},
	{name: "token", word: true, kind: tokenKey, bare: bareTokenKey},
	{name: "authtoken", kind: tokenKey},
	{name: "accesstoken", kind: tokenKey},
	{name: "refreshtoken", kind: tokenKey},
	{name: "authorization", word: true, kind: authorizationKey},
	{name: "cookie", word: true, kind: cookieKey},
	{name: "signature", word: true, kind: queryKey},
	{name: "sig", word: true, kind: queryKey},
	{name: "key", word: true, kind: googleKey},
	{name: "dsn", word: true, kind: storeKey},
	{name: "connectionstring", kind: storeKey},
	{name: "connstring", kind: storeKey},
	{name: "connstr", kind: storeKey},
	{name: "webhook", kind: hookKey},
	{name: "webhooks", kind: hookKey},
	{name: "hook", word: true, kind: hookKey},
	{name: "hooks", word: true, kind: hookKey},
	{name: "hookurl", kind: hookKey},
	{name: "hookuri", kind: hookKey},
	{name: "hookurls", kind: hookKey},
	{name: "hookuris", kind: hookKey},
	{name: "url", word: true, kind: urlKey},

	{name: "auth", word: true, kind: nameOnly},
	{name: "bearer", word: true, kind: nameOnly},
	{name: "cookies", word: true, kind: nameOnly},
	{name: "credential", word: true, kind: nameOnly},
	{name: "session", word: true, kind: nameOnly},
}

const (
	minName    = 3
	maxName    = 16
	maxKey     = 48  // with the '_' and '-' in it
	maxCommand = 64  // distance of a command from its flag
	maxURL     = 256 // distance of a host from a parameter
)

// form is how a value follows its key.
type form uint8

const (
	assignment form = iota // key=value
	code                   // key = value and key := value, as in source code
	mapping                // key: value
	flag                   // --key value
	forms
)

// rule has the needs that a value without quotes and a value in quotes must meet.
type rule struct{ plain, quoted need }

// rules are what values must meet by kind and form. The zero rule accepts none.
var rules = [...][forms]rule{
	plainKey: {
		assignment: {anyValue, anyValue}, code: {anyValue, anyValue},
		mapping: {complexWord, anyValue}, flag: {complexWord, anyValue},
	},
	quotedKey: {
		assignment: {anyValue, anyValue}, code: {anyValue, anyValue}, mapping: {complexWord, anyValue},
	},
	passKey: {
		assignment: {complexWord, anyValue}, code: {complexWord, anyValue},
		mapping: {complexWord, anyValue}, flag: {complexWord, anyValue},
	},
	tokenKey: {
		assignment: {anyValue, anyValue}, code: {randomWord, anyValue},
		mapping: {complexWord, complexWord}, flag: {complexWord, complexWord},
	},
	bareTokenKey: {
		assignment: {anyValue, anyValue}, code: {randomWord, anyValue},
		mapping: {randomWord, randomWord}, flag: {complexWord, complexWord},
	},
	authorizationKey: { // without a scheme
		assignment: {anyValue, anyValue}, code: {anyValue, anyValue}, mapping: {complexWord, complexPhrase},
	},
	queryKey:  {assignment: {anyValue, anyValue}, code: {anyValue, anyValue}},
	googleKey: {assignment: {anyValue, anyValue}, code: {anyValue, anyValue}},
	storeKey: {
		assignment: {anyValue, anyValue}, code: {anyValue, anyValue},
		mapping: {complexAddress, anyValue}, flag: {complexAddress, anyValue},
	},
	hookKey: {
		assignment: {address, address}, code: {address, address},
		mapping: {address, address}, flag: {address, address},
	},
}

// IsSecretKey reports whether a value is a secret because its key is name.
func IsSecretKey(name string) bool {
	kind, _ := findName(name, len(name), 0)
	return kind != noKey && kind != googleKey && kind != urlKey
}

// findName returns the kind and the start of the name of a secret that ends at i.
func findName(s string, i, floor int) (kind keyKind, start int) {
	var letters [maxName]byte   // before i, in small letters
	var distance [maxName]uint8 // from each of them to i
	n, end := maxName, i
	for first := max(floor, i-maxKey); i > first && n > 0; {
		i--
		if letter.has(s[i]) {
			n--
			letters[n], distance[n] = s[i]|0x20, uint8(end-i)
		} else if n == maxName || s[i] != '_' && s[i] != '-' {
			break
		}
	}
	for _, x := range namesBy[letters[maxName-1]&31] {
		from := maxName - len(x.name)
		if from < n || string(letters[from:]) != x.name {
			continue
		}
		switch start = end - int(distance[from]); {
		case x.word && !startsWord(s, start, floor):
		case x.bare != noKey && startsToken(s, start, floor):
			return x.bare, start
		default:
			return x.kind, start
		}
	}
	return noKey, 0
}

// startsWord reports whether a word begins at i, even after a small letter.
func startsWord(s string, i, floor int) bool {
	return i == floor || !alnum.has(s[i-1]) || capital.has(s[i]) && !capital.has(s[i-1]) ||
		afterEscape(s, i, floor)
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
	switch kind, start := findName(s, i, floor); kind {
	case nameOnly:
	case urlKey:
		if belowHook(s, start, floor) {
			return hookKey
		}
	case plainKey, passKey, tokenKey, bareTokenKey, storeKey:
		switch {
		case quoted:
			return quotedKey
		case kind == passKey && s[start+1] == 'A' && hasAt(s, i, ":"): // a test's result
		case kind == plainKey && hasAt(s, i, "=/") && foldAt(s, i-3, "pwd"): // the working directory
		default:
			return kind
		}
	default:
		return kind
	}
	return noKey
}

// assigned finds the value of a key in key=value, key = "value", key := value and key => value; '='
// is at i.
func assigned(s string, i, floor int) (int, int) {
	at, as := i, assignment
	if at > floor && s[at-1] == ':' {
		at, as = at-1, code
	}
	if at > floor && space.has(s[at-1]) {
		as = code
	}
	from := i + 1
	if hasAt(s, from, "=") || hasAt(s, from, ">") {
		from++
	}
	kind := keyBefore(s, at, floor)
	if (kind == queryKey || kind == googleKey) && !inQuery(s, at, floor) ||
		kind == googleKey && !inGoogleURL(s, at, floor) {
		return -1, 0
	}
	return valueOf(s, skipSpaces(s, from), kind, as)
}

// mapped finds the value of a key in key: value and "key": "value"; ':' is at i.
func mapped(s string, i, floor int) (int, int) {
	return valueOf(s, skipSpaces(s, i+1), keyBefore(s, i, floor), mapping)
}

// valueOf finds the value at i of a key.
func valueOf(s string, i int, kind keyKind, as form) (int, int) {
	listed := as == mapping && hasAt(s, i, "[") && !hasAt(s, i, Mask)
	item := skipSpaces(s, i)
	if listed {
		item = skipSpaces(s, i+1)
	}
	switch {
	case kind == cookieKey && as == mapping:
		return cookies(s, item, listed)
	case kind == authorizationKey && as != flag:
		return authorization(s, item, as)
	case kind == quotedKey && listed:
		return list(s, item, anyValue)
	case kind == hookKey && as == mapping && !hasAt(s, i, Mask):
		return addresses(s, i)
	case int(kind) < len(rules):
		return value(s, i, rules[kind][as])
	}
	return -1, 0
}

// flagValue finds the value of a flag whose first '-' is at i: --password VALUE, -token VALUE, and
// user:password after curl's -u and --user.
func flagValue(s string, i, floor int) (int, int) {
	if hasAt(s, i, "-u ") || hasAt(s, i, "--user ") {
		command := s[max(floor, i-maxCommand):i]
		if strings.Contains(command[strings.LastIndexAny(command, "\n]")+1:], "curl ") { // a mask ends in ']'
			return value(s, skipSpaces(s, i+strings.IndexByte(s[i:], ' ')), rule{userPassword, userPassword})
		}
		return -1, 0
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
	return valueOf(s, start, kind, flag)
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

// belowHook reports whether the key at i is the first one below a hookKey, in JSON, YAML or TOML, or
// in a path such as webhook.url. A dot before white space ends a sentence. It does not find a URL
// after another key or item, or below an index, as in webhook[0].url.
func belowHook(s string, i, floor int) bool {
	first, isBelow := max(floor, i-maxKey), false
	for ; i > first; i-- {
		isMark := strings.IndexByte("{[:.]", s[i-1]) >= 0 && (s[i-1] != '.' || !(space | lineBreak).has(s[i]))
		if !isMark && !(space | lineBreak | quote | backslash | hyphen).has(s[i-1]) {
			break
		}
		isBelow = isBelow || isMark
	}
	kind, _ := findName(s, i, floor)
	return isBelow && kind == hookKey
}

// foldAt reports whether word, in small letters, is at i in any case.
func foldAt(s string, i int, word string) bool {
	return len(s)-i >= len(word) && strings.EqualFold(s[i:i+len(word)], word)
}
