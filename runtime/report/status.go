package report

import (
	"cmp"
	"strings"
)

// statusIn returns the HTTP status that a message names: a word of three digits, from 400 to 599. One that follows the
// word "status" or "HTTP" is preferred, then one before it, then the first. Without one it is "".
func statusIn(message string) string {
	first, beside, before, named := "", "", "", false
	for message != "" {
		var word string
		if word, message = nextWord(message); word == "" {
			continue
		}
		switch {
		case isStatus(word) && named:
			return word
		case namesStatus(word) && isStatus(before):
			beside = cmp.Or(beside, before)
		case isStatus(word):
			first = cmp.Or(first, word)
		}
		named = namesStatus(word) || named && mayFollow(word)
		before = word
	}
	return cmp.Or(beside, first)
}

// nextWord returns the letters and digits that s begins with, or, where it begins with none, "", and what follows. What
// stands between two digits belongs to the word: it is a fraction, a position, a time.
func nextWord(s string) (word, rest string) {
	end := 0
	for end < len(s) && (isWord(s[end]) || joins(s, end)) {
		end++
	}
	return s[:end], s[max(end, 1):]
}

func isWord(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c >= 0x80
}

func joins(s string, i int) bool {
	return i > 0 && i+1 < len(s) && strings.IndexByte(".,:-", s[i]) >= 0 && isDigit(s[i-1]) && isDigit(s[i+1])
}

func isStatus(word string) bool {
	return len(word) == 3 && (word[0] == '4' || word[0] == '5') && isDigit(word[1]) && isDigit(word[2])
}

func namesStatus(word string) bool {
	for _, name := range []string{"status", "http", "https", "statuscode", "status_code"} {
		if strings.EqualFold(word, name) {
			return true
		}
	}
	return false
}

// mayFollow reports whether a word may stand between the one that names a status and the status: "status code 404",
// "HTTP/1.1 404".
func mayFollow(word string) bool {
	return strings.EqualFold(word, "code") || strings.EqualFold(word, "is") || strings.EqualFold(word, "error") ||
		word == "1.0" || word == "1.1" || word == "2" || word == "2.0" || word == "3"
}
