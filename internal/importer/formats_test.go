package importer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/importer"
)

// TestFormats imports small tables with the traits of the real ones: testdata/FORMAT.* becomes
// testdata/FILE.yaml, and the notes at its end. UPDATE=1 writes those anew.
func TestFormats(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	require.NoError(t, err)
	for _, file := range files {
		format, extension, _ := strings.Cut(filepath.Base(file), ".")
		if strings.HasSuffix(file, ".yaml") {
			continue
		}
		t.Run(format+"."+extension, func(t *testing.T) {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			table, err := importer.Read(format, src, importer.Options{})
			require.NoError(t, err)
			text := table.New()
			_, findings := check.Load("taxonomy.yaml", text)
			assert.Empty(t, findings)
			var notes strings.Builder
			for _, n := range table.Notes {
				fmt.Fprintf(&notes, "# %s: %s\n", n.What, strings.Join(n.Codes, ", "))
			}
			golden := file + ".yaml"
			if os.Getenv("UPDATE") != "" {
				require.NoError(t, os.WriteFile(golden, append(text, notes.String()...), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(text)+notes.String())

			again, changes, err := table.Update("taxonomy.yaml", text)
			require.NoError(t, err)
			assert.Equal(t, string(text), string(again))
			assert.Empty(t, changes)
		})
	}
}

// TestColumns maps the columns of tables to keys.
func TestColumns(t *testing.T) {
	const printf = "id,text\nA,%s of %[1]s: %d %.64s %q %v%% [x] {y}\n"
	for _, tt := range []struct {
		name, format, table, columns string
		options                      importer.Options
		want                         []string
		notes                        importer.Notes
	}{
		{
			name: "csv", format: "csv", table: "id,text,state\nA B,no {x},404\n",
			columns: "code=id,message=text,http=state",
			want:    []string{"A_B:", "message: no {x}", "http: 404"},
			notes:   importer.Notes{{What: "codes with spaces: spelled like their keys", Codes: []string{"A B"}}},
		}, {
			name: "semicolons, with a byte order mark", format: "csv", table: "\uFEFFid;text\nA;x, y\n",
			columns: "code=id,message=text", want: []string{"message: x, y"},
		}, {
			name: "numbers with blanks and fractions", format: "csv", columns: "code=id,message=text,number=n,http=s",
			table: "id, text, n, s, \nA, x, 7, 404 ,\nB,x,8.0,503.0\nC,x,8.5,none\n",
			want:  []string{"number: 7", "http: 404", "number: 8", "http: 503"},
			notes: importer.Notes{
				{What: "values of number that cannot be read: left out", Codes: []string{"C"}},
				{What: "values of http that cannot be read: left out", Codes: []string{"C"}},
			},
		}, {
			name: "truth values", format: "json", columns: "code=id,message=text",
			table: `[{"id": "A", "text": "a", "deprecated": false, "retryable": "yes"},
				{"id": "B", "text": "b", "deprecated": true}, {"id": "C", "text": "c", "deprecated": "use B"}]`,
			want: []string{"message: a\n      B:", "message: b\n        deprecated: as in the table",
				"message: c\n        deprecated: use B"},
			notes: importer.Notes{{What: "values of retryable that cannot be read: left out", Codes: []string{"A"}}},
		}, {
			name: "names and groups", format: "json", columns: "code=id,message=text",
			table: `[{"id": "A", "text": "a", "names": "n1, n2", "groups": "g1 g2"},
				{"id": "B", "text": "b", "names": ["n3", "n4"], "groups": ["g 3", "g2"]}]`,
			want: []string{"names: [n1, n2]", "groups: [g1, g2]", "names: [n3, n4]", "groups: [g_3, g2]"},
		}, {
			name: "an object of texts", format: "json", table: "\uFEFF" + `{"A": "no {x}"}`,
			columns: "code=key,message=value", want: []string{"A:", "message: no {x}"},
		}, {
			name: "tabs", format: "csv", table: "id\ttext\nA\tx, y\n", columns: "code=id,message=text",
			want: []string{"message: x, y"},
		}, {
			name: "an object of objects, in a place", format: "json",
			table:   `{"v1": {"errors": {"A": {"text": ["one", "two"], "n": 7}}}}`,
			columns: "rows=v1.errors,code=key,message=text,number=n",
			want:    []string{"A:", "number: 7", "one\n          two"},
		}, {
			name: "printf", format: "csv", table: printf, columns: "code=id,message=text",
			want: []string{"message: '{arg1} of {arg1}: {arg2} {arg3} {arg4:quoted} {arg5}% [[x]] {y}'"},
		}, {
			name: "names of arguments", format: "csv", table: printf, columns: "code=id,message=text",
			options: importer.Options{Names: map[string][]string{"A": {"file", "size", "", "user"}}},
			want:    []string{"'{file} of {file}: {size} {arg3} {user:quoted} {arg5}% [[x]] {y}'"},
		}, {
			name: "no parameters", format: "csv", table: printf, columns: "code=id,message=text",
			options: importer.Options{Params: []string{}},
			want: []string{"categories: # errgen:ignore W-message-verb, W-no-doc -- as in the table\n",
				"message: '%s of %[[1]]s: %d %.64s %q %v%% [[x]] {{y}}'"},
		}, {
			name: "hexadecimal numbers", format: "json", columns: "code=id,number=no",
			table: `[{"id": "A", "no": "10"}, {"id": "B", "no": "1F"}, {"id": "C", "no": ""}]`,
			want:  []string{"number: 16", "number: 31"},
			notes: importer.Notes{{What: "columns of numbers that are read as hexadecimal", Codes: []string{"no"}}},
		}, {
			name: "numbers with a prefix, and a number of JSON", format: "json", columns: "code=id,number=no",
			table: `[{"id": "A", "no": "0x10"}, {"id": "B", "no": "0x1F"}, {"id": "C", "no": 12}]`,
			want:  []string{"number: 16", "number: 31", "number: 12"},
		}, {
			name: "numbers with a prefix, and one that is not a number", format: "json", columns: "code=id,number=no",
			table: `[{"id": "A", "no": "0x10"}, {"id": "B", "no": 12}, {"id": "C", "no": "x"}, {"id": "D", "no": 1e3}]`,
			want:  []string{"number: 16", "number: 12", "number: 1000"},
			notes: importer.Notes{{What: "values of number that cannot be read: left out", Codes: []string{"C"}}},
		}, {
			name: "the name of a row that has a column key", format: "json", columns: "code=key",
			table: `{"A": {"key": "x"}, "B": {"key": "y"}}`, want: []string{"\n      A:", "\n      B:"},
		}, {
			name: "a column key beside the name of a row", format: "json", columns: "code=key,message=.key,doc=.d.key",
			table: `{"A": {"key": "has x", "d": {"key": "An A."}}, "B": {"key": "has y"}}`,
			want:  []string{"A:\n        doc: An A.\n        message: has x\n", "B:\n        message: has y\n"},
		}, {
			name: "rows without a column key", format: "json", columns: "code=key,message=.key,doc=text",
			table: `{"A": {"text": "An A."}, "B": {"key": "has y"}}`,
			want:  []string{"A:\n        doc: An A.\n        message: a\n      B:\n        message: has y\n"},
		}, {
			name: "paths in a row", format: "json", columns: "code=id,message=error.text,http=error.status.http",
			table: `[{"id": "A", "error": {"text": "no user", "status": {"http": [404, 410]}}}, {"id": "B"}]`,
			want:  []string{"message: no user", "http: 404"},
			notes: importer.Notes{{What: "further HTTP statuses: left out", Codes: []string{"A"}}},
		}, {
			name: "statuses of gRPC", format: "csv", columns: "code=id,grpc=status",
			table: "id,status\nA,NOT_FOUND\nB,AlreadyExists\nC,Gone\nD,14\nE,17\n",
			want:  []string{"grpc: NOT_FOUND", "grpc: ALREADY_EXISTS", "grpc: UNAVAILABLE"},
			notes: importer.Notes{{What: "values of grpc that cannot be read: left out", Codes: []string{"C", "E"}}},
		}, {
			name: "angles", format: "csv", table: "id,text\nA,<name> is <0>\n", columns: "code=id,message=text",
			options: importer.Options{Params: []string{"angles"}},
			want:    []string{"message: '{name} is <0>'"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			columns, err := importer.ParseColumns(tt.columns)
			require.NoError(t, err)
			tt.options.Columns = columns
			table, err := importer.Read(tt.format, []byte(tt.table), tt.options)
			require.NoError(t, err)
			text := string(table.New())
			for _, want := range tt.want {
				assert.Contains(t, text, want)
			}
			assert.Equal(t, tt.notes, table.Notes)
			_, findings := check.Load("taxonomy.yaml", []byte(text))
			assert.Empty(t, findings)
		})
	}
}

// TestFaults reads tables that are not of their format.
func TestFaults(t *testing.T) {
	for _, tt := range []struct{ format, table, want string }{
		{"postgres", "08000 E", "line 1: want SQLSTATE"},
		{"postgres", "08000 E X", "line 1: a code before"},
		{"mongodb", "error_codes: []\n", "no codes"},
		{"mongodb", "- a\n", "not a mapping"},
		{"spark", "[]", "no codes"},
		{"spark", "{\n\"A\": }", "line 2: "},
		{"tidb", "[\"a\"]\nerror = 'x\n", "line 2 "},
		{"tidb", "error = 'x'\n", "no codes"},
		{"nats", `{"a": 1}`, `has no column "constant"`},
		{"kafka", "class Errors {}", "no codes"},
		{"csv", "", "no codes"},
		{"csv", "id\nA\n", `row 1 has no column "code"`},
		{"json", strings.Repeat("[", 20000), "max depth"},
		{"json", "7", "not a list of rows"},
		{"json", `{"errors": [{"code": "A"}]}`, "not a list of rows"},
		{"csv", "code,message\nA,no, no\n", "row 1 has more columns"},
		{"csv", "code\nA,no\n", "row 1 has more columns"},
		{"csv", "code,message\nA,caf\xe9\n", "not UTF-8"},
		{"perl", "", "unknown format"},
	} {
		_, err := importer.Read(tt.format, []byte(tt.table), importer.Options{})
		assert.ErrorContains(t, err, tt.want, tt.table)
	}
	for _, columns := range []string{"", "code", "code=", "colour=x", "constant.=x", "constant.a b=x"} {
		_, err := importer.ParseColumns(columns)
		assert.Error(t, err, columns)
	}
}

// FuzzRead imports anything: what comes out is a taxonomy without findings, and a second import
// changes nothing.
func FuzzRead(f *testing.F) {
	for i, format := range importer.Formats() {
		files, err := filepath.Glob("testdata/" + format + ".*")
		require.NoError(f, err)
		for _, file := range files {
			if src, err := os.ReadFile(file); err == nil && !strings.HasSuffix(file, ".yaml") {
				f.Add(i, src)
			}
		}
	}
	const csv, json = 7, 6
	for _, code := range []string{
		`"yes"`, "08006", "1E5", "~", "a: b", "# x", "-", "é", "日本", "*/", "a\u2028b", "\u202eabc", "{x}", "[", "]",
		"{{", "%", "%s%s%s", "<", "`", "\\n", "go:generate x", "//go:embed", "error", "Error", "Is", "_", "__", "9",
		"NONE,NONE",
		"With", "cause", "{cause} {Cause} {error} {Error} {code} {with} {a b} {a.b} {a_b} {a-b} {aB}",
	} {
		f.Add(csv, []byte("code,message,doc,category,names,groups,number\n"+
			strings.Repeat(code+",", 6)+"1\nx,"+code+",,,,,\n"))
		f.Add(json, []byte(fmt.Sprintf(`[{"code": %q, "message": %q, "doc": %q}]`, code, code, code)))
	}
	f.Fuzz(func(t *testing.T, format int, src []byte) {
		if format < 0 || format >= len(importer.Formats()) {
			return
		}
		table, err := importer.Read(importer.Formats()[format], src, importer.Options{})
		if err != nil {
			return
		}
		text := table.New()
		_, findings := check.Load("taxonomy.yaml", text)
		require.Empty(t, findings, string(text))
		again, changes, err := table.Update("taxonomy.yaml", text)
		require.NoError(t, err, string(text))
		require.Equal(t, string(text), string(again))
		require.Empty(t, changes)
	})
}
