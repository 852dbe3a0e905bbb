package planfile

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanner reads an item from its beginning to its end.
type scanner struct {
	item
	at int
}

// rest returns what is left.
func (s *scanner) rest() string { return s.text[s.at:] }

// space passes over white space.
func (s *scanner) space() {
	s.at = len(s.text) - len(strings.TrimLeftFunc(s.rest(), unicode.IsSpace))
}

// done reports whether nothing is left.
func (s *scanner) done() bool {
	s.space()
	return s.rest() == ""
}

// kind reads the word in front of the colon, in lower case.
func (s *scanner) kind() (string, bool) {
	word, _, found := strings.Cut(s.rest(), ":")
	if !found || strings.ContainsFunc(word, unicode.IsSpace) || word == "" {
		return "", false
	}
	s.at += len(word) + 1
	s.space()
	return strings.ToLower(word), true
}

// word takes a word if it is the next one.
func (s *scanner) word(want string) bool {
	s.space()
	rest, found := strings.CutPrefix(s.rest(), want)
	if !found || rest != "" && !endsWord(rest) {
		return false
	}
	s.at += len(want)
	return true
}

func endsWord(rest string) bool {
	c, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsSpace(c) || c == ','
}

// name reads a path or another name: a word, or what stands between backticks or double quotes.
func (s *scanner) name() (string, bool) {
	s.space()
	rest := s.rest()
	for _, quote := range []string{"`", `"`} {
		inside, found := strings.CutPrefix(rest, quote)
		if !found {
			continue
		}
		name, after, closed := strings.Cut(inside, quote)
		if !closed || name == "" || after != "" && !endsWord(after) {
			return "", false
		}
		s.at = len(s.text) - len(after)
		return name, true
	}
	end := strings.IndexFunc(rest, unicode.IsSpace)
	if end < 0 {
		end = len(rest)
	}
	if end > 1 && rest[end-1] == ',' {
		end--
	}
	s.at += end
	return rest[:end], end > 0
}

// quotedTexts reads texts in double quotes, with commas between them.
func (s *scanner) quotedTexts() ([]string, bool) {
	var all []string
	for {
		s.space()
		inside, found := strings.CutPrefix(s.rest(), `"`)
		if !found {
			return nil, false
		}
		text, after, closed := strings.Cut(inside, `"`)
		if text = strings.TrimSpace(text); !closed || text == "" {
			return nil, false
		}
		all = append(all, text)
		s.at = len(s.text) - len(after)
		s.space()
		if !strings.HasPrefix(s.rest(), ",") {
			return all, s.done()
		}
		s.at++
	}
}

// pattern reads a regular expression between slashes, up to the end of the item. The whole of it
// may stand in backticks.
func (s *scanner) pattern() (string, bool) {
	s.space()
	text := strings.TrimSpace(s.rest())
	if inside, found := strings.CutPrefix(text, "`"); found {
		if inside, found = strings.CutSuffix(inside, "`"); !found {
			return "", false
		}
		s.at++
		text = inside
	}
	if len(text) < 3 || text[0] != '/' || text[len(text)-1] != '/' {
		return "", false
	}
	s.at++
	return text[1 : len(text)-1], true
}

// number reads a number that is not negative.
func (s *scanner) number() (int64, bool) {
	s.space()
	rest := s.rest()
	end := strings.IndexFunc(rest, func(c rune) bool { return c < '0' || c > '9' })
	if end < 0 {
		end = len(rest)
	}
	n, err := strconv.ParseInt(rest[:end], 10, 64)
	if err != nil || end < len(rest) && !endsWord(rest[end:]) {
		return 0, false
	}
	s.at += end
	return n, true
}

// quoted returns a text as it is shown in a message: in quotes, and not too long.
func quoted(text string) string {
	const limit = 60
	if runes := []rune(text); len(runes) > limit {
		text = string(runes[:limit]) + "…"
	}
	return strconv.Quote(text)
}
