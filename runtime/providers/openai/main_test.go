package openai

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testKey = "sk-proj-0123456789abcdefABCDEF"

// served returns a server that plays the replies, and a provider that asks it.
func served(t *testing.T, change func(*Options), replies ...providertest.Reply) (*providertest.Server, *Provider) {
	t.Helper()
	server := providertest.NewServer(replies...)
	t.Cleanup(server.Close)
	return server, provider(t, server.URL, change)
}

func provider(t *testing.T, url string, change func(*Options)) *Provider {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	o := Options{BaseURL: url + "/v1", Key: testKey, Model: "gpt-4.1", Client: &http.Client{Transport: transport}}
	if change != nil {
		change(&o)
	}
	p, err := New(o)
	require.NoError(t, err)
	return p
}

func request(t *testing.T) executor.Request {
	return executor.Request{Prompt: "Write a.txt.", Dir: t.TempDir(), Iteration: 1}
}

// evidenceOf returns the evidence that err is.
func evidenceOf(t *testing.T, err error) *taxonomy.Evidence {
	t.Helper()
	var ev *taxonomy.Evidence
	require.ErrorAs(t, err, &ev)
	assert.Same(t, err, error(ev), "the evidence is the error itself")
	assert.Equal(t, DefaultName, ev.Source)
	return ev
}

// heard collects progress.
type heard struct {
	mu    sync.Mutex
	lines []string
}

func (h *heard) add(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lines = append(h.lines, line)
}

func (h *heard) all() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.lines, "\n")
}
