package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mutant is a mistake: one text in place of another, once in a file. A change of taxonomy.yaml comes
// with the package that errgen generates from it.
type mutant struct{ file, old, new string }

// The mistakes of the mapping are in the generated rules, because errgen refuses a taxonomy whose
// examples have another code, and in the program.
var mapping = []mutant{
	{"errs/payment_error_gen.go", "AnyNumber: []int{402}", "AnyNumber: []int{403}"},
	{"errs/payment_error_gen.go", "AnyNumber: []int{408, 429}", "AnyNumber: []int{408}"},
	{"errs/payment_error_gen.go", "AnyNumber: []int{408, 429}", "AnyNumber: []int{429}"},
	{"errs/payment_error_gen.go", "AnyNumber: []int{408, 429}", "AnyNumber: []int{401, 408, 429}"},
	{"errs/payment_error_gen.go", "Min: 500", "Min: 504"},
	{"errs/payment_error_gen.go", "Min: 500", "Min: 400"},
	{"errs/payment_error_gen.go", `Any: []string{"timeout", "network"}`, `Any: []string{"timeout"}`},
	{"errs/payment_error_gen.go", `Any: []string{"timeout", "network"}`, `Any: []string{"network"}`},
	{"errs/request_error_gen.go", `"22021", "22P05"`, `"22021"`},
	{"errs/request_error_gen.go", `"22021", "22P05"`, `"22P05"`},
	{"errs/store_error_gen.go", `"40001", "40P01"`, `"40001"`},
	{"errs/store_error_gen.go", `"40001", "40P01"`, `"40P01", "40001x"`},
	{"errs/store_error_gen.go", `"57P01", "57P03", "53300"`, `"57P03", "53300"`},
	{"errs/store_error_gen.go", `"57P01", "57P03", "53300"`, `"57P01", "53300"`},
	{"errs/store_error_gen.go", `"57P01", "57P03", "53300"`, `"57P01", "57P03"`},
	{"errs/store_error_gen.go", `Any: []string{"network", "timeout"}`, `Any: []string{"timeout"}`},
	{"errs/store_error_gen.go", `Any: []string{"network", "timeout"}`, `Any: []string{"network"}`},
	{"errs/table_gen.go", `Doc: "The database.", Fallback: "STORE_FAILED"`, `Doc: "The database."`},
	{"errs/table_gen.go", `Fallback: "PAYMENT_REFUSED"`, `Fallback: "PAYMENT_DECLINED"`},
	{"store.go", "errs.SourcePostgres, err, false", "errs.SourceGateway, err, false"},
	{"store.go", "return dberr.Classify(errs.Table, errs.SourcePostgres, err, false)",
		"_ = dberr.Raw; return errs.Classify(err)"},
	{"store.go", "return errs.NewOrderExists(o.ID).WithCause(err)\n\t}\n\treturn classified(err)",
		"return errs.NewOrderExists(o.ID).WithCause(err)\n\t}\n\treturn err"},
	{"gateway.go", "errs.Table, errs.SourceGateway", "errs.Table, errs.SourcePostgres"},
	{"gateway.go", "\treturn err\n",
		"\tif err != nil {\n\t\treturn errs.NewPaymentUnavailable()\n\t}\n\treturn nil\n"},
}

