package config_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/config"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// retries is a number from 0 to 10.
type retries int

func (r *retries) Validate() []config.Problem {
	if *r < 0 || *r > 10 {
		return []config.Problem{{Expected: "a number from 0 to 10"}}
	}
	return nil
}

// mode is a word.
type mode string

func (m *mode) UnmarshalText(b []byte) error {
	switch s := mode(b); s {
	case "strict", "ask":
		*m = s
		return nil
	}
	return fmt.Errorf("unknown mode %q; there are strict and ask", b)
}

type server struct {
	Name string `yaml:"name"`
	Port int    `yaml:"port"`
}

func (s *server) Validate() []config.Problem {
	if s.Port < 1 {
		return []config.Problem{{Field: "port", Expected: "a number from 1"}}
	}
	return nil
}

type common struct {
	Dir string `yaml:"dir"`
}

type settings struct {
	Common   common                  `yaml:",inline"`
	Provider string                  `yaml:"provider"`
	APIKey   taxonomy.Secret[string] `yaml:"api_key"`
	Password string                  `yaml:"password"`
	Webhook  []string                `yaml:"webhook_url"`
	Timeout  time.Duration           `yaml:"timeout"`
	Retries  retries                 `yaml:"retries"`
	Mode     mode                    `yaml:"mode"`
	Push     bool                    `yaml:"push"`
	Ratio    float64                 `yaml:"ratio"`
	Size     uint16                  `yaml:"size"`
	Since    time.Time               `yaml:"since"`
	Servers  []server                `yaml:"servers"`
	Limits   map[string]int          `yaml:"limits"`
	Backup   *server                 `yaml:"backup"`
	Extra    any                     `yaml:"extra"`
}

func env(pairs ...string) config.Option {
	return config.Env(func(name string) (string, bool) {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	})
}

// problems returns the type, field, env_var, value, expected and text of each problem.
func problems(t *testing.T, err error) []string {
	t.Helper()
	var out []string
	for _, ev := range evidence(t, err) {
		assert.Equal(t, "config", ev.Source)
		assert.Equal(t, "load_config", ev.Op)
		assert.Equal(t, "c.yml", ev.Attribute("path"))
		parts := []string{ev.Type, ev.Attribute("field"), ev.Attribute("env_var"), ev.Attribute("value"),
			ev.Attribute("expected"), ev.Text}
		parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
		out = append(out, strings.Join(parts, " | "))
	}
	return out
}

func evidence(t *testing.T, err error) []*taxonomy.Evidence {
	t.Helper()
	if err == nil {
		return nil
	}
	var out []*taxonomy.Evidence
	for _, one := range config.Problems(err) {
		var ev *taxonomy.Evidence
		require.ErrorAs(t, one, &ev)
		out = append(out, ev)
	}
	return out
}

func TestEveryKindOfValue(t *testing.T) {
	into := settings{Ratio: 0.5, Limits: map[string]int{"old": 1, "lines": 1}, Servers: []server{{Name: "gone"}}}
	warnings, err := config.Parse("c.yml", []byte(`
dir: /srv
provider: 123
api_key: ${KEY}
timeout: 1m30s
retries: 3
mode: ask
push: true
size: 0x10
since: 2026-01-02T03:04:05+01:00
servers:
  - {name: one, port: 1}
  - {name: two, port: 1}
limits: {lines: 20, files: 3}
backup: {name: one, port: 1}
extra: {a: [1, x]}
`), &into, env("KEY", "sk-1"))
	require.NoError(t, err)
	assert.Empty(t, warnings)
	key, _ := into.APIKey.Reveal()
	assert.Equal(t, "sk-1", key)
	into.APIKey = taxonomy.Secret[string]{}
	assert.Equal(t, time.Date(2026, 1, 2, 2, 4, 5, 0, time.UTC), into.Since.UTC())
	into.Since = time.Time{}
	assert.Equal(t, settings{
		Common: common{Dir: "/srv"}, Provider: "123", Timeout: 90 * time.Second, Retries: 3, Mode: "ask", Push: true,
		Ratio: 0.5,
		Size:  16, Servers: []server{{"one", 1}, {"two", 1}}, Limits: map[string]int{"old": 1, "lines": 20, "files": 3},
		Backup: &server{"one", 1}, Extra: map[string]any{"a": []any{1, "x"}},
	}, into)
}

