package config_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor/config"
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
	assert.EqualError(t, err, none+": the file does not exist")
	assert.ErrorIs(t, errs.Classify(err), errs.CodeConfigMissing)
	_, err = config.Load(dir, new(settings))
	assert.EqualError(t, err, dir+": read failed: is a directory")
	_, err = config.Parse("a\nb", make([]byte, 1<<20+1), new(settings))
	assert.EqualError(t, err, "a b: expected a file of at most 1048576 bytes")
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
	assert.Contains(t, log.String(), `"message":"c.yml:2: size`)
}

// What goes wrong with a configuration has a code of its own each time, and says which file and
// which setting.
func TestCodes(t *testing.T) {
	const absent = "\x00"
	for _, c := range []struct{ name, in, code, message string }{
		{"a missing file", absent, "CONFIG_MISSING", "configuration file not found: PATH"},
		{"no YAML", "a: [b", "CONFIG_PARSE_ERROR",
			"configuration file PATH cannot be parsed: yaml: line 1: did not find expected ',' or ']'"},
		{"a key twice", "push: true\npush: false", "CONFIG_PARSE_ERROR",
			`configuration file PATH cannot be parsed: line 2: key "push" is duplicated, first on line 1`},
		{"an unset variable", "provider: ${ANTHROPIC_API_KEY}", "CONFIG_ENV_VAR_MISSING",
			"environment variable ANTHROPIC_API_KEY is not set"},
		{"a bad value", "retries: 99", "CONFIG_INVALID",
			`cannot run: setting retries is "99", expected a number from 0 to 10`},
		{"a bad value of a secret", "password: {a: hunter2}", "CONFIG_INVALID",
			"cannot run: setting password, expected a text"},
		{"several", "retries: 99\nprovider: ${ANTHROPIC_API_KEY}", "CONFIG_INVALID",
			`cannot run: setting retries is "99", expected a number from 0 to 10`},
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

func TestFilesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	require.NoError(t, os.WriteFile(plain, []byte("provider: x"), 0o600))
	loop := filepath.Join(dir, "loop")
	require.NoError(t, os.Symlink(loop, loop))
	dangling := filepath.Join(dir, "dangling")
	require.NoError(t, os.Symlink(filepath.Join(dir, "nothing"), dangling))
	for _, c := range []struct{ path, kind, errno string }{
		{filepath.Join(dir, "nothing"), "missing", "ENOENT"},
		{dangling, "missing", "ENOENT"},
		{dir, "", "EISDIR"},
		{loop, "", "ELOOP"},
		{filepath.Join(plain, "below"), "", "ENOTDIR"},
	} {
		_, err := config.Load(c.path, new(settings))
		ev := evidence(t, err)[0]
		assert.Equal(t, []string{c.kind, c.errno, c.path}, []string{ev.Type, ev.Errno, ev.Attribute("path")}, c.path)
	}
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(plain, link))
	var into settings
	_, err := config.Load(link, &into)
	require.NoError(t, err)
	assert.Equal(t, "x", into.Provider)

	require.NoError(t, os.WriteFile(plain, make([]byte, 1<<20+1), 0o600))
	_, err = config.Load(plain, &into)
	assert.Equal(t, "a file of at most 1048576 bytes", evidence(t, err)[0].Attribute("expected"))
}

func TestNoPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	path := filepath.Join(t.TempDir(), "c.yml")
	require.NoError(t, os.WriteFile(path, nil, 0))
	_, err := config.Load(path, new(settings))
	assert.Equal(t, "EACCES", evidence(t, err)[0].Errno)
	assert.False(t, errors.Is(err, os.ErrNotExist))
}

func TestWarnings(t *testing.T) {
	const anthropic = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"an unknown key", "retires: 3\nretries: 2",
			[]string{`c.yml:1: retires: unknown key; did you mean "retries"?`}},
		{"one that is like no other", "zebra: 3", []string{"c.yml:1: zebra: unknown key"}},
		{"below", "servers:\n  - {port: 1, prot: 2}",
			[]string{`c.yml:2: servers[0].prot: unknown key; did you mean "port"?`}},
		{"a secret in clear", "api_key: hunter2",
			[]string{"c.yml:1: api_key: a secret is written in clear; it must not be in the file"}},
		{"a password", "password: hunter2",
			[]string{"c.yml:1: password: a secret is written in clear; it must not be in the file"}},
		{"what looks like one", "provider: " + anthropic,
			[]string{"c.yml:1: provider: a secret is written in clear; it must not be in the file"}},
		{"in an address", "extra: {url: 'https://user:hunter2@host/'}",
			[]string{"c.yml:1: extra.url: a secret is written in clear; it must not be in the file"}},
		{"in a list", "extra: {token: [a, hunter2hunter2]}", []string{
			"c.yml:1: extra.token[0]: a secret is written in clear; it must not be in the file",
			"c.yml:1: extra.token[1]: a secret is written in clear; it must not be in the file",
		}},
		{"a key that is one", anthropic + ": 1", []string{`c.yml:1: ["[REDACTED]"]: unknown key`}},
		{"a variable without braces", "provider: x $HOME\nextra: [$HOME_DIR, $x, $5, $$PATH]", []string{
			"c.yml:1: provider: $HOME is not replaced; write ${HOME}, or $$HOME for this text",
			"c.yml:2: extra[0]: $HOME_DIR is not replaced; write ${HOME_DIR}, or $$HOME_DIR for this text"}},
		{"from a variable", "api_key: ${KEY}\npassword: a${KEY}", nil},
		{"words", "extra: {session: fresh, auth: none}", nil},
		{"numbers and nothing", "extra: {max_tokens: 2000, password: ~, token: ''}", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			warnings, err := config.Parse("c.yml", []byte(c.in), new(settings), env("KEY", "hunter2"))
			require.NoError(t, err)
			assert.Equal(t, c.want, warnings)
			assert.NotContains(t, strings.Join(warnings, "\n"), "hunter2")
			assert.NotContains(t, strings.Join(warnings, "\n"), anthropic)
		})
	}
}

// A variable that is not set is a problem of its own; the text that names it is no secret.
func TestUnsetVariableIsNoSecretInClear(t *testing.T) {
	for _, in := range []string{"api_key: ${KEY}", "password: ${KEY}", "api_key: ${not closed"} {
		warnings, err := config.Parse("c.yml", []byte(in), new(settings), env())
		assert.Error(t, err, in)
		assert.Empty(t, warnings, in)
	}
}

// TestVerbatim: no variable of the environment is expanded.
func TestVerbatim(t *testing.T) {
	for _, written := range []string{"${HOME}", "$$", "a $b ${c:-d} ${", "${not set}"} {
		t.Run(written, func(t *testing.T) {
			var s struct {
				Line string `yaml:"line"`
			}
			warnings, err := config.Parse("c.yml", []byte("line: '"+written+"'"), &s, config.Verbatim(),
				config.Env(func(string) (string, bool) {
					t.Error("the environment is read")
					return "", false
				}))
			require.NoError(t, err)
			assert.Empty(t, warnings)
			assert.Equal(t, written, s.Line)
		})
	}
	t.Run("secret", func(t *testing.T) {
		var s struct {
			Password string `yaml:"password"`
		}
		warnings, err := config.Parse("c.yml", []byte("password: hunter2"), &s, config.Verbatim())
		require.NoError(t, err)
		assert.Equal(t, "c.yml:1: password: a secret is written in clear; it must not be in the file",
			strings.Join(warnings, "\n"))
	})
}
