package config

import (
	"slices"

	"gopkg.in/yaml.v3"
)

const (
	nullTag  = "!!null"
	textTag  = "!!str"
	mergeTag = "!!merge"
)

// resolved returns what an alias stands for.
func resolved(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// pair is a key of a mapping and its value.
type pair struct{ key, value *yaml.Node }

// pairs returns the keys of a mapping and their values, those that it merges last, and without the
// ones it has itself.
func pairs(n *yaml.Node) []pair {
	var own, merged []pair
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.ShortTag() == mergeTag {
			merged = append(merged, mergedPairs(value)...)
			continue
		}
		own = append(own, pair{resolved(key), value})
	}
	if len(merged) == 0 {
		return own
	}
	seen := make(map[string]bool, len(own))
	for _, p := range own {
		seen[p.key.Value] = true
	}
	for _, p := range merged {
		if !seen[p.key.Value] {
			seen[p.key.Value] = true
			own = append(own, p)
		}
	}
	return own
}

// mergedPairs returns what the value of a merge key, a mapping or a list of them, has to add.
func mergedPairs(value *yaml.Node) []pair {
	value = resolved(value)
	switch value.Kind {
	case yaml.MappingNode:
		return pairs(value)
	case yaml.SequenceNode:
		var all []pair
		for _, one := range value.Content {
			if one = resolved(one); one.Kind == yaml.MappingNode {
				all = append(all, pairs(one)...)
			}
		}
		return all
	}
	return nil
}

// merges reports whether a merge key can have the value.
func merges(value *yaml.Node) bool {
	value = resolved(value)
	if value.Kind != yaml.SequenceNode {
		return value.Kind == yaml.MappingNode
	}
	return !slices.ContainsFunc(value.Content, func(n *yaml.Node) bool { return resolved(n).Kind != yaml.MappingNode })
}
