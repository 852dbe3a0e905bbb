package spec

import (
	"reflect"
	"sync"

	"github.com/errgen/errgen/internal/diag"
)

// Messages are the texts of a taxonomy's public codes in a language, as written in a file beside
// the taxonomy.
type Messages struct {
	_ struct{} `name:"file of messages"`
	// Language of the texts, as in BCP 47.
	Language Text `key:"language" required:"" chars:""`
	// Texts by code.
	Messages []Message `key:"messages" required:"" keys:"code"`
}

// Message has the texts of a code in a language.
type Message struct {
	Code Text `key:"*" chars:""`
	// Text with the placeholders of the taxonomy's message. An empty text is missing.
	Message Text `key:"message" required:""`
	// Advice for a person.
	Resolution Text `key:"resolution"`
	// Hash of the taxonomy's texts that these ones translate. `errgen messages` writes it.
	English Text `key:"english"`
	Span    diag.Span
}

// TheMessages returns the language of files of messages. Do not change it.
var TheMessages = sync.OnceValue(func() *Language {
	b := &builder{mappings: make(map[variant]*Mapping)}
	b.lang.Root = b.mapping(reflect.TypeFor[Messages](), "")
	return &b.lang
})

// ParseMessages reads a file of messages and reports all faults of its form. The taxonomy has no
// declarations; it locates texts of the file, and has its ignore comments.
func ParseMessages(name string, src []byte) (*Messages, *Taxonomy, []diag.Finding) {
	m, t := new(Messages), &Taxonomy{Source: diag.NewSource(name, src)}
	t.lines = &lines{t.Source}
	d := &decoder{lines: t.lines}
	if root := d.read(src); root != nil {
		d.mapping(reflect.ValueOf(m).Elem(), root, nil, TheMessages().Root)
		t.Ignores = d.ignores()
	}
	diag.Sort(d.out)
	return m, t, d.out
}
