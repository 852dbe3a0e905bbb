package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/executor/config"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Whatever a file says, reading it ends, every error is evidence, and what a variable holds is in
// none of them.
func FuzzParse(f *testing.F) {
	for _, in := range []string{
		"", "provider: ${KEY}", "retries: ${KEY}", "a: &a [*a]", "<<: {retries: 1}", "servers: [{port: x}]",
		"\ufeffa: b", "a: b: c",
		"overrides: {codes: {A: ${KEY}}, policies: {p: {max_attempts: ${KEY}, initial_delay: ${KEY}}}}",
		"overrides: {codes: {A: {x: y}}}", "overrides: {codes: {A: [${KEY}]}, reporting: {log_level: ${KEY}}}",
		"? [a]\n: b", "extra: !!binary aGk=", "timeout: 5", "x: |\n  ${KEY\n", "#\xff", "mode: ${KEY}",
		"api_key: [${KEY}]", "${KEY}: ${KEY}",
	} {
		f.Add([]byte(in))
	}
	const secret = "hunter2-never-shown"
	f.Fuzz(func(t *testing.T, in []byte) {
		if strings.Contains(string(in), secret) {
			return
		}
		var into struct {
			settings `yaml:",inline"`
			host     `yaml:",inline"`
		}
		warnings, err := config.Parse("c.yml", in, &into, env("KEY", secret))
		assert.NotContains(t, strings.Join(warnings, "\n"), secret)
		for _, ev := range evidence(t, err) {
			assert.NotEmpty(t, ev.Type)
			b, jsonErr := ev.MarshalJSON()
			assert.NoError(t, jsonErr)
			assert.NotContains(t, string(b), secret)
			assert.NotContains(t, ev.Error(), secret)
		}
		if err != nil {
			assert.NotEqual(t, taxonomy.Evidence{}, *evidence(t, err)[0])
		}
	})
}
