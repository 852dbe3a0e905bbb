// Package cldr has the plural rules and the number formats of languages. Its data is made from
// golang.org/x/text by the package's test, so that errgen does not link the tables of that module.
package cldr

import (
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/errgen/errgen/runtime/localize"
)

//go:embed languages.json
var data []byte

var formats = sync.OnceValue(func() (all map[string]localize.Format) {
	if err := json.Unmarshal(data, &all); err != nil {
		panic("cldr: " + err.Error()) // the test made the file
	}
	return all
})

// Languages returns the tags of the languages, sorted.
func Languages() []string { return slices.Sorted(maps.Keys(formats())) }

// Lookup returns the format of a language. A language of a region or a script without data has the
// format of the language.
func Lookup(tag string) (localize.Format, bool) {
	f, ok := formats()[tag]
	if i := strings.LastIndexByte(tag, '-'); !ok && i > 0 {
		return Lookup(tag[:i])
	}
	return f, ok
}

// Categories returns the plural categories of the whole numbers of a language, "other" last.
func Categories(f localize.Format) []string {
	var out []string
	for _, c := range localize.Categories {
		if strings.Contains(f.Plurals, c[:1]) {
			out = append(out, c)
		}
	}
	return append(out, "other")
}
