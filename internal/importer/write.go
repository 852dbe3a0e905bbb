package importer

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

const (
	// recordKey is the key with the record of the last import.
	recordKey     = "x-import"
	recordComment = "Digests of the imported values: the next import compares them to keep what was edited by hand."
	// retryReaction is the reaction of retryable codes.
	retryReaction = "retry"
)

// New returns a taxonomy for the table.
func (t *Table) New() []byte {
	root := spec.Pairs{
		{Key: "errgen", Value: 1}, {Key: "package", Value: t.Package}, {Key: "doc", Value: t.Doc},
	}
	if t.numbersPerCategory {
		root = append(root, spec.Pair{Key: "numbers", Value: "per_category"})
	}
	root = append(root, t.vocabulary()...)
	var categories, record spec.Pairs
	for _, c := range t.Categories {
		categories = append(categories, spec.Pair{Key: c.Key, Value: c.pairs()})
	}
	for _, r := range t.rows() {
		record = append(record, spec.Pair{Key: r.code.Name, Value: r.digests()})
	}
	root = append(root, spec.Pair{Key: "categories", Value: categories},
		spec.Pair{Key: recordKey, Value: record, Comment: recordComment})
	return spaced(fitIgnores(spec.Encode(root), true))
}

// vocabulary returns the declarations that codes refer to: constants, groups and the reaction of
// retryable codes.
func (t *Table) vocabulary() spec.Pairs {
	var constants, groups, out spec.Pairs
	used := make(map[string]bool)
	retryable := false
	for _, r := range t.rows() {
		retryable = retryable || r.code.Retryable
		for _, c := range r.code.Constants {
			used[c.Key] = true
		}
	}
	for _, c := range t.Constants {
		if used[c.Name] {
			constants = append(constants, spec.Pair{
				Key: c.Name, Value: spec.Flow{{Key: "type", Value: c.Type}, {Key: "doc", Value: c.Doc}},
			})
		}
	}
	for _, g := range t.Groups {
		groups = append(groups, spec.Pair{Key: g.Name, Value: g.Doc})
	}
	if constants != nil {
		out = append(out, spec.Pair{Key: "constants", Value: constants})
	}
	if groups != nil {
		out = append(out, spec.Pair{Key: "groups", Value: groups})
	}
	if retryable {
		out = append(out, spec.Pair{Key: "reactions", Value: spec.Pairs{
			{Key: retryReaction, Value: spec.Flow{{Key: "action", Value: "retry"}}},
		}})
	}
	return out
}

// row is a code with its place in the table.
type row struct {
	category *Category
	parent   *Code // or nil
	code     *Code
	before   string // key of the code before it in the same mapping
}

// rows returns the codes in the order of the table, parents before their children.
func (t *Table) rows() []row {
	var out []row
	var add func(c *Category, parent *Code, codes []*Code)
	add = func(c *Category, parent *Code, codes []*Code) {
		before := ""
		for _, k := range codes {
			out = append(out, row{c, parent, k, before})
			before = k.Key
			add(c, k, k.Codes)
		}
	}
	for _, c := range t.Categories {
		add(c, nil, c.Codes)
	}
	return out
}

func (c *Category) pairs() spec.Pairs {
	var out, codes spec.Pairs
	if c.Type != "" {
		out = append(out, spec.Pair{Key: "type", Value: c.Type})
	}
	if c.Doc != "" {
		out = append(out, spec.Pair{Key: "doc", Value: c.Doc})
	}
	for _, k := range c.Codes {
		codes = append(codes, spec.Pair{Key: k.Key, Value: k.entry()})
	}
	return append(out, spec.Pair{Key: "codes", Value: codes})
}

func fieldPairs(fields []Field) spec.Pairs {
	var out spec.Pairs
	for _, f := range fields {
		var p spec.Flow
		if f.Go != "" {
			p = append(p, spec.Pair{Key: "name", Value: f.Go})
		}
		p = append(p, spec.Pair{Key: "type", Value: f.Type}, spec.Pair{Key: "required", Value: true})
		if f.MaxLength > 0 {
			p = append(p, spec.Pair{Key: "max_length", Value: f.MaxLength})
		}
		out = append(out, spec.Pair{Key: f.Name, Value: p})
	}
	return out
}

