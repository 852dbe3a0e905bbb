package cli

import (
	"encoding/json"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sample"
	"github.com/errgen/errgen/internal/signature"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
	"github.com/errgen/errgen/signatures"
)

// nodeTool returns a program that "make node" installs, and skips the test without it.
func nodeTool(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../../build/node/node_modules/.bin", name))
	require.NoError(t, err)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("ERRGEN_NODE") == "required" {
			t.Fatal(err)
		}
		t.Skip(`run "make node" to test with Node: `, err)
	}
	return path
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// writeOutput runs errgen on a taxonomy and writes its output to dir.
func writeOutput(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	root, err := os.Getwd()
	require.NoError(t, err)
	status, stdout, stderr := call(t, root, "", args...)
	require.Equal(t, exitClean, status, stderr)
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(stdout), 0o644))
}

// decoded returns what parseError makes of texts and values in a program.
func decoded(t *testing.T, dir, program string, inputs ...any) []map[string]any {
	t.Helper()
	b, err := json.Marshal(inputs)
	require.NoError(t, err)
	var out []map[string]any
	for line := range strings.Lines(run(t, dir, "node", program, string(b))) {
		var v map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &v))
		out = append(out, v)
	}
	require.Len(t, out, len(inputs))
	return out
}

// strict are the options under which the module must compile.
var strict = []string{"--strict", "--noUnusedLocals", "--noUnusedParameters", "--noUncheckedIndexedAccess",
	"--exactOptionalPropertyTypes", "--noPropertyAccessFromIndexSignature", "--verbatimModuleSyntax", "--declaration",
	"--target", "es2022", "--lib", "es2022,dom", "--module", "nodenext"}

