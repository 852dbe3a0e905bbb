package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/summary"
)

const testdata = "../infer/testdata"

// run runs the command and returns its exit status and output.
func run(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = Run(t.Context(), args, Env{Stdout: &out, Stderr: &errs})
	return status, out.String(), errs.String()
}

func TestFormats(t *testing.T) {
	status, out, errs := run(t, "-C", testdata, "-format", "github", "./boundary")
	assert.Equal(t, exitFindings, status, errs)
	assert.Equal(t, "::error file=vet/internal/infer/testdata/boundary/boundary.go,line=13,col=6,endColumn=7,"+
		"title=foreign::Read can return an error without a code, of os.ReadFile: boundary/boundary.go:14\n", out)

	status, out, errs = run(t, "check", "-C", testdata, "-format", "json", "./boundary")
	assert.Equal(t, exitFindings, status, errs)
	var finding struct {
		File, ID string
		Line     int
	}
	require.NoError(t, json.Unmarshal([]byte(out), &finding))
	assert.Equal(t, "boundary/boundary.go", finding.File)
	assert.Equal(t, "foreign", finding.ID)
	assert.Equal(t, 13, finding.Line)

	status, out, errs = run(t, "-C", testdata, "-format", "sarif", "./boundary", "./findings")
	assert.Equal(t, exitFindings, status, errs)
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID    string
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &log))
	assert.Equal(t, "2.1.0", log.Version)
	require.Len(t, log.Runs, 1)
	rules := make(map[string]bool)
	for _, r := range log.Runs[0].Tool.Driver.Rules {
		rules[r.ID] = true
	}
	require.Greater(t, len(log.Runs[0].Results), 15)
	first := log.Runs[0].Results[0]
	assert.Equal(t, "vet/internal/infer/testdata/boundary/boundary.go",
		first.Locations[0].PhysicalLocation.ArtifactLocation.URI)
	assert.Equal(t, 13, first.Locations[0].PhysicalLocation.Region.StartLine)
	for _, r := range log.Runs[0].Results {
		assert.True(t, rules[r.RuleID], r.RuleID)
	}
}

func TestClean(t *testing.T) {
	status, out, errs := run(t, "-C", testdata, "./documented")
	assert.Equal(t, exitClean, status, errs)
	assert.Empty(t, out)
}

func TestCodes(t *testing.T) {
	status, out, errs := run(t, "codes", "-C", "../../../examples/shop", "./...")
	require.Equal(t, exitClean, status, errs)
	lines := strings.Split(out, "\n")
	route := -1
	for i, line := range lines {
		if strings.HasPrefix(line, "GET /orders/{id} ") {
			route = i
		}
	}
	require.GreaterOrEqual(t, route, 0, out)
	assert.Regexp(t, `INVALID_TEXT +http\.go:\d+ → http\.go:\d+ → service\.go:\d+ → store\.go:\d+$`, lines[route])
	assert.NotContains(t, out, "unknown(", "each error of the service and its client is known")
}

func TestUses(t *testing.T) {
	status, out, errs := run(t, "uses", "-C", testdata, "./documented", "./flows")
	require.Equal(t, exitClean, status, errs)
	var got summary.Uses
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	assert.Equal(t, summary.UsesVersion, got.Version)
	assert.Equal(t, "github.com/errgen/errgen/vet", got.Module)
	assert.Regexp(t, "^[0-9a-f]{40}$", got.Commit)
	assert.Equal(t, map[string]string{got.Module + "/internal/infer/testdata/errs": "flows.example.com"}, got.Domains)
	ways := make(map[string]bool)
	for _, u := range got.Uses {
		ways[strings.SplitN(u.At, ":", 2)[0]+" "+string(u.How)+" "+u.Code] = true
	}
	for _, want := range []string{
		"documented/documented.go code NOT_FOUND", "documented/documented.go type NOT_FOUND",
		"flows/flows.go code EXISTS",
		"flows/flows.go category NOT_FOUND", "flows/flows.go retryable DB_DOWN", "flows/flows.go reaction CLOSED",
		"flows/flows.go default DB_DOWN",
	} {
		assert.True(t, ways[want], want)
	}
	assert.False(t, ways["documented/documented.go type EXISTS"], "it never arrives")
}

