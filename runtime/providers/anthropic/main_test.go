package anthropic_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/anthropic"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// key is long enough to be looked for, and not of a form that is masked as a secret anyway.
const key = "correct-horse-battery-staple"

// provider returns a provider that talks to the server, and calls with it in a directory of its
// own.
func provider(t *testing.T, url string, options ...func(*anthropic.Options)) *anthropic.Provider {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	o := anthropic.Options{BaseURL: url, Key: key, Model: "claude-sonnet-4-5",
		Client: &http.Client{Transport: transport}}
	for _, option := range options {
		option(&o)
	}
	p, err := anthropic.New(o)
	require.NoError(t, err)
	return p
}

func serve(t *testing.T, replies ...providertest.Reply) *providertest.Server {
	t.Helper()
	server := providertest.NewServer(replies...)
	t.Cleanup(server.Close)
	return server
}

// call makes one call of a provider that gets the replies.
func call(t *testing.T, replies ...providertest.Reply) (executor.Answer, error) {
	t.Helper()
	server := serve(t, replies...)
	p := provider(t, server.URL)
	return p.Call(context.Background(), executor.Request{Prompt: "do it", Dir: t.TempDir()})
}

// evidence returns the evidence that an error is.
func evidence(t *testing.T, err error) *taxonomy.Evidence {
	t.Helper()
	var ev *taxonomy.Evidence
	require.True(t, errors.As(err, &ev), "%v is no evidence", err)
	return ev
}
