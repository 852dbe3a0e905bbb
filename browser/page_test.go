package browser

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/htmlreport"
)

// view is how a page is looked at. The zero view is a wide screen in the light theme.
type view struct {
	width, height int64
	dark, print   bool
	// noScript turns JavaScript off.
	noScript bool
}

// opened is a page in a tab.
type opened struct {
	context.Context
	t *testing.T

	mu       sync.Mutex
	messages []string
	requests []string
}

func write(t *testing.T, s report.Snapshot, o htmlreport.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, htmlreport.Write(&b, s, o))
	return b.Bytes()
}

// openSample opens the sample from a loopback server.
func openSample(t *testing.T, v view) *opened {
	t.Helper()
	s, o := sample(t)
	return open(t, serve(t, write(t, s, o)), v)
}

// serve is a server that has the page and nothing else.
func serve(t *testing.T, page []byte) string {
	t.Helper()
	return serveAnd(t, page, func(string) {})
}

// serveAnd tells of every path that is asked for.
func serveAnd(t *testing.T, page []byte, asked func(path string)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked(r.URL.Path)
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

func file(t *testing.T, page []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	require.NoError(t, os.WriteFile(path, page, 0o600))
	return "file://" + filepath.ToSlash(path)
}

func open(t *testing.T, url string, v view) *opened {
	t.Helper()
	p := &opened{Context: tab(t), t: t}
	require.NoError(t, chromedp.Listen(p, p.listen))
	_, err := chromedp.Call(p, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	_, err = chromedp.Call(p, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: v.noScript})
	require.NoError(t, err)
	p.scheme(v.dark, v.print)
	if v.width == 0 {
		v.width = 1280
	}
	if v.height == 0 {
		v.height = 900
	}
	require.NoError(t, chromedp.Do(p, chromedp.EmulateViewport(v.width, v.height), chromedp.Navigate(url)))
	return p
}

func (p *opened) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *runtime.EventConsoleAPICalled:
		p.messages = append(p.messages, "console: "+string(e.Type))
	case *runtime.EventExceptionThrown:
		p.messages = append(p.messages, "exception: "+e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		p.messages = append(p.messages, "log: "+e.Entry.Text)
	}
}

// scheme sets what the system prefers, and whether the page is being printed.
func (p *opened) scheme(dark, printed bool) {
	p.t.Helper()
	params := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme",
		Value: "light"}}}
	if dark {
		params.Features[0].Value = "dark"
	}
	if printed {
		params.Media = "print"
	}
	_, err := chromedp.Call(p, emulation.SetEmulatedMedia, params)
	require.NoError(p.t, err)
}

// prefer sets one preference of the system, and no other.
func (p *opened) prefer(name, value string) {
	p.t.Helper()
	_, err := chromedp.Call(
		p, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: name, Value: value}}})
	require.NoError(p.t, err)
}

// assertQuiet holds when the page said nothing and asked for nothing but itself.
func (p *opened) assertQuiet(url string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	assert.Empty(p.t, p.messages)
	assert.Equal(p.t, []string{url}, p.requests)
}

// eval returns what an expression is in the page.
func eval[T any](p *opened, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(p.t, err, expression)
	return v
}

// keys presses keys.
func (p *opened) keys(keys string) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p, chromedp.KeyEvent(keys)))
}

// tabTo presses Tab until what an expression names has the focus.
func (p *opened) tabTo(expression string) {
	p.t.Helper()
	for range 200 {
		p.keys("\t")
		if eval[bool](p, "document.activeElement === "+expression) {
			return
		}
	}
	p.t.Fatalf("%s is not reached by Tab", expression)
}
