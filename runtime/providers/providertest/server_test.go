package providertest_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/providers/providertest"
)

// client returns a client whose connections are gone when the test is over.
func client(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func server(t *testing.T, replies ...providertest.Reply) *providertest.Server {
	t.Helper()
	s := providertest.NewServer(replies...)
	t.Cleanup(s.Close)
	return s
}

func post(t *testing.T, c *http.Client, url, body string) (*http.Response, string, error) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer secret")
	req.Header.Set("X-Api-Key", "secret")
	res, err := c.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res, string(b), err
}

func TestServerPlaysItsScript(t *testing.T) {
	s := server(t,
		providertest.Reply{Status: 429, Body: `{"error":"slow"}`}.With("Retry-After", "1"),
		providertest.Stream("{}", "two"),
	)
	s.Add(providertest.Reply{Body: "for ever"}.Always())
	assert.Equal(t, 3, s.Left())
	c := client(t)

	res, body, err := post(t, c, s.URL+"/v1/x?y=1", "asked")
	require.NoError(t, err)
	assert.Equal(t, 429, res.StatusCode)
	assert.Equal(t, "1", res.Header.Get("Retry-After"))
	assert.Equal(t, "application/json", res.Header.Get("Content-Type"))
	assert.Equal(t, `{"error":"slow"}`, body)

	res, body, err = post(t, c, s.URL, "")
	require.NoError(t, err)
	assert.Equal(t, 200, res.StatusCode)
	assert.Equal(t, "text/event-stream; charset=utf-8", res.Header.Get("Content-Type"))
	assert.Equal(t, "data: {}\n\ndata: two\n\n", body)

	for range 3 {
		_, body, err = post(t, c, s.URL, "")
		require.NoError(t, err)
		assert.Equal(t, "for ever", body)
	}
	assert.Len(t, s.Requests(), 5)
	r := s.Requests()[0]
	assert.Equal(t, "POST /v1/x?y=1 asked", r.Method+" "+r.Path+" "+string(r.Body))
	assert.Equal(t, "*** ***", r.Header.Get("Authorization")+" "+r.Header.Get("X-Api-Key"))
}

func TestServerWithoutMoreReplies(t *testing.T) {
	res, body, err := post(t, client(t), server(t).URL, "")
	require.NoError(t, err)
	assert.Equal(t, 500, res.StatusCode)
	assert.Contains(t, body, "script_exhausted")
}

func TestEnds(t *testing.T) {
	page := providertest.Reply{Body: "begin"}
	s := server(t, page.Ending(providertest.EndEarly), page.Ending(providertest.EndReset), providertest.Reset())
	c := client(t)
	_, body, err := post(t, c, s.URL, "")
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Equal(t, "begin", body)
	_, _, err = post(t, c, s.URL, "")
	assert.ErrorIs(t, err, syscall.ECONNRESET)
	_, _, err = post(t, c, s.URL, "")
	assert.Error(t, err)
	_, _, err = post(t, c, providertest.Refused(), "")
	assert.ErrorIs(t, err, syscall.ECONNREFUSED)
}

func TestCloseEndsWhatHangs(t *testing.T) {
	s := server(t, providertest.Hang(), providertest.Reply{Body: "begin"}.Ending(providertest.EndNever))
	c := client(t)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			_, _, err := post(t, c, s.URL, "")
			assert.Error(t, err)
		})
	}
	s.Close()
	s.Close()
	wg.Wait()
}

func TestHangEndsWithTheClient(t *testing.T) {
	s := server(t, providertest.Reply{Body: "begin\n"}.Ending(providertest.EndNever))
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
	require.NoError(t, err)
	res, err := client(t).Do(req)
	require.NoError(t, err)
	line, err := bufio.NewReader(res.Body).ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "begin\n", line)
	cancel()
	_, err = io.ReadAll(res.Body)
	assert.ErrorIs(t, err, context.Canceled)
	_ = res.Body.Close()
}

func TestRepliesAreNotChangedByWith(t *testing.T) {
	one := providertest.Reply{}.With("A", "1")
	two := one.With("A", "2")
	assert.Equal(t, "1 2", one.Header.Get("A")+" "+two.Header.Get("A"))
}
