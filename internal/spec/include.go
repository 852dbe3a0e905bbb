package spec

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/diag"
)

// Include returns a taxonomy followed by the files that it includes, in the form that [Parse]
// reads. Each file is a YAML document after a line with its name. open reads a file by its path
// below the directory of the taxonomy, and must not leave this directory. The error names each file
// that cannot be included.
func Include(name string, src []byte, open func(name string) ([]byte, error)) ([]byte, error) {
	dir, name := filepath.Split(name)
	var out bytes.Buffer
	var errs []error
	seen := make(map[string]bool)
	var add func(file string, src []byte, chain []string)
	add = func(file string, src []byte, chain []string) {
		out.Write(src)
		for _, item := range included(src) {
			other := path.Join(path.Dir(file), item.Value)
			var text []byte
			var err error
			switch {
			case slices.Contains(chain, other):
				err = errors.New("it would include itself")
			case seen[other]:
				continue
			case path.IsAbs(item.Value) || !filepath.IsLocal(filepath.FromSlash(other)):
				err = errors.New("it is not below the directory of the taxonomy")
			default:
				text, err = open(other)
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("%s:%d:%d: %s cannot be included: %w", filepath.Join(dir, file),
					item.Line, item.Column, clip(item.Value), err))
				continue
			}
			seen[other] = true
			if b := out.Bytes(); len(b) > 0 && b[len(b)-1] != '\n' {
				out.WriteByte('\n')
			}
			fmt.Fprintf(&out, "%s%q\n", diag.FileMark, other)
			add(other, bytes.TrimPrefix(text, []byte("\uFEFF")), append(slices.Clip(chain), other))
		}
	}
	add(name, src, []string{name})
	return out.Bytes(), errors.Join(errs...)
}

// included returns the nodes of the paths that a file includes.
func included(src []byte) []*yaml.Node {
	if !bytes.Contains(src, []byte("include")) {
		return nil
	}
	roots, err := documents(src)
	if err != nil || len(roots) == 0 || roots[0].Kind != yaml.MappingNode {
		return nil // Parse reports it
	}
	switch list := valueOf(roots[0], "include"); {
	case list == nil:
		return nil
	case list.Kind == yaml.ScalarNode:
		return []*yaml.Node{list}
	default:
		return list.Content
	}
}

// merge adds the sections of an included file to those of the taxonomy. Keys that are in both are
// duplicates, except errgen and include.
func (d *decoder) merge(root, file *yaml.Node) {
	if file.Kind != yaml.MappingNode || root.Kind != yaml.MappingNode {
		d.fail(IDValue, d.span(file), "write the keys of a taxonomy", "a taxonomy is a mapping")
		return
	}
	for key, value := range pairs(file) {
		own := valueOf(root, key.Value)
		switch {
		case key.Value == "errgen" || key.Value == "include":
		case own == nil || own.Kind != yaml.MappingNode || value.Kind != yaml.MappingNode:
			root.Content = append(root.Content, key, value)
		case key.Value == "reserved":
			for key, list := range pairs(value) {
				if numbers := valueOf(own, key.Value); numbers != nil && numbers.Kind == list.Kind {
					numbers.Content = append(numbers.Content, list.Content...)
				} else {
					own.Content = append(own.Content, key, list)
				}
			}
		default:
			own.Content = append(own.Content, value.Content...)
			own.Style &^= yaml.FlowStyle
		}
	}
}

// valueOf returns the value of a key in a mapping, or nil.
func valueOf(n *yaml.Node, name string) *yaml.Node {
	for key, value := range pairs(n) {
		if key.Value == name {
			return value
		}
	}
	return nil
}
