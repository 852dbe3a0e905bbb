package emit

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The functions of this file make sentences of a taxonomy's docs that stay grammatical whatever the
// docs say: a name and a colon before them, or a verb where the first word allows one.

// about returns "name: doc.", or "name" and otherwise when there is no doc.
func about(name, doc, otherwise string) string {
	if doc == "" {
		return name + otherwise
	}
	return name + ": " + clause(doc)
}

// aboutField is about for a value. If the doc begins with a question word, it joins the two with a
// verb, such as "name says who failed."
func aboutField(name, doc, otherwise string) string {
	switch word := firstWord(doc); {
	case word == "What":
		return name + " is " + clause(doc)
	case slices.Contains(questions, word):
		return name + " says " + clause(doc)
	default:
		return about(name, doc, otherwise)
	}
}

// clause returns doc with a small first letter, where that is surely right, and a full stop.
func clause(doc string) string { return sentence(lowerFirst(doc)) }

// sentence returns text with a full stop, unless it ends with a mark of its own.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	if unicode.IsLetter(last) || unicode.IsDigit(last) || strings.ContainsRune("\"'`)]}", last) {
		return text + "."
	}
	return text
}

// lowerFirst makes the first letter small when the first word is one that is never a name.
func lowerFirst(text string) string {
	word := firstWord(text)
	if !slices.Contains(questions, word) && !slices.Contains(plainWords, word) {
		return text
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(first)) + text[size:]
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

var questions = []string{"How", "What", "When", "Where", "Whether", "Which", "Who", "Whose", "Why"}

var plainWords = []string{
	"A", "After", "All", "An", "Any", "At", "Bad", "Before", "Both", "Each", "Either", "Every", "Found", "From", "If",
	"In",
	"It", "Its", "Invalid", "Missing", "Neither", "No", "None", "Not", "Nothing", "On", "One", "Our", "Several", "Some",
	"Someone", "Something", "That", "The", "Their", "There", "These", "They", "This", "Those", "Too", "Two", "Unknown",
	"We", "While", "With", "Without", "You", "Your",
}
