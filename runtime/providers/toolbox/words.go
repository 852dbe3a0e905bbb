package toolbox

import (
	"errors"
	"strings"
)

// Why a command line is not one command.
var (
	errOperator   = errors.New("shell operators are not allowed")
	errUnfinished = errors.New("a quote is not closed")
)

// operators are what means something to a shell outside of quotes. None of it is carried out here,
// so that a line with it would do something else than it says. A tilde and a glob are not among
// them: they stay what they are.
const operators = "|&;<>()$`\n\r"

// splitWords returns the words of a command line. Quotes and backslashes group as in a POSIX shell;
// nothing is expanded. What a shell would carry out is [errOperator].
func splitWords(line string) ([]string, error) { return split(line, operators) }

// patternWords returns the words of a pattern: in it a word is as it stands, but for quotes.
func patternWords(line string) ([]string, error) { return split(line, "\n\r") }

func split(line, forbidden string) ([]string, error) {
	var words []string
	var word strings.Builder
	begun := false
	if strings.IndexByte(line, 0) >= 0 {
		return nil, errOperator // a word ends there, for the system
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\'' || c == '"':
			end, err := quote(line[i:], &word, forbidden)
			if err != nil {
				return nil, err
			}
			i += end
			begun = true
		case c == '\\' && i+1 < len(line) && line[i+1] != '\n':
			i++
			word.WriteByte(line[i])
			begun = true
		case strings.IndexByte(forbidden, c) >= 0:
			return nil, errOperator
		case c == ' ' || c == '\t':
			if begun {
				words = append(words, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

// quote adds what a quote at the beginning of s holds, and returns the index of its end.
func quote(s string, word *strings.Builder, forbidden string) (int, error) {
	mark := s[0]
	for i := 1; i < len(s); i++ {
		c := s[i]
		switch {
		case c == mark:
			return i, nil
		case mark == '"' && c == '\\' && i+1 < len(s) && strings.IndexByte("\"\\$`", s[i+1]) >= 0:
			i++
			word.WriteByte(s[i])
		case mark == '"' && (c == '$' || c == '`') && strings.IndexByte(forbidden, c) >= 0:
			return 0, errOperator
		default:
			word.WriteByte(c)
		}
	}
	return 0, errUnfinished
}

// commandLine returns words as a command line that splits into them again.
func commandLine(words []string) string {
	var b strings.Builder
	for i, word := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(shellWord(word))
	}
	return b.String()
}

// shellWord quotes a word where a shell needs it.
func shellWord(word string) string {
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%*?[]^~!#{}"
