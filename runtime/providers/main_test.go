// Package providers_test has the contract of the providers: one suite that each provider passes,
// over HTTP with the real SDKs or with a real process.
package providers_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers"
	"github.com/errgen/errgen/runtime/providers/anthropic"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/providers/openai"
	pt "github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// key is long enough to be replaced in texts, and of no form that is masked as a secret anyway.
const key = "correct-horse-battery-staple"

const (
	anthropicAPI = "anthropic-api"
	openaiAPI    = "openai-api"
	claudeCLI    = "claude-cli"
)

// apis are the providers over HTTP, and all are all providers.
var (
	apis = []string{anthropicAPI, openaiAPI}
	all  = []string{anthropicAPI, openaiAPI, claudeCLI}
)

// script is what the service or the program behind a provider does, in order.
type script struct {
	replies []pt.Reply
	steps   []pt.CLIStep
}

func http200(replies ...pt.Reply) script    { return script{replies: replies} }
func process(steps ...pt.CLIStep) script    { return script{steps: steps} }
func anthropicText(s string) script         { return http200(pt.AnthropicText(s)) }
func (s script) then(more ...script) script { return join(append([]script{s}, more...)...) }

func join(scripts ...script) (all script) {
	for _, s := range scripts {
		all.replies, all.steps = append(all.replies, s.replies...), append(all.steps, s.steps...)
	}
	return all
}

// text is an answer of the provider, tool one that calls a tool, and fixture a failure.
func text(provider, s string) script {
	switch provider {
	case anthropicAPI:
		return anthropicText(s)
	case openaiAPI:
		return http200(pt.OpenAIText(s))
	}
	return process(pt.CLIAnswer(s))
}

func tool(provider, name, arguments string) script {
	return tools(provider, "", pt.ToolCall{Name: name, Arguments: arguments})
}

func tools(provider, says string, calls ...pt.ToolCall) script {
	if provider == anthropicAPI {
		return http200(pt.AnthropicMessage{Text: says, Calls: calls}.Reply())
	}
	return http200(pt.OpenAIMessage{Text: says, Calls: calls}.Reply())
}

func fixture(provider, name string) script {
	switch provider {
	case anthropicAPI:
		return http200(pt.Fixture("anthropic/" + name))
	case openaiAPI:
		return http200(pt.Fixture("openai/" + name))
	}
	return process(pt.CLIFixture("claude/" + name))
}

func hang(provider string) script {
	if provider == claudeCLI {
		return process(pt.CLIHang())
	}
	return http200(pt.Hang())
}

// always repeats the last part of the script.
func (s script) always() script {
	for i := range s.replies {
		s.replies[i].Repeat = i == len(s.replies)-1
	}
	for i := range s.steps {
		s.steps[i].Repeat = i == len(s.steps)-1
	}
	return s
}

// options are those that all providers have in common.
type options struct {
	name    string
	tools   toolbox.Options
	turns   int
	priced  bool
	cache   bool
	url     string // in place of the server's
	dial    error  // of each connection, in place of the network
	claude  claudecli.Options
	noKey   bool
	trace   func(*http.Request) *http.Request
	unknown bool // the certificate of the server
}

// subject is a provider with its service or program.
type subject struct {
	executor.Provider
	server *pt.Server
	cli    *pt.CLI
}

// count returns how often the service or the program was called.
func (s *subject) count(t *testing.T) int {
	t.Helper()
	if s.server != nil {
		return len(s.server.Requests())
	}
	calls, err := s.cli.Calls()
	require.NoError(t, err)
	return len(calls)
}

// open returns a provider whose service or program plays the script.
func open(t *testing.T, provider string, o options, s script) *subject {
	t.Helper()
	if provider == claudeCLI {
		cli, err := pt.NewCLI(t.TempDir(), s.steps...)
		require.NoError(t, err)
		o.claude.Path, o.claude.Name = cli.Path, o.name
		if o.claude.Grace == 0 {
			o.claude.Grace = 200 * time.Millisecond
		}
		p, err := claudecli.New(o.claude)
		require.NoError(t, err)
		t.Cleanup(func() { assertEnded(t, cli) })
		return &subject{p, nil, cli}
	}
	server := pt.NewServer(s.replies...)
	transport := &http.Transport{}
	if o.dial != nil {
		transport.DialContext = failingDial(o.dial)
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
	})
	client := &http.Client{Transport: &traced{transport, o.trace}}
	url := o.url
	if url == "" {
		url = server.URL
	}
	if o.unknown {
		unknown := httptest.NewUnstartedServer(http.NotFoundHandler())
		unknown.Config.ErrorLog = log.New(io.Discard, "", 0)
		unknown.StartTLS()
		t.Cleanup(unknown.Close)
		url = unknown.URL
	}
	secret := key
	if o.noKey {
		secret = ""
	}
	p, err := api(provider, o, url, secret, client)
	require.NoError(t, err)
	return &subject{p, server, nil}
}

func api(provider string, o options, url, secret string, client *http.Client) (executor.Provider, error) {
	if provider == anthropicAPI {
		c := anthropic.Options{Name: o.name, BaseURL: url, Key: secret, Model: "claude-sonnet-4-5", Client: client,
			Toolbox: o.tools, Turns: o.turns, Cache: o.cache}
		if o.priced {
			c.Prices = &providers.Prices{Input: 3, Output: 15, CacheWrite: 3.75, CacheRead: 0.3}
		}
		return anthropic.New(c)
	}
	c := openai.Options{Name: o.name, BaseURL: url + "/v1", Key: secret, Model: "gpt-4.1", Client: client,
		Toolbox: o.tools, Turns: o.turns}
	if o.priced {
		c.Prices = &providers.Prices{Input: 3, Output: 15, CacheRead: 0.3}
	}
	return openai.New(c)
}

// traced passes each request through a function before it is sent.
type traced struct {
	next  http.RoundTripper
	trace func(*http.Request) *http.Request
}

// RoundTrip sends the request.
func (x *traced) RoundTrip(r *http.Request) (*http.Response, error) {
	if x.trace != nil {
		r = x.trace(r)
	}
	return x.next.RoundTrip(r)
}

// request is a request for work in an empty directory.
func request(t *testing.T) executor.Request {
	return executor.Request{Prompt: "do it", Dir: t.TempDir(), Iteration: 3}
}

// evidence returns the evidence that an error is.
func evidence(t *testing.T, err error) *taxonomy.Evidence {
	t.Helper()
	ev, ok := errors.AsType[*taxonomy.Evidence](err)
	require.True(t, ok, "%v is no evidence", err)
	return ev
}

// code returns the code that the AIDF taxonomy gives a failure.
func code(t *testing.T, err error) string {
	t.Helper()
	require.Error(t, err)
	return taxonomy.CodeOf(errs.Classify(err))
}

// assertEnded asserts that neither the program nor its children run.
func assertEnded(t *testing.T, cli *pt.CLI) {
	t.Helper()
	calls, err := cli.Calls()
	require.NoError(t, err)
	pids := []int{}
	if cli.Child() != 0 {
		pids = append(pids, cli.Child())
	}
	for _, c := range calls {
		pids = append(pids, c.PID)
	}
	for _, pid := range pids {
		out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
		gone := err != nil || strings.HasPrefix(strings.TrimSpace(string(out)), "Z")
		assert.True(t, gone, "process %d runs", pid)
	}
}

// within returns a context that ends after d, which is also the limit of the request.
func within(t *testing.T, req *executor.Request, d time.Duration) context.Context {
	req.Limit = d
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
