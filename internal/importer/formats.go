package importer

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/internal/spec"
)

// readPostgres reads src/backend/utils/errcodes.txt: lines of SQLSTATE, level, macro and condition,
// in sections. Macros with the same SQLSTATE become names of one code.
func readPostgres(t *Table, src []byte, _ Options) error {
	t.Doc = "Errors of PostgreSQL, by SQLSTATE."
	t.Constants = []Constant{
		{"sqlstate", "string", "The SQLSTATE."},
		{"condition", "string", "The name of the condition in PL/pgSQL."},
	}
	t.Groups = []Group{{"warning", "Not errors, but warnings."}, {"success", "Not errors: the statement succeeded."}}
	levels := map[string][]string{"W": {"warning"}, "S": {"success"}}
	t.identity = "sqlstate"
	states := make(map[string]*Code)
	var category *Category
	for n, line := range lines(src) {
		if title, ok := strings.CutPrefix(line, "Section:"); ok {
			class, name, found := strings.Cut(strings.TrimSpace(title), " - ")
			if !found {
				class, name = "", class
			}
			words, _, _ := strings.Cut(name, "(")
			key, _ := naming.Snake(identifier(words, "section"))
			category = t.category(key, strings.TrimSpace(class+": "+name)+".")
			continue
		}
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || strings.HasPrefix(line, "#"):
			continue
		case len(fields) < 3 || len(fields) > 4:
			return fmt.Errorf("line %d: want SQLSTATE, level, macro and condition", n)
		case category == nil:
			return fmt.Errorf("line %d: a code before the first section", n)
		}
		name := strings.TrimPrefix(fields[2], "ERRCODE_")
		if first := states[fields[0]]; first != nil {
			first.Names = append(first.Names, name)
			if len(fields) == 4 && first.Constants.Get("condition") == nil {
				first.Constants = append(first.Constants, spec.Pair{Key: "condition", Value: fields[3]})
			}
			continue
		}
		code := &Code{Name: name, Groups: levels[fields[1]], Constants: spec.Pairs{{Key: "sqlstate", Value: fields[0]}}}
		if len(fields) == 4 {
			code.Constants = append(code.Constants, spec.Pair{Key: "condition", Value: fields[3]})
		}
		states[fields[0]] = code
		category.Codes = append(category.Codes, code)
	}
	return nil
}

// lines yields the lines of a file with their numbers from 1, without line ends.
func lines(src []byte) func(yield func(n int, line string) bool) {
	return func(yield func(int, string) bool) {
		n := 0
		for line := range strings.Lines(string(src)) {
			if n++; !yield(n, strings.TrimRight(line, "\r\n")) {
				return
			}
		}
	}
}

// readMongoDB reads src/mongo/base/error_codes.yml.
func readMongoDB(t *Table, src []byte, _ Options) error {
	doc, err := spec.OpenDocument("table", src)
	if err != nil {
		return err
	}
	t.Doc = "Errors of MongoDB."
	category := t.category("mongodb", "Errors of the server.")
	rows, _ := doc.Root().Pairs().Get("error_codes").([]any)
	for _, row := range rows {
		p, _ := row.(spec.Pairs)
		k := &Code{Name: text(p.Get("name")), Number: number(text(p.Get("code")))}
		if k.Name == "" {
			return fmt.Errorf("row %d of error_codes has no name", len(category.Codes)+1)
		}
		k.Groups = list(p.Get("categories"))
		k.Retryable = slices.Contains(k.Groups, "RetriableError")
		if strings.HasPrefix(k.Name, "OBSOLETE_") {
			k.Deprecated = "obsolete"
		}
		if p.Get("extra") != nil {
			t.Notes.add(k.Name, "extra data of C++ types (extra): left out")
		}
		category.Codes = append(category.Codes, k)
	}
	return nil
}

// readSpark reads error-conditions.json of Spark and Delta.
func readSpark(t *Table, src []byte, _ Options) error {
	root, err := decodeJSON(src)
	if err != nil {
		return err
	}
	conditions, ok := root.(spec.Pairs)
	if !ok {
		return fmt.Errorf("the table is not an object")
	}
	t.Doc = "Error conditions of Spark."
	t.Constants = []Constant{{"sqlstate", "string", "The SQLSTATE."}}
	category := t.category("spark", "Error conditions.")
	for _, c := range conditions {
		p, _ := c.Value.(spec.Pairs)
		code := &Code{Name: c.Key, Message: strings.Join(list(p.Get("message")), "\n")}
		if state := text(p.Get("sqlState")); state != "" {
			code.Constants = spec.Pairs{{Key: "sqlstate", Value: state}}
		}
		children, _ := p.Get("subClass").(spec.Pairs)
		for _, child := range children {
			body, _ := child.Value.(spec.Pairs)
			one := &Code{Name: c.Key + "." + child.Key, Message: strings.Join(list(body.Get("message")), "\n")}
			if state := text(body.Get("sqlState")); state != "" {
				one.Constants = spec.Pairs{{Key: "sqlstate", Value: state}}
			}
			code.Codes = append(code.Codes, one)
		}
		for _, e := range p {
			if !slices.Contains([]string{"message", "sqlState", "subClass"}, e.Key) {
				t.Notes.add(c.Key, "%s: left out", clean(e.Key))
			}
		}
		category.Codes = append(category.Codes, code)
	}
	return nil
}

