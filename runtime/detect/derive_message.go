package detect

import "strings"

// StatusIn returns the HTTP status of a failure that a message names, and whether it names one,
// from 400 to 599, in the first 256 bytes of its first line. A message is what somebody says of a
// failure, so that more counts than where a text is classified: "HTTP 503 after 9 tries", "GitHub
// does not have it: 404 Not Found", "request failed with 404", "429 status". A number that may
// count something, as in "ran 429 tests" and "port 503", is none. Where there are several, what
// says surest that it is a status comes first.
func StatusIn(message string) (status int, ok bool) {
	line := head(message)
	for _, is := range [...]func(before, rest string) bool{isStatus, isNamed, isAnswer} {
		if status := firstStatus(line, is); status != 0 {
			return status, true
		}
	}
	return 0, false
}

// isNamed reports whether the words around a number call it a status.
func isNamed(before, rest string) bool {
	if exits(before) {
		return false
	}
	after := rest[3:]
	return named(before) != notNamed && explains(after) || begins(strings.TrimLeft(after, " "), "status")
}

// isAnswer reports whether a number is what something was answered with, or goes on as a status
// does.
func isAnswer(before, rest string) bool {
	if exits(before) {
		return false
	}
	answers := oneOf(lastWord(strings.TrimRight(before, joints)), "with", "returned", "received", "got", "answered",
		"responded")
	return answers && closes(rest) || phrased(rest[3:], number3(rest))
}
