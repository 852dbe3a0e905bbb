package taxonomy_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// full has every field.
func full() taxonomy.Evidence {
	return taxonomy.Evidence{
		Source: "anthropic-api", Op: "call", Type: "overloaded_error", Status: 529, StatusDerived: true, Code: "E1",
		ExitCode: taxonomy.Some(0), Signal: "SIGKILL", Errno: "ECONNRESET", Text: "first\nsecond", Output: "done",
		Files: []string{"a", "b"}, RetryAfter: taxonomy.Some(1500 * time.Millisecond), RetryAfterDerived: true,
		ResetAt:    time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600)),
		Credential: "main", Attributes: map[string]string{"mode": "fast", "zone": "", "host": "example.org"},
		Err: io.ErrUnexpectedEOF,
	}
}

const fullJSON = `{"source":"anthropic-api","op":"call","type":"overloaded_error","status":529,` +
	`"status_derived":true,"code":"E1",` +
	`"exit_code":0,"signal":"SIGKILL","errno":"ECONNRESET","text":"first\nsecond","output":"done","files":["a","b"],` +
	`"retry_after_derived":true,"reset_at":"2026-01-02T02:04:05Z","credential":"main",` +
	`"attributes":{"host":"example.org","mode":"fast","zone":""},"retry_after":"1.5s","error":"unexpected EOF"}`

func TestEvidenceJSON(t *testing.T) {
	for _, c := range []struct {
		evidence taxonomy.Evidence
		want     string
	}{
		{taxonomy.Evidence{}, `{}`},
		{full(), fullJSON},
		{taxonomy.Evidence{Text: "password=hunter22\n\x00\xff"}, `{"text":"password=[REDACTED]\n\u0000�"}`},
		{taxonomy.Evidence{Attributes: map[string]string{"api_key": "short", "password": ""}},
			`{"attributes":{"api_key":"[REDACTED]","password":""}}`},
		{taxonomy.Evidence{RetryAfter: taxonomy.Some(time.Duration(0))}, `{"retry_after":"0s"}`},
		{taxonomy.Evidence{ResetAt: time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC)}, `{}`},
		{taxonomy.Evidence{Err: panicking{}}, `{"error":"(taxonomy_test.panicking panics when asked for its text)"}`},
	} {
		b, err := json.Marshal(c.evidence)
		require.NoError(t, err)
		assert.Equal(t, c.want, string(b))
		b, err = json.Marshal(&c.evidence)
		require.NoError(t, err)
		assert.Equal(t, c.want, string(b))
		var read taxonomy.Evidence
		require.NoError(t, json.Unmarshal(b, &read))
		again, err := json.Marshal(read)
		require.NoError(t, err)
		assert.Equal(t, c.want, string(again))
	}
}

func TestEvidenceIsReadAsItWas(t *testing.T) {
	var got taxonomy.Evidence
	require.NoError(t, json.Unmarshal([]byte(fullJSON), &got))
	want := full()
	assert.EqualError(t, got.Err, "unexpected EOF")
	assert.True(t, want.ResetAt.Equal(got.ResetAt))
	got.Err, want.Err, got.ResetAt, want.ResetAt = nil, nil, time.Time{}, time.Time{}
	assert.Equal(t, want, got)
}

func TestEvidenceIsNotReadFrom(t *testing.T) {
	for in, want := range map[string]string{
		`[]`:                                  "array is not a valid",
		``:                                    "EOF",
		`{"stauts": 1}`:                       `unknown field "stauts"`,
		`{"status": "429"}`:                   "status: string is not a valid int",
		`{"status": 1.5}`:                     "status: number 1.5 is",
		`{"exit_code": 99999999999999999999}`: "is not a valid int",
		`{"text": {}}`:                        "text: object is",
		`{"files": "a"}`:                      "files: string is",
		`{"retry_after": 30}`:                 "number",
		`{"retry_after": "30"}`:               `missing unit in duration "30"`,
		`{"reset_at": "tomorrow"}`:            `"tomorrow"`,
		`{"attributes": {"a": 1}}`:            "attributes",
		`{"error": 1}`:                        "error: number is",
		`{"password=hunter22": 1}`:            "password=[REDACTED]",
	} {
		e := taxonomy.Evidence{Op: "before"}
		assert.ErrorContains(t, e.UnmarshalJSON([]byte(in)), want, "of %s", in)
		assert.Equal(t, taxonomy.Evidence{Op: "before"}, e)
	}
	e := taxonomy.Evidence{Op: "before"}
	require.NoError(t, e.UnmarshalJSON([]byte(" null ")))
	require.NoError(t, e.UnmarshalJSON([]byte(`{"op": null, "attributes": null}`)))
	assert.Equal(t, taxonomy.Evidence{}, e)
}

