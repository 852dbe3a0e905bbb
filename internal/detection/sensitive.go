package detection

import (
	"slices"

	"github.com/errgen/errgen/internal/model"
)

// sensitive returns the keys of evidence that sensitive fields are filled from, sorted.
func sensitive(m *model.Package) []string {
	var keys []string
	for _, c := range m.Categories {
		keys = appendSensitive(keys, c.Fields, false)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// appendSensitive adds the keys of fields. All that is in a sensitive object is sensitive.
func appendSensitive(keys []string, fields []*model.Field, inside bool) []string {
	for _, f := range fields {
		if f.Sensitive || inside {
			keys = append(keys, f.From...)
		}
		if f.Object != nil {
			keys = appendSensitive(keys, f.Object.Fields, f.Sensitive || inside)
		}
	}
	return keys
}
