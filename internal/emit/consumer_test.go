package emit_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/emit"
	"github.com/errgen/errgen/internal/model"
)

// TestConsumer generates a package from every fixture into one module that uses errgen as any other
// would, and compiles, vets and tests them.
func TestConsumer(t *testing.T) {
	module := newConsumer(t)
	for _, path := range fixtures(t) {
		module.generate(t, load(t, path))
	}
	t.Run("fields of a code", func(t *testing.T) {
		src, err := os.ReadFile("testdata/consumer/own_test.go")
		require.NoError(t, err)
		module.file(t, "own/public_test.go", string(src))
		module.run(t, "test", "-run=TestFieldsOfACode", "./own")
	})

	if testing.Short() {
		assertCovered(t, module.run(t, "test", "-cover", "./..."))
		return
	}
	t.Run("vet", func(t *testing.T) { module.run(t, "vet", "./...") })
	t.Run("test", func(t *testing.T) { assertCovered(t, module.run(t, "test", "-race", "-cover", "./...")) })
	t.Run("allocations", func(t *testing.T) {
		src, err := os.ReadFile("testdata/consumer/allocs_test.go")
		require.NoError(t, err)
		module.file(t, "errs/allocs_test.go", string(src))
		module.run(t, "test", "-run=TestAllocations", "./errs")
	})
	t.Run("edits", func(t *testing.T) { assertEditsFail(t, module) })
	t.Run("inlined", func(t *testing.T) { assertInlined(t, module) })
	t.Run("no init", func(t *testing.T) { assertNoInit(t, module) })
}

// assertCovered checks that the generated tests run every statement of their package.
func assertCovered(t *testing.T, out string) {
	t.Helper()
	for line := range strings.Lines(out) {
		assert.Contains(t, line, "coverage: 100.0% of statements")
	}
}

// assertEditsFail checks that the generated tests fail after edits of generated code, such as an
// option that is no longer passed on or a changed number.
func assertEditsFail(t *testing.T, c *consumer) {
	t.Helper()
	for _, edit := range []struct{ file, old, edited, test string }{
		{"fallback/doc_gen.go", "detection.Classify(raw, opts)", "detection.Classify(raw, nil)",
			"TestTaxonomy/classify"},
		{"fallback/doc_gen.go", "detection.Decide(ev, &room, opts)", "detection.Decide(ev, &room, nil)",
			"TestTaxonomy/classify"},
		{"fallback/doc_gen.go", "detection.Explain(raw, opts)", "detection.Explain(raw, nil)", "TestTaxonomy/classify"},
		{"errs/table_gen.go", "MinDelay: 500 * time.Millisecond", "MinDelay: 501 * time.Millisecond", "TestTaxonomy"},
		{"errs/table_gen.go", "Of: 20, Probe: 3 * time.Second", "Of: 20, Probe: 4 * time.Second", "TestTaxonomy"},
		{"errs/doc_gen.go", `taxonomy.SourceName = "git"`, `taxonomy.SourceName = "gitt"`, "TestTaxonomy"},
		{"errs/doc_gen.go", `taxonomy.PolicyName = "steady"`, `taxonomy.PolicyName = "steadyy"`, "TestTaxonomy"},
		{"errs/doc_gen.go", `taxonomy.ReactionName = "wait"`, `taxonomy.ReactionName = "waits"`, "TestTaxonomy"},
		{"errs/doc_gen.go", `taxonomy.OpName = "add"`, `taxonomy.OpName = "adds"`, "TestTaxonomy"},
		{"errs/doc_gen.go", `taxonomy.GroupName = "auth"`, `taxonomy.GroupName = "auths"`, "TestTaxonomy"},
		{"errs/table_gen.go", "Retries: -1", "Retries: 1", "TestTaxonomy"},
		{"errs/provider_error_gen.go", "Likely: 0.75", "Likely: 0.5", "ProviderError"},
		{"errs/table_gen.go", `{Name: "quota_left", Doc`, `{Name: "quota", Doc`, "TestTaxonomy"},
		{"errs/provider_error_gen.go", "[: {rawError:first_line}]", "[ {rawError:first_line}]",
			"ProviderError/PROVIDER_CRASH"},
		{"errs/work_error_gen.go", "gen.CloneStrings(files)", "files", "WorkError/SCOPE_FORBIDDEN"},
		{"errs/work_error_gen.go", `Any: []string{"forbidden"}`, `Any: []string{"other"}`, "WorkError/SCOPE_FORBIDDEN"},
		{"errs/provider_error_gen.go", "Priority: -10", "Priority: -9", "ProviderError/PROVIDER_CRASH"},
		{"errs/checks_gen.go", "return c.QuotaLeft(ctx)", "return c.FitsWindow(ctx)", "TestChecks"},
	} {
		src, err := os.ReadFile(filepath.Join(c.dir, edit.file))
		require.NoError(t, err)
		require.Contains(t, string(src), edit.old)
		c.file(t, edit.file, strings.Replace(string(src), edit.old, edit.edited, 1))
		out, err := c.command("test", "./"+filepath.Dir(edit.file)).CombinedOutput()
		assert.Error(t, err, edit.edited)
		assert.Regexp(t, "--- FAIL: .*"+edit.test, string(out), edit.edited)
		c.file(t, edit.file, string(src))
	}
}

