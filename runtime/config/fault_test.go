package config_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestProblemsAreReadable(t *testing.T) {
	const hint = "; within { } and [ ] a ${…} must be in quotes"
	for _, c := range []struct{ in, want string }{
		{"retries: 99", `c.yml:1: retries is "99", expected a number from 0 to 10`},
		{"\n\ntimeout: soon", `c.yml:3: timeout is "soon", expected a duration with a unit, such as "30s"`},
		{"servers: [{port: 1}, {port: 0}]", `c.yml:1: servers[1].port is "0", expected a number from 1`},
		{"provider: ${NONE}", "c.yml:1: provider: the environment variable NONE is not set"},
		{"password: {a: hunter2}", "c.yml:1: password: expected a text"},
		{"limits: [1]", "c.yml:1: limits is a list, expected a mapping"},
		{"- a", "c.yml:1: it is a list, expected a mapping"},
		{"ratio: \"1\\n2\"", `c.yml:1: ratio is "1\n2", expected a number`},
		{"retries: 99\nsize: -1\npush: ${NONE}", "c.yml:1: retries is \"99\", expected a number from 0 to 10\n" +
			"c.yml:2: size is \"-1\", expected a whole number from 0\nc.yml:3: push: the environment variable NONE " +
			"is not set"},
		{"a: [b", "c.yml: yaml: line 1: did not find expected ',' or ']'"},
		{"extra: {a: ${V}}", "c.yml: yaml: did not find expected ',' or '}'" + hint},
		{"extra: {\n  a: ${V}\n}", "c.yml: yaml: line 1: did not find expected ',' or '}'" + hint},
		{"extra: [${V}]", "c.yml: yaml: did not find expected ',' or ']'" + hint},
		{"provider: ${V}\nextra: [b", "c.yml: yaml: line 1: did not find expected ',' or ']'"},
	} {
		_, err := config.Parse("c.yml", []byte(c.in), new(settings), env("V", "x"))
		require.Error(t, err, c.in)
		assert.Equal(t, c.want, fmt.Sprint(err), c.in)
		assert.Equal(t, c.want, fmt.Sprintf("%+v", err), c.in)
		assert.Len(t, config.Problems(err), strings.Count(c.want, "\n")+1)
		var ev *taxonomy.Evidence
		assert.ErrorAs(t, err, &ev)
	}
	var into settings
	_, err := config.Parse("c.yml", []byte(`extra: {a: "${V}"}`), &into, env("V", "x"))
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"a": "x"}, into.Extra)
}

func TestProblemsOfFilesAreReadable(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "none")
	_, err := config.Load(none, new(settings))
	assert.EqualError(t, err, none+": there is no such file")
	assert.ErrorIs(t, errs.Classify(err), errs.CodeConfigMissing)
	_, err = config.Load(dir, new(settings))
	assert.EqualError(t, err, dir+": it cannot be read: is a directory")
	_, err = config.Parse("a\nb", make([]byte, 9), new(settings), config.MaxBytes(8))
	assert.EqualError(t, err, "a b: expected a file of at most 8 bytes")
}

func TestEachProblemHasACode(t *testing.T) {
	_, err := config.Parse("c.yml", []byte("retries: 99\nprovider: ${NONE}"), new(settings), env())
	var codes []string
	for _, problem := range config.Problems(err) {
		codes = append(codes, taxonomy.CodeOf(errs.Classify(problem)))
	}
	assert.Equal(t, []string{"CONFIG_INVALID", "CONFIG_ENV_VAR_MISSING"}, codes)
	assert.Nil(t, config.Problems(nil))
	other := errors.New("other")
	assert.Equal(t, []error{other}, config.Problems(other))
}

func TestProblemsShowNoSecret(t *testing.T) {
	const secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz"
	_, err := config.Parse(
		"c.yml",
		[]byte("api_key: {a: "+secret+"}\nsize: "+secret+"\npassword: ["+secret+"]\nretries: ${KEY}\nmode: "+secret),
		new(settings), env("KEY", secret))
	require.Error(t, err)
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, nil))
	for _, problem := range config.Problems(err) {
		logger.Error("wrong", "error", problem)
	}
	for _, shown := range []string{err.Error(), fmt.Sprintf("%+v %#v", err, err), log.String()} {
		assert.NotContains(t, shown, "abcdefghij")
	}
	assert.Contains(t, log.String(), `"field":"size"`)
}