func TestExpansion(t *testing.T) {
	variables := env("A", "a", "EMPTY", "", "PORT", "80", "YES", "true", "FOR", "30s", "HALF", "0.5",
		"TRICKY", "p$A${A}$$: [x", "LIST", "[1, 2]", "BOOL", "yes", "MODE", "ask")
	for _, c := range []struct{ name, in, want string }{
		{"a variable", "provider: ${A}", "a"},
		{"in a text", "provider: x-${A}-${A}.y", "x-a-a.y"},
		{"an empty one", "provider: <${EMPTY}>", "<>"},
		{"a dollar sign", "provider: $$A costs $$5", "$A costs $5"},
		{"an escaped variable", "provider: $${A}", "${A}"},
		{"without braces", "provider: $A and $", "$A and $"},
		{"in quotes", `provider: "${A}"`, "a"},
		{"in single quotes", `provider: '${A}'`, "a"},
		{"in a block", "provider: |\n  one ${A}\n  two", "one a\ntwo"},
		{"what is expanded is never read again", "provider: ${TRICKY}", "p$A${A}$$: [x"},
		{"nor as YAML", "provider: ${LIST}", "[1, 2]"},
		{"nor what looks like a bool", "provider: ${BOOL}", "yes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var into settings
			_, err := config.Parse("c.yml", []byte(c.in), &into, variables)
			require.NoError(t, err)
			assert.Equal(t, c.want, into.Provider)
		})
	}
	var into settings
	_, err := config.Parse(
		"c.yml",
		[]byte("{push: '${YES}', size: '${PORT}', retries: '1${EMPTY}', ratio: '${HALF}', timeout: '${FOR}', mode: "+
			"'${MODE}', extra: ['${PORT}', '${A}']}"), &into, variables)
	require.NoError(t, err)
	assert.Equal(
		t, settings{Push: true, Size: 80, Retries: 1, Ratio: 0.5, Timeout: 30 * time.Second, Mode: "ask",
			Extra: []any{"80", "a"}}, into)
}

func TestProblems(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"a word for a number", "retries: many", []string{"invalid | retries | many | a whole number"}},
		{"a number without a unit", "timeout: 5",
			[]string{`invalid | timeout | 5 | a duration with a unit, such as "30s"`}},
		{"a number below 0", "size: -1", []string{"invalid | size | -1 | a whole number from 0"}},
		{"a number too great", "size: 70000", []string{"invalid | size | 70000 | a whole number from 0"}},
		{"out of range", "retries: 11", []string{"invalid | retries | 11 | a number from 0 to 10"}},
		{"an unknown word", "mode: lax",
			[]string{`invalid | mode | lax | something else: unknown mode "lax"; there are strict and ask`}},
		{"a list for a text", "provider: [a]", []string{"invalid | provider | a list | a text"}},
		{"a text for a list", "servers: one", []string{"invalid | servers | one | a list"}},
		{"a text for a mapping", "limits: one", []string{"invalid | limits | one | a mapping"}},
		{"in a list", "servers: [{port: 1}, {port: x}]", []string{"invalid | servers[1].port | x | a whole number"}},
		{"said by the mapping around it", "servers: [{port: 0}]",
			[]string{"invalid | servers[0].port | 0 | a number from 1"}},
		{"said of what is not there", "backup: {name: x}", []string{"invalid | backup.port | a number from 1"}},
		{"a time", "since: soon", []string{`invalid | since | soon | a time such as "2006-01-02T15:04:05Z"`}},
		{"a key that is no name", "limits: {'a b': x}", []string{`invalid | limits["a b"] | x | a whole number`}},
		{"a key that is a list", "limits: {[a]: 1}", []string{"invalid | limits | keys that are strings"}},
		{"the root", "[a]", []string{"invalid | a list | a mapping"}},
		{"a secret's value is not told", "password: [hunter2]\napi_key: {a: hunter2}",
			[]string{"invalid | password | a text", "invalid | api_key | a text"}},
		{"an address that is a secret", "webhook_url: https://example.org/T0/B0",
			[]string{"invalid | webhook_url | a list"}},
		{"a secret in a value", "retries: https://user:hunter2@host/",
			[]string{"invalid | retries | https://[REDACTED]@host/ | a whole number"}},
		{"an unset variable", "provider: a${NO}", []string{"unset_variable | provider | NO"}},
		{"two in one text", "provider: ${NO}${NEIN}",
			[]string{"unset_variable | provider | NO", "unset_variable | provider | NEIN"}},
		{"a variable that is no number", "retries: ${WORD}", []string{"invalid | retries | ${WORD} | a whole number"}},
		{"a variable that is no mode", "mode: ${WORD}", []string{"invalid | mode | ${WORD} | something else"}},
		{"no end", "provider: ${WORD",
			[]string{"invalid | provider | ${WORD | a variable's name between ${ and }, or $$ for a dollar sign"}},
		{"no name", "provider: ${}",
			[]string{"invalid | provider | ${} | a variable's name between ${ and }, or $$ for a dollar sign"}},
		{"all at once, in order", "retries: many\nprovider: ${NO}\nservers:\n  - port: 0\ntimeout: x", []string{
			"invalid | retries | many | a whole number", "unset_variable | provider | NO",
			"invalid | servers[0].port | 0 | a number from 1",
			`invalid | timeout | x | a duration with a unit, such as "30s"`,
		}},
		{"no YAML", "a: b: c", []string{"parse | yaml: mapping values are not allowed in this context"}},
		{"a tab", "a:\n\t- b", []string{"parse | yaml: line 2: found character that cannot start any token"}},
		{"a key twice", "retries: 1\npush: true\nretries: 2",
			[]string{`parse | line 3: key "retries" is duplicated, first on line 1`}},
		{"two documents", "retries: 1\n---\nretries: 2",
			[]string{"parse | line 2: a second document begins here"}},
		{"half a number", "retries: 3.5", []string{"invalid | retries | 3.5 | a whole number"}},
		{"a number with a point", "size: 3.0", []string{"invalid | size | 3.0 | a whole number from 0"}},
		{"an alias", "extra: &a [1]\nlimits: *a",
			[]string{"parse | line 1: anchors, aliases and merge keys are not supported"}},
		{"no such anchor", "extra: *a", []string{"parse | yaml: unknown anchor 'a' referenced"}},
		{"a merge", "<<: {a: 1}", []string{"parse | line 1: anchors, aliases and merge keys are not supported"}},
		{"no UTF-8", "provider: \"\xff\"", []string{"parse | yaml: invalid leading UTF-8 octet"}},
		{"a control character", "provider: \x00", []string{"parse | yaml: control characters are not allowed"}},
		{"depth", strings.Repeat("[", 1<<18), []string{"parse | yaml: exceeded max depth of 10000"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var into settings
			_, err := config.Parse("c.yml", []byte(c.in), &into, env("WORD", "hunter2"))
			assert.Equal(t, c.want, problems(t, err))
			assert.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, err), "hunter2")
		})
	}
}

