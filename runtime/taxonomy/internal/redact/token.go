package redact

import "strings"

// A token is a kind of secret that is known by its prefix. The prefix has two parts: before, whose
// last byte is the trigger, and after. A '?' in before is any byte.
type token struct {
	before, after string
	body          func(byte) bool   // the bytes after the prefix
	min           int               // the least number of them
	accept        func(string) bool // further condition on the first 64 of them
	keepPrefix    bool              // mask only the body
}

var tokens = [...]token{
	{before: "sk-", body: isToken, min: 16, accept: hasDigit}, // OpenAI, Anthropic and others
	{before: "xox?-", body: isToken, min: 10},                 // Slack
	{before: "xapp-", body: isToken, min: 10, accept: hasDigit},
	{before: "glpat-", body: isToken, min: 16}, // GitLab
	{before: "AGE-SECRET-KEY-", after: "1", body: isToken, min: 16},

	{before: "ghp_", body: isToken, min: 16}, // GitHub
	{before: "gho_", body: isToken, min: 16},
	{before: "ghs_", body: isToken, min: 16},
	{before: "ghu_", body: isToken, min: 16},
	{before: "ghr_", body: isToken, min: 16},
	{before: "github_pat_", body: isToken, min: 16},
	{before: "dckr_pat_", body: isToken, min: 16}, // Docker
	{before: "dckr_oat_", body: isToken, min: 16},
	{before: "sk_live_", body: isToken, min: 16}, // Stripe
	{before: "sk_test_", body: isToken, min: 16},
	{before: "rk_live_", body: isToken, min: 16},
	{before: "rk_test_", body: isToken, min: 16},
	{before: "dop_", after: "v1_", body: isToken, min: 16, accept: hasDigit}, // DigitalOcean
	{before: "npm_", body: isWord, min: 16, accept: isLongOrHasDigit},
	{before: "hf_", body: isWord, min: 16, accept: isLongOrHasDigit}, // Hugging Face

	{before: "SG.", body: isDotted, min: 16, accept: looksRandom},   // SendGrid
	{before: "ya29.", body: isDotted, min: 16, accept: looksRandom}, // Google
	{before: "hvs.", body: isDotted, min: 16, accept: looksRandom},  // Vault
	{before: "hvb.", body: isDotted, min: 16, accept: looksRandom},
	{before: "hvr.", body: isDotted, min: 16, accept: looksRandom},

	{before: "AKI", after: "A", body: isCapital, min: 16}, // AWS
	{before: "ASI", after: "A", body: isCapital, min: 16},
	{before: "AI", after: "za", body: isToken, min: 30, accept: hasDigit}, // Google

	{before: "hooks.slack.", after: "com/services/", body: isPath, min: 16, keepPrefix: true},
	{before: "hooks.slack.", after: "com/workflows/", body: isPath, min: 16, keepPrefix: true},
	{before: "hooks.slack.", after: "com/triggers/", body: isPath, min: 16, keepPrefix: true},
	{before: "discord.", after: "com/api/webhooks/", body: isPath, min: 16, keepPrefix: true},
	{before: "discord.", after: "com/api/v9/webhooks/", body: isPath, min: 16, keepPrefix: true},
	{before: "discord.", after: "com/api/v10/webhooks/", body: isPath, min: 16, keepPrefix: true},
	{before: "discordapp.", after: "com/api/webhooks/", body: isPath, min: 16, keepPrefix: true},
	{before: "webhook.office.", after: "com/", body: isPath, min: 16, keepPrefix: true}, // Teams
	{before: "outlook.office.", after: "com/webhook/", body: isPath, min: 16, keepPrefix: true},
}

// findToken finds one of the tokens whose trigger is at i.
func findToken(s string, i, floor int) (int, int) {
	if s[i] == '-' && (i < 2 || !isPair(&prefixEnds, s[i-2], s[i-1])) {
		return -1, 0
	}
	for k := range tokens {
		if t := &tokens[k]; t.before[len(t.before)-1] == s[i] && t.isAt(s, i, floor) {
			return t.bounds(s, i)
		}
	}
	return -1, 0
}

// isAt reports whether the prefix is at the trigger i, and enough of a body follows. The prefix may
// be the end of a longer word: token_ghp_….
func (t *token) isAt(s string, i, floor int) bool {
	start := i + 1 - len(t.before)
	if start < floor || !hasAt(s, i+1, t.after) {
		return false
	}
	for k := range len(t.before) - 1 {
		if t.before[k] != '?' && t.before[k] != s[start+k] {
			return false
		}
	}
	if !startsToken(s, start, floor) && s[start-1] != '_' && s[start-1] != '-' {
		return false
	}
	body := i + 1 + len(t.after)
	end := skipWhile(s[:min(len(s), body+sample)], body, t.body)
	return end-body >= t.min && (t.accept == nil || t.accept(s[body:end]))
}