// consumer is a module that holds generated packages.
type consumer struct {
	dir      string
	packages map[string]*model.Package
}

func newConsumer(t *testing.T) *consumer {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	c := &consumer{dir: t.TempDir(), packages: map[string]*model.Package{}}
	goMod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(goMod), "\n")
	require.True(t, ok)
	c.file(t, "go.mod", "module example.org/consumer\n"+rest+
		"\nrequire github.com/errgen/errgen v0.0.0\n\nreplace github.com/errgen/errgen => "+root+"\n")
	goSum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	c.file(t, "go.sum", string(goSum))
	return c
}

func (c *consumer) file(t *testing.T, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(c.dir, name), []byte(content), 0o644))
}

func (c *consumer) generate(t *testing.T, m *model.Package) {
	t.Helper()
	require.NoError(t, os.Mkdir(filepath.Join(c.dir, m.Name), 0o755))
	for _, f := range emit.Files(m, emit.Options{Tests: true}) {
		c.file(t, filepath.Join(m.Name, f.Name), string(f.Content))
	}
	c.packages[m.Name] = m
}

// run runs the go command and returns all that it prints.
func (c *consumer) run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := c.command(args...).CombinedOutput()
	require.NoError(t, err, "go %s\n%s", strings.Join(args, " "), out)
	return string(out)
}

// command is the go command as it is run in the module.
func (c *consumer) command(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	return cmd
}

var (
	copier   = regexp.MustCompile(`(?m)^func \(e \*(\S+)\) (With\S+?)\(`)
	inlined  = regexp.MustCompile(`can inline \(\*(\S+)\)\.(With\S+)$`)
	lookedUp = regexp.MustCompile(`can inline \S+Code\.(Row|Reaction)$`)
	factory  = regexp.MustCompile(`can inline New\S+$`)
)

// assertInlined checks that every With method can be inlined: an error that is made and completed
// in one expression then takes one allocation. The methods of codes can also be inlined, and so
// can a factory unless it has very many parameters.
func assertInlined(t *testing.T, c *consumer) {
	can := map[string]bool{}
	codes, factories := map[string]int{}, map[string]int{}
	for line := range strings.Lines(c.run(t, "build", "-gcflags=-m", "./...")) {
		line = strings.TrimSpace(line)
		pkg := filepath.Base(filepath.Dir(strings.SplitN(line, ":", 2)[0]))
		switch m := inlined.FindStringSubmatch(line); {
		case m != nil:
			can[pkg+"."+m[1]+"."+m[2]] = true
		case lookedUp.MatchString(line):
			codes[pkg]++
		case factory.MatchString(line):
			factories[pkg]++
		}
	}
	for pkg, m := range c.packages {
		assert.Equal(t, 2*len(m.Categories), codes[pkg], "%s: Row and Reaction of every code type", pkg)
		if pkg != "types" && pkg != "evidence" { // which have factories of fifteen parameters
			made := slices.DeleteFunc(slices.Clone(m.Codes), func(c *model.Code) bool { return c.Abstract })
			assert.Equal(t, len(made), factories[pkg], "%s: factories", pkg)
		}
		for _, category := range m.Categories {
			src, err := os.ReadFile(filepath.Join(c.dir, pkg, category.File+"_gen.go"))
			require.NoError(t, err)
			for _, m := range copier.FindAllStringSubmatch(string(src), -1) {
				name := pkg + "." + m[1] + "." + m[2]
				assert.True(t, can[name], "%s is inlined", name)
			}
		}
	}
}

var initSymbol = regexp.MustCompile(`(?m)^.* T example\.org/consumer/.*\.init(\.\d+)?$`)

// assertNoInit checks that nothing of a package runs before main: not a statement, not a map, not a
// value that only running code can make. The linker drops the compiler's empty init functions.
func assertNoInit(t *testing.T, c *consumer) {
	var program strings.Builder
	program.WriteString("package main\n\nimport (\n")
	for pkg := range c.packages {
		program.WriteString("\t\"example.org/consumer/" + pkg + "\"\n")
	}
	program.WriteString(")\n\nfunc main() {\n")
	for pkg := range c.packages {
		program.WriteString("\tprintln(" + pkg + ".Table.Taxonomy.Package, " + pkg + ".UnmarshalError)\n")
	}
	program.WriteString("}\n")
	require.NoError(t, os.Mkdir(filepath.Join(c.dir, "program"), 0o755))
	c.file(t, "program/main.go", program.String())

	binary := filepath.Join(t.TempDir(), "program.exe")
	c.run(t, "build", "-o", binary, "./program")
	symbols := c.run(t, "tool", "nm", binary)
	for pkg := range c.packages {
		require.True(t, strings.Contains(symbols, "consumer/"+pkg+".UnmarshalError"), "nm sees %s", pkg)
	}
	assert.Empty(t, initSymbol.FindAllString(symbols, -1))
}
