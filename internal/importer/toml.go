package importer

import (
	"fmt"
	"slices"

	"github.com/BurntSushi/toml"

	"github.com/errgen/errgen/internal/spec"
)

// section is a table of a TOML file: [error."DM-1001"].
type section struct {
	path []string
	keys spec.Pairs
}

// parseTOML returns the tables of a TOML file that have values, in the order of the file. Scalars
// become strings.
func parseTOML(src []byte) ([]section, error) {
	root := make(map[string]any)
	meta, err := toml.Decode(string(src), &root)
	if err != nil {
		return nil, err
	}
	var out []section
	for _, key := range meta.Keys() {
		if len(key) < 2 { // not in a table
			continue
		}
		path, name, table := key[:len(key)-1], key[len(key)-1], root
		for _, part := range path {
			table, _ = table[part].(map[string]any)
		}
		var value any
		switch v := table[name].(type) {
		case map[string]any: // a table
			continue
		case []any:
			items := make([]any, len(v))
			for i, item := range v {
				items[i] = fmt.Sprint(item)
			}
			value = items
		default:
			value = fmt.Sprint(v)
		}
		if n := len(out); n == 0 || !slices.Equal(out[n-1].path, path) {
			out = append(out, section{path: path})
		}
		last := &out[len(out)-1]
		last.keys = append(last.keys, spec.Pair{Key: name, Value: value})
	}
	return out, nil
}
