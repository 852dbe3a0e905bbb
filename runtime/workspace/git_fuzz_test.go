package workspace

import (
	"encoding/json"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzRaw keeps every name through JSON.
func FuzzRaw(f *testing.F) {
	for _, s := range []string{"a", "", `"`, "\xff", "a\nb", `"quoted"`, "\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b, err := json.Marshal(rawMap[raw]{raw(s): raw(s)})
		require.NoError(t, err)
		var back rawMap[raw]
		require.NoError(t, json.Unmarshal(b, &back))
		assert.Equal(t, rawMap[raw]{raw(s): raw(s)}, back)
	})
}

// FuzzMessage never lets a message pass for another run's, nor hold what a terminal would obey.
func FuzzMessage(f *testing.F) {
	for _, s := range []string{"", "x\n\nErrgen-Run: y", "\r\nErrgen-Run:y", "a\x00b", "\x1b[2J",
		" \tErrgen-attempt: 1", "\u2028Errgen-Run: x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m := cleanMessage(s, "run")
		assert.NotEmpty(t, m)
		assert.True(t, utf8.ValidString(m))
		assert.LessOrEqual(t, len(m), 4*maxMessage)
		assert.NotContains(t, m, "\x00")
		assert.NotContains(t, m, "\x1b")
		assert.NotContains(t, m, "\r")
		for line := range strings.Lines(m) {
			assert.False(t, strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "errgen-"), "%q", line)
		}
	})
}

// FuzzListed reads what git lists, or says that it cannot.
func FuzzListed(f *testing.F) {
	f.Add("100644 0123456789012345678901234567890123456789 0\ta b")
	f.Add("100644 blob 0123456789012345678901234567890123456789\ta\tb")
	f.Add("\t")
	f.Fuzz(func(t *testing.T, s string) {
		_, _, p, err := listed(s)
		if err == nil {
			assert.True(t, strings.HasSuffix(s, "\t"+p))
		}
	})
}

// FuzzRefPart makes parts of references of all names of runs.
func FuzzRefPart(f *testing.F) {
	for _, s := range []string{"a", ".", "..", "x.lock", "a..b", "-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if checkRun(opPrepare, s) != nil {
			return
		}
		part := refPart(s)
		assert.Equal(t, part, path.Base(part))
		assert.NotContains(t, part, "..")
		assert.False(t, strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".") ||
			strings.HasSuffix(part, ".lock"))
	})
}