func TestFix(t *testing.T) {
	dir, err := os.MkdirTemp(".", "testdata-fix")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	file := filepath.Join(dir, "fix.go")
	source := `// Package fix is a test.
package fix

import (
	"os"

	"github.com/errgen/errgen/vet/internal/infer/testdata/errs"
)

type shop struct{}

// Place places an order.
func (shop) Place(n int) error {
	if n > 0 {
		return errs.NewExists()
	}
	return errs.CodeNotFound
}

//errgen:errors CLOSED
func Open() error {
	if _, err := os.Open("x"); err != nil {
		return err
	}
	return shop{}.Place(1)
}

func Recovered() (err error) {
	defer func() { err, _ = recover().(error) }()
	return nil
}

func None() {}
`
	require.NoError(t, os.WriteFile(file, []byte(source), 0o600))
	status, out, errs := run(t, "fix", "-C", dir, "shop.Place", "Open")
	require.Equal(t, exitClean, status, errs)
	name := filepath.Base(dir)
	assert.Equal(t, "fix.go:13: "+name+".shop.Place: EXISTS NOT_FOUND\n"+
		"fix.go:21: "+name+".Open: EXISTS NOT_FOUND foreign\n", out)
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	fixed := strings.Replace(source, "order.\n", "order.\n//\n//errgen:errors EXISTS NOT_FOUND\n", 1)
	fixed = strings.Replace(fixed, "//errgen:errors CLOSED", "//errgen:errors EXISTS NOT_FOUND foreign", 1)
	assert.Equal(t, fixed, string(b))
	status, _, errs = run(t, "-C", dir, ".")
	assert.Equal(t, exitClean, status, errs)

	for name, message := range map[string]string{
		"Recovered": "the value of a panic", "None": "None", "Missing": "Missing",
	} {
		status, _, errs := run(t, "fix", "-C", dir, name)
		assert.Equal(t, exitTrouble, status)
		assert.Contains(t, errs, message)
	}
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(b), string(after))
}

// The errors of a package that the pattern does not have are those of its source.
func TestPatternOfOnePackage(t *testing.T) {
	dir, err := os.MkdirTemp(".", "testdata-neighbours")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	const errs = "github.com/errgen/errgen/vet/internal/infer/testdata/errs"
	here := "github.com/errgen/errgen/vet/internal/command/" + filepath.Base(dir)
	for name, text := range map[string]string{
		"a/a.go": "package a\n\nimport \"" + errs + "\"\n\nfunc Place() error { return errs.NewExists() }\n",
		"b/b.go": "package b\n\nimport (\n\t\"errors\"\n\n\t\"" + errs + "\"\n\t\"" + here + "/a\"\n)\n\n" +
			"func Again() (bool, error) {\n\terr := a.Place()\n\treturn errors.Is(err, errs.CodeExists), err\n}\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	status, out, message := run(t, "-C", dir, "./b")
	assert.Equal(t, exitClean, status, message)
	assert.Empty(t, out)
	status, out, message = run(t, "codes", "-C", dir, "./b")
	require.Equal(t, exitClean, status, message)
	assert.Equal(t, "b.Again   EXISTS   b/b.go:11 → a/a.go:5\n", out)
}

func TestTrouble(t *testing.T) {
	for _, c := range []struct {
		args    []string
		message string
	}{
		{[]string{"-format", "xml"}, "unknown format"},
		{[]string{"-C", testdata, "--", "-exec=x"}, "is not a pattern"},
		{[]string{"-C", testdata, "./nowhere"}, "nowhere"},
		{[]string{"-C", ".", "."}, "no package here imports"},
		{[]string{"fix"}, "name the functions"},
		{[]string{"codes", "-fast"}, "usage:"},
	} {
		status, out, errs := run(t, c.args...)
		assert.Equal(t, exitTrouble, status, c.args)
		assert.Empty(t, out)
		assert.Contains(t, errs, c.message)
	}
}

// A module whose go.mod lacks a requirement has no packages. The error is that of the go command.
func TestUntidyModule(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/a\n\ngo 1.26\n\nrequire example.com/b v0.0.0\n\n" +
			"replace (\n\texample.com/b => ./b\n\texample.com/c => ./c\n)\n",
		"a.go":     "package a\n\nimport _ \"example.com/b\"\n",
		"b/go.mod": "module example.com/b\n\ngo 1.26\n\nrequire example.com/c v0.0.0\n",
		"b/b.go":   "package b\n\nimport _ \"example.com/c\"\n",
		"c/go.mod": "module example.com/c\n\ngo 1.26\n",
		"c/c.go":   "package c\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("GOPROXY", "off")
	status, _, errs := run(t, "-C", dir, "./...")
	assert.Equal(t, exitTrouble, status)
	assert.Contains(t, errs, "go mod tidy")
}

// A package without a summary, or with one that does not fit, is an error and never an empty set.
func TestSummaries(t *testing.T) {
	for name, c := range map[string]struct{ constant, message string }{
		"none":    {"", "has no constant errgenSummary"},
		"newer":   {"const errgenSummary = `{\"v\":2,\"codes\":[]}`", "has version 2"},
		"damaged": {"const errgenSummary = `{`", "is damaged"},
		"edited": {"const errgenSummary = `{\"v\":1,\"codes\":[{\"const\":\"CodeX\",\"value\":\"X\"}]}`",
			"names CodeX, which the package does not have"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := os.MkdirTemp(".", "testdata-summary")
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
			source := "package errs\n\nimport \"github.com/errgen/errgen/runtime/taxonomy\"\n\n" +
				"var Table taxonomy.Table\n\n" + c.constant + "\n"
			require.NoError(t, os.WriteFile(filepath.Join(dir, "errs.go"), []byte(source), 0o600))
			status, _, errs := run(t, "-C", dir, ".")
			assert.Equal(t, exitTrouble, status)
			assert.Contains(t, errs, c.message)
		})
	}
}
