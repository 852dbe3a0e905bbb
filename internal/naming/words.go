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
