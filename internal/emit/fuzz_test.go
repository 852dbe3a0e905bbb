package emit_test

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/emit"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/detect"
)

// FuzzGenerate checks that every accepted taxonomy becomes packages that gofmt leaves
// alone and that type-check, tests included.
func FuzzGenerate(f *testing.F) {
	for _, path := range append(fixtures(f), "testdata/golden/provider/taxonomy.yaml") {
		if strings.HasSuffix(path, "many.yaml") {
			continue // large, and no more than its first code
		}
		src, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(src)
	}
	for _, seed := range fuzzSeeds {
		f.Add([]byte(seed))
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", exportData(f))
	f.Fuzz(func(t *testing.T, src []byte) {
		m, _ := check.Load("taxonomy.yaml", src)
		if m == nil || namesOtherErrors(m) {
			t.Skip()
		}
		typeCheck(t, fset, imports, emit.Files(m, emit.Options{Tests: true}))
	})
}

// namesOtherErrors reports whether a taxonomy names errors that are not in fuzzErrors and may not
// exist.
func namesOtherErrors(m *model.Package) bool {
	var names []string
	for _, r := range m.Rules {
		for _, c := range r.Conditions {
			if c.Key == detect.Is || c.Key == detect.As {
				names = append(append(names, c.Any...), c.Not...)
			}
		}
	}
	for _, c := range m.Codes {
		for _, x := range c.Examples {
			names = append(names, x.Is, x.As)
		}
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return name != "" && !slices.Contains(fuzzErrors, name)
	})
}

// fuzzErrors are the errors that the seeds name. Their packages are in exportData.
var fuzzErrors = strings.Fields(`io.EOF io.ErrUnexpectedEOF io/fs.ErrNotExist os.ErrNotExist os/exec.ErrNotFound
	context.DeadlineExceeded archive/zip.ErrFormat github.com/failsafe-go/failsafe-go/circuitbreaker.ErrOpen
	github.com/failsafe-go/failsafe-go.ErrExecutionCanceled *net.OpError *io/fs.PathError *net/url.Error
	encoding/base64.CorruptInputError *os/exec.ExitError *encoding/json.SyntaxError *gopkg.in/yaml.v3.TypeError
	*github.com/santhosh-tekuri/jsonschema/v6.ValidationError net.Error golang.org/x/mod/zip.FileError`)

var fuzzSeeds = []string{
	"errgen: 1\npackage: p\ncategories: {unmarshal: {codes: {A: {message: a}}}}\n",
	"errgen: 1\npackage: p\ncategories: {a: {type: Table, codes: {A: {message: a}}}}\n",
	"errgen: 1\npackage: p\ncategories: {a: {codes: {A: {message: ''}}}}\n",
	"errgen: 1\npackage: p\ncategories: {a: {doc: 'x', codes: {'1': {message: '[{cause}]'}}}}\n",
	"errgen: 1\npackage: gen\nfields: {i: {type: int, from: retry_after}}\ncategories: {a: {codes: {B: {message: " +
		"'[{i}]'}}}}\n",
	"errgen: 1\npackage: fmt\nfields: {s: {type: json, sensitive: true}}\ncategories: {a: {codes: {B: {message: " +
		"b}}}}\n",
	"errgen: 1\npackage: p\ncategories: {a: {fields: {f: {type: object, sensitive: true, fields: {x: {enum: [a], " +
		"required: true}}}}, codes: {B: {message: b}}}}\n",
	"errgen: 1\npackage: p\ncategories: {a: {fields: {f: {type: duration, sensitive: true, from: retry_after}}, " +
		"codes: {B: {message: b}}}}\n",
	"errgen: 1\npackage: p\ncategories: {a: {fields: {v: {type: int}, ok: {type: bool}}, codes: {B: {message: b, " +
		"when: [{if: {v: 1, ok: true}, severity: low}]}}}}\n",
	"errgen: 1\npackage: detect\nfallback: {code: A}\ncategories: {ev: {fields: {cmp: {type: object, fields: {ev: " +
		"{type: string, from: [text, op]}, cmp: {type: json, from: attributes.detect}, " +
		"taxonomy: {type: int, sensitive: true, from: exit_code}}}}, codes: {A: {message: a}}}}\n",
	"errgen: 1\npackage: cmp\nfields: {rule: {enum: [a], from: code, sensitive: true, default: a}}\ncategories: " +
		"{a: {codes: {A: {message: a, set: {rule: a}, detect: [{is: io.EOF}, {as: '*net.OpError'}], examples: " +
		"[{is: io.EOF}]}}}}\n",
	"errgen: 1\npackage: p\ncategories: {a: {fields: {s: {type: time, from: [reset_at, code], default: " +
		"2020-01-02T03:04:05Z}}, codes: {A: {message: a, detect: [{text: \"`\\\"\\\\n\", attributes: {\"`\": {min: " +
		"-1e9, max: 0.5}}, set: {s: 2021-01-02T03:04:05Z}}]}}}}\n",
	"errgen: 1\npackage: p\ntiers: {low: {purpose: analysis}, high: {purpose: verification}, boss: {person: " +
		"true}}\nreactions: {ask: {action: retry, to: high, purpose: diagnosis, " +
		"then: {action: escalate, purpose: analysis}}}\ncategories: {a: {codes: {A: {message: a, retryable: true, " +
		"reaction: ask}}}}\nprofiles: {p: {reactions: {ask: {action: escalate}}}}\n",
}

// typeCheck parses and type-checks generated files as one package.
func typeCheck(t *testing.T, fset *token.FileSet, imports types.Importer, files []emit.File) {
	t.Helper()
	var parsed []*ast.File
	for _, f := range files {
		formatted, err := format.Source(f.Content)
		require.NoError(t, err, f.Name)
		require.True(t, bytes.Equal(f.Content, formatted), "%s is as gofmt leaves it", f.Name)
		file, err := parser.ParseFile(fset, f.Name, f.Content, parser.SkipObjectResolution)
		require.NoError(t, err)
		parsed = append(parsed, file)
		defer fset.RemoveFile(fset.File(file.FileStart)) // the set is used for every input
	}
	config := types.Config{Importer: imports}
	_, err := config.Check("generated", fset, parsed, nil)
	require.NoError(t, err)
}

// exportData finds the export data of the packages that generated code imports.
func exportData(tb testing.TB) importer.Lookup {
	tb.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}",
		"github.com/errgen/errgen/runtime/taxonomy/gen", "github.com/errgen/errgen/runtime/detect",
		"github.com/errgen/errgen/runtime/taxonomy/gentest", "net/url", "os/exec", "archive/zip", "encoding/base64",
		"github.com/failsafe-go/failsafe-go/circuitbreaker", "gopkg.in/yaml.v3", "golang.org/x/mod/zip",
		"github.com/santhosh-tekuri/jsonschema/v6", "testing", "os", "reflect", "bytes", "context")
	out, err := cmd.Output()
	require.NoError(tb, err)
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		exports[path] = file
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
}
