package diag_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/diag"
)

func at(line, col, length int) diag.Span { return diag.Span{Line: line, Col: col, Len: length} }

func TestPrint(t *testing.T) {
	plain := diag.Finding{ID: "E-unknown-key", Span: at(2, 3, 9), Message: `unknown key "retriable"`,
		Hint: `did you mean "retryable"?`}
	related := diag.Finding{
		ID: "W-unsorted", Severity: diag.Warning, Span: at(3, 1, 1), Message: "numbers are unsorted",
		Related: []diag.Related{{Span: at(1, 1, 4), Message: "a greater one stands here"}},
	}
	for _, tt := range []struct {
		name, file, src string
		finding         diag.Finding
		text, github    string
		json            string
	}{
		{
			name: "a key and its hint", file: "taxonomy.yaml", src: "code:\n  retriable: true\n", finding: plain,
			text: `taxonomy.yaml:2:3: error: unknown key "retriable" [E-unknown-key]
    2 |   retriable: true
      |   ^^^^^^^^^
  hint: did you mean "retryable"?
`,
			json: `{"file":"taxonomy.yaml","line":2,"column":3,"length":9,"severity":"error","id":"E-unknown-key",` +
				`"message":"unknown key \"retriable\"","hint":"did you mean \"retryable\"?"}`,
			github: `::error file=taxonomy.yaml,line=2,col=3,endColumn=12,title=E-unknown-key::unknown key ` +
				`"retriable"%0Adid you mean "retryable"?`,
		},
		{
			name: "a warning with a related place", file: "a,b:c.yaml", src: "four\n\n3\n", finding: related,
			text: `a,b:c.yaml:3:1: warning: numbers are unsorted [W-unsorted]
    3 | 3
      | ^
  a,b:c.yaml:1:1: a greater one stands here
    1 | four
      | ^^^^
`,
			json: `{"file":"a,b:c.yaml","line":3,"column":1,"length":1,"severity":"warning","id":"W-unsorted",` +
				`"message":"numbers are unsorted","related":[{"line":1,"column":1,"length":4,"message":"a greater ` +
				`one stands here"}]}`,
			github: `::warning file=a%2Cb%3Ac.yaml,line=3,col=1,endColumn=2,title=W-unsorted::numbers are ` +
				`unsorted%0Aline 1: a greater one stands here`,
		},
		{
			name: "no place, from standard input", file: "-", src: "",
			finding: diag.Finding{ID: "E-x", Message: "50% wrong\n::error::forged"},
			text:    "<stdin>: error: 50% wrong␊::error::forged [E-x]\n",
			json:    `{"file":"<stdin>","severity":"error","id":"E-x","message":"50% wrong\n::error::forged"}`,
			github:  `::error file=<stdin>,title=E-x::50%25 wrong␊::error::forged`,
		},
		{
			name: "tabs stay under tabs", file: "t", src: "a:\tb\tc\n",
			finding: diag.Finding{ID: "E-x", Span: at(1, 6, 1), Message: "m"},
			text:    "t:1:6: error: m [E-x]\n    1 | a:\tb\tc\n      |   \t \t^\n",
			json:    `{"file":"t","line":1,"column":6,"length":1,"severity":"error","id":"E-x","message":"m"}`,
			github:  `::error file=t,line=1,col=6,endColumn=7,title=E-x::m`,
		},
		{
			name: "what controls a terminal is shown, not sent", file: "t", src: "a\x1b[31mb\u202ec\u009b\x7f\n",
			finding: diag.Finding{ID: "E-x", Span: at(1, 8, 1), Message: "m"},
			text:    "t:1:8: error: m [E-x]\n    1 | a␛[31mb\uFFFDc\uFFFD␡\n      |        ^\n",
			json:    `{"file":"t","line":1,"column":8,"length":1,"severity":"error","id":"E-x","message":"m"}`,
			github:  `::error file=t,line=1,col=8,endColumn=9,title=E-x::m`,
		},
		{
			name: "behind the end of a line, with CRLF", file: "t", src: "ab\r\ncd",
			finding: diag.Finding{ID: "E-x", Span: at(1, 3, 0), Message: "m"},
			text:    "t:1:3: error: m [E-x]\n    1 | ab\n      |   ^\n",
			json:    `{"file":"t","line":1,"column":3,"length":1,"severity":"error","id":"E-x","message":"m"}`,
			github:  `::error file=t,line=1,col=3,endColumn=4,title=E-x::m`,
		},
		{
			name: "a byte order mark takes no column", file: "t", src: "\uFEFFab",
			finding: diag.Finding{ID: "E-x", Span: at(1, 1, 2), Message: "m"},
			text:    "t:1:1: error: m [E-x]\n    1 | ab\n      | ^^\n",
			json:    `{"file":"t","line":1,"column":1,"length":2,"severity":"error","id":"E-x","message":"m"}`,
			github:  `::error file=t,line=1,col=1,endColumn=3,title=E-x::m`,
		},
		{
			name: "a long line is cut around the token", file: "t",
			src:     strings.Repeat("é", 100) + "X" + strings.Repeat("z", 300),
			finding: diag.Finding{ID: "E-x", Span: at(1, 101, 1), Message: "m"},
			text: "t:1:101: error: m [E-x]\n    1 | …" + strings.Repeat("é", 40) + "X" + strings.Repeat("z", 79) +
				"…\n" +
				"      | " + strings.Repeat(" ", 41) + "^\n",
			json:   `{"file":"t","line":1,"column":101,"length":1,"severity":"error","id":"E-x","message":"m"}`,
			github: `::error file=t,line=1,col=101,endColumn=102,title=E-x::m`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for format, want := range map[diag.Format]string{
				diag.FormatText: tt.text, diag.FormatJSON: tt.json + "\n",
				diag.FormatGitHub: tt.github + "\n",
			} {
				var out bytes.Buffer
				in := diag.FileFindings{Source: diag.NewSource(tt.file, []byte(tt.src)),
					Findings: []diag.Finding{tt.finding}}
				require.NoError(t, diag.Print(&out, format, in))
				assert.Equal(t, want, out.String(), format)
			}
		})
	}
}

