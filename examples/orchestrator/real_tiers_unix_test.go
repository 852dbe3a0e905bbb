//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/providers/providertest"
)

// asksFor finds the mark that a prompt asks for within a request.
var asksFor = regexp.MustCompile(`STEP DONE ([0-9a-f]{8})`)

// service plays replies over HTTP, one for each request, and knows the mark of the prompt.
func service(t *testing.T, replies ...func(mark string) providertest.Reply) string {
	t.Helper()
	var mu sync.Mutex
	next := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, err := io.ReadAll(req.Body)
		found := asksFor.FindSubmatch(body)
		if !assert.NoError(t, err) || !assert.NotNil(t, found) || !assert.Less(t, next, len(replies)) {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		one := providertest.NewServer(replies[next](string(found[1])))
		defer one.Close()
		next++
		at, err := url.Parse(one.URL)
		if assert.NoError(t, err) {
			req.Body = io.NopCloser(bytes.NewReader(body))
			httputil.NewSingleHostReverseProxy(at).ServeHTTP(w, req)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A tier can be a real one: the provider over HTTP, with its SDK, that writes through its tools.
// The service limits the rate first.
func TestRealTier(t *testing.T) {
	always := func(r providertest.Reply) func(string) providertest.Reply {
		return func(string) providertest.Reply { return r }
	}
	address := service(t,
		always(providertest.Fixture("openai/rate_limit").With("Retry-After", "0")),
		always(providertest.OpenAITool("write_file", `{"path":"a.md","content":"hello\n"}`)),
		func(mark string) providertest.Reply { return providertest.OpenAIText("I wrote it.\nSTEP DONE " + mark) },
	)
	tiers := filepath.Join(t.TempDir(), "tiers.yaml")
	require.NoError(
		t, os.WriteFile(
			tiers, fmt.Appendf(nil, "haiku: {provider: openai-api, model: m, base_url: %q, api_key: %q}\n",
				address+"/v1", "${TEST_KEY}"), 0o600))
	t.Setenv("TEST_KEY", "sk-0123456789abcdefghij")
	dir := project(t)
	r, code := result(
		t, "-tiers", tiers, "-dir", dir,
		written(t, "# T\n## Step 1\nWrite hello to a.md.\n### Success criteria\n- content: a.md matches /hello/\n"))
	require.Equal(t, exitDone, code, r.Error)
	assert.Equal(t, escalate.StepDone, r.Steps[0].State)
	assert.Len(t, r.Steps[0].Attempts, 1)
	assert.FileExists(t, filepath.Join(dir, "a.md"))
}
