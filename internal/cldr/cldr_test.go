package cldr_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
	"golang.org/x/text/message"
	"golang.org/x/text/number"

	"github.com/errgen/errgen/internal/cldr"
	"github.com/errgen/errgen/runtime/localize"
)

var update = flag.Bool("update", false, "write languages.json")

var invisible = regexp.MustCompile(`[\p{Z}\p{Cf}]`)

// regional are languages whose numbers differ from those of the same language elsewhere.
var regional = strings.Fields("de-AT de-CH de-LI en-IN en-ZA es-MX es-US fr-CA fr-CH it-CH")

var forms = map[plural.Form]string{plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few",
	plural.Many: "many", plural.Other: "other"}

func category(tag language.Tag, n int) string {
	return forms[plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0)]
}

// format returns the format of a language by the tables of x/text.
func format(tag language.Tag) localize.Format {
	p := message.NewPrinter(tag)
	isSymbol := func(r rune) bool { return !unicode.IsDigit(r) }
	grouped := p.Sprint(number.Decimal(1234567890))
	digits := []rune(p.Sprint(number.Decimal(0)))
	groups := strings.FieldsFunc(grouped, isSymbol)
	f := localize.Format{
		Decimal: strings.TrimFunc(p.Sprint(number.Decimal(0.5)), unicode.IsDigit),
		Minus:   strings.TrimRightFunc(p.Sprint(number.Decimal(-1)), unicode.IsDigit),
		Digits:  digits[0] - '0',
	}
	if len(groups) > 1 {
		f.Primary, f.Secondary = len([]rune(groups[len(groups)-1])), len([]rune(groups[len(groups)-2]))
		f.Group = grouped[len(groups[0]) : strings.IndexFunc(grouped[len(groups[0]):], unicode.IsDigit)+len(groups[0])]
	}
	letter := func(n int) string { return strings.Replace(category(tag, n), "other", "x", 1)[:1] }
	for n := range 200 {
		f.Plurals += letter(n)
	}
	f.Plurals = letter(1e6) + strings.TrimRight(f.Plurals, letter(199)) + letter(199)
	return f
}

// fits reports whether the runs of plurals describe a language.
func fits(tag language.Tag, f localize.Format) bool {
	for n := 0; n < 3_000_000; n += 1 + n/200 {
		if f.Plural(uint64(n)) != category(tag, n) {
			return false
		}
	}
	for _, n := range []int{1000, 10_000, 100_000, 1e6, 2e6, 1e6 + 1, 1e6 + 12, 3e6 + 21, 1e9} {
		if f.Plural(uint64(n)) != category(tag, n) {
			return false
		}
	}
	return true
}

func TestLanguages(t *testing.T) {
	tags := regional
	for _, tag := range display.Supported.Tags() {
		tags = append(tags, tag.String())
	}
	slices.Sort(tags)
	var lines []string
	for _, s := range slices.Compact(tags) {
		tag := language.MustParse(s)
		f := format(tag)
		if !fits(tag, f) {
			t.Logf("%s has other plural rules", s)
			continue
		}
		line, err := json.Marshal(f)
		require.NoError(t, err)
		lines = append(lines, fmt.Sprintf("%q: %s", s, invisible.ReplaceAllStringFunc(string(line),
			func(c string) string { return strings.Trim(strconv.QuoteToASCII(c), `"`) })))
	}
	made := []byte("{\n" + strings.Join(lines, ",\n") + "\n}\n")
	if *update {
		require.NoError(t, os.WriteFile("languages.json", made, 0o644))
		return
	}
	file, err := os.ReadFile("languages.json")
	require.NoError(t, err)
	assert.Equal(t, string(file), string(made), "run go test ./internal/cldr -update")
}

func TestNumbers(t *testing.T) {
	for _, s := range cldr.Languages() {
		f, ok := cldr.Lookup(s)
		require.True(t, ok)
		p := message.NewPrinter(language.MustParse(s))
		for text, n := range map[string]any{"0": 0, "12": 12, "1234": 1234, "-1234567.5": -1234567.5,
			"1234567890123": 1234567890123} {
			assert.Equal(t, p.Sprint(number.Decimal(n)), f.Number(text), "%s %s", s, text)
		}
	}
}

func TestLookup(t *testing.T) {
	polish, ok := cldr.Lookup("pl-PL")
	require.True(t, ok)
	assert.Equal(t, []string{"one", "few", "many", "other"}, cldr.Categories(polish))
	arabic, _ := cldr.Lookup("ar")
	assert.Equal(t, []string{"zero", "one", "two", "few", "many", "other"}, cldr.Categories(arabic))
	_, ok = cldr.Lookup("tlh")
	assert.False(t, ok)
}
