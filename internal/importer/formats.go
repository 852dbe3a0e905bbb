package importer

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/internal/spec"
)

// format describes the tables of a project. Its reader returns the rows of a table, by column.
// Scalars are texts.
type format struct {
	name     string
	doc      string
	params   string            // default forms of the parameters in messages
	columns  map[string]string // the column of a key, if its name differs; A|B: the first one that a row has
	category string            // of rows without one; if it is empty, the user maps the columns
	read     func(src []byte, columns map[string]string) ([]spec.Pairs, error)

	constants          []Constant
	groups             []Group
	identity           string // the constant that a code keeps when it is renamed
	numbersPerCategory bool   // numbers are unique in a category only
}

var formats = []format{
	{
		name: "postgres", doc: "Errors of PostgreSQL, by SQLSTATE.", category: "postgres", read: readPostgres,
		identity: "sqlstate",
		constants: []Constant{
			{"sqlstate", "string", "The SQLSTATE."},
			{"condition", "string", "The name of the condition in PL/pgSQL."},
		},
		groups: []Group{
			{"warning", "Not errors, but warnings."}, {"success", "Not errors: the statement succeeded."},
		},
	}, {
		name: "mongodb", doc: "Errors of MongoDB.", category: "mongodb", read: readMongoDB,
		columns: map[string]string{
			"code": "name", "number": "code", "groups": "categories", "constant.extra": "extra",
			"constant.extra_is_optional": "extraIsOptional",
		},
		constants: []Constant{
			{"extra", "string", "The type of the additional information."},
			{"extra_is_optional", "bool", "Whether errors can lack the additional information."},
		},
	}, {
		name: "spark", doc: "Error conditions of Spark.", category: "spark", params: "angles", read: readJSON,
		columns: map[string]string{
			"rows": "", "code": "key", "constant.sqlstate": "sqlState", "codes": "subClass",
		},
		constants: []Constant{{"sqlstate", "string", "The SQLSTATE."}},
	}, {
		name: "tidb", doc: "Errors of TiDB.", category: "tidb", params: "printf", read: readTiDB,
		columns: map[string]string{
			"message": "error|message", "doc": "description", "resolution": "workaround", "groups": "tags",
		},
		numbersPerCategory: true,
	}, {
		name: "nats", doc: "Errors of NATS.", category: "nats", params: "braces", read: readJSON,
		columns: map[string]string{
			"code": "constant", "number": "error_code", "http": "code", "message": "description", "doc": "comment",
			"resolution": "help", "names": "deprecates",
		},
	},
	{name: "kafka", doc: "Errors of Kafka's protocol.", category: "kafka", read: readKafka},
	{name: "json", doc: "Errors of a JSON table.", params: "printf braces", read: readJSON},
	{name: "csv", doc: "Errors of a CSV table.", params: "printf braces", read: readCSV},
}

// Formats returns the names of the formats.
func Formats() []string {
	var out []string
	for _, f := range formats {
		out = append(out, f.name)
	}
	return out
}

// readPostgres reads src/backend/utils/errcodes.txt: lines of SQLSTATE, level, macro and condition,
// in sections. Macros with the same SQLSTATE become names of one code.
func readPostgres(src []byte, _ map[string]string) (rows []spec.Pairs, err error) {
	levels := map[string]string{"W": "warning", "S": "success"}
	states := make(map[string]int) // the index of the row
	category, title := "", ""
	n := 0
	for line := range strings.Lines(string(src)) {
		n++
		fields := strings.Fields(line)
		if section, ok := strings.CutPrefix(line, "Section:"); ok {
			title = strings.Replace(strings.TrimSpace(section), " - ", ": ", 1) + "."
			_, name, found := strings.Cut(strings.TrimSpace(section), " - ")
			if !found {
				name = section
			}
			words, _, _ := strings.Cut(name, "(")
			category, _ = naming.Snake(identifier(words, "section"))
			continue
		}
		switch {
		case len(fields) == 0 || strings.HasPrefix(line, "#"):
			continue
		case len(fields) < 3 || len(fields) > 4:
			return nil, fmt.Errorf("line %d: want SQLSTATE, level, macro and condition", n)
		case category == "":
			return nil, fmt.Errorf("line %d: a code before the first section", n)
		}
		name := strings.TrimPrefix(fields[2], "ERRCODE_")
		i, again := states[fields[0]]
		if !again {
			i = len(rows)
			states[fields[0]] = i
			rows = append(rows, pairs("category", category, "section", title, "code", name, "groups", levels[fields[1]],
				"constant.sqlstate", fields[0]))
		} else {
			rows[i] = append(rows[i], pairs("names", name)...)
		}
		if len(fields) == 4 {
			rows[i] = append(rows[i], pairs("constant.condition", fields[3])...)
		}
	}
	return rows, nil
}

