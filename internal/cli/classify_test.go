package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const detecting = `errgen: 1
package: errs
sources: {cli: The CLI.}
fallback: {code: OTHER}
categories:
  cli:
    doc: The CLI failed.
    fields: {body: {type: string, from: text}, lines: {type: strings, from: files}, raw: {type: json, from: attributes.raw}, hidden: {type: string, sensitive: true, from: attributes.hidden}}
    codes:
      LIMIT: {doc: A limit., message: 'limit[: {body}]', detect: [{source: cli, contains: usage limit}], examples: [{source: cli, text: usage limit}]}
      OTHER: {doc: All else., message: 'other[ {body}][ {lines}][ {raw}]'}
`

func detectingDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "taxonomy.yaml"), []byte(detecting), 0o644))
	return dir
}

// harmless reports whether a text neither controls a terminal nor turns the direction of writing.
func harmless(s string) bool {
	return !strings.ContainsFunc(
		s, func(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) })
}

func TestClassifyHostileText(t *testing.T) {
	secret := "password=hunter2hunter2"
	tests := map[string]struct{ stdin, want string }{
		"escape sequences":   {"\x1b[2J\x1b]0;x\x07 usage limit \u009b31m \u202e \x7f", "LIMIT"},
		"invalid UTF-8":      {"\xff\xfe usage limit \xc3", "LIMIT"},
		"NUL":                {"\x00\x00usage limit\x00", "LIMIT"},
		"a secret":           {"usage limit " + secret, "LIMIT"},
		"half of a body":     {`{"error": {"message": "usage limit`, "LIMIT"},
		"a body of a list":   {`[{"error":{"message":"usage limit"}}]`, "LIMIT"},
		"deep":               {strings.Repeat("[", 100_000) + "usage limit", "LIMIT"},
		"the end counts":     {"usage limit" + strings.Repeat("x", 17<<10), "OTHER"},
		"nothing":            {"", "OTHER"},
		"only line ends":     {"\n\n\r\n", "OTHER"},
		"near misses":        {strings.Repeat("usage limi ", 10_000), "OTHER"},
		"one line, no end":   {strings.Repeat("a", 5<<20) + " usage limit", "LIMIT"},
		"a placeholder":      {"{body} [[usage limit]] %s %!d", "LIMIT"},
		"what looks like go": {"`+os.Exit(1)+` usage limit", "LIMIT"},
	}
	dir := detectingDir(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			status, text,
				stderr := call(t, dir, tt.stdin, "classify", "-source", "cli", "-file", "a\x1b[m "+secret, "-attr",
				`raw={"a":"`+secret+`"}`, "-attr", "hidden=hunter2", "-attr", "authorization=hunter2pw")
			assert.Equal(t, exitClean, status)
			assert.Empty(t, stderr)
			assert.True(t, strings.HasPrefix(text, tt.want+" (cli): "), text)
			_, doc, _ := call(t, dir, tt.stdin, "classify", "-source", "cli", "-format=json", "-file", "a\x1b[m "+secret,
				"-attr", `raw={"a":"`+secret+`"}`, "-attr", "hidden=hunter2", "-attr", "authorization=hunter2pw")
			assert.True(t, json.Valid([]byte(doc)), doc)
			for _, out := range []string{text, doc} {
				assert.True(t, harmless(out), "%q", out)
				assert.NotContains(t, out, "hunter2")
				assert.Less(t, len(out), 64<<10)
			}
		})
	}
}

// An error that is named by its value and by its type is both.
func TestClassifyErrorOfTwoNames(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "taxonomy.yaml"), []byte(`errgen: 1
package: errs
categories:
  io:
    codes:
      CUT: {message: cut, detect: [{is: io.EOF, as: '*net.OpError'}], examples: [{is: io.EOF, as: '*net.OpError'}]}
`), 0o644))
	for _, args := range [][]string{{"-is", "io.EOF", "-as", "*net.OpError"},
		{"-as", "*net.OpError", "-is", "io.EOF"}} {
		status, stdout, stderr := call(t, dir, "", append([]string{"classify"}, args...)...)
		assert.Equal(t, exitClean, status, stderr)
		assert.True(t, strings.HasPrefix(stdout, "CUT (io): cut\n"), stdout)
	}
}

