package toolbox_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errgen/errgen/runtime/providers/toolbox"
)

// beServer is the variable that makes this program an MCP server, which serve is.
const beServer = "TOOLBOX_TEST_SERVER"

var serve func(mode string)

func TestMain(m *testing.M) {
	if mode := os.Getenv(beServer); mode != "" {
		serve(mode)
		return
	}
	goleak.VerifyTestMain(m)
}

// tree makes a directory with the given files, and returns it beside a directory that is outside of
// it.
func tree(t *testing.T, files map[string]string) (dir, outside string) {
	t.Helper()
	base := t.TempDir()
	dir, outside = filepath.Join(base, "tree"), filepath.Join(base, "outside")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".git", "hooks"), 0o755))
	require.NoError(t, os.MkdirAll(outside, 0o755))
	for name, content := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
	return dir, outside
}

// open returns a toolbox on the directory.
func open(t *testing.T, dir string, options ...func(*toolbox.Options)) *toolbox.Toolbox {
	t.Helper()
	o := toolbox.Options{Dir: dir, Source: "anthropic-api"}
	for _, option := range options {
		option(&o)
	}
	tools, err := toolbox.New(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tools.Close()) })
	return tools
}

func allow(lines ...string) func(*toolbox.Options) {
	return func(o *toolbox.Options) { o.Commands.Allow = lines }
}

// args returns JSON.
func args(t *testing.T, pairs ...any) json.RawMessage {
	t.Helper()
	o := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		o[pairs[i].(string)] = pairs[i+1]
	}
	b, err := json.Marshal(o)
	require.NoError(t, err)
	return b
}

// use calls a tool that must not end the call.
func use(t *testing.T, tools *toolbox.Toolbox, name string, pairs ...any) toolbox.Result {
	t.Helper()
	r, err := tools.Call(context.Background(), name, args(t, pairs...))
	require.NoError(t, err)
	return r
}

func content(t *testing.T, path ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return string(b)
}
