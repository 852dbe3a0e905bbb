package importer

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/spec"
)

// columns are the keys of a mapping. Constants also have keys: constant.NAME.
var columns = strings.Fields("code number message doc resolution http groups names deprecated retryable category rows")

// ParseColumns reads a mapping: code=name,message=description.
func ParseColumns(text string) (map[string]string, error) {
	out := make(map[string]string)
	for entry := range strings.SplitSeq(text, ",") {
		key, column, ok := strings.Cut(strings.TrimSpace(entry), "=")
		constant, isConstant := strings.CutPrefix(key, "constant.")
		switch {
		case !ok || column == "":
			return nil, fmt.Errorf("%q is not KEY=COLUMN", entry)
		case !slices.Contains(columns, key) && (!isConstant || constant == "" || identifier(constant, "") != constant):
			return nil, fmt.Errorf("unknown key %q: use %s or constant.NAME", key, strings.Join(columns, ", "))
		}
		out[key] = column
	}
	return out, nil
}

func readJSON(t *Table, src []byte, o Options) error {
	t.Doc = "Errors of a JSON table."
	return tableOfJSON(t, src, o.Columns, "table")
}

// tableOfJSON reads an array of objects, or an object of objects. The keys of an object become the
// column "key". The ignored columns are noted.
func tableOfJSON(t *Table, src []byte, columns map[string]string, category string, ignored ...string) error {
	root, err := decodeJSON(src)
	if err != nil {
		return err
	}
	for name := range strings.FieldsFuncSeq(columns["rows"], func(r rune) bool { return r == '.' }) {
		p, _ := root.(spec.Pairs)
		root = p.Get(name)
	}
	rows, ok := root.([]any)
	if p, isObject := root.(spec.Pairs); isObject {
		ok = true
		for _, e := range p {
			row, _ := e.Value.(spec.Pairs)
			rows = append(rows, append(slices.Clone(row), spec.Pair{Key: "key", Value: e.Key}))
		}
	}
	if !ok {
		return errors.New("the table is not a list of rows; set the path of the list with -map rows=NAME")
	}
	for _, row := range rows {
		p, _ := row.(spec.Pairs)
		if err := t.row(p, columns, category); err != nil {
			return err
		}
		for _, name := range ignored {
			if text(p.Get(name)) != "" {
				t.Notes.add(text(p.Get(columns["code"])), "%s: left out", name)
			}
		}
	}
	return nil
}

func readCSV(t *Table, src []byte, o Options) error {
	t.Doc = "Errors of a CSV table."
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(src, []byte("\uFEFF"))))
	if head, _, _ := bytes.Cut(src, []byte("\n")); bytes.ContainsRune(head, '\t') {
		r.Comma = '\t'
	}
	r.FieldsPerRecord = -1
	head, err := r.Read()
	if err != nil {
		return fmt.Errorf("read the names of the columns: %w", err)
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var row spec.Pairs
		for i, value := range record[:min(len(record), len(head))] {
			row = append(row, spec.Pair{Key: strings.TrimSpace(head[i]), Value: value})
		}
		if err := t.row(row, o.Columns, "table"); err != nil {
			return err
		}
	}
}

// row adds a row with named columns. A column that is not mapped has the name of its key.
func (t *Table) row(row spec.Pairs, columns map[string]string, category string) error {
	value := func(key string) any {
		if column, ok := columns[key]; ok {
			key = column
		}
		return row.Get(key)
	}
	k := &Code{
		Name: strings.TrimSpace(text(value("code"))), Number: number(text(value("number"))),
		Message: strings.Join(list(value("message")), "\n"), Doc: text(value("doc")),
		Resolution: text(value("resolution")), Deprecated: text(value("deprecated")),
	}
	if k.Name == "" {
		column := "code"
		if c := columns["code"]; c != "" {
			column = c
		}
		if !slices.ContainsFunc(row, func(p spec.Pair) bool { return p.Key == column }) {
			return fmt.Errorf("row %d has no column %q; map one of %s with -map code=COLUMN", t.count()+1, column,
				columnNames(row))
		}
		return fmt.Errorf("row %d: column %q is empty; set another column with -map code=COLUMN", t.count()+1, column)
	}
	k.HTTP, _ = strconv.Atoi(text(value("http")))
	k.Retryable, _ = strconv.ParseBool(strings.ToLower(text(value("retryable"))))
	for _, group := range list(value("groups")) {
		for name := range strings.FieldsFuncSeq(group, func(r rune) bool { return r == ',' || r == ';' || r == ' ' }) {
			k.Groups = append(k.Groups, identifier(name, "group"))
		}
	}
	k.Names = list(value("names"))
	for key := range columns {
		if name, ok := strings.CutPrefix(key, "constant."); ok && text(value(key)) != "" {
			k.Constants = append(k.Constants, spec.Pair{Key: name, Value: text(value(key))})
			if !slices.ContainsFunc(t.Constants, func(c Constant) bool { return c.Name == name }) {
				t.Constants = append(t.Constants, Constant{name, "string", "The column " + clean(columns[key]) + "."})
			}
		}
	}
	slices.SortFunc(k.Constants, func(a, b spec.Pair) int { return strings.Compare(a.Key, b.Key) })
	slices.SortFunc(t.Constants, func(a, b Constant) int { return strings.Compare(a.Name, b.Name) })
	doc := t.Doc
	if name := text(value("category")); name != "" {
		category, doc = name, "Errors of the category "+name+"."
	}
	c := t.category(category, doc)
	c.Codes = append(c.Codes, k)
	return nil
}

// columnNames lists the columns of a row.
func columnNames(row spec.Pairs) string {
	var names []string
	for _, p := range row {
		names = append(names, strconv.Quote(clean(p.Key)))
	}
	return strings.Join(names, ", ")
}

func (t *Table) count() int {
	n := 0
	for _, c := range t.Categories {
		n += len(c.Codes)
	}
	return n
}

// decodeJSON reads JSON and keeps the order of keys. Scalars become strings.
func decodeJSON(src []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	v, err := jsonValue(d, 0)
	if err != nil {
		line := bytes.Count(src[:min(int(d.InputOffset()), len(src))], []byte("\n")) + 1
		return nil, fmt.Errorf("line %d: %w", line, err)
	}
	return v, nil
}

func jsonValue(d *json.Decoder, depth int) (any, error) {
	const maxDepth = 100
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, errors.New("values are nested too deep")
	}
	if token == nil {
		return nil, nil
	}
	isObject := token == json.Delim('{')
	if !isObject && token != json.Delim('[') {
		return fmt.Sprint(token), nil
	}
	members, items := spec.Pairs{}, []any{}
	for d.More() {
		var key json.Token = ""
		if isObject {
			if key, err = d.Token(); err != nil {
				return nil, err
			}
		}
		value, err := jsonValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		members, items = append(members, spec.Pair{Key: key.(string), Value: value}), append(items, value)
	}
	if _, err = d.Token(); isObject {
		return members, err
	}
	return items, err
}
