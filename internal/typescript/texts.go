package typescript

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/errgen/errgen/internal/model"
)

//go:embed texts.ts
var texts string

// Texts returns the module of a language's texts, with mark as its first line.
func Texts(m *model.Package, l *model.Language, mark string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n\n/** The messages in %s, for the function localized. */\nexport const texts = ",
		mark, l.Tag)
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(l.Localized(m.Domain)) // texts and numbers always encode
	return append(bytes.TrimSuffix(b.Bytes(), []byte("\n")), " as const;\n"...)
}
