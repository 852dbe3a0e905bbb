package claudecli

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/proc"
)

// reader returns a call that only reads.
func reader(t *testing.T) *call {
	p, err := New(Options{})
	require.NoError(t, err)
	return &call{Provider: p, stderr: proc.NewTail(maxStderr), plain: proc.NewTail(maxPlain), finish: func() {},
		req: executor.Request{Progress: func(text string) {
			assert.True(t, utf8.ValidString(text))
			assert.NotContains(t, text, "\n")
			assert.LessOrEqual(t, len(text), maxProgress+len("…"))
		}}}
}

// FuzzStream reads a stream in one piece and in many, with the same outcome.
func FuzzStream(f *testing.F) {
	f.Add([]byte(`{"type":"system","subtype":"init","session_id":"s"}`+"\n"+`{"type":"result","result":"ok"}`), 7)
	f.Add([]byte(`{"type":"assistant","message":{"content":[{"type":"text","text":"a\u0000ü"}]}}`+"\n\n\xff{\n"), 3)
	f.Add([]byte(`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":"x"}}`+"\n"+
		`{"type":"result","is_error":true,"result":"API Error: 429 {\"type\":\"error\"}","api_error_status":1e9}`), 1)
	f.Fuzz(func(t *testing.T, stream []byte, size int) {
		whole, pieces := reader(t), reader(t)
		one, many := &lines{line: whole.read}, &lines{line: pieces.read}
		_, _ = one.Write(stream)
		one.flush()
		for rest := stream; len(rest) > 0; {
			n := min(len(rest), max(1, size%16))
			_, _ = many.Write(bytes.Clone(rest[:n]))
			rest = rest[n:]
		}
		many.flush()
		assert.Equal(t, whole.result, pieces.result)
		assert.Equal(t, whole.session, pieces.session)
		ev := whole.failure()
		assert.Equal(t, ev, pieces.failure())
		assert.True(t, utf8.ValidString(ev.Text) && utf8.ValidString(ev.Output))
	})
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	for what, c := range map[string]struct{ writes, want []string }{
		"nothing":                 {nil, nil},
		"a missing end":           {[]string{"a\nb"}, []string{"a", "b"}},
		"pieces":                  {[]string{"a", "b\n", "", "c\nd", "\n"}, []string{"ab", "c", "d"}},
		"the limit":               {[]string{long, "\nb\n"}, []string{long, "b"}},
		"too long":                {[]string{long, "y", "\nb\n"}, []string{"b"}},
		"too long in one piece":   {[]string{long + "y\nb\n"}, []string{"b"}},
		"too long without an end": {[]string{"a\n", long, long}, []string{"a"}},
	} {
		var got []string
		l := &lines{line: func(b []byte) { got = append(got, string(b)) }}
		for _, w := range c.writes {
			_, _ = l.Write([]byte(w))
		}
		l.flush()
		assert.Equal(t, len(c.want), len(got), what)
		for i := range min(len(c.want), len(got)) {
			assert.True(t, c.want[i] == got[i], "%s: line %d", what, i)
		}
	}
}
