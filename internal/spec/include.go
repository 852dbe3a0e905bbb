package spec

import (
	"bytes"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/diag"
)

// missingMark begins a line about a file that could not be included: the including file, the path
// as written, and the reason.
const missingMark = "--- # errgen:missing "

// Include returns a taxonomy followed by the files that it includes, in the form that [Parse]
// reads. Each file is a YAML document behind a mark, so that its lines follow those of the
// taxonomy. open reads a file by its path below the directory of the taxonomy, and must not leave
// this directory. Parse reports the files that cannot be included.
func Include(name string, src []byte, open func(name string) ([]byte, error)) []byte {
	var out bytes.Buffer
	seen := make(map[string]bool)
	mark := func(line string) {
		if b := out.Bytes(); len(b) > 0 && b[len(b)-1] != '\n' {
			out.WriteByte('\n')
		}
		out.WriteString(line + "\n")
	}
	var add func(file string, src []byte, chain []string)
	add = func(file string, src []byte, chain []string) {
		for _, item := range included(src) {
			other, reason := path.Join(path.Dir(file), item), ""
			var text []byte
			switch {
			case slices.Contains(chain, other):
				reason = "it would include itself"
			case seen[other]:
				continue
			case path.IsAbs(item) || !filepath.IsLocal(filepath.FromSlash(other)):
				reason = "it is not below the directory of the taxonomy"
			default:
				var err error
				if text, err = open(other); err != nil {
					reason = err.Error()
				}
			}
			if reason != "" {
				mark(missingMark + strconv.Quote(file) + " " + strconv.Quote(item) + " " + strconv.Quote(reason))
				continue
			}
			seen[other] = true
			mark(diag.FileMark + strconv.Quote(other))
			out.Write(bytes.TrimPrefix(text, []byte("\uFEFF")))
			add(other, text, append(chain[:len(chain):len(chain)], other))
		}
	}
	out.Write(src)
	name = path.Base(filepath.ToSlash(name))
	add(name, src, []string{name})
	return out.Bytes()
}

// included returns the paths that a file includes.
func included(src []byte) []string {
	if !bytes.Contains(src, []byte("include")) {
		return nil
	}
	r := &reader{lines: &lines{diag.NewSource("", src)}}
	roots, err := r.parse(src)
	if err != nil || roots == nil || roots[0].Kind != yaml.MappingNode {
		return nil
	}
	var out []string
	for key, value := range pairs(roots[0]) {
		if key.Value != "include" {
			continue
		}
		items := value.Content
		if value.Kind == yaml.ScalarNode {
			items = []*yaml.Node{value}
		}
		for _, item := range items {
			if item.Kind == yaml.ScalarNode && !isNull(item) {
				out = append(out, item.Value)
			}
		}
	}
	return out
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
			d.checkIncludes(t.Include, t.Source.Name)
			continue
		}
		one := &Taxonomy{}
		d.mapping(reflect.ValueOf(one).Elem(), root, nil, TheLanguage().Root)
		d.checkIncludes(one.Include, d.lines.Files()[d.file-1].Name)
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

// checkIncludes reports the items of a file's include that could not be read.
func (d *decoder) checkIncludes(items []Text, file string) {
	file = filepath.ToSlash(file)
	if d.file == 0 {
		file = path.Base(file)
	}
	for _, item := range items {
		begin := missingMark + strconv.Quote(file) + " " + strconv.Quote(item.V) + " "
		reason := ""
		for n := 1; n <= d.lines.Lines(); n++ {
			if text, ok := strings.CutPrefix(d.lines.Line(n), begin); ok {
				reason, _ = strconv.Unquote(text)
				break
			}
		}
		other := path.Join(path.Dir(file), item.V)
		if !slices.ContainsFunc(d.lines.Files(), func(f diag.File) bool { return f.Name == other }) && reason == "" {
			reason = "it was not read"
		}
		if reason != "" {
			d.fail(IDValue, item.Span, "name a file below the directory of the taxonomy", "%s cannot be included: %s",
				clip(item.V), reason)
		}
	}
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
