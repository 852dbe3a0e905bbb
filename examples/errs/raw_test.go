package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Errors of Go as they come, with nothing said beside them but who failed at what.
func TestGoErrors(t *testing.T) {
	failed := func(err error) error {
		require.Error(t, err)
		return err
	}
	_, refused := (&net.Dialer{}).Dial("tcp", closedPort)
	_, noFile := os.ReadFile("no/such/file")
	_, directory := os.ReadFile(".")
	past, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	late, err := http.NewRequestWithContext(past, http.MethodGet, "http://127.0.0.1:1/", nil)
	require.NoError(t, err)
	_, tooLate := http.DefaultClient.Do(late)
	lookup := &net.DNSError{Err: "no such host", Name: "api.example.org", IsNotFound: true}
	denied := &fs.PathError{Op: "open", Path: "key", Err: syscall.EACCES}

	for _, tt := range []struct {
		name, source, op string
		raw              error
		code             string
		retryable        bool
	}{
		{"A122: the command is not installed", "claude-cli", "call",
			failed(exec.Command("no-such-command-anywhere").Run()), "PROVIDER_NOT_AVAILABLE", false},
		{"A122: the command is not where it should be", "claude-cli", "call",
			failed(exec.Command("/no/such/command").Run()), "PROVIDER_NOT_AVAILABLE", false},
		{"A119: what is run is a directory", "claude-cli", "call", failed((&exec.Cmd{Path: "/"}).Run()),
			"PROVIDER_CRASH", true},
		{"A121: an exit", "claude-cli", "call", failed(run("exit 3")), "PROVIDER_CRASH", true},
		{"B-A12: a signal", "claude-cli", "call", failed(run("kill -9 $$")), "PROVIDER_CRASH", true},
		{"B-A27: an exit that says why", "claude-cli", "call",
			failed(run("echo 'Invalid API key · Please run /login' >&2; exit 1")), "PERMISSION_API_AUTH", false},
		{"B-A27: standard output is not searched", "claude-cli", "call",
			failed(run("echo 'Claude usage limit reached'; exit 1")), "PROVIDER_CRASH", true},
		{"A120: a deadline", "claude-cli", "call", context.DeadlineExceeded, "ITERATION_TIMEOUT", true},
		{"B-A25: a refused connection", "anthropic-api", "call", failed(refused), "PROVIDER_API_ERROR", true},
		{"B-A25: no such host", "anthropic-api", "call",
			&url.Error{Op: "Post", URL: "https://api.example.org/", Err: lookup}, "PROVIDER_API_ERROR", true},
		{"B-A25: a connection that was reset", "openai-api", "call",
			&net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)},
			"PROVIDER_API_ERROR", true},
		{"B-A25: an answer that broke off", "anthropic-api", "call", io.ErrUnexpectedEOF, "PROVIDER_API_ERROR", true},
		{"B-A25: a connection that timed out by itself", "anthropic-api", "call",
			&net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}, "PROVIDER_API_ERROR", true},
		{"B-A25: and for the system", "anthropic-api", "call",
			&net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ETIMEDOUT)},
			"PROVIDER_API_ERROR", true},
		{"B-A27: a request past its deadline", "anthropic-api", "call", failed(tooLate), "OPERATION_TIMEOUT", true},
		{"A131: an error of nobody's", "openai-api", "call", errors.New("something new"), "PROVIDER_CRASH", true},
		{"A138: no configuration", "config", "load_config", failed(noFile), "CONFIG_MISSING", false},
		{"B-A41: a directory in its place", "config", "load_config", failed(directory), "CONFIG_INVALID", false},
		{"B-A41: one that may not be read", "config", "load_config", denied, "PERMISSION_FILE_ACCESS", false},
		{"A44: a file that may not be read", "", "", denied, "PERMISSION_FILE_ACCESS", false},
		{"A44: nor written, and no more is known", "", "", fs.ErrPermission, "PERMISSION_FILE_ACCESS", false},
		{"A124: git is not installed", "git", "detect_changes", failed(exec.Command("no-such-git-anywhere").Run()),
			"GIT_STATUS_FAILED", true},
		{"A109: a revert that may not write", "git", "revert", denied, "GIT_REVERT_FAILED", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := errs.Classify(fmt.Errorf("task 42: %w", tt.raw),
				detect.WithSource(taxonomy.SourceName(tt.source)), detect.WithOp(taxonomy.OpName(tt.op)))
			assert.Equal(t, tt.code, taxonomy.CodeOf(err), "%v",
				errs.Explain(tt.raw, detect.WithSource(taxonomy.SourceName(tt.source)),
					detect.WithOp(taxonomy.OpName(tt.op))))
			assert.Equal(t, tt.retryable, taxonomy.IsRetryable(err))
			assert.ErrorIs(t, err, tt.raw, "what failed is the cause")
		})
	}
}