func TestEvidenceError(t *testing.T) {
	for _, c := range []struct {
		evidence taxonomy.Evidence
		want     string
	}{
		{taxonomy.Evidence{}, "failure without evidence"},
		{full(), "anthropic-api call: status 529: overloaded_error: E1: exit code 0: SIGKILL: ECONNRESET: first"},
		{taxonomy.Evidence{Err: io.EOF}, "EOF"},
		{taxonomy.Evidence{Text: "\n\n  said\r\nmore"}, "said"},
		{taxonomy.Evidence{Text: "\x1b[31mred\x1b[0m\ttab\u202e\u2028\u009b"}, " [31mred [0m tab   "},
		{taxonomy.Evidence{Source: "a\nb", Text: "token: sk-abcdefghij1234567890"}, "a b: token: [REDACTED]"},
		{taxonomy.Evidence{Err: panicking{}}, "(taxonomy_test.panicking panics when asked for its text)"},
	} {
		assert.Equal(t, c.want, c.evidence.Error())
	}
}

func TestEvidenceAttribute(t *testing.T) {
	e := full()
	assert.Equal(t, "fast", e.Attribute("mode"))
	assert.Empty(t, e.Attribute("none"))
	assert.Equal(t, io.ErrUnexpectedEOF, e.Unwrap())
}

func TestNilEvidence(t *testing.T) {
	var e *taxonomy.Evidence
	assert.Equal(t, "failure without evidence", e.Error())
	assert.NoError(t, e.Unwrap())
	assert.Empty(t, e.Attribute("a"))
	assert.Equal(t, "<nil>", fmt.Sprintf("%+v", e))
	b, err := json.Marshal(e)
	require.NoError(t, err)
	assert.Equal(t, "null", string(b))
}

func TestEvidenceOfItself(t *testing.T) {
	e := &taxonomy.Evidence{Op: "call"}
	e.Err = errors.Join(e)
	assert.Equal(t, "call", e.Error())
	assert.Equal(t, `{"op":"call"}`, fmt.Sprintf("%+v", e))
	e.Err = unwraps{}
	assert.Equal(t, "call: unwraps", e.Error())
	e.Err = itself{}
	assert.Equal(t, "call", e.Error())
}

// TestEvidenceShowsNoSecret puts secrets everywhere, and shows the evidence in every way.
func TestEvidenceShowsNoSecret(t *testing.T) {
	const secret = "sk-abcdefghij1234567890"
	e := taxonomy.Evidence{
		Source: secret, Op: secret, Type: secret, Code: secret, Signal: secret, Errno: secret, Text: "a\n" + secret,
		Output: secret, Files: []string{secret}, Credential: secret,
		Attributes: map[string]string{secret: secret, "password": "hunter22", "n": secret}, Err: errors.New(secret),
	}
	var text, object bytes.Buffer
	for _, logger := range []*slog.Logger{slog.New(slog.NewTextHandler(&text, nil)),
		slog.New(slog.NewJSONHandler(&object, nil))} {
		logger.Info("m", "value", e, "pointer", &e)
	}
	shown := []string{text.String(), object.String(), e.Error()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		shown = append(shown, fmt.Sprintf(verb, e), fmt.Sprintf(verb, &e), fmt.Sprintf(verb, []any{e}),
			fmt.Sprintf(verb, struct{ E taxonomy.Evidence }{e}))
	}
	for _, s := range shown {
		assert.NotContains(t, s, "abcdefghij")
		assert.NotContains(t, s, "hunter22")
		assert.NotContains(t, s, fmt.Sprintf("%x", "abcdefghij"))
	}
	for _, log := range []string{text.String(), object.String()} {
		assert.Equal(t, 1, strings.Count(log, "\n"))
		assert.Contains(t, log, "[REDACTED]")
	}
}

