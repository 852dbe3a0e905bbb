package stdlib_test

import (
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/stdlib"
)

var errorType = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// standard returns an importer of the packages that are named, which reads what the compiler says
// that they export.
func standard(t *testing.T) types.Importer {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}"}
	for _, name := range stdlib.Values() {
		v, _ := stdlib.LookupValue(name)
		args = append(args, v.Package)
	}
	for _, name := range stdlib.Types() {
		ty, _ := stdlib.LookupType(name)
		args = append(args, ty.Package)
	}
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	require.NoError(t, err)
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		exports[path] = file
	}
	return importer.ForCompiler(
		token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
}

func TestValuesExist(t *testing.T) {
	std := standard(t)
	for _, name := range stdlib.Values() {
		v, ok := stdlib.LookupValue(name)
		require.True(t, ok, name)
		pkg, err := std.Import(v.Package)
		require.NoError(t, err, name)
		obj, isVar := pkg.Scope().Lookup(v.Name).(*types.Var)
		require.True(t, isVar, name)
		assert.True(t, types.Implements(obj.Type(), errorType), name)
	}
}

func TestTypesAreErrors(t *testing.T) {
	std := standard(t)
	for _, name := range stdlib.Types() {
		ty, ok := stdlib.LookupType(name)
		require.True(t, ok, name)
		pkg, err := std.Import(ty.Package)
		require.NoError(t, err, name)
		obj, isType := pkg.Scope().Lookup(ty.Name).(*types.TypeName)
		require.True(t, isType, name)
		assert.Equal(t, !ty.Pointer, types.Implements(obj.Type(), errorType), name)
		assert.True(t, types.Implements(types.NewPointer(obj.Type()), errorType), name)
	}
}

func TestNames(t *testing.T) {
	v, ok := stdlib.LookupValue("os/exec.ErrNotFound")
	assert.True(t, ok)
	assert.Equal(t, stdlib.Value{Package: "os/exec", Name: "ErrNotFound"}, v)
	ty, ok := stdlib.LookupType("*encoding/json.SyntaxError")
	assert.True(t, ok)
	assert.Equal(t, stdlib.Type{Package: "encoding/json", Name: "SyntaxError", Pointer: true}, ty)
	for _, unknown := range []string{"", "io", "context.Canceled", "exec.ErrNotFound", "io.EOF "} {
		_, ok := stdlib.LookupValue(unknown)
		assert.False(t, ok, unknown)
	}
	_, ok = stdlib.LookupType("net.OpError")
	assert.False(t, ok, "only the pointer is an error")
}

func TestSystemNames(t *testing.T) {
	assert.True(t, stdlib.IsErrno("ECONNRESET"))
	assert.False(t, stdlib.IsErrno("econnreset"))
	assert.True(t, stdlib.IsSignal("SIGKILL"))
	assert.False(t, stdlib.IsSignal("KILL"))
	assert.Equal(t, []string{"SIGKILL", "SIGTERM", "SIGINT", "", ""},
		[]string{stdlib.SignalOf("KILL"), stdlib.SignalOf("sigterm"), stdlib.SignalOf("SIGINT"), stdlib.SignalOf("9"),
			stdlib.SignalOf("")})
	assert.Equal(t, []string{"EPIPE", "ECONNRESET", "", ""},
		[]string{stdlib.ErrnoOf("pipe"), stdlib.ErrnoOf("econnreset"), stdlib.ErrnoOf("KILL"), stdlib.ErrnoOf("")})
	for _, list := range [][]string{stdlib.Errnos(), stdlib.Signals()} {
		assert.True(t, slices.IsSorted(list))
		assert.Equal(t, len(list), len(slices.Compact(slices.Clone(list))))
	}
}
