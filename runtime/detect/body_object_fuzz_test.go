package detect

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

// FuzzReadObject compares with what encoding/json reads.
func FuzzReadObject(f *testing.F) {
	for _, body := range []string{
		`{"error":{"code":"E\"1","details":[1,{"reason":"\\"},[]]},"status" : 4e2 ,"co\u0064e":null} x`,
		`[{"code":true},{}]`, `{"a":[}`, `{"code":"`, `{}{}`, ` [ ] `,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		body = bytes.TrimSpace(body)
		if len(body) == 0 || body[0] != '{' {
			return
		}
		var want map[string]json.RawMessage
		d := json.NewDecoder(bytes.NewReader(body))
		sound := d.Decode(&want) == nil
		got, whole := readObject(body)
		assert.Equal(t, sound, got != nil)
		assert.Equal(t, sound && d.InputOffset() == int64(len(body)), whole)
		for _, key := range knownKeys {
			assert.Equal(t, string(want[key]), string(got[key]), key)
		}
	})
}