var reactions = []mutant{
	{"taxonomy.yaml", "again: {doc: The transaction runs again., action: retry_operation, policy: store, then: park}",
		"again: {doc: The transaction runs again., action: block}"},
	{"taxonomy.yaml", "policy: store, then: park", "policy: store, then: refuse"},
	{"taxonomy.yaml", "policy: store, then: park", "policy: gateway, then: park"},
	{"taxonomy.yaml", "    policy: gateway\n", "    policy: store\n"},
	{"taxonomy.yaml", "    honor_retry_after: true\n    then: park", "    then: park"},
	{"taxonomy.yaml", "    honor_retry_after: true\n    then: park", "    honor_retry_after: true\n    then: refuse"},
	{"taxonomy.yaml", "park: {doc: The order waits for the support team., action: block}",
		"park: {doc: The order waits for the support team., action: abort}"},
	{"taxonomy.yaml", "refuse: {doc: The customer gets the error., action: abort}",
		"refuse: {doc: The customer gets the error., action: continue}"},
	{"taxonomy.yaml", "max_attempts: 4, initial_delay: 20ms", "max_attempts: 5, initial_delay: 20ms"},
	{"taxonomy.yaml", "max_attempts: 4, initial_delay: 20ms", "max_attempts: 1, initial_delay: 20ms"},
	{"taxonomy.yaml", "initial_delay: 20ms", "initial_delay: 200ms"},
	{"taxonomy.yaml", "max_delay: 1s, jitter: full", "max_delay: 1s"},
	{"taxonomy.yaml", "max_delay: 1s, jitter: full", "max_delay: 2s, jitter: full"},
	{"taxonomy.yaml", "    max_attempts: 4\n", "    max_attempts: 2\n"},
	{"taxonomy.yaml", "    initial_delay: 50ms", "    initial_delay: 500ms"},
	{"taxonomy.yaml", "    max_delay: 5s", "    max_delay: 60ms"},
	{"taxonomy.yaml", "max_retry_after: 1m", "max_retry_after: 1s"},
	{"taxonomy.yaml", "failures: 3, of: 10", "failures: 2, of: 10"},
	{"taxonomy.yaml", "probe: 1s", "probe: 9s"},
	{"taxonomy.yaml", "        reaction: refuse\n        detect: [{source: gateway, status: 402}]",
		"        reaction: park\n        detect: [{source: gateway, status: 402}]"},
	{"taxonomy.yaml", "        http: 500\n        reaction: park\n        examples: [{source: gateway",
		"        http: 500\n        reaction: refuse\n        examples: [{source: gateway"},
	{"taxonomy.yaml", "        retryable: false\n        reaction: park",
		"        retryable: false\n        reaction: refuse"},
	{"gateway.go", "httpcall.TryTimeout(10*time.Second)", "httpcall.TryTimeout(100*time.Second)"},
	{"gateway.go", "httpcall.Key(o.ID), authorize", "authorize"},
	{"gateway.go", "retry.FailFast(),", ""},
	{"gateway.go", `retry.WithBreaker(b, "gateway"), retry.FailFast(),`, ""},
	{"service.go", "retry.ByTable(errs.Table), retry.ForOperation(errs.OperationPlaceOrder))",
		"retry.ByTable(errs.Table))"},
	{"service.go", "retry.ByTable(errs.Table), retry.ForOperation(errs.OperationPlaceOrder))",
		"retry.ForOperation(errs.OperationPlaceOrder))"},
}

var audience = []mutant{
	{"taxonomy.yaml", "    doc: The order was not paid.\n    audience: public", "    doc: The order was not paid."},
	{"taxonomy.yaml", "    http: 402", "    http: 409"},
	{"taxonomy.yaml", "scrub: true, max_length: 300, audience: internal", "scrub: true, max_length: 300"},
	{"taxonomy.yaml", "from: status, audience: internal", "from: status"},
	{"taxonomy.yaml", "{type: string, from: source, doc", "{type: string, from: source, audience: public, doc"},
	{"taxonomy.yaml", "        message: 'payment declined",
		"        audience: internal\n        message: 'payment declined"},
	{"taxonomy.yaml", "public: {code: INTERNAL}", "public: {code: PAYMENT_UNAVAILABLE}"},
	{"taxonomy.yaml", "        http: 503\n        grpc: UNAVAILABLE\n        retryable: true\n",
		"        http: 500\n        grpc: UNAVAILABLE\n        retryable: true\n"},
}