// closedPort is an address without a listener. The port is never assigned.
const closedPort = "127.0.0.1:1"

func TestWhatIsNotClassified(t *testing.T) {
	assert.NoError(t, errs.Classify(nil))

	cancelled := fmt.Errorf("call: %w", context.Canceled)
	assert.Same(t, cancelled, errs.Classify(cancelled, detect.WithSource(errs.SourceClaudeCLI)))

	own := fmt.Errorf("task 42: %w", errs.NewGitPushFailed("gone"))
	assert.Same(t, own, errs.Classify(own, detect.WithSource(errs.SourceClaudeCLI)),
		"B-A14: an error of the taxonomy keeps its category")
}

// A response is classified by status, headers and body, and its body can still be read.
func TestAnswers(t *testing.T) {
	api, err := serveFailures()
	require.NoError(t, err)
	defer func() { assert.NoError(t, api.server.Close()) }()
	for path, want := range map[string]struct {
		code    string
		context string
	}{
		"/limited": {"PROVIDER_RATE_LIMIT",
			`{"provider":"anthropic-api","statusCode":429,"rawError":"This request would exceed your rate limit.",` +
				`"retryAfter":"30s"}`},
		"/overloaded": {"PROVIDER_API_ERROR", `{"provider":"anthropic-api","statusCode":529,"rawError":"Overloaded"}`},
		"/unpaid": {"PROVIDER_API_ERROR",
			`{"provider":"anthropic-api","statusCode":429,"rawError":"You exceeded your current quota.",` +
				`"quotaExceeded":true}`},
		"/nowhere": {"PROVIDER_API_ERROR",
			`{"provider":"anthropic-api","statusCode":404,"rawError":"404 page not found"}`},
	} {
		t.Run(path, func(t *testing.T) {
			resp, err := http.Get(api.url + path)
			require.NoError(t, err)
			defer func() { assert.NoError(t, resp.Body.Close()) }()
			err = errs.Classify(resp, detect.WithSource(errs.SourceAnthropicAPI),
				detect.WithOp(taxonomy.OpName("call")))
			assert.Equal(t, want.code, taxonomy.CodeOf(err))
			assert.JSONEq(t, want.context, string(contextOf(t, err)))
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			assert.NotEmpty(t, body)
		})
	}
}

// A nil pointer to an error of ours says nothing, so that what wraps it is classified like any
// other failure.
func TestNilOfOurOwn(t *testing.T) {
	var none *errs.ProviderError
	assert.NoError(t, errs.Classify(none))
	for _, err := range []error{fmt.Errorf("save: %w", none), errors.Join(none), &taxonomy.Evidence{Err: none}} {
		got := errs.Classify(err)
		assert.Equal(t, "PROVIDER_CRASH", taxonomy.CodeOf(got))
		assert.True(t, taxonomy.IsRetryable(got))
		assert.Contains(t, errs.Explain(err).String(), "PROVIDER_CRASH")
		_, jsonErr := json.Marshal(errs.Explain(err))
		assert.NoError(t, jsonErr)
	}
}
