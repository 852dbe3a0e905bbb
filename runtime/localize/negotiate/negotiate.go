// Package negotiate selects the language of a response from the languages that a client accepts.
//
//	texts := negotiate.New("en", &messages.De, &messages.Fr)
//	problem.Handler(getOrder, problem.ByTable(errs.Table), problem.Localize(texts.Message))
//
// Only programs that import it link the data of golang.org/x/text/language.
package negotiate

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/errgen/errgen/runtime/localize"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Languages are the languages of a program's messages. They are safe for concurrent use.
type Languages struct {
	source  string
	texts   []*localize.Texts // the language of the taxonomy has index -1
	matcher language.Matcher
}

// New returns the languages of the texts of one taxonomy, and the language of the taxonomy itself, as
// in BCP 47. It panics if that is not a language.
func New(source string, texts ...*localize.Texts) *Languages {
	tags := []language.Tag{language.MustParse(source)}
	for _, t := range texts {
		tags = append(tags, language.MustParse(t.Language))
	}
	return &Languages{source, texts, language.NewMatcher(tags)}
}

// maxAccept is the maximum length of a list of accepted languages, in bytes.
const maxAccept = 1000

// Message returns the public message of an error in the best language for a client, and the
// language. accept are the values of Accept-Language. The language is that of the taxonomy if
// nothing fits, if the best language has no text for the code, or if accept is longer than 1,000
// bytes. Invalid entries are ignored.
func (l *Languages) Message(accept []string, v taxonomy.PublicView) (tag, message string) {
	if all := strings.Join(accept, ","); all != "" && len(all) <= maxAccept {
		if _, i, _ := l.matcher.Match(wanted(all)...); i > 0 {
			if message, ok := l.texts[i-1].Message(v); ok {
				return l.texts[i-1].Language, message
			}
		}
	}
	return l.source, v.Message()
}

// wanted returns the languages of a list, the best one first. It parses each entry separately,
// because the parser of a list refuses all of it if an entry is invalid.
func wanted(list string) []language.Tag {
	type entry struct {
		tag     language.Tag
		quality float32
	}
	var entries []entry
	for text := range strings.SplitSeq(list, ",") {
		tags, qualities, err := language.ParseAcceptLanguage(text)
		if err == nil && len(tags) == 1 {
			entries = append(entries, entry{tags[0], qualities[0]})
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(b.quality, a.quality) })
	tags := make([]language.Tag, len(entries))
	for i, e := range entries {
		tags[i] = e.tag
	}
	return tags
}
