package detect_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestOfResponse(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Ratelimit-Remaining", "0")
		w.Header().Set("Retry-After", "5")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"message":"API rate limit exceeded"}`)
	}))
	defer server.Close()
	r, err := http.Get(server.URL)
	require.NoError(t, err)
	defer func() { _ = r.Body.Close() }()
	assert.Equal(
		t, taxonomy.Evidence{Status: 403, Text: "API rate limit exceeded", RetryAfter: taxonomy.Some(5 * time.Second),
			Attributes: attributes("ratelimit-remaining", "0", "retry-after", "5", "host", "127.0.0.1")}, detect.Of(r))
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	assert.Equal(t, `{"message":"API rate limit exceeded"}`, string(body))
}

// body is a body that counts what is read, fails or panics at its end, and can be closed.
type body struct {
	io.Reader
	read   int
	err    error
	closed bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if b.read += n; err == io.EOF && b.err != nil {
		err = b.err
	}
	return n, err
}

func (b *body) Close() error {
	b.closed = true
	return nil
}

type panickingReader struct{}

func (panickingReader) Read([]byte) (int, error) { panic("broken") }

func TestOfResponseBodies(t *testing.T) {
	long := strings.Repeat("x", 5<<20)
	broken := errors.New("broken pipe")
	for _, c := range []struct {
		name string
		body *body
		text string
		rest string
		err  error
	}{
		{"empty", &body{Reader: strings.NewReader("")}, "", "", nil},
		{"short", &body{Reader: strings.NewReader("said")}, "said", "said", nil},
		{"long", &body{Reader: strings.NewReader(long)}, long[:1<<20], long, nil},
		{"failing", &body{Reader: strings.NewReader("said"), err: broken}, "said", "said", broken},
		{"panicking", &body{Reader: io.MultiReader(strings.NewReader("said"), panickingReader{})}, "said", "said",
			io.ErrUnexpectedEOF},
	} {
		r := &http.Response{StatusCode: 500, Body: c.body}
		assert.Equal(t, taxonomy.Evidence{Status: 500, Text: c.text}, detect.Of(r), c.name)
		assert.LessOrEqual(t, c.body.read, 1<<20, c.name)
		assert.Equal(t, c.text, detect.Of(r).Text, "again, "+c.name)
		rest, err := io.ReadAll(r.Body)
		assert.Equal(t, c.rest, string(rest), c.name)
		assert.Equal(t, c.err, err, c.name)
		require.NoError(t, r.Body.Close())
		assert.True(t, c.body.closed, c.name)
	}
}

func TestOfOddResponses(t *testing.T) {
	for _, c := range []struct {
		raw  any
		want taxonomy.Evidence
	}{
		{&http.Response{}, taxonomy.Evidence{}},
		{&http.Response{StatusCode: 404, Body: http.NoBody}, taxonomy.Evidence{Status: 404}},
		{&http.Response{StatusCode: 9999}, taxonomy.Evidence{}},
		{answer(502, "\x1f\x8b", "Content-Encoding", "gzip"), taxonomy.Evidence{Status: 502}},
		{answer(101, "hijacked"), taxonomy.Evidence{Status: 101}},
		{*answer(404, "said", "Set-Cookie", "s=1"), taxonomy.Evidence{Status: 404}},
		{answer(429, "try again in 20s"),
			taxonomy.Evidence{Status: 429, Text: "try again in 20s", RetryAfter: taxonomy.Some(20 * time.Second),
				RetryAfterDerived: true}},
		{answer(429, "try again in 20s", "Retry-After", "1"),
			taxonomy.Evidence{Status: 429, Text: "try again in 20s", RetryAfter: taxonomy.Some(time.Second),
				Attributes: attributes("retry-after", "1")}},
	} {
		assert.Equal(t, c.want, detect.Of(c.raw))
	}
}
