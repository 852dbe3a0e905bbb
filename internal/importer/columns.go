package importer

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// columnKeys are the keys of a mapping. Constants also have keys: constant.NAME.
var columnKeys = strings.Fields(
	"code number message doc resolution http grpc groups names deprecated retryable category rows")

const constantKey = "constant."

// ParseColumns reads a mapping: code=name,message=description.
func ParseColumns(text string) (map[string]string, error) {
	out := make(map[string]string)
	for entry := range strings.SplitSeq(text, ",") {
		key, column, ok := strings.Cut(strings.TrimSpace(entry), "=")
		constant, isConstant := strings.CutPrefix(key, constantKey)
		isConstant = isConstant && constant != "" && identifier(constant, "") == constant
		switch {
		case !ok || column == "":
			return nil, fmt.Errorf("%q is not KEY=COLUMN", entry)
		case !isConstant && !slices.Contains(columnKeys, key):
			return nil, fmt.Errorf("unknown key %q: use %s or constant.NAME", key, strings.Join(columnKeys, ", "))
		}
		out[key] = column
	}
	return out, nil
}

// Read reads a table.
func Read(name string, src []byte, o Options) (*Table, error) {
	i := slices.IndexFunc(formats, func(f format) bool { return f.name == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown format %q", name)
	}
	f := formats[i]
	t := &Table{
		Package: cmp.Or(o.Package, name+"errs"), Doc: f.doc, Constants: f.constants, Groups: slices.Clone(f.groups),
		params: o.Params, names: o.Names, identity: f.identity, mapped: f.category == "",
		numbersPerCategory: f.numbersPerCategory || o.NumbersPerCategory,
	}
	if t.params == nil {
		t.params = strings.Fields(f.params)
	}
	columns := f.columns
	switch {
	case f.category != "" && o.Columns != nil:
		return nil, errors.New("a mapping of columns is for json and csv only")
	case f.category == "":
		columns = o.Columns
		for _, key := range slices.Sorted(maps.Keys(columns)) {
			if constant, ok := strings.CutPrefix(key, constantKey); ok {
				doc := "The column " + clean(columns[key]) + "."
				t.Constants = append(t.Constants, Constant{constant, "string", doc})
			}
		}
	}
	if !utf8.Valid(src) {
		return nil, errors.New("the table is not UTF-8: convert it first")
	}
	rows, err := f.read(bytes.TrimPrefix(src, []byte("\uFEFF")), columns)
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(columns)) {
		hasColumn := func(row spec.Pairs) bool { return hasPath(row, columns[key]) }
		if f.category == "" && key != "rows" && len(rows) > 0 && !slices.ContainsFunc(rows, hasColumn) {
			return nil, missingColumn("no row has a", slices.Concat(rows...), key, columns[key])
		}
	}
	t.hexNumbers(rows, columns)
	for i, row := range rows {
		if err := t.row(&f, i+1, row, columns); err != nil {
			return nil, err
		}
	}
	return t, t.finish()
}

// hexNumbers rewrites the numbers of a table as decimal numbers, if all of them are hexadecimal, and
// one of them cannot be decimal.
func (t *Table) hexNumbers(rows []spec.Pairs, columns map[string]string) {
	if !t.mapped {
		return
	}
	isHex := false
	for _, row := range rows {
		value := column(row, columns, "number")
		if _, ok := value.(decimal); ok {
			return
		}
		digits := strings.ToLower(strings.TrimSpace(text(value)))
		if digits == "" {
			continue
		}
		if _, err := strconv.ParseUint(strings.TrimPrefix(digits, "0x"), 16, 32); err != nil {
			return
		}
		isHex = isHex || strings.ContainsAny(digits, "abcdefx")
	}
	if t.hex = isHex; isHex {
		t.Notes.add(cmp.Or(columns["number"], "number"), "columns of numbers that are read as hexadecimal")
	}
}

