package catalogue

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/explain"
	"github.com/errgen/errgen/internal/output"
)

var markdownTemplate = template.Must(template.New("page.md").Funcs(functions).Funcs(template.FuncMap{
	"codeSpan": codeSpan, "md": escapeMarkdown, "mermaid": mermaid, "yesNo": explain.YesNo,
}).ParseFS(embedded, "page/page.md"))

// markdown returns the pages.
func (s *site) markdown() []output.File {
	files := map[string][]byte{}
	for _, p := range s.pages() {
		var b bytes.Buffer
		if err := markdownTemplate.Execute(&b, p); err != nil {
			panic(fmt.Sprintf("page of %s: %v", p.Name, err)) // the template fits all pages
		}
		files[p.Path] = append(bytes.TrimSpace(b.Bytes()), '\n')
	}
	for _, f := range s.former {
		files[f.Path] = fmt.Appendf(nil, "<!-- %s -->\n\n# %s\n\n%s [%s](%s).\n", s.Mark, escapeMarkdown(f.Name),
			escapeMarkdown(f.Note), escapeMarkdown(cmp.Or(f.Page.Name, "all codes")), relative(f.Path, f.Page.Path))
	}
	return sorted(files)
}

// escapeMarkdown returns a text on one line that Markdown shows unchanged, also in tables.
func escapeMarkdown(text string) string {
	text = oneLine(text)
	var b strings.Builder
	for i, r := range text {
		switch {
		case strings.ContainsRune("\\`*[]|~#", r), r == '_' && !(isWord(text[:i], -1) && isWord(text[i+1:], 1)):
			b.WriteByte('\\')
		case r == '<':
			b.WriteString("&lt;")
			continue
		case r == '&':
			b.WriteString("&amp;")
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isWord reports whether a text begins with a letter, a digit or an underscore. If end is -1, it
// reports whether the text ends with one.
func isWord(text string, end int) bool {
	r, _ := utf8.DecodeRuneInString(text)
	if end < 0 {
		r, _ = utf8.DecodeLastRuneInString(text)
	}
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// codeSpan returns a text as code that Markdown shows unchanged, also in tables.
func codeSpan(text string) string {
	if text = oneLine(text); text == "" {
		return ""
	}
	if strings.ContainsAny(text, "`|") {
		return escapeMarkdown(text) // a table has no escape for these in code
	}
	return "`" + text + "`"
}
