package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

// TestRealErrors classifies errors that Go and the system make.
func TestRealErrors(t *testing.T) {
	dir := t.TempDir()
	closed := closedPort
	tests := []struct {
		name   string
		source string
		fail   func() error
		want   string
	}{
		{"no file", "", func() error { _, err := os.Open(filepath.Join(dir, "none")); return err }, "file_not_found"},
		{"no file, wrapped", "", func() error {
			_, err := os.ReadFile(filepath.Join(dir, "none"))
			return fmt.Errorf("load: %w", err)
		}, "file_not_found"},
		{"no file, joined", "", func() error {
			_, err := os.ReadFile(filepath.Join(dir, "none"))
			return errors.Join(errors.New("first"), err)
		}, "file_not_found"},
		{"a directory", "", func() error { _, err := os.ReadFile(dir); return err }, "file_system"},
		{"it exists", "", func() error { return os.Mkdir(dir, 0o700) }, "file_system"},
		{"no permission", "", func() error { return &fs.PathError{Op: "open", Path: "a", Err: fs.ErrPermission} },
			"file_permission"},
		{"no configuration", "config", func() error { _, err := os.ReadFile(filepath.Join(dir, "none")); return err },
			"config_missing"},
		{"no skill", "skill", func() error { _, err := os.ReadFile(filepath.Join(dir, "none")); return err },
			"skill_not_found"},
		{"no command", "", func() error { return exec.Command("there-is-no-such-command").Run() }, "tool_not_found"},
		{"no command at a path", "tool", func() error { return exec.Command(filepath.Join(dir, "none")).Run() },
			"tool_not_found"},
		{"exit", "", func() error { return exec.Command("go", "there-is-no-such-command").Run() }, "tool_execution"},
		{"no name server", "", func() error { return resolve(t.Context(), closed) }, "dns_error"},
		{"no such name", "github", func() error {
			return &net.OpError{Op: "dial",
				Err: &net.DNSError{Err: "no such host", Name: "none.invalid", IsNotFound: true}}
		}, "dns_error"},
		{"refused", "", func() error { return dial(t.Context(), closed) }, "connection_error"},
		{"refused, of GitHub", "github", func() error { _, err := http.Get("http://" + closed); return err },
			"connection_error"},
		{"cut off", "github", func() error { return fmt.Errorf("read: %w", io.ErrUnexpectedEOF) }, "connection_error"},
		{"deadline", "", func() error { return expired(t).Err() }, "llm_timeout"},
		{"deadline of a dial", "", func() error { return dial(expired(t), closed) }, "network_error"},
		{"deadline of the model", "llm", func() error { return expired(t).Err() }, "llm_timeout"},
		{"deadline of GitHub", "github", func() error { return dial(expired(t), closed) }, "github_timeout"},
		{"deadline of a tool", "tool", func() error { return fmt.Errorf("bash: %w", expired(t).Err()) },
			"tool_timeout"},
		{"deadline of a skill", "skill", func() error { return expired(t).Err() }, "skill_timeout"},
	}
	for _, tt := range tests {
		t.Run("B-D05 "+tt.name, func(t *testing.T) {
			cause := tt.fail()
			require.Error(t, cause)
			err := errs.Classify(cause, detect.WithSource(taxonomy.SourceName(tt.source)))
			assert.Equal(t, tt.want, taxonomy.CodeOf(err), "%s", errs.Explain(cause,
				detect.WithSource(taxonomy.SourceName(tt.source))))
			assert.ErrorIs(t, err, cause, "D53")
		})
	}
}

// TestNotClassified checks that nil, the end of a context, and a typed error are returned
// unchanged.
func TestNotClassified(t *testing.T) {
	require.NoError(t, errs.Classify(nil))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Equal(t, context.Canceled, errs.Classify(ctx.Err()))
	own := fmt.Errorf("run: %w", errs.NewBuildFailed("no", errs.VerificationSource{}))
	assert.Equal(t, own, errs.Classify(own))
}

