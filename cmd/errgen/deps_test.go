package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The command needs no network, starts no process and loads no packages: nothing that could is linked in.
func TestCommandIsLean(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	deps := strings.Fields(string(out))
	require.Contains(t, deps, "github.com/errgen/errgen/internal/output")
	for _, path := range deps {
		assert.NotContains(t, []string{"net", "net/http", "os/exec", "plugin", "go/build", "testing"}, path)
		first, _, _ := strings.Cut(path, "/")
		if !strings.Contains(first, ".") || strings.HasPrefix(path, "github.com/errgen/errgen/") {
			continue
		}
		if strings.HasPrefix(path, "github.com/dave/jennifer/") || path == "gopkg.in/yaml.v3" {
			continue
		}
		assert.Fail(t, "the command links "+path)
	}
}