// TestTypeScript compiles modules strictly, with programs that use them and the example of
// docs/catalogue.md, and decodes what Go writes.
func TestTypeScript(t *testing.T) {
	tsc, dir := nodeTool(t, "tsc"), t.TempDir()
	writeOutput(t, dir, "shapes.ts", "typescript", "testdata/shapes.yaml")
	writeOutput(t, dir, "errs.ts", "typescript", "-audience", "internal", "../../taxonomy.yaml")
	writeOutput(t, dir, "errors.ts", "typescript", "-audience", "internal", "../../examples/quickstart/taxonomy.yaml")
	use, err := os.ReadFile("testdata/use.ts")
	require.NoError(t, err)
	page, err := os.ReadFile("../../docs/catalogue.md")
	require.NoError(t, err)
	_, example, found := strings.Cut(string(page), "```ts\n")
	example, _, ends := strings.Cut(example, "```")
	require.True(t, found && ends)
	for name, text := range map[string]string{
		"package.json": `{"type": "module"}`, "use.ts": string(use), "pay.ts": example,
		"operation.ts": `import { parsePlaceShapeError, type PlaceShapeError } from "./shapes.js";
declare const process: { argv: string[] };
const known = (error: PlaceShapeError): "SHAPE_BROKEN" | "SHAPE_LATE" => error.code;
for (const value of JSON.parse(process.argv[2] ?? "[]") as unknown[]) {
  const error = parsePlaceShapeError(value);
  console.log(JSON.stringify(error.code === undefined ? error : { code: known(error), context: error.context }));
}
`, "read.ts": `import { parseError } from "./errs.js";
declare const process: { argv: string[] };
for (const text of JSON.parse(process.argv[2] ?? "[]") as unknown[]) console.log(JSON.stringify(parseError(text)));
`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	run(t, dir, tsc, append(strict, "use.ts", "pay.ts", "read.ts", "operation.ts")...)
	t.Run("operations", func(t *testing.T) { decodeOperations(t, dir) })
	t.Run("types", func(t *testing.T) { decodeShapes(t, dir) })
	t.Run("codes", func(t *testing.T) { decodeErrors(t, dir) })
}

// decodeShapes decodes each type of field, and foreign errors.
func decodeShapes(t *testing.T, dir string) {
	at := time.Date(2026, time.March, 4, 5, 6, 7, 89e6, time.UTC)
	context := gen.Object(nil).String("requestId", taxonomy.Some("r")).
		String("text", taxonomy.Some(`"123456789012345678"`)).
		Enum("word", "sky-blue").OptEnum("other-word", "UP").Int("count", taxonomy.Some(-3)).
		Int64("wide", taxonomy.Some(int64(math.MinInt64))).Uint64("positive", taxonomy.Some(uint64(math.MaxUint64))).
		Float64("share", taxonomy.Some(0.25)).Bool("flag", taxonomy.Some(true)).
		Duration("wait", taxonomy.Some(-(90*time.Minute+1500*time.Millisecond+250*time.Microsecond))).
		Time("at", taxonomy.Some(at)).Strings("list", []string{"a", "b"}, 0).JSON("raw", []byte(`{"n":1}`)).
		Begin("nested").Int64("x", taxonomy.Some(int64(math.MaxInt64))).
		Duration("y", taxonomy.Some(time.Microsecond)).End().
		JSON("parts", []byte(`[{"n":9007199254740993,"kind":"LEFT"},{}]`)).
		JSON("violations", []byte(`[{"field":"text","description":"empty","code":""}]`)).Secret("token", true).Close()
	full := map[string]any{
		"requestId": "r", "text": `"123456789012345678"`, "word": "sky-blue", "other-word": "UP", "count": -3.0,
		"wide": "-9223372036854775808", "positive": "18446744073709551615", "share": 0.25, "flag": true,
		"wait": -5401500.25, "at": "2026-03-04T05:06:07.089Z", "list": []any{"a", "b"}, "raw": map[string]any{"n": 1.0},
		"nested":     map[string]any{"x": "9223372036854775807", "y": 0.001},
		"parts":      []any{map[string]any{"n": "9007199254740993", "kind": "LEFT"}, map[string]any{"n": "0"}},
		"violations": []any{map[string]any{"field": "text", "description": "empty", "code": ""}},
		"token":      taxonomy.Redacted,
	}
	zero := map[string]any{"text": "", "wide": "0"} // an absent required enum is undefined
	type object = map[string]any
	unknown := func(sent object) object {
		return object{"message": "unknown error", "retryable": false, "sentCode": sent["code"], "sent": sent}
	}
	tests := []struct {
		name  string
		input any // text or a value
		want  object
	}{
		{"an error of each type", `{"domain":"shapes.example.com","category":"shape","code":"SHAPE_BROKEN",` +
			`"message":"m","retryable":false,"context":` + string(context) + `}`,
			object{"code": "SHAPE_BROKEN", "category": "shape", "message": "m", "retryable": false, "context": full}},
		{"a problem document", `{"type":"t","title":"It is late","status":503,"detail":"late","instance":"/x",` +
			`"code":"SHAPE_LATE","retryable":false,"context":{}}`,
			object{"code": "SHAPE_LATE", "category": "shape", "message": "late", "retryable": false, "context": zero,
				"problem": object{"type": "t", "title": "It is late", "status": 503.0, "detail": "late",
					"instance": "/x"}}},
		{"a former code, retryable by the table", `{"code":"SHAPE_SLOW"}`,
			object{"code": "SHAPE_LATE", "category": "shape", "message": "", "retryable": true, "context": zero}},
		{"a code with fields, by another name", `{"code":"bad_cast","context":{"target":"int","tries":3}}`,
			object{"code": "SIZE_CAST_FAILED", "category": "size", "message": "", "retryable": false,
				"context": object{"target": "int", "tries": "3"}}},
		{"a cause", object{"code": "SIZE_ZERO", "message": "m", "cause": object{"message": "EOF"}},
			object{"code": "SIZE_ZERO", "category": "size", "message": "m", "retryable": false, "context": object{},
				"cause": object{"message": "EOF", "retryable": false, "sent": object{"message": "EOF"}}}},
		{"a value in place of text", object{"code": "SHAPE_LATE", "context": object{"wide": 7, "wait": "0s"}},
			object{"code": "SHAPE_LATE", "category": "shape", "message": "", "retryable": true,
				"context": object{"text": "", "wide": "7", "wait": 0.0}}},
		{"an internal code", `{"code":"SHAPE_SECRET"}`, unknown(object{"code": "SHAPE_SECRET"})},
		{"another domain", `{"code":"SIZE_ZERO","domain":"other"}`,
			unknown(object{"code": "SIZE_ZERO", "domain": "other"})},
		{"an unknown word", `{"code":"SHAPE_LATE","context":{"word":"GREEN"}}`,
			unknown(object{"code": "SHAPE_LATE", "context": object{"word": "GREEN"}})},
		{"a wrong type", `{"code":"SHAPE_LATE","context":{"list":"a"}}`,
			unknown(object{"code": "SHAPE_LATE", "context": object{"list": "a"}})},
		{"a code of a newer program", object{"domain": "shapes.example.com", "code": "SHAPE_TORN", "message": "m",
			"is": []any{"SHAPE_RIPPED", 7.0, "SHAPE_SLOW", "SIZE_ZERO"}, "context": object{"list": "a", "count": 3}},
			object{"code": "SHAPE_LATE", "category": "shape", "message": "m", "retryable": true,
				"sentCode": "SHAPE_TORN", "context": object{"text": "", "wide": "0", "count": 3.0}}},
		{"a newer code of another domain", object{"domain": "x", "code": "NEW", "is": []any{"SIZE_ZERO"}},
			unknown(object{"domain": "x", "code": "NEW", "is": []any{"SIZE_ZERO"}})},
		{"a name of Object", `{"code":"constructor"}`, unknown(object{"code": "constructor"})},
		{"not JSON", "<html>", object{"message": "unknown error", "retryable": false, "sent": "<html>"}},
		{"an HTML page", "<html><title>502 Bad\n Gateway</title>", object{
			"message": "502 Bad Gateway", "retryable": false,
			"sent": "<html><title>502 Bad\n Gateway</title>"}},
		{"null", nil, object{"message": "unknown error", "retryable": false, "sent": nil}},
	}
	var inputs []any
	for _, tt := range tests {
		inputs = append(inputs, tt.input)
	}
	for i, got := range decoded(t, dir, "use.js", inputs...) {
		assert.Equal(t, tests[i].want, got, tests[i].name)
	}
}

// decodeOperations decodes errors of an operation: codes that it declares, and others.
func decodeOperations(t *testing.T, dir string) {
	type object = map[string]any
	tests := []struct {
		name  string
		input any
		want  object
	}{
		{"a declared code", object{"code": "SHAPE_LATE"},
			object{"code": "SHAPE_LATE", "context": object{"text": "", "wide": "0"}}},
		{"an undeclared code", `{"code":"SIZE_ZERO","status":500}`, object{
			"message": "HTTP 500", "status": 500.0, "retryable": false,
			"sentCode": "SIZE_ZERO", "sent": object{"code": "SIZE_ZERO", "status": 500.0},
			"problem": object{"status": 500.0}}},
		{"an unknown code below a declared one", object{"code": "NEW", "domain": "shapes.example.com",
			"is": []any{"SIZE_ZERO", "SHAPE_LATE"}},
			object{"code": "SHAPE_LATE", "context": object{"text": "", "wide": "0"}}},
		{"an unknown code", object{"code": "NEW"}, object{
			"message": "unknown error", "retryable": false, "sentCode": "NEW", "sent": object{"code": "NEW"}}},
		{"not JSON", "<html>", object{"message": "unknown error", "retryable": false, "sent": "<html>"}},
	}
	var inputs []any
	for _, tt := range tests {
		inputs = append(inputs, tt.input)
	}
	for i, got := range decoded(t, dir, "operation.js", inputs...) {
		assert.Equal(t, tests[i].want, got, tests[i].name)
	}
}

// decodeErrors decodes an error of each code of gen/errs.
func decodeErrors(t *testing.T, dir string) {
	var sent []any
	var want []map[string]any
	for row := range errs.Table.Taxonomy.Codes() {
		b, err := json.Marshal(errs.Table.Taxonomy.New(row, http.ErrHandlerTimeout))
		require.NoError(t, err)
		var v map[string]any
		require.NoError(t, json.Unmarshal(b, &v))
		sent, want = append(sent, string(b)), append(want, v)
	}
	require.Greater(t, len(sent), 20)
	for i, got := range decoded(t, dir, "read.js", sent...) {
		for _, key := range []string{"code", "category", "message", "retryable"} {
			assert.Equal(t, want[i][key], got[key], sent[i])
		}
		assert.Equal(t, want[i]["cause"].(map[string]any)["message"], got["cause"].(map[string]any)["message"])
	}
}

// TestOpenAPI validates the documents against OpenAPI's own schema.
func TestOpenAPI(t *testing.T) {
	validate := nodeTool(t, "validate-api")
	dir := t.TempDir()
	for version, taxonomy := range map[string]string{"3.1.0": "testdata/shapes.yaml",
		"3.0.3": "../../examples/shop/taxonomy.yaml"} {
		api := filepath.Join(dir, "api.yaml")
		require.NoError(t, os.WriteFile(api, []byte(
			"openapi: "+version+"\ninfo: {title: shop, version: '1'}\npaths:\n"+
				"  /orders:\n    post:\n      responses:\n        '201': {description: placed}\n"+
				"  /orders/{id}:\n    get:\n      parameters: [{name: id, in: path, "+
				"required: true, schema: {type: string}}]\n"+
				"      responses:\n        '200': {description: ok}\n"), 0o644))
		status, _, stderr := call(t, "", "", "openapi", "-into", api, taxonomy)
		require.Equal(t, exitClean, status, stderr)
		assert.Contains(t, run(t, dir, validate, "api.yaml"), `"valid": true`, version)
	}
	for _, taxonomy := range []string{"testdata/shapes.yaml", "../../taxonomy.yaml",
		"../spec/testdata/everything.yaml", "../../examples/quickstart/taxonomy.yaml"} {
		dir := t.TempDir()
		for _, format := range []string{"yaml", "json"} {
			writeOutput(t, dir, "errors."+format, "openapi", "-audience", "internal", "-format", format, taxonomy)
			assert.Contains(t, run(t, dir, validate, "errors."+format), `"valid": true`)
		}
	}
}

// TestOpenAPISchemas validates problem documents of all branches of all codes against the schemas
// of their codes and of all codes, and refuses those of other codes.
func TestOpenAPISchemas(t *testing.T) {
	dir := t.TempDir()
	writeOutput(t, dir, "api.json", "openapi", "-format", "json", "testdata/shapes.yaml")
	writeOutput(t, dir, "api.yaml", "openapi", "testdata/shapes.yaml")
	src, err := os.ReadFile("testdata/shapes.yaml")
	require.NoError(t, err)
	m, findings := check.Load("shapes.yaml", src)
	require.NotNil(t, m, findings)
	text, err := os.ReadFile(filepath.Join(dir, "api.json"))
	require.NoError(t, err)
	assert.NotContains(t, string(text), "hidden")
	assert.NotContains(t, string(text), "SECRET")
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	require.NoError(t, err)

	var fromYAML, fromJSON map[string]any
	y, err := os.ReadFile(filepath.Join(dir, "api.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(y, &fromYAML))
	require.NoError(t, yaml.Unmarshal(text, &fromJSON))
	delete(fromJSON, "x-generated")
	assert.Equal(t, fromJSON, fromYAML)

	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("https://x.org/api.json", document))
	schema := func(name string) *jsonschema.Schema {
		s, err := compiler.Compile("https://x.org/api.json#/components/schemas/" + name)
		require.NoError(t, err)
		return s
	}
	names := map[string]string{"SHAPE_BROKEN": "ShapeBrokenProblem", "SHAPE_LATE": "ShapeLateProblem",
		"SIZE_ZERO": "SizeZeroProblem", "SIZE_CAST_FAILED": "SizeCastFailedProblem"}
	checked := 0
	public := m.PublicOnly()
	for _, c := range m.Codes {
		for _, x := range append(sample.Cases(c, nil), sample.Branches(c)...) {
			if !c.Public || c.Abstract {
				continue
			}
			problem := problemDocument(t, public, c, x)
			for code, name := range names {
				if err := schema(name).Validate(problem); code == c.Value {
					assert.NoError(t, err, "%v", problem)
				} else {
					assert.Error(t, err, "%s as %s", c.Value, code)
				}
			}
			assert.NoError(t, schema("Problems").Validate(problem))
			assert.NoError(t, schema("Problem").Validate(problem))
			checked++
		}
	}
	assert.Greater(t, checked, 8)
	assert.NoError(t, schema("Problem").Validate(map[string]any{"type": "about:blank", "title": "x", "status": 500}))
	assert.Error(t, schema("Problem").Validate(map[string]any{"type": "about:blank"}))
}

// problemDocument returns the members that runtime/problem sends.
func problemDocument(t *testing.T, public *model.Package, c *model.Code, x sample.Case) any {
	t.Helper()
	row := x.Row()
	status := int(row.HTTP)
	if status == 0 {
		status = http.StatusInternalServerError
	}
	b, err := json.Marshal(map[string]any{
		"type": "https://shapes.example.com/errors/" + c.Value, "title": c.Doc, "status": status, "detail": x.Message(),
		"instance": "/shapes/1", "domain": "shapes.example.com", "code": c.Value, "retryable": row.Retryable,
		"context": json.RawMessage(sample.JSON(public.CodeByKey(c.Name).Fields(), x.Context)),
	})
	require.NoError(t, err)
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(b)))
	require.NoError(t, err)
	return v
}