func TestPrintSeveralFiles(t *testing.T) {
	one := diag.FileFindings{Source: diag.NewSource("one", []byte("a")),
		Findings: []diag.Finding{{ID: "E-a", Message: "first"}, {ID: "E-b", Message: "second"}}}
	two := diag.FileFindings{Source: diag.NewSource("two", []byte("b")),
		Findings: []diag.Finding{{ID: "E-c", Message: "third"}}}
	var out bytes.Buffer
	require.NoError(t, diag.Print(&out, diag.FormatJSON, one, two))
	var ids []string
	for dec := json.NewDecoder(&out); dec.More(); {
		var f diag.JSONFinding
		require.NoError(t, dec.Decode(&f))
		ids = append(ids, f.File+" "+f.ID)
	}
	assert.Equal(t, []string{"one E-a", "one E-b", "two E-c"}, ids)
}

func TestPrintFails(t *testing.T) {
	in := diag.FileFindings{Source: diag.NewSource("t", nil), Findings: []diag.Finding{{ID: "E-a", Message: "m"}}}
	full := errors.New("disk full")
	for _, format := range []diag.Format{diag.FormatText, diag.FormatJSON, diag.FormatGitHub} {
		assert.ErrorIs(t, diag.Print(failing{full}, format, in), full)
	}
	assert.Error(t, diag.Print(&bytes.Buffer{}, "xml", in))
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestSort(t *testing.T) {
	fs := []diag.Finding{
		{ID: "W-b", Severity: diag.Warning, Span: at(2, 1, 1)}, {ID: "E-z", Span: at(2, 1, 1)},
		{ID: "E-a", Span: at(2, 1, 1)},
		{ID: "E-late", Span: at(2, 5, 1)}, {ID: "E-first", Span: at(1, 9, 1)},
	}
	assert.True(t, diag.HasErrors(fs))
	assert.False(t, diag.HasErrors(fs[:1]))
	diag.Sort(fs)
	var ids []string
	for _, f := range fs {
		ids = append(ids, f.ID)
	}
	assert.Equal(t, []string{"E-first", "E-a", "E-z", "W-b", "E-late"}, ids)
}

func TestNearest(t *testing.T) {
	keys := []string{"retryable", "recoverability", "reaction", "max_attempts", "http", "grpc", "if", "to"}
	for _, tt := range []struct{ name, want string }{
		{"retriable", "retryable"},
		{"Retryable", "retryable"},
		{"maxAttempts", "max_attempts"},
		{"max-attempts", "max_attempts"},
		{"recation", "reaction"},
		{"htpp", "http"},
		{"grcp", "grpc"},
		{"fi", "if"},
		{"colour", ""},
		{"x", ""},
		{"", ""},
		{strings.Repeat("a", 100), ""},
	} {
		assert.Equal(t, tt.want, diag.Nearest(tt.name, keys), tt.name)
	}
	assert.Equal(t, `did you mean "http"?`, diag.DidYouMean("htp", keys))
	assert.Empty(t, diag.DidYouMean("colour", keys))
}

func TestPrintRepeatedWarnings(t *testing.T) {
	var findings []diag.Finding
	for range 25 {
		findings = append(findings, diag.Finding{ID: "W-often", Severity: diag.Warning, Message: "m"},
			diag.Finding{ID: "E-often", Message: "m"})
	}
	findings = append(findings, diag.Finding{ID: "W-once", Severity: diag.Warning, Message: "m"})
	for format, want := range map[diag.Format]int{diag.FormatText: 10, diag.FormatJSON: 25, diag.FormatGitHub: 25} {
		var out bytes.Buffer
		file := diag.FileFindings{Source: diag.NewSource("t", nil), Findings: findings}
		require.NoError(t, diag.Print(&out, format, file))
		assert.Equal(t, 25, strings.Count(out.String(), "E-often"), format)
		assert.Equal(t, 1, strings.Count(out.String(), "W-once"), format)
		if format == diag.FormatText {
			assert.Equal(t, want, strings.Count(out.String(), "warning: m [W-often]"))
			assert.Contains(t, out.String(), "t: 15 more warnings [W-often]")
		} else {
			assert.Equal(t, want, strings.Count(out.String(), "W-often"), format)
		}
	}
}
