package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
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

// TestFailures finds mistakes in the mapping, the reactions and the audience.
func TestFailuresFindsMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the program many times")
	}
	run := func(overlay map[string]string) (out string, took time.Duration, err error) {
		dir := t.TempDir()
		b, err := json.Marshal(map[string]any{"Replace": overlay})
		require.NoError(t, err)
		file, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "shop.test")
		require.NoError(t, os.WriteFile(file, b, 0o600))
		compile := exec.Command("go", "test", "-c", "-ldflags=-s -w", "-o", program, "-overlay", file, ".")
		compiled, err := compile.CombinedOutput()
		require.NoError(t, err, "%s", compiled)
		began := time.Now()
		result, err := exec.Command(program, "-test.run=^TestFailures$").CombinedOutput()
		return string(result), time.Since(began), err
	}
	out, _, err := run(nil)
	require.NoError(t, err, out)
	var running time.Duration
	total, found := 0, 0
	for _, group := range [][]mutant{mapping, reactions, audience} {
		for _, m := range group {
			total++
			out, took, err := run(m.overlay(t))
			running += took
			if err == nil {
				t.Logf("not found: %s: %q instead of %q", m.file, m.new, m.old)
				continue
			}
			assert.Contains(t, out, "--- FAIL: TestFailures/", "the report has the example")
			found++
		}
	}
	t.Logf("%d of %d mutants found; all runs of TestFailures took %s", found, total, running.Round(time.Millisecond))
	assert.GreaterOrEqual(t, total, 60)
	assert.GreaterOrEqual(t, found*10, total*9)
}

// overlay returns the files that the mutant changes.
func (m mutant) overlay(t *testing.T) map[string]string {
	t.Helper()
	src, err := os.ReadFile(m.file)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(src), m.old), "%s: %q", m.file, m.old)
	dir := t.TempDir()
	changed := filepath.Join(dir, filepath.Base(m.file))
	require.NoError(t, os.WriteFile(changed, []byte(strings.Replace(string(src), m.old, m.new, 1)), 0o600))
	if m.file != "taxonomy.yaml" {
		abs, err := filepath.Abs(m.file)
		require.NoError(t, err)
		return map[string]string{abs: changed}
	}
	generate := exec.Command("go", "tool", "errgen", "generate", "-o", filepath.Join(dir, "errs"), changed)
	out, err := generate.CombinedOutput()
	require.NoError(t, err, "%s", out)
	made, err := filepath.Glob(filepath.Join(dir, "errs", "*_gen.go"))
	require.NoError(t, err)
	overlay := map[string]string{}
	for _, file := range made {
		abs, err := filepath.Abs(filepath.Join("errs", filepath.Base(file)))
		require.NoError(t, err)
		overlay[abs] = file
	}
	return overlay
}
