package cldr_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
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

// latin are regions whose Arabic has Latin digits. Package number has them for all regions.
var latin = strings.Fields("ar-AE ar-DZ ar-EH ar-LY ar-MA ar-TN")

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

// fits reports whether f has the plural categories of the language.
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

// formats returns the formats of the languages, and those of regions that differ from them.
func formats(t *testing.T) map[string]localize.Format {
	all := make(map[string]localize.Format)
	add := func(name string, tag language.Tag) {
		all[name] = format(tag)
		require.True(t, fits(tag, all[name]), name)
	}
	for _, tag := range display.Supported.Tags() {
		if base := tag.String(); !strings.Contains(base, "-") {
			add(base, tag)
		}
	}
	norwegian := language.MustParse("nb")
	add("no", norwegian) // package number has its numbers as nb only
	add("nb", norwegian)
	for _, tag := range latin {
		add(tag, language.MustParse(tag))
	}
	regional := display.Supported.Tags() // such as sr-Latn
	for _, base := range display.Supported.Tags() {
		if name := base.String(); name == "no" || strings.Contains(name, "-") {
			continue
		}
		for _, region := range language.Supported.Regions() {
			if tag, err := language.Compose(base, region); err == nil {
				regional = append(regional, tag)
			}
		}
	}
	for _, tag := range regional {
		name := tag.String()
		base, _, isRegional := strings.Cut(name, "-")
		if f := all[base]; isRegional && f.Digits == 0 && !equal(f, tag) {
			add(name, tag)
		}
	}
	return all
}

// equal reports whether a region has the numbers and the plural forms of its language.
func equal(f localize.Format, tag language.Tag) bool {
	p := message.NewPrinter(tag)
	for text, n := range numbers {
		if p.Sprint(number.Decimal(n)) != f.Number(text) {
			return false
		}
	}
	for n := range 21 {
		if f.Plural(uint64(n)) != category(tag, n) {
			return false
		}
	}
	return true
}

var numbers = map[string]any{"0": 0, "12": 12, "1234": 1234, "-1234567.5": -1234567.5, "1234567890123": 1234567890123}

func TestLanguages(t *testing.T) {
	all := formats(t)
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		line, err := json.Marshal(all[name])
		require.NoError(t, err)
		lines = append(lines, fmt.Sprintf("%q: %s", name, invisible.ReplaceAllStringFunc(string(line),
			func(c string) string { return strings.Trim(strconv.QuoteToASCII(c), `"`) })))
	}
	made := fmt.Appendf(nil, "{\n\"regions\": %q,\n\"scripts\": %q,\n\"formats\": {\n%s\n}}\n",
		words(language.Supported.Regions()), words(language.Supported.Scripts()), strings.Join(lines, ",\n"))
	if *update {
		require.NoError(t, os.WriteFile("languages.json", made, 0o644))
		return
	}
	file, err := os.ReadFile("languages.json")
	require.NoError(t, err)
	assert.Equal(t, string(file), string(made), "run go test ./internal/cldr -update")
}

func words[T fmt.Stringer](list []T) string {
	var out []string
	for _, x := range list {
		out = append(out, x.String())
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestNumbers(t *testing.T) {
	for _, s := range cldr.Languages() {
		f, ok := cldr.Lookup(s)
		require.True(t, ok)
		if s == "no" {
			s = "nb"
		}
		p := message.NewPrinter(language.MustParse(s))
		for text, n := range numbers {
			assert.Equal(t, p.Sprint(number.Decimal(n)), f.Number(text), "%s %s", s, text)
		}
	}
}

func TestLookup(t *testing.T) {
	for _, tt := range []struct{ tag, number, categories string }{
		{"de", "-1.234,5", "one other"},
		{"de-AT", "-1\u00a0234,5", "one other"},
		{"de-Latn-DE", "-1.234,5", "one other"},
		{"nb", "\u22121\u00a0234,5", "one other"},
		{"no-NO", "\u22121\u00a0234,5", "one other"},
		{"pl-PL", "-1\u00a0234,5", "one few many other"},
		{"pt-AO", "-1\u00a0234,5", "one other"},
		{"zh-TW", "-1,234.5", "other"},
		{"ar-EG", "\u061c-\u0661\u066c\u0662\u0663\u0664\u066b\u0665", "zero one two few many other"},
		{"ar-MA", "\u200e-1.234,5", "zero one two few many other"},
	} {
		f, ok := cldr.Lookup(tt.tag)
		require.True(t, ok, tt.tag)
		assert.Equal(t, tt.number, f.Number("-1234.5"), tt.tag)
		assert.Equal(t, tt.categories, strings.Join(cldr.Categories(f), " "), tt.tag)
	}
	for _, tag := range []string{"", "tlh", "iw", "de-", "de-de", "DE", "de-1.5", "de-PB", "de-Foot", "de-foo",
		"de-x-work", "de-DE-1996", "de_DE", "de/../../x"} {
		_, ok := cldr.Lookup(tag)
		assert.False(t, ok, tag)
	}
}
