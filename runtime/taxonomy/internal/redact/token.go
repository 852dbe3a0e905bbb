package redact

// The shapes of tokens.
const (
	minKey      = 16 // bytes after a prefix such as sk- or ghp_
	minSlack    = 10
	minSegment  = 10 // of a JSON web token
	minGoogle   = 30
	minWord     = 30 // letters without a digit
	awsIDLength = 16
)

// hyphenToken finds the tokens whose prefix ends in '-', which is at i, and private keys.
func hyphenToken(s string, i, floor int) (int, int) {
	if hasAt(s, i, pemBegin) {
		return privateKey(s, i)
	}
	if hasAt(s, i, pemEnd) {
		return keyRest(s, i, floor)
	}
	if startsToken(s, i, floor) {
		return flagValue(s, i, floor)
	}
	switch {
	case i-2 >= floor && s[i-1] == 'k' && s[i-2] == 's':
		return prefixed(s, i-2, i+1, floor, minKey, true)
	case i-4 >= floor && s[i-2] == 'x' && s[i-3] == 'o' && s[i-4] == 'x':
		return prefixed(s, i-4, i+1, floor, minSlack, false)
	case i > floor && s[i-1] == 't' && endsAt(s, i, floor, "glpat"):
		return prefixed(s, i-5, i+1, floor, minKey, false)
	case i > floor && s[i-1] == 'p' && endsAt(s, i, floor, "xapp"):
		return prefixed(s, i-4, i+1, floor, minSlack, true)
	case i > floor && s[i-1] == 'Y' && hasAt(s, i+1, "1") && endsAt(s, i, floor, "AGE-SECRET-KEY"):
		return prefixed(s, i-len("AGE-SECRET-KEY"), i+2, floor, minKey, false)
	}
	return -1, 0
}

// dotToken finds the tokens whose prefix ends in '.', which is at i: those of SendGrid, Google and
// Vault. They have more dots in them.
func dotToken(s string, i, floor int) (int, int) {
	for _, prefix := range [...]string{"SG", "ya29", "hvs", "hvb", "hvr"} {
		if endsAt(s, i, floor, prefix) && startsPrefix(s, i-len(prefix), floor) {
			return dotted(s, i-len(prefix), i+1)
		}
	}
	return -1, 0
}

// dotted finds a token at start, what follows the prefix of which is at body.
func dotted(s string, start, body int) (int, int) {
	limit := min(len(s), body+sample)
	end := skipWhile(s[:limit], body, isDotted)
	if end-body < minKey || !looksRandom(s[body:end]) {
		return -1, 0
	}
	end = skipWhile(s, end, isDotted)
	for s[end-1] == '.' {
		end--
	}
	return start, end
}

func isDotted(c byte) bool { return isToken(c) || c == '.' }

// underscoreToken finds the tokens whose prefix ends in '_', which is at i.
func underscoreToken(s string, i, floor int) (int, int) {
	if i == floor {
		return -1, 0
	}
	if endsAt(s, i, floor, "dop") && hasAt(s, i+1, "v1_") {
		return prefixed(s, i-3, i+4, floor, minKey, true)
	}
	switch s[i-1] {
	case 'p', 'o', 's', 'u', 'r':
		if endsAt(s, i-1, floor, "gh") {
			return prefixed(s, i-3, i+1, floor, minKey, false)
		}
	case 't':
		if endsAt(s, i, floor, "github_pat") {
			return prefixed(s, i-10, i+1, floor, minKey, false)
		}
		if endsAt(s, i, floor, "dckr_pat") || endsAt(s, i, floor, "dckr_oat") {
			return prefixed(s, i-len("dckr_pat"), i+1, floor, minKey, false)
		}
		if endsAt(s, i-1, floor, "k_tes") {
			return stripeKey(s, i, floor)
		}
	case 'e':
		if endsAt(s, i-1, floor, "k_liv") {
			return stripeKey(s, i, floor)
		}
	case 'm':
		if endsAt(s, i-1, floor, "np") {
			return word(s, i-3, i+1, floor)
		}
	case 'f':
		if endsAt(s, i-1, floor, "h") {
			return word(s, i-2, i+1, floor)
		}
	}
	return -1, 0
}

