package wire

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"sync"
)

const (
	// maxMarkup is how many bytes of a page are looked at.
	maxMarkup = 64 << 10
	// maxPageText is how many bytes of a page's text are kept.
	maxPageText = 512
)

var markup = sync.OnceValues(func() (title, tag *regexp.Regexp) {
	return regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`),
		regexp.MustCompile(`(?is)<(?:script|style)\b.*?(?:</(?:script|style)>|$)|<[^>]*(?:>|$)`)
})

// pageText returns what an HTML page says: its title, or else its text without the markup. Gateways
// answer with pages, and nothing but a line of them says anything.
func pageText(page []byte) string {
	page = bytes.ToValidUTF8(page[:min(len(page), maxMarkup)], nil)
	title, tag := markup()
	if m := title.FindSubmatch(page); m != nil {
		if text := words(m[1]); text != "" {
			return text
		}
	}
	return words(tag.ReplaceAll(page, []byte(" ")))
}

// words returns text with white space made single; of a long one the beginning, secrets masked.
func words(text []byte) string {
	s := strings.Join(strings.Fields(html.UnescapeString(string(text))), " ")
	if len(s) <= maxPageText {
		return s
	}
	return Mask("").Head(s, maxPageText)
}
