package recovery

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/cli"
)

const sevenStrategies = `errgen: 1
package: errs
domain: test
strategies:
  wait_for_rate_limit: Waits until the source lets one in again.
  retry_with_backoff: Waits, longer each time.
  install_dependency: Installs what is missing.
  apply_type_fix: Mends what the type checker reports.
  apply_lint_fix: Lets the linter mend what it reports.
  fix_test: Mends a failing test.
  fix_build: Mends the build.
`

const restOfTaxonomy = `reactions:
  fail: {action: abort}
fallback: {code: broken}
uncategorized: fail
categories:
  work:
    doc: What goes wrong.
    codes:
      broken: {doc: It is broken., message: it is broken, reaction: fail}
`

const host = `package host

import (
	"github.com/errgen/errgen/runtime/recovery"
	"github.com/errgen/errgen/runtime/recovery/virtual/errs"
)

type strategies struct{ *recovery.Standard }

var _ errs.Strategies = strategies{}
`

// A type that embeds a Standard is what a generated interface of the seven asks for; with an eighth
// strategy in the taxonomy the host does not compile until it has written that.
func TestStrategiesOfATaxonomy(t *testing.T) {
	const eighth = `
func (strategies) AskAPerson(context.Context, taxonomy.RecoveryRequest) error { return nil }
`
	withImports := strings.Replace(
		host, "import (\n", "import (\n\t\"context\"\n\n\t\"github.com/errgen/errgen/runtime/taxonomy\"\n", 1)
	tests := []struct{ name, taxonomy, host, says string }{
		{"seven", sevenStrategies, host, ""},
		{"an eighth", sevenStrategies + "  ask_a_person: Asks.\n", host, "missing method AskAPerson"},
		{"an eighth that is written", sevenStrategies + "  ask_a_person: Asks.\n", withImports + eighth, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := build(t, generated(t, tt.taxonomy+restOfTaxonomy), tt.host)
			if tt.says == "" {
				assert.Empty(t, out)
				return
			}
			assert.Contains(t, out, tt.says)
		})
	}
}

// generated returns the directory of what errgen makes of a taxonomy.
func generated(t *testing.T, taxonomy string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "taxonomy.yaml"), []byte(taxonomy), 0o600))
	var out bytes.Buffer
	status := cli.Run(t.Context(), []string{"generate", "-o", "errs", "taxonomy.yaml"},
		cli.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Dir: dir})
	require.Zero(t, status, out.String())
	return filepath.Join(dir, "errs")
}

// build compiles a generated package and a host that uses it as if they were in this module, and
// returns what is wrong.
func build(t *testing.T, errs, host string) string {
	t.Helper()
	here, err := os.Getwd()
	require.NoError(t, err)
	replaced := map[string]string{}
	put := func(to, from string) { replaced[filepath.Join(here, "virtual", filepath.FromSlash(to))] = from }
	files, err := os.ReadDir(errs)
	require.NoError(t, err)
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), "_test.go") {
			put("errs/"+f.Name(), filepath.Join(errs, f.Name()))
		}
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "host.go"), []byte(host), 0o600))
	put("host/host.go", filepath.Join(dir, "host.go"))
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
	cmd := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "./virtual/host")
	cmd.Env = append(os.Environ(), "HOME="+realHome) // where modules and what is built already are
	out, err := cmd.CombinedOutput()
	require.Equal(t, err == nil, len(out) == 0, "%v: %s", err, out)
	return string(out)
}
