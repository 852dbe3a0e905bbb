package detect

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// lineLimit bounds in bytes the part of the first line in which a status begins.
	lineLimit = 256
	// phraseLimit is the number of bytes after lineLimit that are read for the words after a
	// status.
	phraseLimit = 64
)

const (
	number = `\d+(?:\.\d+)?(?:e\+?\d+)?`
	unit   = `(?:ms|msecs?|milliseconds?|millis|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)`
)

// The expressions that recognise a wait in prose. They run only where the word "try" is found.
var (
	// waitWords matches the words before a wait, from "try" on. The first group is set if "re" must
	// precede them, the second is the unit that they name.
	waitWords = expression(`(?i)^try(?:[ _-]{0,2}(after|in|delay)| ?again ?(?:in|after))` +
		`(?:[ _(-]{0,2}(ms|milliseconds|seconds|secs)\)?)?[ :="']{0,5}`)
	// waitValue matches a wait and the end of its phrase: a number, or numbers with units ("1m30s",
	// "2 minutes 5 seconds"). A date, a time of day and "3 attempts" are not waits.
	waitValue = expression(`(?i)^(?:(` + number + `)[ \t]{0,4}(?:$|[\n\r,;)\]}"'!<]|\.(?:\D|$))` +
		`|(` + number + ` ?` + unit + `(?: ?` + number + ` ?` + unit + `)*)(?:$|[^\w:/-]))`)
	waitPart = expression(`(?i)(` + number + `) ?(` + unit + `)`)
)

// separator matches the characters between the words of a status's name.
const separator = `[ \t:="'(]+`

// The expressions that recognise a status by the text around a number.
var (
	// httpStatus matches a text that ends by naming the number after it an HTTP status, and
	// anyStatus one that may also name the status of something else, such as a disk.
	httpStatus = expression(`(?i)(?:^|[^\w/.-])(?:(?:status[_-]?code|http[_-]?status|http/[\d.]+|http(?:/[\d.]+)?` +
		separator + `status)(?:` + separator + `(?:code|error)){0,2}|(?:http|status)(?:` + separator +
		`(?:code|error)){1,2})` + separator + `$`)
	anyStatus  = expression(`(?i)(?:^|[^\w/.-])(?:http|status)` + separator + `$`)
	answerWord = expression(`(?i)(?:^|[^\w/.-])(?:with|returned|received|got|answered|responded)` + separator + `$`)
	// otherStatus matches a text about the exit of a process, whose status is not an HTTP status, or
	// about a change of a program.
	otherStatus = expression(`(?i)\bexit(?:ed)?\b|^\W*(?:add|fix|handl|test|document|implement)\w* `)
	// explained matches the text after a number that does not continue a sentence with it: it has
	// no word, a capitalised one, or one that leads to a place or a reason.
	explained = expression(`^[ \t]*(?:$|[^\w \t]|[A-Z]|(?i:for|from|on|at|in|by|with|while|when|after|because|` +
		`calling|returned)\b)`)
)

// expression returns a function that compiles an expression on first use.
func expression(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// proseStatus returns the HTTP status of a failure that a text begins with or names in its first
// line, or 0: "404 Not Found", "HTTP/1.1 503", "failed with status code 502". A number in a
// sentence is not a status, and neither is one in the heading of a page that explains status codes.
func proseStatus(text string) int {
	line := firstLine(text)
	status := firstStatus(line, isStatus)
	if status != 0 && strings.Contains(tail(text[len(line):], DefaultTextLimit), " status code") {
		return 0
	}
	return status
}

// StatusIn returns the HTTP status of a failure that a message names, from 400 to 599, in the first
// 256 bytes of its first line. Because a message is about one failure, StatusIn accepts more than
// the classification of a text: "HTTP 503 after 9 tries", "GitHub does not have it: 404 Not Found",
// "request failed with 404", "429 status". A number that may count something is not a status: "ran
// 429 tests", "port 503".
func StatusIn(message string) (status int, ok bool) {
	status = firstStatus(firstLine(message), func(before, after string, status int) bool {
		return isStatus(before, after, status) || isNamed(before, after) || isAnswer(before, after, status)
	})
	return status, status != 0
}

// firstLine returns the part of a text in which a status is searched.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text[:min(len(text), lineLimit+phraseLimit)], "\n")
	return line
}

// firstStatus returns the first number of a line that is a status because of the text before and
// after it, or 0.
func firstStatus(line string, is func(before, after string, status int) bool) int {
	for i := 0; i+3 <= len(line) && i < lineLimit; i++ {
		if line[i]-'4' > 1 || !isNumber(line, i) { // the status of a failure begins with 4 or 5
			continue
		}
		if n := int(line[i]-'0')*100 + int(line[i+1]-'0')*10 + int(line[i+2]-'0'); is(line[:i], line[i+3:], n) {
			return n
		}
		i += 2
	}
	return 0
}

// isNumber reports whether three digits at i are not part of a longer word or number.
func isNumber(line string, i int) bool {
	if !isDigit(line[i+1]) || !isDigit(line[i+2]) ||
		i > 0 && (isWord(line[i-1]) || line[i-1] == '.' || line[i-1] == '-') {
		return false
	}
	after := line[i+3:]
	if after == "" {
		return true
	}
	if isWord(after[0]) || after[0] >= 0x80 {
		return false
	}
	return len(after) < 2 || after[0] != '.' && after[0] != ',' || !isDigit(after[1])
}

