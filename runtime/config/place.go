package config

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// place is where in a file something is.
type place struct {
	path string
	// key is the last key; that of a list goes for what is in it.
	key string
}

func (p place) String() string { return p.path }

// maxPath bounds the path of a place, in bytes.
const maxPath = 512

// under returns the place of a key in the mapping at p.
func (p place) under(key string) place {
	path := p.path
	switch {
	case !isName(key):
		path += "[" + text.Quote(key, maxPath) + "]"
	case path == "":
		path = key
	default:
		path += "." + key
	}
	return place{path: bounded(path), key: key}
}

// at returns the place of an element of the list at p.
func (p place) at(i int) place {
	return place{path: bounded(p.path + "[" + strconv.Itoa(i) + "]"), key: p.key}
}

func bounded(path string) string {
	if len(path) <= maxPath {
		return path
	}
	return strings.ToValidUTF8(path[:maxPath], "") + "…"
}

// isName reports whether a key needs no quotes in a path. One that looks like a secret has them,
// and is masked.
func isName(key string) bool {
	return key != "" && len(key) <= 64 && taxonomy.Scrub(key) == key && strings.IndexFunc(key, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		return !letter && !('0' <= r && r <= '9') && r != '_' && r != '-'
	}) < 0
}

// join returns the place of a field that is given as a path from p: "a.b[2]", or "" for p itself.
func (p place) join(field string) place {
	key := field[strings.LastIndexByte(field, '.')+1:]
	key, _, _ = strings.Cut(key, "[")
	switch {
	case field == "":
		return p
	case p.path == "" || field[0] == '[':
		return place{path: bounded(p.path + field), key: key}
	}
	return place{path: bounded(p.path + "." + field), key: key}
}

// find returns the node of a field that is given as a path from n, or nil.
func find(n *yaml.Node, field string) *yaml.Node {
	for n = resolved(n); n != nil && field != ""; n = resolved(n) {
		if rest, ok := strings.CutPrefix(field, "["); ok {
			index, rest, _ := strings.Cut(rest, "]")
			i, err := strconv.Atoi(index)
			if err != nil || n.Kind != yaml.SequenceNode || i < 0 || i >= len(n.Content) {
				return nil
			}
			n, field = n.Content[i], strings.TrimPrefix(rest, ".")
			continue
		}
		end := strings.IndexAny(field, ".[")
		if end < 0 {
			end = len(field)
		}
		n = valueOf(n, field[:end])
		field = strings.TrimPrefix(field[end:], ".")
	}
	return n
}

// valueOf returns the value of a key, or nil.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for _, p := range pairs(n) {
		if p.key.Value == key {
			return p.value
		}
	}
	return nil
}
