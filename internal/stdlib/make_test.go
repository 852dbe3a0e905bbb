package stdlib_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/stdlib"
)

func names() []string { return slices.Concat(stdlib.Values(), stdlib.Types()) }

func TestMake(t *testing.T) {
	for _, name := range names() {
		err, ok := stdlib.Make(name)
		require.True(t, ok, name)
		require.Error(t, err, name)
		assert.NotPanics(t, func() { _ = err.Error() }, name)
		assert.True(t, stdlib.Is(err, name), name)
		assert.True(t, stdlib.Is(fmt.Errorf("wrapped: %w", err), name), name)
		assert.False(t, stdlib.Is(errors.New("other"), name), name)
		assert.False(t, stdlib.Is(nil, name), name)
	}
}

// An example of a type must not be won by a rule that asks for a value.
func TestMadeTypesAreNoValues(t *testing.T) {
	for _, typ := range stdlib.Types() {
		err, _ := stdlib.Make(typ)
		for _, value := range stdlib.Values() {
			assert.False(t, stdlib.Is(err, value), "%s is %s", typ, value)
		}
	}
}

func TestMakeOfNothing(t *testing.T) {
	for _, name := range []string{"", "io.Nothing", "net.OpError", "context.Canceled"} {
		_, ok := stdlib.Make(name)
		assert.False(t, ok, name)
		_, ok = stdlib.GoExpr(name)
		assert.False(t, ok, name)
		assert.False(t, stdlib.Is(errors.New("x"), name), name)
	}
}

// program prints what every expression makes.
func program(t *testing.T) string {
	imports := map[string]bool{"fmt": true}
	var body strings.Builder
	for _, name := range names() {
		expr, ok := stdlib.GoExpr(name)
		require.True(t, ok, name)
		require.True(t, slices.IsSorted(expr.Imports), name)
		for _, path := range expr.Imports {
			imports[path] = true
		}
		fmt.Fprintf(&body, "\tshow(%s)\n", expr.Code)
	}
	src := "package main\n\nimport (\n"
	for path := range imports {
		src += fmt.Sprintf("\t%q\n", path)
	}
	return src + ")\n\nfunc show(err error) { fmt.Printf(\"%T %q\\n\", err, err.Error()) }\n\nfunc main() {\n" +
		body.String() + "}\n"
}

func TestExpressionsMakeTheSame(t *testing.T) {
	main := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(main, []byte(program(t)), 0o600))
	out, err := exec.CommandContext(t.Context(), "go", "run", main).CombinedOutput()
	require.NoError(t, err, string(out))
	var want strings.Builder
	for _, name := range names() {
		err, _ := stdlib.Make(name)
		fmt.Fprintf(&want, "%T %q\n", err, err.Error())
	}
	assert.Equal(t, want.String(), string(out))
}