// TestResponses classifies HTTP responses.
func TestResponses(t *testing.T) {
	const github, openai = "api.github.com", "api.openai.com"
	tests := []struct {
		row, source, host string
		status            int
		header            map[string]string
		body              string
		want              string
	}{
		{"D78", "github", github, 404, nil,
			`{"message":"Not Found","documentation_url":"https://docs.github.com/rest"}`, "github_not_found"},
		{"D78 B-D07", "github", github, 403,
			map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1767323045"},
			`{"message":"Forbidden"}`, "github_rate_limit"},
		{"D78 B-D07", "github", github, 403, map[string]string{"X-RateLimit-Remaining": "4999"},
			`{"message":"Forbidden"}`, "github_forbidden"},
		{"D78 B-D07 B-D14", "github", github, 403, map[string]string{"Retry-After": "30"}, `{"message":"Forbidden"}`,
			"github_rate_limit"},
		{"D78 B-D07", "github", github, 403, nil,
			`{"message":"You have exceeded a secondary rate limit. Please wait."}`, "github_rate_limit"},
		{"D78", "github", github, 422, nil,
			`{"message":"Validation Failed","errors":[{"resource":"Issue","code":"missing_field","field":"title"}]}`,
			"github_validation"},
		{"D78", "github", github, 502, nil, `<html>Bad Gateway</html>`, "github_server_error"},
		{"D79 B-D09 B-D14", "llm", openai, 429, map[string]string{"Retry-After": "30"},
			`{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`, "llm_rate_limit"},
		{"D79 B-D09", "llm", openai, 429, nil,
			`{"error":{"message":"You exceeded your current quota","type":"insufficient_quota",` +
				`"code":"insufficient_quota"}}`, "llm_quota_exceeded"},
		{"D79 B-D09", "llm", openai, 401, nil,
			`{"error":{"message":"Incorrect API key provided","type":"invalid_request_error",` +
				`"code":"invalid_api_key"}}`, "llm_auth"},
		{"D79 B-D09", "llm", openai, 400, nil,
			`{"type":"error","error":{"type":"invalid_request_error","message":"messages: at least one"}}`,
			"llm_invalid_request"},
		{"D79 B-D09", "llm", openai, 529, nil,
			`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "llm_server_error"},
		// Without a source.
		{"D73 B-D08", "", github, 404, nil, `{"message":"Not Found"}`, "github_not_found"},
		{"D73 B-D08", "", github, 403, map[string]string{"X-RateLimit-Remaining": "0"}, `{"message":"Forbidden"}`,
			"github_rate_limit"},
		{"D73 B-D08", "", openai, 503, nil, `unavailable`, "llm_server_error"},
		{"D73 B-D08", "", "example.org", 503, nil, `unavailable`, "network_error"},
		{"D74", "", "example.org", 400, nil,
			`{"type":"error","error":{"type":"invalid_request_error","message":"messages: at least one"}}`,
			"llm_invalid_request"},
		{"D74", "", "example.org", 429, nil, `{"error":{"type":"rate_limit_error"}}`, "llm_rate_limit"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s %s %d %s", tt.row, tt.source, tt.status, tt.want), func(t *testing.T) {
			client := answering(t, tt.status, tt.header, tt.body)
			resp, err := client.Get("http://" + tt.host + "/user")
			require.NoError(t, err)
			defer func() { assert.NoError(t, resp.Body.Close()) }()

			e := errs.Classify(resp, detect.WithSource(taxonomy.SourceName(tt.source)))
			assert.Equal(t, tt.want, taxonomy.CodeOf(e), "%s", errs.Explain(resp,
				detect.WithSource(taxonomy.SourceName(tt.source))))
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			assert.Equal(t, tt.body, string(body), "the body can still be read")
			if tt.header["Retry-After"] != "" {
				assert.Equal(t, taxonomy.Some(30*time.Second), taxonomy.HintsOf(e).RetryAfter)
			}
		})
	}
}

// answering returns a client whose requests to any host are answered by a server on this machine.
func answering(t *testing.T, status int, header map[string]string, body string) *http.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for k, v := range header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// expired returns a context whose deadline has passed.
func expired(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	t.Cleanup(cancel)
	return ctx
}

func dial(ctx context.Context, address string) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err == nil {
		err = conn.Close()
	}
	return err
}

// resolve asks the name server at address for a name that does not exist.
func resolve(ctx context.Context, address string) error {
	r := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", address)
	}}
	_, err := r.LookupHost(ctx, "none.invalid")
	return err
}

// closedPort is an address without a listener. The port is never assigned.
const closedPort = "127.0.0.1:1"