// isStatus reports whether the text around a number shows clearly that it is a status.
func isStatus(before, after string, status int) bool {
	if rest, ok := strings.CutPrefix(after, ") "); ok && rest != "" && 'a' <= rest[0] && rest[0] <= 'z' {
		return false // the sentence continues after the brackets
	}
	if strings.TrimLeft(before, " \t\r") == "" {
		rest := strings.TrimSpace(after)
		return rest == "" || rest[0] == '{' || hasPhrase(rest, status)
	}
	sure := httpStatus().MatchString(before)
	return (sure || anyStatus().MatchString(before)) && !otherStatus().MatchString(before) &&
		(ends(after, status) || sure && explained().MatchString(after))
}

// isNamed reports whether the text around a number calls it a status.
func isNamed(before, after string) bool {
	return ((httpStatus().MatchString(before) || anyStatus().MatchString(before)) && explained().MatchString(after) ||
		begins(strings.TrimLeft(after, " "), "status")) && !otherStatus().MatchString(before)
}

// isAnswer reports whether a number is called an answer, or is followed by the phrase of a status.
func isAnswer(before, after string, status int) bool {
	return (answerWord().MatchString(before) && ends(after, status) || hasPhrase(after, status)) &&
		!otherStatus().MatchString(before)
}

// ends reports whether the text after a number does not continue a sentence about a count.
func ends(after string, status int) bool {
	return strings.TrimSpace(after) == "" || strings.IndexByte(":,;.)]}\"'", after[0]) >= 0 || hasPhrase(after, status)
}

// phrases are reason phrases of other standards and of widespread servers.
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

// hasPhrase reports whether s begins with the reason phrase of a status, and ends as the report of
// a failure does.
func hasPhrase(s string, status int) bool {
	s = strings.TrimLeft(s, " \t:-(")
	has := func(phrase string) bool { return begins(s, phrase) && explained().MatchString(s[len(phrase):]) }
	if has(http.StatusText(status)) {
		return true
	}
	for _, p := range phrases {
		if p.status == status && has(p.text) {
			return true
		}
	}
	return false
}

// begins reports whether s begins with complete words, in any case.
func begins(s, words string) bool {
	n := len(words)
	return n > 0 && len(s) >= n && strings.EqualFold(s[:n], words) && (len(s) == n || !isWord(s[n]))
}

func isDigit(c byte) bool { return c-'0' < 10 }

// isWord reports whether c is an ASCII letter, a digit or an underscore, as in \b of an expression.
func isWord(c byte) bool { return c|0x20-'a' < 26 || isDigit(c) || c == '_' }

// SetWait sets RetryAfter to the wait that the text requests, if the evidence has neither
// RetryAfter nor ResetAt; see [RetryHint].
func SetWait(ev *taxonomy.Evidence) {
	if !ev.RetryAfter.IsZero() || !ev.ResetAt.IsZero() {
		return
	}
	if d, ok := RetryHint(ev.Text); ok {
		ev.RetryAfter, ev.RetryAfterDerived = taxonomy.Some(d), true
	}
}

// RetryHint returns the wait before the next try that a text requests: "retry after 30",
// "Retry-After: 30", "retry in 500 ms", "try again in 1m30s", "retryDelay": "34.5s" and the like.
// The number follows the words immediately, with a unit or else in seconds. A wait that is longer
// than a [time.Duration] becomes the longest one. The first hint in the last 16 KiB counts.
func RetryHint(text string) (time.Duration, bool) {
	text = tail(text, DefaultTextLimit)
	for at := 0; ; at += len("try") {
		n := indexTry(text[at:])
		if n < 0 {
			return 0, false
		}
		at += n
		words := waitWords().FindStringSubmatchIndex(text[at:])
		if words == nil || words[2] >= 0 && (at < 2 || !strings.EqualFold(text[at-2:at], "re")) {
			continue
		}
		named := time.Second
		if i := words[4]; i >= 0 && text[at+i]|0x20 == 'm' {
			named = time.Millisecond
		}
		if d, ok := parseWait(text[at+words[1]:], named); ok {
			return d, true
		}
	}
}

// indexTry returns the index of the first "try", "Try" or "TRY" in s, or -1.
func indexTry(s string) int {
	first := -1
	for _, word := range [...]string{"try", "Try", "TRY"} {
		if i := strings.Index(s, word); i >= 0 {
			first, s = i, s[:i]
		}
	}
	return first
}

// parseWait reads the wait that s begins with. A number without a unit is in the default unit.
func parseWait(s string, defaultUnit time.Duration) (d time.Duration, ok bool) {
	at := waitValue().FindStringSubmatchIndex(s)
	switch {
	case at == nil:
		return 0, false
	case at[2] >= 0:
		return readNumber(s[:at[3]], defaultUnit)
	}
	total := 0.0
	for _, part := range waitPart().FindAllStringSubmatch(s[:at[5]], -1) {
		n, _ := readDecimal(part[1])
		total += n * float64(unitOf(part[2]))
	}
	return nanoseconds(total), true
}

// unitOf returns the unit of time that a word names.
func unitOf(word string) time.Duration {
	word = strings.ToLower(word)
	switch {
	case strings.HasPrefix(word, "ms"), strings.HasPrefix(word, "mil"):
		return time.Millisecond
	case word[0] == 's':
		return time.Second
	case word[0] == 'm':
		return time.Minute
	case word[0] == 'h':
		return time.Hour
	}
	return 24 * time.Hour
}
