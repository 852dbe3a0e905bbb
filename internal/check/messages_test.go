package check_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
)

const messagesTaxonomy = `errgen: 1
package: errs
audience: public
categories:
  io:
    doc: Files.
    fields:
      file: {type: string, doc: The file.}
      n: {type: int, doc: A number.}
      size: {type: float64, doc: A size.}
      at: {type: time, doc: A time.}
      parts: {type: strings, doc: Parts.}
      bad: {type: violations, doc: Violations.}
      host: {type: string, audience: internal, doc: A host.}
      key: {type: string, sensitive: true, doc: A key.}
      note: {type: string, message_only: true, doc: A note.}
    codes:
      EOF: {doc: The end., message: 'end of file[ {file}][, {n} bytes][: {note}]', resolution: Read less.}
      BUSY: {doc: Busy., message: busy}
      HIDDEN: {doc: Hidden., audience: internal, message: hidden}
`

const messagesFile = `language: pl
messages:
  EOF: {message: 'Koniec pliku[ {file}][, {n} B]', resolution: Czytaj mniej., english: HASH}
  BUSY: {message: zajęty}
`

// Each seeded fault of a text is found, with a place and a fix.
func TestSeededFaultsOfTexts(t *testing.T) {
	m, findings := check.Load("taxonomy.yaml", []byte(messagesTaxonomy))
	require.NotNil(t, m, "%v", findings)
	valid := strings.Replace(messagesFile, "HASH", "'"+m.Codes[0].Hash()+"'", 1)
	language, _, findings := check.Messages(m, "taxonomy.messages.pl.yaml", "pl", []byte(valid))
	require.Empty(t, findings)
	require.Len(t, language.Texts, 2)
	const forms = "one=a few=b many=c other=d"
	for _, c := range []struct{ id, old, new string }{
		{"E-placeholder", "{file}", "{fiel}"},
		{"E-placeholder", "{file}", "{File}"},
		{"E-placeholder", "{file}", "{ file}"},
		{"E-placeholder", "{file}", "{file"},
		{"E-placeholder", "{file}", "file}"},
		{"E-placeholder", "{file}", "{}"},
		{"E-placeholder", "{file}", "{file:}"},
		{"E-placeholder", "{file}", "{file:upper}"},
		{"E-placeholder", "{file}", "{file:count}"},
		{"E-placeholder", "{file}", "{bad}"},
		{"E-placeholder", "[ {file}]", "[ plik]"},
		{"E-placeholder", "[ {file}]", "[ {file}"},
		{"E-placeholder", "[ {file}]", " {file}]"},
		{"E-placeholder", "{n} B", "{file:plural " + forms + "}"},
		{"E-placeholder", "{n} B", "{size:plural " + forms + "}"},
		{"E-placeholder", "{n} B", "{n:plural}"},
		{"E-placeholder", "{n} B", "{n:plural one=a few=b many=c}"},
		{"E-placeholder", "{n} B", "{n:plural one=a other=d}"},
		{"E-placeholder", "{n} B", "{n:plural two=x " + forms + "}"},
		{"E-placeholder", "{n} B", "{n:plural oen=a few=b many=c other=d}"},
		{"E-placeholder", "{n} B", "{n:plural one=a " + forms + "}"},
		{"E-placeholder", "{n} B", "{n:plurals " + forms + "}"},
		{"E-placeholder", "{n} B", "{n:plural eine " + forms + "}"},
		{"E-placeholder", "[ {file}]", "[ {note}]"},
		{"E-value", "{n} B", "{n}\u202eB"},
		{"E-optional-placeholder", "[ {file}]", " {file}"},
		{"E-public-text", "[ {file}]", "[ {host}]"},
		{"E-public-text", "[ {file}]", "[: {cause}]"},
		{"E-sensitive-text", "[ {file}]", "[ {key}]"},
		{"E-value", "Koniec pliku", ""},
		{"E-value", "language: pl", "language: xx"},
		{"E-value", "language: pl", "language: de"},
		{"E-value", "language: pl", "language: pl-"},
		{"E-value", "language: pl", "language: pl-PP"},
		{"E-public-text", "BUSY:", "HIDDEN:"},
		{"E-unknown-name", "BUSY:", "BSUY:"},
		{"E-unknown-key", "message: zajęty", "mesage: zajęty"},
		{"E-duplicate", "  BUSY:", "  EOF: {message: x}\n  BUSY:"},
		{"W-message-missing", "  BUSY: {message: zajęty}\n", ""},
		{"W-message-missing", "zajęty", "''"},
		{"W-message-missing", "resolution: Czytaj mniej., ", ""},
		{"W-message-incomplete", "[ {file}]", ""},
		{"W-message-incomplete", "[, {n} B]", ""},
		{"W-message-incomplete", "{n} B", "{n:plural " + forms + "}"},
		{"W-message-stale", m.Codes[0].Hash(), "00c0ffee"},
	} {
		t.Run(c.id+" "+c.new, func(t *testing.T) {
			require.Contains(t, valid, c.old)
			_, _, findings := check.Messages(m, "taxonomy.messages.pl.yaml", "pl",
				[]byte(strings.Replace(valid, c.old, c.new, 1)))
			require.NotEmpty(t, findings)
			var ids []string
			for _, f := range findings {
				ids = append(ids, f.ID)
				assert.True(t, f.Span.Valid())
				assert.NotEmpty(t, f.Hint, f.Message)
			}
			assert.Contains(t, ids, c.id)
		})
	}
}