func TestClassifySystemNames(t *testing.T) {
	dir := detectingDir(t)
	for arg, want := range map[string]string{"-signal=KILL": "SIGKILL", "-errno=connreset": "ECONNRESET", "-errno=EPIPES": "EPIPE"} {
		status, _, stderr := call(t, dir, "", "classify", arg)
		assert.Equal(t, exitTrouble, status)
		assert.Contains(t, stderr, `did you mean "`+want+`"?`)
	}
}

// repeated is text without end.
type repeated struct{ text string }

func (r repeated) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], r.text)
	}
	return n, nil
}

// TestClassifyLongText checks that only the end of a long text is kept.
func TestClassifyLongText(t *testing.T) {
	dir := detectingDir(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var out bytes.Buffer
	in := io.MultiReader(io.LimitReader(repeated{"all is well\n"}, 100<<20), strings.NewReader("usage limit reached"))
	status := Run(t.Context(), []string{"classify", "-source", "cli"},
		Env{Stdin: in, Stdout: &out, Stderr: io.Discard, Dir: dir})
	runtime.ReadMemStats(&after)
	assert.Equal(t, exitClean, status)
	assert.True(t, strings.HasPrefix(out.String(), "LIMIT"))
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20))
}

func TestClassifyThatCannotReadOrWrite(t *testing.T) {
	dir := detectingDir(t)
	for _, args := range [][]string{{"classify"}, {"classify", "-format=json"}} {
		var stderr bytes.Buffer
		assert.Equal(
			t, exitTrouble,
			Run(t.Context(), args, Env{Stdin: brokenPipe{}, Stdout: io.Discard, Stderr: &stderr, Dir: dir}))
		assert.Equal(t, "errgen: read text from standard input: broken\n", stderr.String())
		stderr.Reset()
		assert.Equal(t, exitTrouble, Run(t.Context(), args, Env{Stdout: brokenPipe{}, Stderr: &stderr, Dir: dir}))
		assert.Equal(t, "errgen: write result: broken\n", stderr.String())
	}
}

func TestEscapeControls(t *testing.T) {
	tests := map[string]string{
		`{"a":"ä€😀"}`:            `{"a":"ä€😀"}`,
		"{\"a\":\"\u009b\x7f\"}": `{"a":"\u009b\u007f"}`,
		"\"\u202e\u200b\ufeff\"": `"\u202e\u200b\ufeff"`,
		"\"\xff\uFFFD\"":         "\"\xff\uFFFD\"",
	}
	for in, want := range tests {
		assert.Equal(t, want, string(escapeControls([]byte(in))))
	}
}

func FuzzClassify(f *testing.F) {
	f.Add("usage limit", "overloaded", 529, "a=b")
	f.Add(`{"type":"error","error":{"type":"x","message":"\u001b[31m"}}`, "\x00", 0, "=")
	f.Add("HTTP 503: retry after 30", "", 99999, "raw={\"a\":[1,2]}")
	f.Add("\xff\x9b\x1b password=hunter2hunter2", "\u202e", -1, "hidden=x")
	dir := detectingDir(f)
	f.Fuzz(func(t *testing.T, text, kind string, status int, attr string) {
		for _, form := range []string{"text", "json"} {
			code, stdout,
				stderr := call(t, dir, text, "classify", "-format", form, "-source", "cli", "-type", kind, "-status",
				fmt.Sprint(status), "-attr", attr)
			assert.True(t, harmless(stdout), "%q", stdout)
			assert.NotContains(t, stderr, "\x1b")
			if code == exitClean && form == "json" {
				assert.True(t, json.Valid([]byte(stdout)), stdout)
			}
		}
	})
}