// TestFailures finds mistakes in the mapping, the reactions and the audience. One program contains a
// copy of the service with each mistake, because linking one for each would take minutes.
func TestFailuresFindsMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the service many times")
	}
	path, err := exec.Command("go", "tool", "-n", "errgen").Output()
	require.NoError(t, err)
	errgen := strings.TrimSpace(string(path))
	began := time.Now()
	mutants := slices.Concat(mapping, reactions, audience)
	work, overlay := t.TempDir(), map[string]string{}
	var imports, cases strings.Builder
	for i, m := range append(mutants, mutant{}) { // the last one has no mistake
		m.copyTo(t, errgen, filepath.Join(work, fmt.Sprint(i)), fmt.Sprint("mutant", i), overlay)
		fmt.Fprintf(&imports, "import m%d %q\n", i, fmt.Sprint("shop.example.com/shop/mutant", i))
		fmt.Fprintf(&cases, "\tcase %q: m%d.TestFailures(t)\n", fmt.Sprint(i), i)
	}
	const virtual = "mutants" // the directory of the program, which only the overlay has
	source := fmt.Sprintf("package mutants\n\nimport (\"os\"; \"testing\")\n\n%s\n"+
		"func TestFailures(t *testing.T) {\n\tswitch os.Getenv(\"MUTANT\") {\n%s\t}\n}\n", &imports, &cases)
	write(t, work, "mutants_test.go", source, virtual, overlay)
	b, err := json.Marshal(map[string]any{"Replace": overlay})
	require.NoError(t, err)
	file, program := filepath.Join(work, "overlay.json"), filepath.Join(work, "mutants.test")
	require.NoError(t, os.WriteFile(file, b, 0o600))
	out, err := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", program,
		"-overlay", file, "./"+virtual).CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("generating and building took %s", time.Since(began).Round(time.Millisecond))

	run := func(i int) (string, error) {
		cmd := exec.Command(program, "-test.run=^TestFailures$")
		cmd.Env = append(os.Environ(), fmt.Sprint("MUTANT=", i))
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	result, err := run(len(mutants))
	require.NoError(t, err, result)
	began = time.Now()
	found := 0
	for i, m := range mutants {
		result, err := run(i)
		if err == nil {
			t.Logf("not found: %s: %q instead of %q", m.file, m.new, m.old)
			continue
		}
		assert.Contains(t, result, "--- FAIL: TestFailures/", "the report has the example")
		found++
	}
	t.Logf("%d of %d mutants found in %s", found, len(mutants), time.Since(began).Round(time.Millisecond))
	assert.GreaterOrEqual(t, len(mutants), 60)
	assert.GreaterOrEqual(t, found*10, len(mutants)*9)
}

// copyTo adds a copy of the service with the mistake to an overlay, as the package in dir.
func (m mutant) copyTo(t *testing.T, errgen, work, dir string, overlay map[string]string) {
	t.Helper()
	made := "."
	if m.file == "taxonomy.yaml" {
		write(t, work, m.file, m.apply(t, m.file), "", nil)
		made = filepath.Join(work, "made")
		generate := exec.Command(errgen, "generate", "-o", filepath.Join(made, "errs"), filepath.Join(work, m.file))
		out, err := generate.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	generated, err := filepath.Glob("errs/*_gen.go")
	require.NoError(t, err)
	for _, name := range generated {
		write(t, work, name, m.apply(t, filepath.Join(made, name)), dir, overlay)
	}
	for _, name := range []string{"gateway.go", "service.go", "store.go", "failures_test.go", "schema.sql"} {
		src := strings.Replace(m.apply(t, name), "package main\n", "package shop\n", 1)
		src = strings.ReplaceAll(src, `"shop.example.com/shop/errs"`, `"shop.example.com/shop/`+dir+`/errs"`)
		write(t, work, strings.Replace(name, "_test.go", ".go", 1), src, dir, overlay)
	}
}

// apply returns the text of a file with the mistake, if it is in this file.
func (m mutant) apply(t *testing.T, file string) string {
	t.Helper()
	src, err := os.ReadFile(file)
	require.NoError(t, err)
	if file != m.file {
		return string(src)
	}
	require.Equal(t, 1, strings.Count(string(src), m.old), "%s: %q", m.file, m.old)
	return strings.Replace(string(src), m.old, m.new, 1)
}

// write writes a file, and adds it to an overlay as a file in dir of this module.
func write(t *testing.T, work, name, text, dir string, overlay map[string]string) {
	t.Helper()
	real := filepath.Join(work, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(real), 0o700))
	require.NoError(t, os.WriteFile(real, []byte(text), 0o600))
	if dir != "" {
		abs, err := filepath.Abs(filepath.Join(dir, name))
		require.NoError(t, err)
		overlay[abs] = real
	}
}