// dmCode is a code of DM, with its class and number.
var dmCode = regexp.MustCompile(`^DM-([a-z-]+)-(\d+)$`)

// readTiDB reads errors.toml of TiDB, PD, TiKV, TiFlow and DM. A code is CLASS:NUMBER, CLASS:NAME
// or DM-CLASS-NUMBER.
func readTiDB(t *Table, src []byte, _ Options) error {
	sections, err := parseTOML(src)
	if err != nil {
		return err
	}
	t.Doc = "Errors of TiDB."
	t.numbersPerCategory = true
	for _, s := range sections {
		name := s.path[len(s.path)-1]
		class, last := "tidb", name
		if i := strings.LastIndex(name, ":"); i > 0 {
			class, last = name[:i], name[i+1:]
		} else if dm := dmCode.FindStringSubmatch(name); dm != nil {
			class, last = dm[1], dm[2]
		}
		code := &Code{
			Name: name, Number: number(last), Message: text(s.keys.Get("error")), Doc: text(s.keys.Get("description")),
			Resolution: text(s.keys.Get("workaround")),
		}
		if code.Message == "" {
			code.Message = text(s.keys.Get("message"))
		}
		for _, tag := range list(s.keys.Get("tags")) {
			code.Groups = append(code.Groups, identifier(tag, "group"))
		}
		for _, e := range s.keys {
			if !slices.Contains(strings.Fields("error message description workaround tags"), e.Key) {
				t.Notes.add(name, "%s: left out", clean(e.Key))
			}
		}
		c := t.category(class, "Errors of the class "+class+".")
		c.Codes = append(c.Codes, code)
	}
	return nil
}

// readNATS reads server/errors.json.
func readNATS(t *Table, src []byte, _ Options) error {
	t.Doc = "Errors of NATS."
	return tableOfJSON(t, src, map[string]string{
		"code": "constant", "number": "error_code", "http": "code", "message": "description", "doc": "comment",
		"resolution": "help", "names": "deprecates",
	}, "nats", "url")
}

var (
	javaConstant = regexp.MustCompile(`^([A-Z][A-Z0-9_]*)\s*\(\s*(-?\d+)\s*,\s*`)
	javaString   = regexp.MustCompile(`^"((?:[^"\\]|\\.)*)"\s*\+?\s*`)
	htmlRow      = regexp.MustCompile(
		`(?s)<tr>\s*<td>([A-Z0-9_]+)</td>\s*<td>(-?\d+)</td>\s*<td>(True|False)</td>\s*<td>(.*?)</td>`)
)

// readKafka reads Errors.java, or the HTML table of errors in the guide to the protocol. Only the
// HTML table has a column of retriable errors.
func readKafka(t *Table, src []byte, _ Options) error {
	t.Doc = "Errors of Kafka's protocol."
	category := t.category("kafka", "Errors of the protocol.")
	for _, row := range htmlRow.FindAllStringSubmatch(string(src), -1) {
		category.Codes = append(category.Codes, &Code{
			Name: row[1], Number: number(row[2]), Retryable: row[3] == "True",
			Message: html.UnescapeString(row[4]),
		})
	}
	if len(category.Codes) > 0 {
		return nil
	}
	_, body, _ := strings.Cut(string(src), "enum Errors")
	for body != "" {
		line, rest, _ := strings.Cut(body, "\n")
		body = rest
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "private ") || strings.HasPrefix(line, "public ") && strings.Contains(line, "(") {
			continue
		}
		found := javaConstant.FindStringSubmatch(line + "\n" + body)
		if found == nil {
			continue
		}
		code := &Code{Name: found[1], Number: number(found[2])}
		for rest := (line + "\n" + body)[len(found[0]):]; ; {
			part := javaString.FindStringSubmatch(rest)
			if part == nil {
				break
			}
			literal, err := strconv.Unquote(`"` + part[1] + `"`)
			if err != nil {
				return fmt.Errorf("%s: %w", code.Name, err)
			}
			code.Message += literal
			rest = rest[len(part[0]):]
		}
		category.Codes = append(category.Codes, code)
	}
	return nil
}

// text returns a scalar, or "" for any other value.
func text(v any) string {
	s, _ := v.(string)
	return s
}

// list returns the scalars of a list. A scalar that is not empty is a list of one.
func list(v any) []string {
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

// number returns the integer in s, or nil if s is not a decimal integer.
func number(s string) *int {
	n, err := strconv.Atoi(s)
	if err != nil || strconv.Itoa(n) != strings.TrimLeft(s, "+") {
		return nil
	}
	return &n
}
