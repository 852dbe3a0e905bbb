package summary

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	want := Package{
		Version: Version,
		Codes: []Code{{Const: "CodeA", Value: "A`", Type: "AError", Category: "a", Retryable: No,
			Rules: [][]string{{}, {"db"}}}},
		Categories: map[string]string{"IsA": "a"},
	}
	text := JSON(want)
	assert.NotContains(t, text, "`", "a raw string can contain it")
	got, err := Parse(text)
	require.NoError(t, err)
	assert.Equal(t, &want, got)
	for _, text := range []string{"", "{", `{"codes":[]}`, `{"v":0}`, `{"v":2}`, `{"v":"1"}`} {
		_, err := Parse(text)
		assert.ErrorContains(t, err, Const, text)
	}
}