// stripeKey finds sk_live_, sk_test_, rk_live_ and rk_test_; what follows the first letter has been
// looked at.
func stripeKey(s string, i, floor int) (int, int) {
	start := i - len("sk_live")
	if start < floor || s[start] != 's' && s[start] != 'r' {
		return -1, 0
	}
	return prefixed(s, start, i+1, floor, minKey, false)
}

// capitalToken finds Google's API keys and the ids of AWS keys, which have an 'I', at i, in their
// prefix.
func capitalToken(s string, i, floor int) (int, int) {
	switch {
	case i-2 >= floor && (s[i-2:i] == "AK" || s[i-2:i] == "AS") && hasAt(s, i+1, "A"):
		if startsPrefix(s, i-2, floor) {
			end := skipWhile(s, i+2, isCapital)
			if end-(i+2) >= awsIDLength {
				return i - 2, end
			}
		}
	case i-1 >= floor && s[i-1] == 'A' && hasAt(s, i+1, "za"):
		return prefixed(s, i-1, i+3, floor, minGoogle, true)
	}
	return -1, 0
}

// webToken finds JSON web tokens, which begin with "eyJ"; the 'J' is at i. The signature may be
// missing.
func webToken(s string, i, floor int) (int, int) {
	if !endsAt(s, i, floor, "ey") || !startsToken(s, i-2, floor) {
		return -1, 0
	}
	header := skipWhile(s, i+1, isToken)
	if header-i < minSegment || !hasAt(s, header, ".") {
		return -1, 0
	}
	end := skipWhile(s, header+1, isToken)
	if end-header-1 < minSegment {
		return -1, 0
	}
	if hasAt(s, end, ".") {
		end = skipWhile(s, end+1, isToken)
	}
	return i - 2, end
}

// prefixed finds a token with the prefix s[start:body], at least least bytes of which follow the
// prefix, with a digit among them if digit says so.
func prefixed(s string, start, body, floor, least int, digit bool) (int, int) {
	if !startsPrefix(s, start, floor) {
		return -1, 0
	}
	end := skipWhile(s[:min(len(s), body+sample)], body, isToken)
	if end-body < least || digit && !hasDigit(s[body:end]) {
		return -1, 0
	}
	return start, skipWhile(s, end, isToken)
}

// word finds a token with the prefix s[start:body] after which there are no '_' and '-' at first,
// other than in the names of npm's and Hugging Face's own variables and functions.
func word(s string, start, body, floor int) (int, int) {
	if !startsPrefix(s, start, floor) {
		return -1, 0
	}
	end := skipWhile(s[:min(len(s), body+sample)], body, isWord)
	if n := end - body; n < minWord && (n < minKey || !hasDigit(s[body:end])) {
		return -1, 0
	}
	return start, skipWhile(s, end, isToken)
}

// startsToken reports whether no token goes on at i. The bytes before it being none of a token's,
// or the end of an escape, hardly any two attempts look at the same run of them.
func startsToken(s string, i, floor int) bool {
	return i >= floor && (i == floor || !isToken(s[i-1]) || afterEscape(s, i, floor))
}

// startsPrefix reports whether a prefix can be at i that is unlike any word, and so may be the end
// of a longer one: token_ghp_…. What follows it must be judged by a sample.
func startsPrefix(s string, i, floor int) bool {
	return startsToken(s, i, floor) || i > floor && (s[i-1] == '_' || s[i-1] == '-')
}

// endsAt reports whether word, not begun before floor, ends at i.
func endsAt(s string, i, floor int, word string) bool {
	return i-len(word) >= floor && s[i-len(word):i] == word
}

// hasAt reports whether word is at i.
func hasAt(s string, i int, word string) bool {
	return len(s)-i >= len(word) && s[i:i+len(word)] == word
}

func skipWhile(s string, i int, is func(byte) bool) int {
	for i < len(s) && is(s[i]) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isCapital(c byte) bool { return isUpper(c) || isDigit(c) }

func isWord(c byte) bool { return isLower(c|0x20) || isDigit(c) }

// isToken reports whether c stands in tokens: base64url, which all of them use.
func isToken(c byte) bool { return isWord(c) || c == '-' || c == '_' }

func hasDigit(s string) bool {
	for i := range len(s) {
		if isDigit(s[i]) {
			return true
		}
	}
	return false
}
