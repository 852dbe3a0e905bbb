package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const translated = `errgen: 1
package: errs
audience: public
categories:
  user:
    doc: Users.
    fields: {name: {type: string, doc: Its name.}}
    codes:
      NO_USER: {doc: No user., message: 'no user[ {name}]', resolution: Check the name.}
      BUSY: {doc: Busy., message: busy}
`

// A file of messages is written, filled in, and updated after the taxonomy changed. What a
// translator wrote stays.
func TestMessages(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "taxonomy.messages.de.yaml")
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	read := func() string {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return string(text)
	}
	write("taxonomy.yaml", translated)
	status, _, stderr := call(t, dir, "", "messages", "de")
	assert.Equal(t, exitClean, status)
	assert.Equal(t, 2, strings.Count(stderr, "[W-message-missing]"), stderr)
	assert.Equal(t, `language: de
messages:
  # en: no user[ {name}]
  # en: Check the name.
  NO_USER:
    message: ""
    resolution: ""
  # en: busy
  BUSY:
    message: ""
`, read())

	const filled = `# Texts of the support team.
language: de
messages:
  # as on the web site
  NO_USER: {message: 'kein Nutzer[ {name}]', resolution: Prüfen Sie den Namen.}
`
	write("taxonomy.messages.de.yaml", filled)
	status, _, _ = call(t, dir, "", "messages", "de")
	assert.Equal(t, exitClean, status)
	assert.Equal(t, `# Texts of the support team.
language: de
messages:
  # as on the web site
  # en: no user[ {name}]
  # en: Check the name.
  NO_USER: {message: 'kein Nutzer[ {name}]', resolution: Prüfen Sie den Namen., english: 40da76eb}
  # en: busy
  BUSY:
    message: ""
`, read())
	status, _, stderr = call(t, dir, "", "generate")
	assert.Equal(t, exitClean, status, stderr)
	assert.FileExists(t, filepath.Join(dir, "errs", "messages", "de_gen.go"))

	before := read()
	write("taxonomy.yaml", strings.ReplaceAll(translated, "no user[", "unknown user["))
	_, stdout, _ := call(t, dir, "", "lint")
	assert.Contains(t, stdout,
		"taxonomy.messages.de.yaml:7:90: warning: the taxonomy's text of NO_USER changed [W-message-stale]")
	status, _, _ = call(t, dir, "", "messages", "de")
	assert.Equal(t, exitClean, status)
	assert.Equal(t, strings.Replace(before, "# en: no user[", "# en: unknown user[", 1), read(), "the hash stays")

	write("taxonomy.messages.de.yaml", strings.Replace(read(), "{name}", "{id}", 1)) // in the comment
	status, _, _ = call(t, dir, "", "messages", "de")
	assert.Equal(t, exitClean, status)
	write("taxonomy.messages.de.yaml", strings.Replace(read(), "Nutzer[ {name}]", "Nutzer[ {id}]", 1))
	status, _, stderr = call(t, dir, "", "generate")
	assert.Equal(t, exitFindings, status)
	assert.Contains(t, stderr, `category "user" has no field "id"`)

	require.NoError(t, os.Remove(file))
	status, _, stderr = call(t, dir, "", "check")
	assert.Equal(t, exitFindings, status, stderr)
	status, _, stderr = call(t, dir, "", "generate")
	assert.Equal(t, exitClean, status, stderr)
	assert.NoFileExists(t, filepath.Join(dir, "errs", "messages", "de_gen.go"))

	status, _, stderr = call(t, dir, "", "messages", "klingon")
	assert.Equal(t, exitTrouble, status)
	assert.Contains(t, stderr, `"klingon" is not a known language`)
}

// What errgen did not write stays, and line endings do not change.
func TestMessagesOfTranslators(t *testing.T) {
	const flow = "{language: de, messages: {BUSY: {message: m, english: x}, " +
		"NO_USER: {message: k, resolution: r, english: x}}}\n"
	for _, tt := range []struct{ name, old, new string }{
		{"block text", `language: de
messages:
  NO_USER:
    message: |
      kein Nutzer
      # en: keep me
    english: x
  BUSY: {message: belegt, english: x}
`, `language: de
messages:
  # en: no user[ {name}]
  # en: Check the name.
  NO_USER:
    message: |
      kein Nutzer
      # en: keep me
    resolution: ""
    english: x
  # en: busy
  BUSY: {message: belegt, english: x}
`},
		{"carriage returns", crlf(`language: de
messages:
  # en: old
  BUSY: {message: belegt, english: x}
`), crlf(`language: de
messages:
  # en: no user[ {name}]
  # en: Check the name.
  NO_USER:
    message: ""
    resolution: ""
  # en: busy
  BUSY: {message: belegt, english: x}
`)},
		{"flow style", flow, flow},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "taxonomy.messages.de.yaml")
			require.NoError(t, os.WriteFile(filepath.Join(dir, "taxonomy.yaml"), []byte(translated), 0o644))
			require.NoError(t, os.WriteFile(file, []byte(tt.old), 0o644))
			for range 2 {
				_, _, stderr := call(t, dir, "", "messages", "de")
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				assert.Equal(t, tt.new, string(text), stderr)
			}
		})
	}
}

func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

func TestNamesOfMessages(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "taxonomy.yaml"), []byte(translated), 0o644))
	for _, tag := range []string{"de-", "de-de", "de-1.5", "de-x/../../y", "iw"} {
		status, _, stderr := call(t, dir, "", "messages", "--", tag)
		assert.Equal(t, exitTrouble, status, tag)
		assert.Contains(t, stderr, "is not a known language", tag)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "taxonomy.messages.de.yml"), nil, 0o644))
	status, _, stderr := call(t, dir, "", "lint")
	assert.Equal(t, exitTrouble, status)
	assert.Contains(t, stderr, "rename the file to taxonomy.messages.de.yaml")
}