// pairs returns the columns of a row: names and values in turn.
func pairs(columns ...string) (out spec.Pairs) {
	for c := range slices.Chunk(columns, 2) {
		out = append(out, spec.Pair{Key: c[0], Value: c[1]})
	}
	return out
}

// readMongoDB reads src/mongo/base/error_codes.yml.
func readMongoDB(src []byte, _ map[string]string) (rows []spec.Pairs, err error) {
	doc, err := spec.OpenDocument("table", src)
	if err != nil {
		return nil, err
	}
	list, _ := doc.Root().Pairs().Get("error_codes").([]any)
	for _, item := range list {
		row, _ := item.(spec.Pairs)
		if slices.Contains(texts(row.Get("categories")), "RetriableError") {
			row = append(row, pairs("retryable", "true")...)
		}
		if strings.HasPrefix(text(row.Get("name")), "OBSOLETE_") {
			row = append(row, pairs("deprecated", "obsolete")...)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// dmCode is a code of DM, with its class and number.
var dmCode = regexp.MustCompile(`^DM-([a-z-]+)-(\d+)$`)

// readTiDB reads errors.toml of TiDB, PD, TiKV, TiFlow and DM. A code is CLASS:NUMBER, CLASS:NAME
// or DM-CLASS-NUMBER.
func readTiDB(src []byte, _ map[string]string) (rows []spec.Pairs, err error) {
	root := make(map[string]any)
	meta, err := toml.Decode(string(src), &root)
	if err != nil {
		return nil, err
	}
	for _, key := range meta.Keys() { // in the order of the file
		var value any = root
		for _, part := range key {
			table, _ := value.(map[string]any)
			value = table[part]
		}
		name := key[len(key)-1]
		row := pairs("code", name, "category", "tidb", "number", name)
		if i := strings.LastIndex(name, ":"); i > 0 {
			row = pairs("code", name, "category", name[:i], "number", name[i+1:])
		} else if dm := dmCode.FindStringSubmatch(name); dm != nil {
			row = pairs("code", name, "category", dm[1], "number", dm[2])
		}
		table, _ := value.(map[string]any)
		columns := len(row)
		for _, column := range slices.Sorted(maps.Keys(table)) {
			switch value := table[column].(type) {
			case map[string]any: // has its own key
			case []any:
				for i := range value {
					value[i] = fmt.Sprint(value[i])
				}
				row = append(row, spec.Pair{Key: column, Value: value})
			default:
				row = append(row, spec.Pair{Key: column, Value: fmt.Sprint(value)})
			}
		}
		if len(row) > columns {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

var (
	javaConstant = regexp.MustCompile(`^([A-Z][A-Z0-9_]*)\s*\(\s*(-?\d+)\s*,\s*`)
	javaString   = regexp.MustCompile(`^"((?:[^"\\]|\\.)*)"\s*\+?\s*`)
	htmlRow      = regexp.MustCompile(
		`(?s)<tr>\s*<td>([A-Z0-9_]+)</td>\s*<td>(-?\d+)</td>\s*<td>(True|False)</td>\s*<td>(.*?)</td>`)
)

// readKafka reads Errors.java, or the HTML table of errors in the guide to the protocol. Only the
// HTML table has a column of retriable errors.
func readKafka(src []byte, _ map[string]string) (rows []spec.Pairs, err error) {
	for _, row := range htmlRow.FindAllStringSubmatch(string(src), -1) {
		rows = append(rows,
			pairs("code", row[1], "number", row[2], "retryable", row[3], "message", html.UnescapeString(row[4])))
	}
	if len(rows) > 0 {
		return rows, nil
	}
	_, body, _ := strings.Cut(string(src), "enum Errors")
	for body != "" {
		rest := strings.TrimLeft(body, " \t")
		_, body, _ = strings.Cut(body, "\n")
		found := javaConstant.FindStringSubmatch(rest)
		if found == nil {
			continue
		}
		message := ""
		rest = rest[len(found[0]):]
		for part := javaString.FindStringSubmatch(rest); part != nil; part = javaString.FindStringSubmatch(rest) {
			literal, err := strconv.Unquote(`"` + part[1] + `"`)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", found[1], err)
			}
			message, rest = message+literal, rest[len(part[0]):]
		}
		rows = append(rows, pairs("code", found[1], "number", found[2], "message", message))
	}
	return rows, nil
}

// readJSON reads an array of objects, or an object of objects, at the place that the column "rows"
// names. The keys of an object become the column "key".
func readJSON(src []byte, columns map[string]string) ([]spec.Pairs, error) {
	var valid any
	if err := json.Unmarshal(src, &valid); err != nil {
		line := 1
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			line += bytes.Count(src[:syntax.Offset], []byte("\n"))
		}
		return nil, fmt.Errorf("line %d: %w", line, err)
	}
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	root := orderedJSON(d)
	for name := range strings.FieldsFuncSeq(columns["rows"], func(r rune) bool { return r == '.' }) {
		p, _ := root.(spec.Pairs)
		root = p.Get(name)
	}
	rows, ok := rowsOf(root)
	if !ok {
		return nil, errors.New("the table is not a list of rows; set the path of the list with -map rows=NAME")
	}
	return rows, nil
}

// rowsOf returns the rows of an array or an object.
func rowsOf(value any) (rows []spec.Pairs, ok bool) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			rows = append(rows, rowOf(item))
		}
		return rows, true
	case spec.Pairs:
		for _, e := range value {
			if _, isList := e.Value.([]any); isList {
				return nil, false
			}
			rows = append(rows, append(spec.Pairs{{Key: nameColumn, Value: e.Key}}, rowOf(e.Value)...))
		}
		return rows, true
	}
	return nil, false
}

// rowOf returns the columns of a row. A text is the column "value".
func rowOf(value any) spec.Pairs {
	if row, ok := value.(spec.Pairs); ok {
		return slices.Clone(row)
	}
	return spec.Pairs{{Key: "value", Value: value}}
}

// decimal is a number of JSON, which is never hexadecimal.
type decimal string

// orderedJSON reads a value of valid JSON and keeps the order of keys. Scalars become strings,
// numbers decimals.
func orderedJSON(d *json.Decoder) any {
	token, _ := d.Token()
	switch token {
	case nil:
		return nil
	case json.Delim('['):
		items := []any{}
		for d.More() {
			items = append(items, orderedJSON(d))
		}
		_, _ = d.Token()
		return items
	case json.Delim('{'):
		members := spec.Pairs{}
		for d.More() {
			key, _ := d.Token()
			members = append(members, spec.Pair{Key: key.(string), Value: orderedJSON(d)})
		}
		_, _ = d.Token()
		return members
	}
	if n, ok := token.(json.Number); ok {
		if f, err := n.Float64(); err == nil && f == math.Trunc(f) && strings.ContainsAny(n.String(), "eE") {
			return decimal(strconv.FormatFloat(f, 'f', -1, 64))
		}
		return decimal(n)
	}
	return fmt.Sprint(token)
}

// readCSV reads a table with the names of the columns in its first line. Commas, semicolons
// or tabs separate the columns.
func readCSV(src []byte, _ map[string]string) (rows []spec.Pairs, err error) {
	r := csv.NewReader(bytes.NewReader(src))
	switch head, _, _ := bytes.Cut(src, []byte("\n")); {
	case bytes.ContainsRune(head, '\t'):
		r.Comma = '\t'
	case bytes.ContainsRune(head, ';') && !bytes.ContainsRune(head, ','):
		r.Comma = ';'
	}
	r.FieldsPerRecord = -1
	records, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	for i, record := range records {
		if i == 0 {
			continue
		}
		if width := len(records[0]); len(record) > width && strings.Join(record[width:], "") != "" {
			return nil, fmt.Errorf("row %d has more columns than the first line; put text with commas in double quotes",
				i)
		}
		var row spec.Pairs
		for j, name := range records[0] {
			value := ""
			if j < len(record) {
				value = record[j]
			}
			row = append(row, spec.Pair{Key: strings.TrimSpace(name), Value: value})
		}
		rows = append(rows, row)
	}
	return rows, nil
}
