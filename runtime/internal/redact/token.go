package redact

import "strings"

// A token is a kind of secret that is known by its prefixes, separated by spaces. In a prefix, '|'
// follows the trigger; without it, the trigger is the last byte. A '?' before it is any byte.
type token struct {
	prefixes   string
	min        int               // the least length of the body, which follows the prefix
	body       class             // the bytes of the body; 0 is base64url
	accept     func(string) bool // further condition on the first 64 of them
	keepPrefix bool              // mask only the body
}

var tokens = [...]token{
	{prefixes: "glpat- ghp_ gho_ ghs_ ghu_ ghr_ github_pat_", min: 16},                 // GitLab, GitHub
	{prefixes: "sk_|live_ sk_|test_ rk_|live_ rk_|test_ whsec_", min: 16},              // Stripe
	{prefixes: "dckr_pat_ dckr_oat_ AGE-SECRET-KEY-|1", min: 16},                       // Docker, age
	{prefixes: "sk- dop_|v1_", min: 16, accept: hasDigit},                              // OpenAI; DigitalOcean
	{prefixes: "xox?-", min: 10},                                                       // Slack
	{prefixes: "xapp-", min: 10, accept: hasDigit},                                     // Slack
	{prefixes: "npm_ hf_", min: 16, accept: isNoName},                                  // npm, Hugging Face
	{prefixes: "SG. ya29. hvs. hvb. hvr.", min: 16, body: dotted, accept: looksRandom}, // SendGrid, Google, Vault
	{prefixes: "AKI|A ASI|A", min: 16, body: upperDigit},                               // AWS
	{prefixes: "AI|za", min: 30, accept: hasDigit},                                     // Google
	{ // the paths of webhooks of Slack, Discord and Teams
		prefixes: "hooks.slack.|com/services/ hooks.slack.|com/workflows/ hooks.slack.|com/triggers/ " +
			"discord.|com/api/webhooks/ discord.|com/api/v9/webhooks/ discord.|com/api/v10/webhooks/ " +
			"discordapp.|com/api/webhooks/ webhook.office.|com/ outlook.office.|com/webhook/",
		min: 16, body: urlPath, keepPrefix: true,
	},
}

// A prefix is a prefix of a token. The last byte of before is its trigger.
type prefix struct {
	before, after string
	*token
}

// findToken finds the one of [tokens] whose trigger is at i.
func findToken(s string, i, floor int) (int, int) {
	for _, t := range prefixesBy[s[i]] {
		start := i + 1 - len(t.before)
		if start < floor || t.before[0] != s[start] || !hasAt(s, i+1, t.after) {
			continue
		}
		if start, end := t.find(s, i, floor); start >= 0 {
			return start, end
		}
	}
	return -1, 0
}

// find finds the token if its trigger is at i. The prefix may end a longer word: token_ghp_….
func (t *prefix) find(s string, i, floor int) (int, int) {
	start, body := i+1-len(t.before), i+1+len(t.after)
	for k := range len(t.before) - 1 {
		if t.before[k] != s[start+k] && t.before[k] != '?' {
			return -1, 0
		}
	}
	if !startsToken(s, start, floor) && s[start-1] != '_' && s[start-1] != '-' {
		return -1, 0
	}
	is := t.body
	if is == 0 {
		is = base64url
	}
	end := skipWhile(s[:min(len(s), body+sample)], body, is)
	if end-body < t.min || t.accept != nil && !t.accept(s[body:end]) {
		return -1, 0
	}
	end = skipWhile(s, end, is)
	for s[end-1] == '.' { // ends the sentence
		end--
	}
	if t.keepPrefix {
		start = body
	}
	return start, end
}

// webToken finds JSON web tokens, which begin with "eyJ"; 'J' is at i. The signature may be
// missing.
func webToken(s string, i, floor int) (int, int) {
	const minSegment = 10
	if i-2 < floor || s[i-2:i] != "ey" || !startsToken(s, i-2, floor) {
		return -1, 0
	}
	header := skipWhile(s, i+1, base64url)
	if header-i < minSegment || !hasAt(s, header, ".") {
		return -1, 0
	}
	end := skipWhile(s, header+1, base64url)
	if end-header-1 < minSegment {
		return -1, 0
	}
	if hasAt(s, end, ".") {
		end = skipWhile(s, end+1, base64url)
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
	if start > floor && space.has(s[start-1]) { // skip the last word of a line of prose
		word := skipWhile(s, start, letter)
		if word-start < 16 && lineBreak.has(s[word]) {
			start = word
		}
	}
	for start < i && !base64std.has(s[start]) && s[start] != '=' {
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
		case base64std.has(c), c == '=':
			n++
		case lineBreak.has(c), c == '\\':
		case space.has(c):
			indent := i - 1
			for indent > floor && space.has(s[indent-1]) {
				indent--
			}
			if indent == floor || !lineBreak.has(s[indent-1]) {
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
	return skipWhile(s[:min(len(s), i+maxLabel)], i, blank|upperDigit)
}

// startsToken reports whether the byte at i is not in the middle of a token.
func startsToken(s string, i, floor int) bool {
	return i >= floor && (i == floor || !base64url.has(s[i-1]) || afterEscape(s, i, floor))
}

// hasAt reports whether word is at i.
func hasAt(s string, i int, word string) bool {
	return len(s)-i >= len(word) && s[i:i+len(word)] == word
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// isNoName rejects the variables of npm and the functions of Hugging Face, whose names have an '_'
// early.
func isNoName(s string) bool {
	n := skipWhile(s, 0, alnum)
	return n >= 30 || n >= 16 && hasDigit(s[:n])
}