func (t *token) bounds(s string, i int) (start, end int) {
	start, body := i+1-len(t.before), i+1+len(t.after)
	end = skipWhile(s, body, t.body)
	for s[end-1] == '.' { // ends the sentence
		end--
	}
	if t.keepPrefix {
		start = body
	}
	return start, end
}

// webToken finds JSON web tokens, which begin with "eyJ"; 'J' is at i. The signature may be missing.
func webToken(s string, i, floor int) (int, int) {
	const minSegment = 10
	if i-2 < floor || s[i-2:i] != "ey" || !startsToken(s, i-2, floor) {
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

const (
	pemBegin = "-----BEGIN "
	pemEnd   = "-----END "
	pemDash  = "-----"
	maxLabel = 64
	// maxPEM is more than the size of a private key in PEM.
	maxPEM = 8 << 10
)

// privateKey finds a private key in PEM, which begins at i: up to the end of its last line, or of
// the text if that line is missing.
func privateKey(s string, i int) (int, int) {
	body := labelEnd(s, i+len(pemBegin))
	if body < 0 {
		return -1, 0
	}
	if n := strings.Index(s[body:], pemEnd); n >= 0 {
		last := body + n + len(pemEnd)
		if end := skipLabel(s, last); hasAt(s, end, pemDash) {
			return i, end + len(pemDash)
		}
	}
	return i, len(s)
}

// pemRest finds the rest of a private key without its first line. Its last line begins at i.
func pemRest(s string, i, floor int) (int, int) {
	end := labelEnd(s, i+len(pemEnd))
	if end < 0 {
		return -1, 0
	}
	start, n := pemBody(s, i, floor)
	if n < 16 {
		return -1, 0
	}
	if start > floor && isSpace(s[start-1]) { // skip the last word of a line of prose
		word := skipWhile(s, start, isLetter)
		if word-start < 16 && isLineBreak(s[word]) {
			start = word
		}
	}
	for start < i && !isBase64(s[start]) && s[start] != '=' {
		if s[start] == '\\' {
			start++
		}
		start++
	}
	return min(start, i), end
}

// pemBody returns the start of the lines of base64 before i, and the number of bytes in base64. The
// lines may be indented or end in an escape, and the first may be incomplete.
func pemBody(s string, i, floor int) (start, n int) {
	for floor = max(floor, i-maxPEM); i > floor; i-- {
		switch c := s[i-1]; {
		case isBase64(c), c == '=':
			n++
		case isLineBreak(c), c == '\\':
		case isSpace(c):
			indent := i - 1
			for indent > floor && isSpace(s[indent-1]) {
				indent--
			}
			if indent == floor || !isLineBreak(s[indent-1]) {
				return i, n
			}
			i = indent + 1
		default:
			return i, n
		}
	}
	return i, n
}

// labelEnd returns the end of the line of PEM whose label is at i, or -1 if it is not a private
// key's.
func labelEnd(s string, i int) int {
	end := skipLabel(s, i)
	if !hasAt(s, end, pemDash) || !strings.Contains(s[i:end], "PRIVATE KEY") {
		return -1
	}
	return end + len(pemDash)
}

func skipLabel(s string, i int) int {
	return skipWhile(s[:min(len(s), i+maxLabel)], i, func(c byte) bool { return c == ' ' || isCapital(c) })
}

// startsToken reports whether the byte at i is not in the middle of a token.
func startsToken(s string, i, floor int) bool {
	return i >= floor && (i == floor || !isToken(s[i-1]) || afterEscape(s[max(floor, i-maxEscape):i]))
}

// hasAt reports whether word is at i.
func hasAt(s string, i int, word string) bool {
	return len(s)-i >= len(word) && s[i:i+len(word)] == word
}

// skipWhile returns the index of the first byte at or after i that is not in the class.
func skipWhile(s string, i int, is func(byte) bool) int {
	for i < len(s) && is(s[i]) {
		i++
	}
	return i
}

func isDigit(c byte) bool     { return '0' <= c && c <= '9' }
func isLower(c byte) bool     { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool     { return 'A' <= c && c <= 'Z' }
func isLetter(c byte) bool    { return isLower(c | 0x20) }
func isCapital(c byte) bool   { return isUpper(c) || isDigit(c) }
func isWord(c byte) bool      { return isLetter(c) || isDigit(c) }
func isToken(c byte) bool     { return isWord(c) || c == '-' || c == '_' } // base64url
func isDotted(c byte) bool    { return isToken(c) || c == '.' }
func isBase64(c byte) bool    { return isWord(c) || c == '+' || c == '/' }
func isPath(c byte) bool      { return isDotted(c) || strings.IndexByte("/@%+=~", c) >= 0 }
func isLineBreak(c byte) bool { return c == '\n' || c == '\r' }

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// isLongOrHasDigit rejects the names of the variables of npm and the functions of Hugging Face.
func isLongOrHasDigit(s string) bool { return len(s) >= 30 || hasDigit(s) }
