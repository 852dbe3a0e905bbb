package report

import (
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// D143, B-D21.
func TestWriteCSV(t *testing.T) {
	r := NewReporter(ReporterOptions{})
	o := full()
	o.Message = "a \"b\", c\r\nd"
	r.Report(o)
	r.Report(&Occurrence{ID: "2", At: time.UnixMilli(-5), Message: "=1+1", Recovery: &Recovery{}})
	r.Report(&Occurrence{ID: "3", Category: "+c", Severity: "-s", Source: &Source{Type: "@t", Component: " =c"}})
	var b strings.Builder
	require.NoError(t, r.WriteCSV(&b))
	assert.Equal(
		t, "errorId,timestamp,category,severity,message,sourceType,sourceComponent,recoveryAttempts,"+
			"recoverySuccessful\r\n"+
			`"id",1700000000123,"network","high","a ""b"", c`+"\r\n"+`d","llm","api",1,true`+"\r\n"+
			`"2",-5,,,"'=1+1",,,0,`+"\r\n"+
			`"3",,"'+c","'-s",,"'@t","' =c",,`+"\r\n", b.String())
}

func TestCell(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "plain": "plain", " plain": " plain", "a=b": "a=b", "1-1": "1-1", "'x": "'x",
		"=1": "'=1", "+1": "'+1", "-1": "'-1", "@a": "'@a", "\tx": "'\tx", "\rx": "'\nx", "\nx": "'\nx",
		"  =1": "'  =1",
		" \tx": "' \tx", "\u00a0=1": "'\u00a0=1", "\ufeff=1": "'\ufeff=1", "\u200b@x": "'\u200b@x",
		"\x00=1": "\uFFFD=1",
		"＝1":     "'＝1", "＋1": "'＋1", "－1": "'－1", "＠a": "'＠a", "=": "'=", " ": " ", "\t": "'\t", "a\tb": "a\tb",
		"a\r\nb\rc": "a\nb\nc",
		"a;=1":      "a;'=1", "a\t=1": "a\t'=1", "a\n@b": "a\n'@b", `a;"=1"`: `a;'"=1"`, `a; ""+1`: `a;' ""+1`,
		`"=1`: `'"=1`, "a,=b": "a,=b",
		";": ";", ";;-": ";;'-", "a;b": "a;b", "a;": "a;", `"a"`: `"a"`,
	} {
		assert.Equal(t, want, cell(in), "%q", in)
	}
}

// FuzzWriteCSV reads back what was written.
func FuzzWriteCSV(f *testing.F) {
	f.Add("=cmd|' /C calc'!A0", "a,b;\"c\"", "\r\n\r", "\ufeff")
	f.Add("could not parse;=HYPERLINK(0)", "a\t=cmd|x;\"=1\"", "c;", "\n@x")
	f.Add("\t", " -1", "\x00\x1f", "\xff\"")
	f.Fuzz(func(t *testing.T, id, message, category, component string) {
		r := NewReporter(ReporterOptions{})
		r.Report(
			&Occurrence{ID: id, Message: message, Category: category, Source: &Source{Type: "t", Component: component}})
		var b strings.Builder
		require.NoError(t, r.WriteCSV(&b))
		read := csv.NewReader(strings.NewReader(b.String()))
		rows, err := read.ReadAll()
		require.NoError(t, err, "%q", b.String())
		require.Len(t, rows, 2)
		assert.Equal(t, csvHeader, rows[0])
		o := r.Last(1)[0]
		assert.Equal(
			t, []string{cell(o.ID), "", cell(o.Category), "", cell(o.Message), "t", cell(o.Source.Component), "", ""},
			rows[1])
		// Whoever divides lines elsewhere, and knows quotes only where a cell begins, finds no
		// formula either.
		for _, s := range strings.FieldsFunc(
			b.String(), func(c rune) bool { return strings.ContainsRune(";\t\r\n", c) }) {
			assert.False(t, beginsFormula(s), "%q in %q", s, b.String())
		}
		for _, s := range rows[1] {
			if s = strings.TrimLeft(s, " \u00a0"); s != "" {
				assert.NotContains(t, "=+-@\t\r\n", s[:1])
			}
		}
	})
}
