package spec

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/diag"
)

// Include returns a taxonomy followed by the files that it includes, in the form that [Parse]
// reads. Each file is a YAML document behind a mark, so that its lines follow those of the
// taxonomy. open reads a file by its path below the directory of the taxonomy, and must not leave
// this directory. The error names each file that cannot be included.
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
				errs = append(errs, fmt.Errorf("%s:%d:%d: %s cannot be included: %w", filepath.Join(dir, file), item.Line,
					item.Column, clip(item.Value), err))
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

// included returns the paths that a file includes.
func included(src []byte) []*yaml.Node {
	if !bytes.Contains(src, []byte("include")) {
		return nil
	}
	roots, err := documents(src)
	if err != nil || len(roots) == 0 || roots[0].Kind != yaml.MappingNode {
		return nil // Parse reports it
	}
	for key, value := range pairs(roots[0]) {
		switch {
		case key.Value == "include" && value.Kind == yaml.ScalarNode:
			return []*yaml.Node{value}
		case key.Value == "include":
			return value.Content
		}
	}
	return nil
}

// fileOf returns the number of the file that a node is in: 0 is the taxonomy.
func (r *reader) fileOf(n *yaml.Node) int {
	files := r.lines.Files()
	i, found := slices.BinarySearchFunc(files, n.Line, func(f diag.File, line int) int { return f.First - line })
	if found {
		i++
	}
	return i
}

// files decodes the taxonomy and the files that it includes, and merges them.
func (d *decoder) files(t *Taxonomy, roots []*yaml.Node) {
	for i, root := range roots {
		d.file = d.fileOf(root)
		if d.file == 0 {
			d.mapping(reflect.ValueOf(t).Elem(), root, nil, TheLanguage().Root)
			continue
		}
		one := &Taxonomy{}
		d.mapping(reflect.ValueOf(one).Elem(), root, nil, TheLanguage().Root)
		d.merge(t, one, roots[:i], root)
	}
	if len(d.lines.Files()) > 0 && len(t.Categories) == 0 {
		d.fail(IDMissingKey, d.span(roots[0]), `declare one under "categories"`, "the files have no categories")
	}
}

// elsewhere reports whether a required key can be in another file.
func (d *decoder) elsewhere(k *Key) bool {
	return d.file > 0 || k.Name == "categories" && len(d.lines.Files()) > 0
}

// merge adds what an included file declares.
func (d *decoder) merge(t, file *Taxonomy, earlier []*yaml.Node, root *yaml.Node) {
	for _, k := range TheLanguage().Root.Keys {
		to, from := reflect.ValueOf(t).Elem().FieldByIndex(k.field), reflect.ValueOf(file).Elem().FieldByIndex(k.field)
		switch {
		case from.IsZero(), k.Name == "errgen", k.Name == "include":
		case k.Type.Form == FormMap:
			d.mergeNames(to, from, &k)
		case k.Name == "reserved":
			t.Reserved.Numbers = append(t.Reserved.Numbers, file.Reserved.Numbers...)
			t.Reserved.Codes = append(t.Reserved.Codes, file.Reserved.Codes...)
		case to.IsZero():
			to.Set(from)
		default:
			d.fail(IDDuplicate, d.span(keyOf(k.Name, root)), "remove one of them", "%q is set in two files", k.Name)
			d.related(d.span(keyOf(k.Name, earlier...)), "first set here")
		}
	}
}

// keyOf returns the first key with a name in the roots.
func keyOf(name string, roots ...*yaml.Node) *yaml.Node {
	for _, root := range roots {
		for key := range pairs(root) {
			if key.Value == name {
				return key
			}
		}
	}
	return roots[0]
}

// mergeNames adds declarations. It reports names that another file has declared.
func (d *decoder) mergeNames(to, from reflect.Value, k *Key) {
	first := make(map[string]diag.Span)
	for i := range to.Len() {
		name := to.Index(i).FieldByIndex(k.Type.name).Interface().(Text)
		first[name.V] = name.Span
	}
	for i := range from.Len() {
		name := from.Index(i).FieldByIndex(k.Type.name).Interface().(Text)
		if at, taken := first[name.V]; taken {
			d.fail(IDDuplicate, name.Span, "remove one of them", "the %s %q is declared twice", k.Type.Ref,
				clip(name.V))
			d.related(at, "first declared here")
			continue
		}
		to.Set(reflect.Append(to, from.Index(i)))
	}
}
