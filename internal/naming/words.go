package naming

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// separators stand between words. Any other character that is neither letter nor digit makes a name
// unusable: dropping it silently would let two quite different names meet.
const separators = "_-. /:"

// split cuts text into its words; ok is false when text has no words or holds a character that has
// no place in a name.
func split(text string) (words []string, ok bool) {
	if !utf8.ValidString(text) {
		return nil, false
	}
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(separators, r) {
			return nil, false
		}
	}
	isSeparator := func(r rune) bool { return strings.ContainsRune(separators, r) }
	for token := range strings.FieldsFuncSeq(text, isSeparator) {
		words = append(words, splitToken(token)...)
	}
	return words, len(words) > 0
}

// splitToken cuts a token at its changes of case. A token wholly in capitals is a shouted word, so
// its capitals carry nothing; in a token of mixed case they were meant.
func splitToken(token string) []string {
	if !hasLower(token) {
		return []string{shouted(token)}
	}
	var words []string
	rs := []rune(token)
	start := 0
	for i := 1; i < len(rs); i++ {
		if wordBegins(rs, i) {
			words = append(words, string(rs[start:i]))
			start = i
		}
	}
	return append(words, string(rs[start:]))
}

// wordBegins reports whether a word begins at rs[i]: at a capital after another character, and at
// the last of several capitals before small letters (APIError), unless those are a plural's s
// (IDs).
func wordBegins(rs []rune, i int) bool {
	if !unicode.IsUpper(rs[i]) {
		return false
	}
	if !unicode.IsUpper(rs[i-1]) {
		return true
	}
	return i+1 < len(rs) && isLower(rs[i+1]) && !pluralAt(rs, i+1)
}

func pluralAt(rs []rune, i int) bool {
	return rs[i] == 's' && (i+1 == len(rs) || !isLower(rs[i+1]))
}

// isLower counts letters without case as small, so that they never look like a run of capitals.
func isLower(r rune) bool { return unicode.IsLetter(r) && !unicode.IsUpper(r) }

func hasLower(s string) bool { return strings.IndexFunc(s, isLower) >= 0 }

// shouted returns a word in capitals as it would be written in running text.
func shouted(word string) string {
	if utf8.RuneCountInString(word) == 1 {
		return word
	}
	return strings.ToLower(word)
}

// initialisms are the words that Go writes in capitals throughout: those of staticcheck's ST1003
// and common ones that it leaves out, such as currencies. A list and not the capitals of a name
// decides, because in a taxonomy words are shouted: HIGH and NOT_FOUND are no initialisms.
var initialisms = setOf(`
	ACL AMQP API ASCII CLI CPU CSS CSV DB DNS EOF GID GPU GRPC GUID HTML HTTP HTTPS ID IO IP JSON JWT LLM
	OS PDF PID QPS RAM RPC RTP SDK SIP SLA SMTP SQL SSH SSL SSO TCP TLS TOML TS TTL UDP UI UID URI URL UTF8
	UUID VM XML XMPP XSRF XSS YAML
	AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF INR JPY KRW MXN NOK NZD PLN SEK SGD USD ZAR`)

// plurals are the initialisms that are met in the plural.
var plurals = setOf(`ACL API CPU DB GPU GUID ID IP LLM PID SDK SLA TTL UID URI URL UUID VM`)

// mixed are the words with a spelling of their own.
var mixed = map[string]string{"IPV4": "IPv4", "IPV6": "IPv6"}

func setOf(words string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// title returns word with a capital first letter, or wholly in capitals when it is an initialism.
func title(word string) string {
	if spelled, ok := initialism(word); ok {
		return spelled
	}
	rs := []rune(word)
	rs[0] = unicode.ToUpper(rs[0])
	return string(rs)
}

func initialism(word string) (string, bool) {
	upper := strings.ToUpper(word)
	if spelled, ok := mixed[upper]; ok {
		return spelled, true
	}
	letters := strings.TrimRight(upper, "0123456789")
	if initialisms[upper] || initialisms[letters] {
		return upper, true
	}
	if stem, ok := strings.CutSuffix(upper, "S"); ok && plurals[stem] {
		return stem + "s", true
	}
	return "", false
}
