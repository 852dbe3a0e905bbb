package detectflag_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect/detectflag"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// repeated is text without end.
type repeated struct{ text string }

func (r repeated) Read(p []byte) (n int, err error) {
	for n < len(p) {
		n += copy(p[n:], r.text)
	}
	return n, nil
}

func TestReadEnd(t *testing.T) {
	const most = detectflag.MaxText
	var b strings.Builder
	for i := 0; b.Len() < 4*most; i++ {
		fmt.Fprintf(&b, "%064d ", i)
	}
	for _, size := range []int{0, 1, 64 << 10, most - 1, most, most + 1, 2*most - 1, 2 * most, 2*most + 1, 3*most + 7} {
		whole := b.String()[:size]
		got, err := detectflag.ReadTail(strings.NewReader(whole))
		require.NoError(t, err)
		assert.True(t, whole[max(0, size-most):] == string(got), "of %d bytes", size)
	}
	errBroken := errors.New("broken")
	_, err := detectflag.ReadTail(iotest.ErrReader(errBroken))
	assert.ErrorIs(t, err, errBroken)

	got, err := detectflag.ReadTail(repeated{strings.Repeat("x", 1<<16)})
	require.NoError(t, err)
	assert.Len(t, got, most, "what has no end is read to a bound")
}

// A terminal is not waited for.
func TestPiped(t *testing.T) {
	null, err := os.Open(os.DevNull) // a character device, as a terminal is
	require.NoError(t, err)
	defer func() { _ = null.Close() }()
	closed, err := os.Open(os.DevNull)
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(path, []byte("text"), 0o600))
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	for _, tt := range []struct {
		in   io.Reader
		want bool
	}{{null, false}, {closed, false}, {nil, false}, {file, true}, {strings.NewReader(""), true}} {
		assert.Equal(t, tt.want, detectflag.IsPiped(tt.in))
	}
	b, err := detectflag.ReadTail(null)
	require.NoError(t, err)
	assert.Empty(t, b)
}

func TestSaid(t *testing.T) {
	zero, minute := taxonomy.Some(0), taxonomy.Some(time.Minute)
	tests := []struct {
		name       string
		told, want taxonomy.Evidence
		text       string
	}{
		{"an error body", taxonomy.Evidence{Status: 429},
			taxonomy.Evidence{Status: 429, Type: "insufficient_quota", Code: "out", Text: "Out of credits"},
			`{"error":{"message":"Out of credits","type":"insufficient_quota","code":"out"}}`},
		{"flags say better", taxonomy.Evidence{Type: "mine"}, taxonomy.Evidence{Type: "mine", Text: "no"},
			`{"error":{"message":"no","type":"theirs"}}`},
		{"a body that ended well", taxonomy.Evidence{ExitCode: zero},
			taxonomy.Evidence{ExitCode: zero, Text: `{"type":"result"}`}, `{"type":"result"}`},
		{"words to wait by", taxonomy.Evidence{}, taxonomy.Evidence{
			Text: "Retry after 30 seconds", RetryAfter: taxonomy.Some(30 * time.Second), RetryAfterDerived: true,
		}, "Retry after 30 seconds"},
		{"a flag to wait by", taxonomy.Evidence{RetryAfter: minute},
			taxonomy.Evidence{Text: "Retry after 30 seconds", RetryAfter: minute}, "Retry after 30 seconds"},
		{"a line that is indented", taxonomy.Evidence{}, taxonomy.Evidence{Text: " ! [rejected]\n"}, " ! [rejected]\n"},
		{"half of a body", taxonomy.Evidence{}, taxonomy.Evidence{Text: `{"error":{"type":"x"`},
			`{"error":{"type":"x"`},
		{"nothing", taxonomy.Evidence{}, taxonomy.Evidence{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			detectflag.SetText(&tt.told, []byte(tt.text))
			assert.Equal(t, tt.want, tt.told)
		})
	}
}
