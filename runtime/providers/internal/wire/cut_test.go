package wire

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// What is kept of a long text ends anywhere, also in a secret or in the key.
func TestNoPartOfASecretIsKept(t *testing.T) {
	const key = "GIVEN key GIVEN"
	for _, secret := range []string{"https://user:GIVEN-s3cr3t-GIVEN@host/x",
		"sk-ant-api03-GIVENDEFghijkl1234567890GIVEN", key} {
		for at := range len(secret) + 1 {
			begun := func(limit int) string {
				return strings.Repeat("x", limit-at-1) + " " + secret + " " + strings.Repeat("x", limit)
			}
			assert.NotContains(t, Mask(key).Head(begun(100), 100), "GIVEN")
			if secret != key { // which is masked before
				assert.NotContains(t, pageText([]byte(begun(maxPageText))), "GIVEN")
			}
			if at%5 == 0 { // of a long text
				x := &Exchange{Mask: key}
				res := &http.Response{Body: io.NopCloser(strings.NewReader(begun(maxPage)))}
				x.read(res)
				assert.LessOrEqual(t, len(x.page), maxPage)
				assert.NotContains(t, string(x.page), "GIVEN")
				body, err := io.ReadAll(res.Body)
				require.NoError(t, err)
				assert.Equal(t, x.page, body)
			}
		}
	}
	for in, want := range map[string]string{"": "", "a\xffb": "ab", "a GIVEN key GIVEN": "a " + taxonomy.Redacted,
		"password=hunter22": "password=" + taxonomy.Redacted} {
		assert.Equal(t, want, Mask(key).Head(in, 100))
	}
}