// hasPath reports whether a row has a column, or a value in it by a path such as error.text. The
// value can be null.
func hasPath(row spec.Pairs, path string) bool {
	row, path = ownColumn(row, path)
	if slices.ContainsFunc(row, func(p spec.Pair) bool { return p.Key == path }) {
		return true
	}
	name, rest, ok := strings.Cut(path, ".")
	below, isMap := row.Get(name).(spec.Pairs)
	return ok && isMap && hasPath(below, rest)
}

// nameColumn is the column of the names of rows.
const nameColumn = "key"

// ownColumn resolves a path such as .key, which is never the name of the row. The name comes first.
func ownColumn(row spec.Pairs, path string) (spec.Pairs, string) {
	own, ok := strings.CutPrefix(path, ".")
	if ok && len(row) > 0 && row[0].Key == nameColumn {
		row = row[1:]
	}
	return row, own
}

// valueAt returns the value of a column or path, or nil.
func valueAt(row spec.Pairs, path string) any {
	row, path = ownColumn(row, path)
	if value := row.Get(path); value != nil {
		return value
	}
	name, rest, _ := strings.Cut(path, ".")
	if below, ok := row.Get(name).(spec.Pairs); ok {
		return valueAt(below, rest)
	}
	return nil
}

// missingColumn returns the error for rows that do not have the column of a key.
func missingColumn(which string, row spec.Pairs, key, name string) error {
	var names, quoted []string
	for _, p := range row {
		if column := clean(p.Key); !slices.Contains(names, column) {
			names, quoted = append(names, column), append(quoted, strconv.Quote(column))
		}
	}
	hint := cmp.Or(diag.DidYouMean(name, names),
		fmt.Sprintf("map one of %s with -map %s=COLUMN", strings.Join(quoted, ", "), key))
	return fmt.Errorf("%s column %q; %s", which, name, hint)
}

// column returns the value of a key in a row. A column that is not mapped has the name of its key.
func column(row spec.Pairs, columns map[string]string, key string) (value any) {
	for name := range strings.SplitSeq(cmp.Or(columns[key], key), "|") {
		if value = valueAt(row, name); value != nil {
			break
		}
	}
	return value
}

// row adds a row to its category.
func (t *Table) row(f *format, n int, row spec.Pairs, columns map[string]string) error {
	k := t.code("", row, columns)
	if k.Name == "" {
		name := cmp.Or(columns["code"], "code")
		if row.Get(name) != nil {
			return fmt.Errorf("row %d: column %q is empty; set another column with -map code=COLUMN", n, name)
		}
		return missingColumn(fmt.Sprintf("row %d has no", n), row, "code", name)
	}
	known := slices.Concat(columnKeys, strings.FieldsFunc(strings.Join(slices.Collect(maps.Values(columns)), "|"),
		func(r rune) bool { return r == '|' }), []string{"section"})
	for _, p := range row {
		if f.category != "" && p.Value != nil && p.Value != "" && !slices.Contains(known, p.Key) &&
			!strings.HasPrefix(p.Key, constantKey) {
			t.Notes.add(k.Name, "%s: left out", clean(p.Key))
		}
	}
	name, doc := cmp.Or(f.category, "table"), t.Doc
	if category := text(column(row, columns, "category")); category != "" {
		name, doc = category, cmp.Or(text(row.Get("section")), "Errors of the category "+category+".")
	}
	c := t.category(name, doc)
	c.Codes = append(c.Codes, k)
	return nil
}

