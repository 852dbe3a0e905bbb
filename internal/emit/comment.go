package emit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"
)

// commentWidth is the maximum width of a comment, in characters after the slashes.
const commentWidth = 98

// comment returns the paragraphs as the comment of the next declaration.
func comment(paragraphs ...string) *jen.Statement {
	s := &jen.Statement{}
	for _, line := range commentLines(paragraphs...) {
		s.Comment(line).Line()
	}
	return s
}

// commentLines returns the paragraphs as lines of comment, wrapped; empty ones are left out. Every
// line begins with "//" and a space or nothing, so that no text can end the comment or become a
// directive.
func commentLines(paragraphs ...string) []string {
	var lines []string
	for _, text := range paragraphs {
		for i, words := range splitParagraphs(text) {
			if len(lines) > 0 {
				lines = append(lines, "//")
			}
			if i > 0 && words[0] == "Deprecated:" {
				words[0] = "'Deprecated:'" // only codes are deprecated, with the key `deprecated`
			}
			lines = append(lines, wrapWords(words)...)
		}
	}
	return lines
}

// splitParagraphs returns the words of each paragraph of text.
func splitParagraphs(text string) [][]string {
	var paragraphs [][]string
	var words []string
	for line := range strings.Lines(text) {
		more := cleanWords(line)
		if len(more) == 0 && len(words) > 0 {
			paragraphs, words = append(paragraphs, words), nil
		}
		words = append(words, more...)
	}
	if len(words) > 0 {
		paragraphs = append(paragraphs, words)
	}
	return paragraphs
}

// wrapWords returns words in lines of comment.
func wrapWords(words []string) []string {
	var lines []string
	line, width := "//", 0
	for _, word := range words {
		n := utf8.RuneCountInString(word)
		if width > 0 && width+1+n > commentWidth {
			lines = append(lines, line)
			line, width = "//", 0
		}
		line += " " + word
		width += 1 + n
	}
	return append(lines, line)
}

// oneLine returns text as one line that is valid in a comment.
func oneLine(text string) string { return strings.Join(cleanWords(text), " ") }

// cleanWords splits text at white space and at characters that do not print: control characters,
// line separators, and marks that change the direction of text. A word that is a build constraint
// is quoted, because gofmt and go vet look for it at the beginning of any line.
func cleanWords(text string) []string {
	words := strings.FieldsFunc(strings.ToValidUTF8(text, "\uFFFD"), func(r rune) bool {
		return !unicode.IsPrint(r) && !isJoiner(r) || r == ' '
	})
	for i, word := range words {
		if strings.HasPrefix(word, "+build") {
			words[i] = "'" + word + "'"
		}
	}
	return words
}

// isJoiner reports whether r joins or separates letters without printing, as several scripts need.
func isJoiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

// about returns "name: doc.", or name followed by otherwise if doc is empty.
func about(name, doc, otherwise string) string {
	if doc == "" {
		return name + otherwise
	}
	return name + ": " + sentence(doc)
}

// sentence returns text with a full stop, unless it ends with a punctuation mark.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	if unicode.IsLetter(last) || unicode.IsDigit(last) || strings.ContainsRune("\"'`)]}", last) {
		return text + "."
	}
	return text
}
