package schema

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/errgen/errgen/internal/spec"
)

// Reference returns the keys of the language as Markdown: a table for each kind of mapping.
func Reference() []byte {
	var b bytes.Buffer
	for i, m := range spec.TheLanguage().Mappings {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "### %s\n\n%s\n\n", strings.ToUpper(m.Name[:1])+m.Name[1:], m.Doc)
		b.WriteString("| key | value | default | meaning |\n|---|---|---|---|\n")
		for k := range m.Keys {
			row(&b, &m.Keys[k])
		}
	}
	return b.Bytes()
}

func row(b *bytes.Buffer, k *spec.Key) {
	value, def := k.Type.Describe(), k.Default
	switch {
	case k.Reserved:
		value = "reserved"
	case k.Required:
		def = "must be given"
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", k.Name, cell(value), cell(def), cell(k.Doc))
}

// cell keeps text inside of its table cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