func TestEvidenceIsPrintedOnOneLine(t *testing.T) {
	e := taxonomy.Evidence{Text: "a\nb\x1b[2J\u007f\u202e\U000e0001", Source: "git"}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		for _, r := range fmt.Sprintf(verb, e) {
			assert.True(t, unicode.IsPrint(r), "%s prints %q", verb, r)
		}
	}
	assert.True(t, json.Valid([]byte(fmt.Sprintf("%+v", e))))
}

func TestEvidenceLogValue(t *testing.T) {
	var b bytes.Buffer
	h := slog.NewJSONHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey {
			return slog.Attr{}
		}
		return a
	}})
	slog.New(h).Info("", "e", full())
	assert.JSONEq(t, `{"e":`+fullJSON+`}`, b.String())
}

// TestEvidenceIsBounded shows texts that are long, with secrets at and about where they are cut.
func TestEvidenceIsBounded(t *testing.T) {
	const secret = "hunter2Hunter2hunter2"
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		at := 4000 + 2*r.IntN(100)
		word := strings.Repeat(string(rune('a'+r.IntN(26)))+" ", 50_000)
		pair := [][2]string{{"password=", " "}, {`"token": "`, `" `}, {"Bearer ", " "},
			{"postgres://user:", "@host "}}[r.IntN(4)]
		key, end := pair[0], pair[1]
		e := taxonomy.Evidence{
			Text:       word + key + secret + end + word[:at],
			Output:     key + secret + end + word[:at],
			Err:        errors.New(word[:at] + key + secret + end + word),
			Files:      []string{word[:1000+2*r.IntN(24)] + key + secret + end},
			Attributes: map[string]string{"a": word[:1000+2*r.IntN(24)] + key + secret + end},
			Source:     word[:200+2*r.IntN(40)] + key + secret + end,
		}
		b, err := json.Marshal(e)
		require.NoError(t, err)
		for _, s := range []string{string(b), e.Error(), fmt.Sprintf("%+v", e)} {
			require.Less(t, len(s), 40_000)
			require.False(t, strings.Contains(s, "hunt") || strings.Contains(s, "ter2"), "%q at %d", key, at)
		}
	}
	huge := strings.Repeat("x", 100<<20)
	list := make([]string, 10_000)
	attributes := map[string]string{}
	for i := range list {
		list[i] = huge
		attributes[fmt.Sprint(i, huge[:1000])] = huge
	}
	e := taxonomy.Evidence{Source: huge, Text: huge, Output: huge, Files: list, Attributes: attributes,
		Err: errors.New(huge)}
	b, err := json.Marshal(e)
	require.NoError(t, err)
	assert.Less(t, len(b), 200<<10)
	assert.LessOrEqual(t, len(e.Error()), 4096)
	var read taxonomy.Evidence
	require.NoError(t, json.Unmarshal(b, &read))
	assert.Len(t, read.Files, 64)
	assert.Len(t, read.Attributes, 64)
}

func FuzzEvidenceJSON(f *testing.F) {
	f.Add([]byte(fullJSON))
	f.Add([]byte(`{"attributes":{"password":"\u0000"},"text":"` + strings.Repeat("token=", 1000) + `"}`))
	f.Add([]byte(`{"retry_after":"-1h","reset_at":"0000-01-01T00:00:00+23:59","status":-1}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var e taxonomy.Evidence
		if json.Unmarshal(in, &e) != nil {
			return
		}
		b, err := json.Marshal(e)
		require.NoError(t, err)
		var again taxonomy.Evidence
		require.NoError(t, json.Unmarshal(b, &again), "%s", b)
		for _, s := range []string{e.Error(), fmt.Sprintf("%+v", e), fmt.Sprintf("%#v", &e)} {
			assert.NotContains(t, s, "\n")
		}
		assert.Equal(t, e.Status, again.Status)
		assert.Equal(t, e.ExitCode, again.ExitCode)
		assert.Equal(t, e.RetryAfter, again.RetryAfter)
	})
}

// panicking is an error with a broken method.
type panicking struct{}

func (panicking) Error() string { panic("broken") }

// unwraps is an error that cannot be walked.
type unwraps struct{}

func (unwraps) Error() string { return "unwraps" }

func (unwraps) Unwrap() error { panic("broken") }

// itself is an error whose chain never ends.
type itself struct{}

func (itself) Error() string { return "itself" }

func (itself) Unwrap() error { return itself{} }
