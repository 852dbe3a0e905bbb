package detect

import (
	"net/http"
	"strings"
)

const (
	// headLimit is how much of a text's first line is looked at for a status.
	headLimit = 256
	// phraseLimit is how much is looked at beyond that for what follows a status.
	phraseLimit = 64
	// wordLimit is how many words may stand between "HTTP" or "status" and the number.
	wordLimit = 3
	// joints are what may stand between these words.
	joints = " \t:=\"'("
)

// derivedStatus returns the HTTP status of a failure that a text begins with or names as one in its
// first line, or 0: "404 Not Found", "HTTP/1.1 503", "failed with status code 502". A number that
// stands in a sentence by itself is none.
func derivedStatus(text string) int {
	return firstStatus(head(text), isStatus)
}

// head returns what is looked at of a text for a status.
func head(text string) string {
	line := text[:min(len(text), headLimit+phraseLimit)]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	return line
}

// firstStatus returns the first status in the beginning of a line that is one by the words around
// it, or 0.
func firstStatus(line string, is func(before, rest string) bool) int {
	for i := 0; i+3 <= len(line) && i < headLimit; i++ {
		// The first digit of a status that says of a failure is 4 or 5.
		if line[i]-'4' > 1 || !statusAt(line, i) {
			continue
		}
		if is(line[:i], line[i:]) {
			return number3(line[i:])
		}
		i += 2
	}
	return 0
}

// isStatus reports whether the words around a number say that it is a status; rest begins with the
// number.
func isStatus(before, rest string) bool {
	if strings.TrimLeft(before, " \t\r") == "" {
		return opens(rest)
	}
	if exits(before) {
		return false
	}
	switch named(before) {
	case byTwoWords:
		return closes(rest) || explains(rest[3:])
	case byOneWord:
		return closes(rest)
	}
	return false
}

func number3(s string) int { return int(s[0]-'0')*100 + int(s[1]-'0')*10 + int(s[2]-'0') }

// statusAt reports whether three digits stand at i that are no part of a longer word or number.
func statusAt(line string, i int) bool {
	if !isDigit(line[i+1]) || !isDigit(line[i+2]) {
		return false
	}
	if i > 0 && (isWord(line[i-1]) || line[i-1] == '.' || line[i-1] == '-') {
		return false
	}
	after := line[i+3:]
	if after == "" {
		return true
	}
	if isWord(after[0]) || after[0] >= 0x80 {
		return false
	}
	return !(len(after) > 1 && (after[0] == '.' || after[0] == ',') && isDigit(after[1]))
}

// opens reports whether a line that begins with a status goes on as one does.
func opens(line string) bool {
	after := strings.TrimSpace(line[3:])
	return after == "" || after[0] == '{' || phrased(after, number3(line))
}

// closes reports whether what follows a number is no word of a sentence that the number may belong
// to.
func closes(rest string) bool {
	after := strings.TrimSpace(rest[3:])
	return after == "" || strings.IndexByte(":,;.)]}\"'", rest[3]) >= 0 || phrased(after, number3(rest))
}

// phrased reports whether s begins with the reason phrase of a status, perhaps after a colon, a
// dash or a parenthesis.
func phrased(s string, status int) bool {
	s = strings.TrimLeft(s, " \t:-(")
	if leads(s, http.StatusText(status)) {
		return true
	}
	for _, p := range phrases {
		if p.status == status && leads(s, p.text) {
			return true
		}
	}
	return false
}

// leads reports whether s begins with a phrase and goes on as a failure does.
func leads(s, phrase string) bool { return begins(s, phrase) && explains(s[len(phrase):]) }

// phrases are reason phrases that net/http words otherwise, but other standards and widespread
// servers use.
var phrases = [...]struct {
	status int
	text   string
}{
	{408, "Request Time-out"},
	{413, "Payload Too Large"},
	{413, "Content Too Large"},
	{414, "URI Too Long"},
	{414, "Request-URI Too Large"},
	{416, "Range Not Satisfiable"},
	{422, "Unprocessable Content"},
	{503, "Service Temporarily Unavailable"},
	{504, "Gateway Time-out"},
	{529, "Overloaded"},
}

// begins reports whether s begins with a phrase, in any case, and the phrase's last word ends
// there.
func begins(s, phrase string) bool {
	n := len(phrase)
	return n > 0 && len(s) >= n && strings.EqualFold(s[:n], phrase) && (len(s) == n || !isWord(s[n]))
}

// explains reports whether what follows a status goes on about the failure, and does not take the
// status into a sentence: nothing, no word, a word that begins with a capital letter, or one of
// those that lead to a place or reason.
func explains(after string) bool {
	after = strings.TrimLeft(after, " \t")
	if after == "" || !isWord(after[0]) || 'A' <= after[0] && after[0] <= 'Z' {
		return true
	}
	for _, word := range [...]string{"for", "from", "on", "at", "in", "by", "with", "while", "when", "after", "because",
		"calling", "returned"} {
		if begins(after, word) {
			return true
		}
	}
	return false
}

// naming is how surely words before a number say that it is a status.
type naming uint8

const (
	notNamed   naming = iota
	byOneWord         // "HTTP 404"; "status 404", which may also be of a disk
	byTwoWords        // "HTTP status 404", "status code: 404", "HTTP/1.1 404"
)

// named returns what the words before a number say of it.
func named(before string) naming {
	rest := strings.TrimRight(before, joints)
	if len(rest) == len(before) {
		return notNamed
	}
	how := byOneWord
	for range wordLimit {
		word := lastWord(rest)
		rest = strings.TrimRight(rest[:len(rest)-len(word)], joints)
		switch {
		case oneOf(word, "code", "error"):
			how = byTwoWords
			continue
		case oneOf(word, "statuscode", "status_code", "status-code", "http_status", "http-status", "httpstatus"):
			how = byTwoWords
		case oneOf(word, "status"):
			if isHTTP(lastWord(rest)) {
				how = byTwoWords
			}
		default:
			if !isHTTP(word) {
				return notNamed
			}
			if len(word) > len("http") {
				how = byTwoWords
			}
			return how
		}
		return how
	}
	return notNamed
}

// exits reports whether the words before a number speak of an exit, whose status is not HTTP's.
func exits(before string) bool {
	for i := range len(before) {
		if begins(before[i:], "exit") || begins(before[i:], "exited") {
			return true
		}
	}
	return false
}

// isHTTP reports whether a word is HTTP, with or without a version.
func isHTTP(word string) bool {
	if len(word) < 4 || !strings.EqualFold(word[:4], "http") {
		return false
	}
	if word = word[4:]; word == "" {
		return true
	}
	if word[0] != '/' || len(word) == 1 {
		return false
	}
	return strings.Trim(word[1:], "0123456789.") == ""
}

func oneOf(word string, list ...string) bool {
	for _, s := range list {
		if len(s) == len(word) && strings.EqualFold(s, word) {
			return true
		}
	}
	return false
}

// lastWord returns the word that s ends with; a word holds letters, digits and what joins them in
// names.
func lastWord(s string) string {
	i := len(s)
	for i > 0 && (isWord(s[i-1]) || s[i-1] == '/' || s[i-1] == '.' || s[i-1] == '-') {
		i--
	}
	return s[i:]
}

func isDigit(c byte) bool { return c-'0' < 10 }

// isWord reports whether c is an ASCII letter, digit or underscore, as \b of a regular expression
// has it.
func isWord(c byte) bool { return c|0x20-'a' < 26 || isDigit(c) || c == '_' }