// TestSignatureMatcher runs the matcher of "errgen typescript -signatures" on all examples and
// counter-examples of the library, and compares it with Go's.
func TestSignatureMatcher(t *testing.T) {
	tsc, dir := nodeTool(t, "tsc"), t.TempDir()
	writeOutput(t, dir, "signatures.ts", "typescript", "-signatures")
	library, err := signatures.Library()
	require.NoError(t, err)
	m, err := signature.NewMatcher(library)
	require.NoError(t, err)
	var inputs []map[string]any
	var want []string
	long := strings.Repeat("x", 395) // a short statement is in a line of at most 512 bytes
	others := []signatures.Example{{Text: long + ": agent timeout"}, {Text: long + long + ": agent timeout"},
		{Text: long + long + "\n\nagent timeout\n"}, {Text: strings.Repeat("ü", 60) + long + ": agent timeout"}}
	for _, s := range append(library, signatures.Signature{Examples: others}) {
		for _, x := range slices.Concat(s.Examples, s.NotExamples) {
			ev := taxonomy.Evidence{Source: x.Source, Op: x.Op, Status: x.Status, Type: x.Type, Code: x.Code,
				Signal: x.Signal, Errno: x.Errno, Text: x.Text, Attributes: x.Attributes}
			in := map[string]any{"source": x.Source, "op": x.Op, "status": x.Status, "type": x.Type, "code": x.Code,
				"signal": x.Signal, "errno": x.Errno, "text": x.Text, "attributes": x.Attributes}
			if x.ExitCode != nil {
				ev.ExitCode = taxonomy.Some(*x.ExitCode)
				in["exitCode"] = *x.ExitCode
			}
			inputs = append(inputs, in)
			name := ""
			if winner := m.Match(&ev); winner != nil {
				name = winner.Name
			}
			want = append(want, name)
		}
	}
	b, err := json.Marshal(inputs)
	require.NoError(t, err)
	for name, text := range map[string]string{
		"package.json": `{"type": "module"}`, "inputs.json": string(b), "read.js": `import { readFileSync } from "node:fs";
import { signatureOf } from "./signatures.js";
const inputs = JSON.parse(readFileSync("inputs.json", "utf8"));
console.log(JSON.stringify(inputs.map((x) => signatureOf({ ...x, attributes: x.attributes ?? {} }) ?? "")));
`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	run(t, dir, tsc, append(strict, "signatures.ts")...)
	var got []string
	require.NoError(t, json.Unmarshal([]byte(run(t, dir, "node", "read.js")), &got))
	require.Len(t, got, len(want))
	for i := range want {
		assert.Equal(t, want[i], got[i], "%+v", inputs[i])
	}
}
