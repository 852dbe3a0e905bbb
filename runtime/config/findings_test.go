package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/config"
)

func TestFindings(t *testing.T) {
	var f config.Findings
	words := []string{"log", "desktop", "webhook"}
	f.Word("channel", "", words)
	f.Word("channel", "desktop", words)
	f.NotNegative("limit", 0)
	assert.Empty(t, f)
	f.Word("channel", "pigeon", words)
	f.NotNegative("limit", -1)
	assert.Equal(t, config.Findings{
		{Field: "channel", Expected: "log, desktop or webhook"},
		{Field: "limit", Expected: "0, for the default, or more"},
	}, f)
}

func TestEither(t *testing.T) {
	for want, words := range map[string][]string{
		"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"},
	} {
		assert.Equal(t, want, config.Either(words))
	}
}
