package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/config"
)

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
			[]string{"c.yml:1: api_key: a secret is written in clear; take it from the environment: ${API_KEY}"}},
		{"a password", "password: hunter2",
			[]string{"c.yml:1: password: a secret is written in clear; take it from the environment: ${PASSWORD}"}},
		{"what looks like one", "provider: " + anthropic,
			[]string{"c.yml:1: provider: a secret is written in clear; take it from the environment: ${PROVIDER}"}},
		{"in an address", "extra: {url: 'https://user:hunter2@host/'}",
			[]string{"c.yml:1: extra.url: a secret is written in clear; take it from the environment: ${URL}"}},
		{"in a list", "extra: {token: [a, hunter2hunter2]}", []string{
			"c.yml:1: extra.token[0]: a secret is written in clear; take it from the environment: ${TOKEN}",
			"c.yml:1: extra.token[1]: a secret is written in clear; take it from the environment: ${TOKEN}",
		}},
		{"a key that is one", anthropic + ": 1", []string{`c.yml:1: ["[REDACTED]"]: unknown key`}},
		{"from a variable", "api_key: ${KEY}\npassword: a${KEY}", nil},
		{"a word that is none", "extra: {session: fresh, credential: work, auth: none}", nil},
		{"one that may be", "extra: {session: abcdef0123}",
			[]string{"c.yml:1: extra.session: a secret is written in clear; take it from the environment: ${SESSION}"}},
		{"numbers and nothing", "extra: {max_tokens: 2000, password: ~, token: ''}", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			warnings, err := config.Parse("c.yml", []byte(c.in), new(settings), env("KEY", "hunter2"))
			require.NoError(t, err)
			var got []string
			for _, w := range warnings {
				got = append(got, w.String())
			}
			assert.Equal(t, c.want, got)
			assert.NotContains(t, warnings.String(), "hunter2")
			assert.NotContains(t, warnings.String(), anthropic)
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

func TestUnknownKeysAreKept(t *testing.T) {
	unknown := make(map[string]any)
	_, err := config.Parse("c.yml", []byte("plugins: {a: ['${A}', 2]}\nservers: [{port: 1, tls: on}]"), new(settings),
		config.KeepUnknown(unknown), env("A", "x: y"))
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"plugins": map[string]any{"a": []any{"x: y", 2}}, "servers[0].tls": "on"}, unknown)
}
