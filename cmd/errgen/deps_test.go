package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const ours = "github.com/errgen/errgen/"

// dependency is a package that the command links, as go list knows it.
type dependency struct {
	ImportPath, Dir  string
	GoFiles, Imports []string
}

func dependencies(t *testing.T, pkg string) []dependency {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,Imports", pkg).Output()
	require.NoError(t, err)
	var all []dependency
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var one dependency
		err := d.Decode(&one)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, one)
	}
}

// The command needs no network, starts no process but git and go list, and loads no packages. What
// could is linked in for its types only: the engine of the rules, and the errors that examples
// name, know those of net, net/http and os/exec.
func TestCommandIsLean(t *testing.T) {
	knowing := []string{ours + "runtime/detect", ours + "internal/catalogue", ours + "internal/explain",
		ours + "internal/openapi"}
	starting := []string{ours + "internal/gitfile", ours + "internal/gouse"}
	able := []string{"net", "net/http", "os/exec"}
	var paths []string
	for _, d := range dependencies(t, ".") {
		paths = append(paths, d.ImportPath)
		assert.NotContains(t, []string{"plugin", "go/build", "testing"}, d.ImportPath)
		switch first, _, dotted := strings.Cut(d.ImportPath, "/"); {
		case strings.HasPrefix(d.ImportPath, ours):
			for _, imported := range d.Imports {
				if slices.Contains(able, imported) && !slices.Contains(starting, d.ImportPath) {
					assert.Contains(t, knowing, d.ImportPath, "imports %s", imported)
					usesHarmlessly(t, d, imported)
				}
			}
		case dotted && strings.Contains(first, "."):
			known := strings.HasPrefix(d.ImportPath, "github.com/dave/jennifer/") ||
				d.ImportPath == "gopkg.in/yaml.v3" ||
				// the names of system errors and signals
				strings.HasPrefix(d.ImportPath, "golang.org/x/sys/") ||
				slices.Contains([]string{"github.com/rogpeppe/go-internal/diff", "github.com/gofrs/flock",
					"github.com/BurntSushi/toml", "github.com/BurntSushi/toml/internal"}, d.ImportPath)
			assert.True(t, known, "the command links "+d.ImportPath)
		}
	}
	assert.Contains(t, paths, ours+"internal/output")
}

// A program that repeats calls, or decides about jobs, is small: package net and crypto/tls alone
// would add 0.8 MB to its 2.8 MB.
func TestRetryIsLean(t *testing.T) {
	for _, pkg := range []string{"runtime/taxonomy", "runtime/retry", "runtime/retry/breaker", "runtime/queue"} {
		for _, d := range dependencies(t, ours+pkg) {
			assert.NotContains(t, []string{"net", "net/http", "crypto/tls", "crypto/x509", "os/exec", "testing"},
				d.ImportPath, pkg)
		}
	}
}

// heavy matches modules that a consumer gets only if it imports one of errgen's nested modules.
var heavy = regexp.MustCompile(
	`anthropic|openai|modernc|sqlite|prometheus|opentelemetry|grpc|connectrpc|temporal|^github\.com/errgen/errgen/`)

// TestConsumerModules limits the modules that errgen brings to a module with a generated package.
func TestConsumerModules(t *testing.T) {
	const most = 30
	cmd := exec.Command("go", "mod", "graph")
	cmd.Dir = filepath.Join(root, "examples", "quickstart")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	require.NoError(t, err)
	var modules []string
	for module := range strings.FieldsSeq(string(out)) {
		path, _, versioned := strings.Cut(module, "@")
		if versioned && path != "go" && path != "toolchain" && !slices.Contains(modules, path) {
			modules = append(modules, path)
			assert.NotRegexp(t, heavy, path)
		}
	}
	assert.Contains(t, modules, strings.TrimSuffix(ours, "/"))
	assert.LessOrEqual(t, len(modules), most, modules)
}

// reaching are the names, in net, net/http and os/exec, of what opens connections and starts
// processes.
var reaching = regexp.MustCompile(
	`^(Client|Cmd|Command|Default|Dial|File|Get$|Head$|Interface|Listen|Lookup|LookPath|New|Pipe|Post|Resol|Serve|` +
		`Transport)`)

// usesHarmlessly wants a package to use of another types, values and what reads text, and nothing
// that reaches out.
func usesHarmlessly(t *testing.T, d dependency, imported string) {
	t.Helper()
	for _, name := range d.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(d.Dir, name), nil, 0)
		require.NoError(t, err)
		if !slices.ContainsFunc(
			file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == strconv.Quote(imported) }) {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == path.Base(imported) && pkg.Obj == nil {
					assert.NotRegexp(t, reaching, sel.Sel.Name, "%s uses %s.%s", name, imported, sel.Sel.Name)
				}
			}
			return true
		})
	}
}

// The runtime is two products. The packages for any program do not import those that run agents,
// also not in their tests.
func TestProductsAreSeparate(t *testing.T) {
	agents := regexp.MustCompile("^" + ours + "runtime/(executor|providers)(/|$)")
	read := 0
	for _, module := range []string{"", "runtime/rpc", "runtime/report/export"} {
		cmd := exec.Command("go", "list", "-f",
			`{{.ImportPath}} {{join .Imports " "}} {{join .TestImports " "}} {{join .XTestImports " "}}`, "./...")
		cmd.Dir = filepath.Join(root, module)
		out, err := cmd.Output()
		require.NoError(t, err)
		for line := range strings.Lines(string(out)) {
			fields := strings.Fields(line)
			if !strings.HasPrefix(fields[0], ours+"runtime/") || agents.MatchString(fields[0]) {
				continue
			}
			read++
			for _, imported := range fields[1:] {
				assert.NotRegexp(t, agents, imported, fields[0])
			}
		}
	}
	assert.Greater(t, read, 20)
}
