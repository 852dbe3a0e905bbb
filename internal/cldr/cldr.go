// Package cldr has the plural rules and the number formats of languages. Its data is made from
// golang.org/x/text by the package's test, so that errgen does not link the tables of that module.
package cldr

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/localize"
)

// data has a line for each language: the tag, then the fields of [localize.Format], each quoted and
// separated by tabs. The lines are sorted by tag.
//
//go:embed languages.txt
var data string

// Languages returns the tags of the languages, sorted.
func Languages() []string {
	var tags []string
	for line := range strings.Lines(data) {
		tag, _, _ := strings.Cut(line, "\t")
		tags = append(tags, tag)
	}
	return tags
}

// Lookup returns the format of a language. A language of a region or a script without data has the
// format of the language.
func Lookup(tag string) (localize.Format, bool) {
	for line := range strings.Lines(data) {
		if rest, ok := strings.CutPrefix(line, tag+"\t"); ok {
			return parse(strings.TrimSuffix(rest, "\n")), true
		}
	}
	if i := strings.LastIndexByte(tag, '-'); i > 0 {
		return Lookup(tag[:i])
	}
	return localize.Format{}, false
}

func parse(line string) localize.Format {
	var f [7]string
	for i, text := range strings.Split(line, "\t") {
		f[i], _ = strconv.Unquote(text) // the test made the file
	}
	zero, _ := strconv.Atoi(f[5])
	primary, _ := strconv.Atoi(f[3])
	secondary, _ := strconv.Atoi(f[4])
	return localize.Format{Decimal: f[0], Group: f[1], Minus: f[2], Primary: primary, Secondary: secondary,
		Zero: rune(zero), Plurals: f[6]}
}

// Categories returns the plural categories of the whole numbers of a language, "other" last.
func Categories(f localize.Format) []string {
	var out []string
	for n := uint64(0); n <= 200; n++ {
		number := n
		if n == 200 {
			number = 1e6
		}
		if c := f.Plural(number); c != "other" && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return append(out, "other")
}
