package terminal_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/terminal"
)

func TestPrintable(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"plain", "a b é 漢", "a b é 漢"},
		{"a command to the terminal", "\x1b[2Jx\a", "\ufffd[2Jx\ufffd"},
		{"the direction of reading", "a\u202eb", "a\ufffdb"},
		{"no UTF-8", "a\xffb", "a\ufffdb"},
		{"the end of a line that goes back", "a\r\n", "a\ufffd\ufffd"},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, terminal.Printable(tt.text)) })
	}
}

func TestPrintableJSON(t *testing.T) {
	type form struct{ Text string }
	want := form{"a\u202eb\U000e0001\u007f\n漢"}
	b, err := json.MarshalIndent(want, "", "  ")
	require.NoError(t, err)
	shown := terminal.PrintableJSON(b)
	assert.Equal(t, "{\n  \"Text\": \"a\\u202eb\\udb40\\udc01\\u007f\\n漢\"\n}", string(shown))
	var got form
	require.NoError(t, json.Unmarshal(shown, &got))
	assert.Equal(t, want, got)
}
