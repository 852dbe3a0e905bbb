// Package negotiate selects the language of a response from the languages that a client accepts.
//
//	texts := negotiate.New("en", &messages.De, &messages.Fr)
//	problem.Handler(getOrder, problem.ByTable(errs.Table), problem.Localize(texts.Message))
//
// Only programs that import it link the data of golang.org/x/text/language.
package negotiate

import (
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

// New returns the languages of the texts, and the language of the taxonomy itself, as in BCP 47. It
// panics if that is not a language.
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
// nothing fits, or if the best language has no text for the code.
func (l *Languages) Message(accept []string, v taxonomy.PublicView) (tag, message string) {
	if all := strings.Join(accept, ","); all != "" && len(all) <= maxAccept {
		if _, i := language.MatchStrings(l.matcher, all); i > 0 {
			if message, ok := l.texts[i-1].Message(v); ok {
				return l.texts[i-1].Language, message
			}
		}
	}
	return l.source, v.Message()
}
