package report

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	naiveSingle = regexp.MustCompile(`'[^']*'`)
	naiveDouble = regexp.MustCompile(`"[^"]*"`)
	naiveUUID   = regexp.MustCompile(`(?i)[a-f0-9]{8,}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12,}`)
	naiveHash   = regexp.MustCompile(`(?i)[a-f0-9]{8,}`)
	naiveNumber = regexp.MustCompile(`[0-9]+`)
)

// naiveNormalise is what Normalise shall return, said by regular expressions.
func naiveNormalise(message string) string {
	s := strings.ToValidUTF8(beginning(message, maxNormalised), "\uFFFD")
	s = naiveSingle.ReplaceAllString(s, "'X'")
	s = naiveDouble.ReplaceAllString(s, `"X"`)
	s = naiveUUID.ReplaceAllString(s, "HASH")
	s = naiveHash.ReplaceAllString(s, "HASH")
	s = naiveNumber.ReplaceAllString(s, "N")
	if runes := []rune(s); len(runes) > maxPattern {
		s = string(runes[:maxPattern])
	}
	return s
}

// D125, B-D20.
func TestNormalise(t *testing.T) {
	long := strings.Repeat("é ", 200)
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"plain", "plain"},
		{"open 'a.txt': no such file", "open 'X': no such file"},
		{`open "a.txt" and "b"`, `open "X" and "X"`},
		{"''", "'X'"},
		{"it's one quote", "it's one quote"},
		{`"a 'b" c'`, `"a 'X'`},
		{`'a "b' c"`, `'X' c"`},
		{`"it's" and "x"`, `"X" and "X"`},
		{`"a 'b' c" d`, `"X" d`},
		{"line 12, column 7", "line N, column N"},
		{"took 1.5s", "took N.Ns"},
		{"commit deadbeef1234 lost", "commit HASH lost"},
		{"commit DEADBEEF1234 lost", "commit HASH lost"},
		{"commit DeadBeef lost", "commit HASH lost"},
		{"commit dead123 lost", "commit deadN lost"},
		{"at 1700000000000", "at HASH"},
		{"id 1234567", "id N"},
		{"a1b2", "aNbN"},
		{"x12345678y", "xHASHy"},
		{"'12345678' 12", "'X' N"},
		{"request 0f8fad5b-d9cb-469f-a165-70867728950e failed", "request HASH failed"},
		{"request 7C9E6679-7425-40DE-944B-E07FC1F90AE7", "request HASH"},
		{"{0f8fad5b-d9cb-469f-a165-70867728950e}-12345678-1", "{HASH}-HASH-N"},
		{"id_0f8fad5b-d9cb-469f-a165-70867728950e lost", "id_HASH lost"},
		{"req-0f8fad5b-d9cb-469f-a165-70867728950e.json", "req-HASH.json"},
		{"x0f8fad5b-d9cb-469f-a165-70867728950eZ", "xHASHZ"},
		{"0f8fad5b-d9cb-469f-a165-70867728950e_", "HASH_"},
		{"trace0f8fad5b-d9cb-469f-a165-70867728950e12", "trHASH"},
		{"0f8fad5b-d9cb-469f-a165-70867728950e-d9cb-469f-a165-70867728950e", "HASH-dNcb-Nf-aN-HASH"},
		{"0f8fad5b-d9cb-469fa-a165-70867728950e", "HASH-dNcb-Nfa-aN-HASH"},
		{"0f8fad5b-d9cb-469f-a165-7086772895", "HASH-dNcb-Nf-aN-HASH"},
		{"deadbeef-0f8fad5b-d9cb-469f-a165-70867728950e-1", "HASH-HASH-N"},
		{"it can't be what it doesn't do", "it can'X't do"},
		{"a\xff\xfeb\xff", "a\uFFFDb\uFFFD"},
		{"'\xff' \xe2\x82", "'X' \uFFFD"},
		{long, strings.Repeat("é ", 50)},
		{strings.Repeat("x", 98) + " 12345678", strings.Repeat("x", 98) + " H"},
		{strings.Repeat("ab cd ", 1000), strings.Repeat("ab cd ", 1000)[:100]},
	} {
		assert.Equal(t, c.want, Normalise(c.in), "%q", c.in)
		assert.Equal(t, c.want, naiveNormalise(c.in), "%q, by regular expressions", c.in)
	}
}

// However long a message is, no more of it is looked at.
func TestNormaliseLooksAtTheBeginningOnly(t *testing.T) {
	for _, unit := range []string{"x", "'", `"`, `"'`, "0", "é", "\xff", " ", "'\""} {
		s := strings.Repeat(unit, 10<<20/len(unit))
		assert.Equal(t, Normalise(beginning(s, maxNormalised)), Normalise(s))
		assert.Equal(t, naiveNormalise(s), Normalise(s), "%q", unit)
	}
	assert.Equal(t, `"xxx`, Normalise(`"` + strings.Repeat("x", 5000) + `"`)[:4],
		"a quoted text that ends too late ends nowhere")
}

// UUIDs among what is nearly one, in any order.
func TestNormaliseUUIDs(t *testing.T) {
	parts := []string{
		"0f8fad5b-d9cb-469f-a165-70867728950e", "DEADBEEF-d9cb-4f9f-a165-aaaaaaaaaaaa", "deadbeef", "-d9cb-469f-a165",
		"-", "_", "é", "\xff", "'",
		`"`, " ", "7", "a", "z", "0f8fad5b-d9cb-469f-a165-7086772895",
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var b strings.Builder
		for range 1 + random.IntN(6) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		require.Equal(t, naiveNormalise(b.String()), Normalise(b.String()), "%q", b.String())
	}
}

func FuzzNormalise(f *testing.F) {
	for _, s := range streamMessages {
		f.Add(s, 1)
	}
	f.Add(`"a 'b" c' "d`, 20)
	f.Add("a 0f8fad5b-d9cb-469f-a165-70867728950e-0F8FAD5B-d9cb-469f-a165-70867728950e "+
		"é0f8fad5b-d9cb-469f-a165-70867728950e", 2)
	f.Add("'deadBEEF12'\xff\xfe0x1234567 \xe2\x82", 300)
	f.Fuzz(func(t *testing.T, s string, times int) {
		s = strings.Repeat(s, min(max(times, 1), 5000/max(1, len(s))+1))
		got := Normalise(s)
		assert.Equal(t, naiveNormalise(s), got)
		assert.True(t, utf8.ValidString(got))
		assert.LessOrEqual(t, utf8.RuneCountInString(got), maxPattern)
	})
}