func TestManyProblemsAreBounded(t *testing.T) {
	in := "limits:\n"
	for i := range 1000 {
		in += fmt.Sprintf("  k%d: x\n", i)
	}
	for i := range 1000 {
		in += fmt.Sprintf("u%d: 1\n", i)
	}
	warnings, err := config.Parse("c.yml", []byte(in), new(settings))
	assert.Len(t, evidence(t, err), 100)
	assert.Len(t, warnings, 100)
}

func TestEmptyFiles(t *testing.T) {
	for _, in := range []string{"", "# nothing\n", "---\n", "null\n", "{}", "\ufeff"} {
		into := settings{Provider: "x"}
		warnings, err := config.Parse("c.yml", []byte(in), &into)
		require.NoError(t, err, "%q", in)
		assert.Empty(t, warnings)
		assert.Equal(t, settings{Provider: "x"}, into)
	}
	var into server
	_, err := config.Parse("c.yml", nil, &into)
	assert.Equal(t, "port", evidence(t, err)[0].Attribute("field"), "what a file lacks is said of an empty one, too")
}

func TestKeysWithoutValues(t *testing.T) {
	into := settings{Provider: "x", Limits: map[string]int{"a": 1}, Backup: &server{"a", 1},
		Servers: []server{{"a", 1}}}
	_, err := config.Parse("c.yml", []byte("provider:\nlimits: ~\nbackup: null\nservers:\n"), &into)
	require.NoError(t, err)
	assert.Equal(t, settings{Provider: "x"}, into)
}

func TestEncodings(t *testing.T) {
	var le, be []byte
	for _, u := range utf16.Encode([]rune("\ufeffprovider: größer\n")) {
		le = append(le, byte(u), byte(u>>8))
		be = append(be, byte(u>>8), byte(u))
	}
	for name, in := range map[string][]byte{"UTF-8 with a mark": []byte("\xef\xbb\xbfprovider: größer"), "UTF-16LE": le,
		"UTF-16BE": be} {
		var into settings
		_, err := config.Parse("c.yml", in, &into)
		require.NoError(t, err, name)
		assert.Equal(t, "größer", into.Provider, name)
	}
}

func TestIntoMustHoldFields(t *testing.T) {
	text := ""
	for _, into := range []any{nil, settings{}, (*settings)(nil), &text} {
		_, err := config.Parse("c.yml", nil, into)
		assert.ErrorContains(t, err, "pointer to a struct or a map")
	}
	into := map[string]any{"b": 2}
	_, err := config.Parse("c.yml", []byte("a: 1"), &into)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"a": 1, "b": 2}, into)
}

func TestFieldsWithoutTags(t *testing.T) {
	var into struct {
		MaxTurns  int
		PrePR     string
		APIKey    string
		Base64URL string
	}
	warnings, err := config.Parse("c.yml", []byte("{max_turns: 1, pre_pr: b, api_key: '', base64_url: d}"), &into)
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Equal(t, []any{1, "b", "d"}, []any{into.MaxTurns, into.PrePR, into.Base64URL})
}
