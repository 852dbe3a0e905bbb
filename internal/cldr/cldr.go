// Package cldr has the plural rules and the number formats of languages. Its data is made from
// golang.org/x/text by the package's test, so that errgen does not link the tables of that module.
package cldr

import (
	_ "embed"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/errgen/errgen/runtime/localize"
)

//go:embed languages.json
var data []byte

// languages is the content of the file: the known subtags, and the formats by tag.
type languages struct {
	Regions, Scripts string // separated by spaces
	Formats          map[string]localize.Format
}

var read = sync.OnceValue(func() (all languages) {
	if err := json.Unmarshal(data, &all); err != nil {
		panic("cldr: " + err.Error()) // the test made the file
	}
	return all
})

// Languages returns the tags of the languages that have a format, sorted.
func Languages() []string { return slices.Sorted(maps.Keys(read().Formats)) }

// tags matches a language with a script or a region, as in zh-Hant-HK.
var tags = regexp.MustCompile(`^[a-z]{2,3}(?:-([A-Z][a-z]{3}))?(?:-([A-Z]{2}|\d{3}))?$`)

// Lookup returns the number format and the plural rules of a tag. If the tag has none, its parent is
// used. ok is false if the tag is not in canonical case, or has an unknown part.
func Lookup(tag string) (f localize.Format, ok bool) {
	parts, all := tags.FindStringSubmatch(tag), read()
	if parts == nil || !strings.Contains(all.Scripts, parts[1]) || !strings.Contains(all.Regions, parts[2]) {
		return f, false
	}
	for {
		if f, ok = all.Formats[tag]; ok {
			return f, true
		}
		i := strings.LastIndexByte(tag, '-')
		if i < 0 {
			return f, false
		}
		tag = tag[:i]
	}
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
