package suggest_test

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/suggest"
	"github.com/errgen/errgen/runtime/detect"
)

func TestRead(t *testing.T) {
	tests := []struct {
		name, record string
		want         []string // texts of the entries
		faults       []int    // lines
	}{
		{"nothing", "", nil, nil},
		{"empty lines", "\n \r\n\n", nil, nil},
		{"an entry", `{"evidence":{"text":"a"}}`, []string{"a"}, nil},
		{"evidence alone", `{"text":"a"}`, []string{"a"}, nil},
		{"several", "{\"text\":\"a\"}\r\n\n{\"text\":\"b\"}\n", []string{"a", "b"}, nil},
		{"half a line", "{\"text\":\"a\"}\n{\"text\":\"b", []string{"a"}, []int{2}},
		{"no object", "[1]\n\"a\"\nnull\n{\"text\":\"b\"}", []string{"b"}, []int{1, 2, 3}},
		{"of the wrong type", `{"evidence":{"status":"x"}}` + "\n" + `{"evidence":7}` + "\n" + `{"text":{}}`, nil,
			[]int{1, 2, 3}},
		{"NUL and no UTF-8", "\x00\n\xff\n{\"text\":\"a\xff\"}", []string{"a\uFFFD"}, []int{1, 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			faults, err := suggest.Read(strings.NewReader(tt.record),
				func(e detect.Entry) { got = append(got, e.Evidence.Text) })
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
			var lines []int
			for _, f := range faults {
				assert.Error(t, f.Err)
				lines = append(lines, f.Line)
			}
			assert.Equal(t, tt.faults, lines)
		})
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errBroken }

func TestReadThatFails(t *testing.T) {
	for name, in := range map[string]io.Reader{
		"immediately": broken{}, "in a line": io.MultiReader(strings.NewReader("{"), broken{}),
	} {
		_, err := suggest.Read(in, func(detect.Entry) { assert.Fail(t, "no entry") })
		assert.ErrorIs(t, err, errBroken, name)
	}
	_, err := suggest.Read(strings.NewReader(strings.Repeat("x", 2<<20)), nil)
	assert.ErrorIs(t, err, bufio.ErrTooLong)
}

func FuzzRead(f *testing.F) {
	f.Add("{\"evidence\":{\"text\":\"a\",\"exit_code\":1}}\n{\"status\":5}\nx\n")
	f.Add("{\"time\":\"2026-01-02T12:00:00Z\",\"evidence\":{\"source\":\"cli\",\"attributes\":{\"a\":\"b\"}," +
		"\"retry_after\":\"5s\"}}")
	f.Fuzz(func(t *testing.T, record string) {
		g := suggest.NewGroups()
		n := 0
		faults, err := suggest.Read(strings.NewReader(record), func(e detect.Entry) { g.Add(e); n++ })
		require.NoError(t, err)
		assert.LessOrEqual(t, n+len(faults), strings.Count(record, "\n")+1)
		loads(t, pasted(g.Propose(suggest.Options{})))
	})
}