// code returns the code of a row, with those below it.
func (t *Table) code(parent string, row spec.Pairs, columns map[string]string) *Code {
	value := func(key string) string { return strings.TrimSpace(strings.Join(texts(column(row, columns, key)), " ")) }
	k := &Code{
		Name: parent + value("code"), Number: t.number(value("number")),
		Message: strings.Join(texts(column(row, columns, "message")), "\n"), Doc: value("doc"),
		Resolution: value("resolution"), Deprecated: value("deprecated"),
	}
	unread := func(key string) {
		t.Notes.add(k.Name, "values of %s that cannot be read: left out", key)
		k.unread = append(k.unread, key)
	}
	if k.Number == nil && t.mapped && value("number") != "" {
		unread("number")
	}
	if status := words(value("http")); len(status) > 0 {
		if http := number(status[0]); http != nil {
			k.HTTP = *http
		} else {
			unread("http")
		}
		if len(status) > 1 {
			t.Notes.add(k.Name, "further HTTP statuses: left out")
		}
	}
	if status := value("grpc"); status != "" {
		if k.GRPC = grpcWord(status); k.GRPC == "" {
			unread("grpc")
		}
	}
	var err error
	if k.Retryable, err = strconv.ParseBool(strings.ToLower(cmp.Or(value("retryable"), "0"))); err != nil {
		unread("retryable")
	}
	if yes, err := strconv.ParseBool(strings.ToLower(k.Deprecated)); err == nil {
		k.Deprecated = map[bool]string{true: "as in the table"}[yes]
	}
	for _, name := range words(column(row, columns, "groups")) {
		k.Groups = append(k.Groups, identifier(name, "group"))
	}
	for _, p := range row {
		if p.Key == cmp.Or(columns["names"], "names") {
			k.Names = append(k.Names, words(p.Value)...)
		}
	}
	for _, c := range t.Constants {
		v := value(constantKey + c.Name)
		if yes, err := strconv.ParseBool(strings.ToLower(v)); err == nil && c.Type == "bool" {
			k.Constants = append(k.Constants, spec.Pair{Key: c.Name, Value: yes})
		} else if v != "" {
			k.Constants = append(k.Constants, spec.Pair{Key: c.Name, Value: v})
		}
	}
	if children := column(row, columns, "codes"); columns["codes"] != "" && children != nil {
		rows, _ := rowsOf(children)
		for _, child := range rows {
			k.Codes = append(k.Codes, t.code(k.Name+".", child, columns))
		}
	}
	return k
}

// grpcWord returns the word of a gRPC status, which can be a number or a name such as NotFound, or "".
func grpcWord(status string) string {
	for i, word := range taxonomy.GRPCWords() {
		if strings.EqualFold(word, status) || goName(word) == goName(status) || strconv.Itoa(i) == status {
			return resolve.GRPCWord(uint8(i))
		}
	}
	return ""
}

// text returns a scalar, or "" for any other value.
func text(v any) string {
	if n, ok := v.(decimal); ok {
		return string(n)
	}
	s, _ := v.(string)
	return s
}

// texts returns the scalars of a list. A scalar that is not empty is a list of one.
func texts(v any) []string {
	items, ok := v.([]any)
	if !ok {
		items = []any{v}
	}
	var out []string
	for _, item := range items {
		if s := text(item); s != "" || ok {
			out = append(out, s)
		}
	}
	return out
}

// words returns the texts of a list, or the words of a text, which commas or spaces separate.
func words(v any) []string {
	if s := text(v); s != "" {
		return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ';' || r == ' ' })
	}
	return texts(v)
}

// number returns the number of a code.
func (t *Table) number(s string) *int {
	digits, hasPrefix := strings.CutPrefix(strings.ToLower(s), "0x")
	if n, err := strconv.ParseUint(digits, 16, 32); err == nil && (t.hex || hasPrefix) {
		return new(int(n))
	}
	return number(s)
}

// number returns the integer in s, or nil if s is not a decimal integer. Tables of numbers with
// gaps are often written as 8.0.
func number(s string) *int {
	s = strings.TrimSuffix(s, ".0")
	n, err := strconv.Atoi(s)
	if err != nil || strconv.Itoa(n) != strings.TrimLeft(s, "+") {
		return nil
	}
	return &n
}
