package gen

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

var texts = []string{
	"", "a", "seven b", "eight by", "nine byte", "0123456789abcdef", "\"", "\\", "a\"b\\c/d",
	"\b\f\n\r\t\x00\x01\x1f\x7f", "<a href=\"x\">&amp;</a>",
	"жук", "日本語", "😀 smile", "\u2028\u2029", "x\u2028y", "\u2027\u202a", "\xff", "a\xffb", "\xc2", "\xc2a", "\xe2\x80",
	"\xe2\x80a", "\xe0\x80\x80", "\xe0\xa0\x80",
	"\xed\xa0\x80", "\xed\x9f\xbf", "\xf0\x9f\x98", "\xf0\x80\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
	"\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc0\xaf", "\x80abc",
	"\ufffd", "password=hunter22", `{"api_key":"abc","n":1}`, "sk-abcdefghij1234567890",
	"line\nAuthorization: Bearer abcdef12345", "token: \"жжжжжж1\"",
	strings.Repeat("prose without anything ", 20), strings.Repeat("a\"b", 30),
	strings.Repeat("ж\u2028", 20) + "sk-abcdefghij1234567890", "https://u:p@h/\"",
	"one\rtwo\nthree", "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\nnext", "12345678\n12345678",
}

func TestStringEqualsEncodingJSON(t *testing.T) {
	for _, s := range texts {
		checkString(t, s)
	}
}

func FuzzString(f *testing.F) {
	for _, s := range texts {
		f.Add(s)
	}
	f.Fuzz(checkString)
}

