package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/config"
)

// TestVerbatim: nothing of the environment comes into what is read.
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
		assert.Equal(t, "c.yml:1: password: a secret is written in clear; it must not stand in the file",
			warnings.String())
	})
}