// pairs returns the entry of a code without its children.
func (k *Code) pairs() spec.Pairs {
	var out spec.Pairs
	set := func(key string, value any, present bool) {
		if present {
			out = append(out, spec.Pair{Key: key, Value: value})
		}
	}
	if k.Number != nil {
		set("number", *k.Number, true)
	}
	set("value", k.Name, k.Name != k.Key)
	set("names", values(k.Names), len(k.Names) > 0)
	set("doc", k.Doc, k.Doc != "")
	set("resolution", k.Resolution, k.Resolution != "")
	set("message", k.Message, k.Message != "")
	set("deprecated", k.Deprecated, k.Deprecated != "")
	set("abstract", true, len(k.Codes) > 0)
	set("constants", spec.Flow(k.Constants), len(k.Constants) > 0)
	set("fields", fieldPairs(k.Fields), len(k.Fields) > 0)
	set("groups", values(k.Groups), len(k.Groups) > 0)
	set("http", k.HTTP, k.HTTP != 0)
	set("grpc", k.GRPC, k.GRPC != "")
	set("retryable", true, k.Retryable)
	set("reaction", retryReaction, k.Retryable)
	return out
}

// entry returns the entry of a code with its children.
func (k *Code) entry() spec.Pairs {
	out := k.pairs()
	var children spec.Pairs
	for _, child := range k.Codes {
		children = append(children, spec.Pair{Key: child.Key, Value: child.entry()})
	}
	if children != nil {
		out = append(out, spec.Pair{Key: "codes", Value: children})
	}
	return out
}

func values(texts []string) []any {
	var out []any
	for _, s := range texts {
		out = append(out, s)
	}
	return out
}

// placeKey is the key of a record for the category of a code.
const placeKey = "category"

// digests returns the record of a row: KEY=DIGEST for each value.
func (r row) digests() string {
	words := []string{placeKey + "=" + digest(r.category.Key)}
	for _, e := range r.code.pairs() {
		words = append(words, e.Key+"="+recorded(e.Key, e.Value))
	}
	return strings.Join(words, " ")
}

// recorded returns a value's record entry. Numbers stay readable, because a later import may reserve
// them.
func recorded(key string, value any) string {
	if key == "number" && value != nil {
		return fmt.Sprint(value)
	}
	return digest(value)
}

// digestLength is the length of a digest.
const digestLength = 8

// digest returns a hash that is equal for equal values, whatever their form in YAML.
func digest(value any) string {
	h := fnv.New32a()
	h.Write([]byte(canonical(value)))
	return fmt.Sprintf("%08x", h.Sum32())
}

// canonical returns a value as text that is equal for equal values.
func canonical(value any) string {
	switch v := value.(type) {
	case spec.Flow:
		return canonical(spec.Pairs(v))
	case spec.Pairs:
		var b strings.Builder
		for _, e := range v {
			fmt.Fprintf(&b, "%q:%s,", e.Key, canonical(e.Value))
		}
		return "{" + b.String() + "}"
	case []any:
		var b strings.Builder
		for _, item := range v {
			b.WriteString(canonical(item) + ",")
		}
		return "[" + b.String() + "]"
	}
	return fmt.Sprintf("%q", fmt.Sprint(value))
}

// The comment at the key of the categories. It ignores warnings about the form of the table.
const (
	ignoreComment = "# errgen:ignore "
	ignoreReason  = " -- as in the table"
)

// fitIgnores updates the comment at the key of the categories, so that it ignores the warnings that
// the taxonomy has. If the comment is missing, fitIgnores adds it only if add is true.
func fitIgnores(text []byte, add bool) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	at := slices.IndexFunc(lines, func(l []byte) bool { return bytes.HasPrefix(l, []byte("categories:")) })
	if at < 0 {
		return text
	}
	line := strings.TrimRight(string(lines[at]), "\r\n")
	end := string(lines[at])[len(line):]
	rest, _, found := strings.Cut(line, " "+ignoreComment)
	if !found && !add || found && !strings.HasSuffix(line, ignoreReason) {
		return text
	}
	lines[at] = []byte(rest + end)
	if ids := warnings(bytes.Join(lines, nil)); len(ids) > 0 {
		lines[at] = []byte(rest + " " + ignoreComment + strings.Join(ids, ", ") + ignoreReason + end)
	}
	return bytes.Join(lines, nil)
}

// ignorable are the warnings that the table of another project can cause.
var ignorable = []string{"W-message-verb", "W-no-doc", "W-unsorted"}

// warnings returns the ids of the ignorable warnings of a taxonomy.
func warnings(src []byte) (ids []string) {
	_, findings := check.Load("taxonomy.yaml", src)
	for _, f := range findings {
		if slices.Contains(ignorable, f.ID) && f.Severity == diag.Warning && !slices.Contains(ids, f.ID) {
			ids = append(ids, f.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// spaced puts an empty line before each section of a new file.
func spaced(text []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		for _, key := range []string{"constants:", "groups:", "reactions:", "categories:", "# " + recordComment} {
			if bytes.HasPrefix(line, []byte(key)) {
				out.WriteByte('\n')
			}
		}
		out.Write(line)
	}
	return out.Bytes()
}