func checkString(t *testing.T, s string) {
	t.Helper()
	want, err := json.Marshal(s)
	require.NoError(t, err)
	if got := appendString(nil, s); string(got) != string(want) {
		t.Fatalf("%q: %s, not %s", s, got, want)
	}
	dst := append(append([]byte("before "), '"'), s...)
	if got := append(escapeTail(dst, len("before \"")), '"'); string(got) != "before "+string(want) {
		t.Fatalf("%q: %s, not %s", s, got, want)
	}
	if back := unquote(string(want)); back != strings.ToValidUTF8(back, "x") || utf8.ValidString(s) && back != s {
		t.Fatalf("%q reads back as %q", s, back)
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct {
		clean    Clean
		in, want string
	}{
		{0, "password=hunter22", "password=hunter22"},
		{Scrub, "password=hunter22", "password=[REDACTED]"},
		{8, "0123456789", "01234…"},
		{8 | KeepTail, "0123456789", "…56789"},
		{10, "0123456789", "0123456789"},
		{20, "GET https://u:p@host/path failed", "GET https://u:p@h…"},
		{20, "GET https://u:p@host", "GET https://u:p@host"},
		{18, "GET https://u:p@host", "GET https://…"},
		{22 | KeepTail, "failed: token=abcdef123456", "… token=abcdef123456"},
		{20 | KeepTail, "failed: token=abcdef123456", "…"},
		{Scrub | 40, "password=hunter22 " + strings.Repeat("x", 30), "password=[REDACTED] xxxxxxxxxxxxxxxxx…"},
		{Scrub | KeepTail | 40, "password=hunter22 " + strings.Repeat("x", 40), "…" + strings.Repeat("x", 37)},
		{Scrub | KeepTail | 40, strings.Repeat("x", 30) + " password=hunter22",
			"…xxxxxxxxxxxxxxxxx password=[REDACTED]"},
		{Scrub | KeepTail | 20, `{"token":"x"} rest`, `{"token":"…`},
	} {
		assert.Equal(t, c.want, c.clean.Text(c.in))
	}
}

func FuzzClean(f *testing.F) {
	for i, s := range texts {
		f.Add(s, uint8(i), i%2 == 0, i%3 != 0)
	}
	f.Fuzz(func(t *testing.T, s string, limit uint8, tail, scrub bool) { checkClean(t, s, limit, tail, scrub) })
}

func TestCleanFormsAgree(t *testing.T) {
	for i, s := range texts {
		for limit := range 60 {
			checkClean(t, s, uint8(limit), limit%2 == 0, i%5 != 0)
		}
	}
}

// TestCleanOfFragments puts the pieces that cleaning is about together at random, which a fuzzer
// seldom does.
func TestCleanOfFragments(t *testing.T) {
	fragments := []string{
		"token", "password", "pwd", "Authorization: ", "=", ":", ": ", `"`, `"`, `\"`, `\`, " ", "\n", "\r", ",", "://",
		"@", "…", "ж", "\xff", "\u2028", "<", "[REDACTED]",
		"[", "Bearer ", "digest ", "sk-abcdefghij1234567890", "ghp_abcdefghij1234567890", "-----BEGIN PRIVATE KEY-----",
		"-----END PRIVATE KEY-----", "abc", "a1", "aB3xyzxyz", "://u:p@",
		"-----END PRIVATE KEY-----", "MIIEvQIBADANBgkqhkiG9w0BAQ\n", "MIIEvQIBADANBgkqhkiG9w0BAQ\r\n", "\n  ",
		"machine a.b login ", "\n password ", "\x00", "\x1b[0m",
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 4000 {
		var b strings.Builder
		for range 1 + r.IntN(16) {
			b.WriteString(fragments[r.IntN(len(fragments))])
		}
		checkClean(t, b.String(), uint8(r.IntN(70)), r.IntN(2) == 0, r.IntN(8) != 0)
	}
}

// checkClean checks that the ways to clean agree, and that cleaning a clean text changes nothing.
func checkClean(t *testing.T, s string, limit uint8, tail, scrub bool) {
	t.Helper()
	c := Clean(limit)
	if tail {
		c |= KeepTail
	}
	if scrub {
		c |= Scrub
	}
	text := c.Text(s)
	if limit != 0 && len(text) > int(limit) {
		t.Fatalf("%q: %d bytes, more than %d", s, len(text), limit)
	}
	if again := c.Text(text); again != text {
		t.Fatalf("%q: %q, then %q", s, text, again)
	}
	if got := string(c.append([]byte("x"), s)); got != "x"+text {
		t.Fatalf("%q: append %q, not %q", s, got, text)
	}
	if got, want := string(c.appendLine([]byte("x"), s)), "x"+firstLine(text); got != want {
		t.Fatalf("%q %x: line %q, not %q", s, uint32(c), got, want)
	}
	if got, want := string(appendClean(nil, s, c)), string(appendString(nil, text)); got != want {
		t.Fatalf("%q: JSON %s, not %s", s, got, want)
	}
}

func TestRaw(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{` { "a" : [ 1 , 2.5e3 , true , null , "x y\" <" ] } `, `{"a":[1,2.5e3,true,null,"x y\" \u003c"]}`},
		{`"\u2028 ` + "\u2028" + `"`, `"\u2028 \u2028"`},
		{"\"ж\xff\"", "\"ж\ufffd\""},
		{`{"a`, `"{\"a"`},
		{``, `""`},
		{` 1 `, `1`},
	} {
		assert.Equal(t, c.want, string(appendRaw(nil, []byte(c.in))))
	}
}

func FuzzRaw(f *testing.F) {
	f.Add([]byte(`{"a":[1,2,{"b":"<\u2028\\"}]}`))
	f.Add([]byte(`[ "\"" , "ж" ]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := appendRaw(nil, raw)
		if !json.Valid(got) || !utf8.Valid(got) {
			t.Fatalf("%q: %q", raw, got)
		}
		if json.Valid(raw) && utf8.Valid(raw) {
			want, err := json.Marshal(json.RawMessage(raw))
			require.NoError(t, err)
			if string(got) != string(want) {
				t.Fatalf("%q: %s, not %s", raw, got, want)
			}
		}
		if again := appendRaw(nil, got); string(again) != string(got) {
			t.Fatalf("%q: %s, then %s", raw, got, again)
		}
	})
}

// FuzzIsValid compares isValid and unquote with encoding/json.
func FuzzIsValid(f *testing.F) {
	for _, text := range []string{
		``, ` `, `null`, ` true `, `nul`, `nullx`, `[]`, `[ ]`, `[,]`, `[1,]`, `[1 2]`, `[1,2`, `{}`, `{,}`, `{"a"}`,
		`{"a":}`, `{"a":1,}`, `{"a" : 1 , "b":[{}]}`, `{a:1}`, `{"a":1]`, `[1}`, `{} x`, `"a`, `"\"`, `"\x"`, `"\u12"`,
		`"\u12g4"`, `"\u+123"`, `"\ud83d\ude00\ud83d\n\/"`, "\"a\tb\"", "\"\xff\"", "[1\f]", "[1\x00]", `-0.5e+10`, `01`,
		`+1`, `.5`, `5.`, `1e`, `-`, `0x10`, `1_0`, `NaN`, `1:2`, `1"2"`, `12345678"`, `"12345678`, `"1234567\"`,
		`{"a":"12345678\"}`, "\u00a0[]", "\v[]",
	} {
		f.Add(text)
	}
	for depth := 9999; depth < 10002; depth++ {
		text := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		require.Equal(f, json.Valid([]byte(text)), isValid(text), depth)
	}
	f.Fuzz(func(t *testing.T, text string) {
		require.Equal(t, json.Valid([]byte(text)), isValid(text), "%q", text)
		var want string
		if json.Unmarshal([]byte(text), &want) == nil && text[0] == '"' {
			in := strings.TrimRight(text, " \t\r\n")
			require.Equal(t, want, unquote(in), "%q", text)
		}
	})
}

func TestNumbers(t *testing.T) {
	for _, f := range []float64{0, 1, -1, 0.1, 1e20, 1e21, 1e-6, 1e-7, 1.5e-9, 1e-10, math.MaxFloat64,
		math.SmallestNonzeroFloat64, -2.5e100, math.Copysign(0, -1)} {
		want, err := json.Marshal(f)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(appendFloat(nil, f)))
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		assert.Equal(t, "null", string(appendFloat(nil, f)))
	}
	for _, n := range []int64{0, 9, 10, 99, 100, 999, 1000, -1, -100, math.MaxInt64, math.MinInt64} {
		want, err := json.Marshal(n)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(appendInt(nil, n)))
	}
}

func TestCleanedFieldsOfObjects(t *testing.T) {
	o := Object([]byte("x")).Clean("a", taxonomy.Some("token=abcdef\n"), Scrub).Clean("b", taxonomy.Some("0123456789"), 8).
		Clean("c", taxonomy.Opt[string]{}, Scrub).
		Strings("d", []string{"token=abcdef", "b"}, Scrub)
	assert.Equal(t, `x{"a":"token=[REDACTED]\n","b":"01234…","d":["token=[REDACTED]","b"]}`, string(o.Close()))
	m := Message(nil).Clean("token=abcdef", Scrub).Begin(" [").Clean("", Scrub).End("]").Text(".").Begin(" [").
		Line("\nx", Scrub).End("]").
		Begin(" [").Clean("x", Scrub).Quoted("", 0).End("]")
	assert.Equal(t, "token=[REDACTED].", string(m.Bytes()))
	assert.Equal(t, "one", Clean(0).Line("one\rtwo"))
}
