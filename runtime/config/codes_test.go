package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// What goes wrong with a configuration has a code of its own each time, and says which file and
// which setting.
func TestCodes(t *testing.T) {
	const absent = "\x00"
	for _, c := range []struct{ name, in, code, message string }{
		{"a missing file", absent, "CONFIG_MISSING", "configuration file not found: PATH"},
		{"no YAML", "a: [b", "CONFIG_PARSE_ERROR",
			"configuration file PATH cannot be parsed: yaml: line 1: did not find expected ',' or ']'"},
		{"a key twice", "push: true\npush: false", "CONFIG_PARSE_ERROR",
			`configuration file PATH cannot be parsed: line 2: key "push" is there twice, first on line 1`},
		{"an unset variable", "provider: ${ANTHROPIC_API_KEY}", "CONFIG_ENV_VAR_MISSING",
			"environment variable ANTHROPIC_API_KEY is not set"},
		{"a bad value", "retries: 99", "CONFIG_INVALID",
			`invalid configuration: retries is "99", expected a number from 0 to 10`},
		{"a bad value of a secret", "password: {a: hunter2}", "CONFIG_INVALID",
			"invalid configuration: password, expected a text"},
		{"several", "retries: 99\nprovider: ${ANTHROPIC_API_KEY}", "CONFIG_INVALID",
			`invalid configuration: retries is "99", expected a number from 0 to 10`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "aidf.yml")
			if c.in != absent {
				require.NoError(t, os.WriteFile(path, []byte(c.in), 0o600))
			}
			_, err := config.Load(path, new(settings), env())
			got := errs.Classify(err)
			assert.Equal(t, c.code, taxonomy.CodeOf(got))
			assert.Equal(t, c.message, replaced(got.Error(), path))
			assert.Equal(t, taxonomy.Abort, errs.Table.Reaction(got).Action)
			own, ok := taxonomy.First(got, nil)
			require.True(t, ok)
			assert.NotContains(t, string(own.(taxonomy.Error).AppendJSON(nil)), "hunter2")
		})
	}
	_, err := config.Load(t.TempDir(), new(settings))
	assert.Equal(t, "CONFIG_INVALID", taxonomy.CodeOf(errs.Classify(err)), "only what does not exist is missing")
}

func replaced(text, path string) string { return strings.ReplaceAll(text, path, "PATH") }
