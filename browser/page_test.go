package browser

import (
	"bytes"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/htmlreport"
	"github.com/errgen/errgen/runtime/report/predict"
)

var update = flag.Bool("update", false, "take the pictures in docs/images")

//go:embed contrast.js
var contrast string

//go:embed layout.js
var layout string

var start = time.Date(2026, time.March, 4, 6, 0, 0, 0, time.UTC)

// clock is a clock that a test sets.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time                                   { return c.now }
func (c *clock) Sleep(ctx context.Context, d time.Duration) error { return ctx.Err() }

// kinds are errors of the sample: how many in each half hour.
var kinds = []struct {
	err      error
	severity string
	source   string
	each     [8]int
}{
	{errs.NewProviderRateLimit("anthropic-api"), "medium", "anthropic-api", [8]int{3, 2, 1, 2, 9, 30, 12, 4}},
	{errs.NewProviderAPIError("openai-api", "overloaded"), "high", "openai-api", [8]int{1, 0, 2, 4, 2, 3, 1, 0}},
	{errs.NewGitPushFailed("remote 'origin' hung up"), "low", "git", [8]int{0, 1, 0, 7, 1, 0, 1, 1}},
	{errs.NewConfigEnvVarMissing("TOKEN"), "critical", "config", [8]int{0, 0, 1, 0, 0, 0, 0, 0}},
}

// sample is a morning with an outage, and a run in it. The text is in all messages.
func sample(text string) (report.Snapshot, htmlreport.Options) {
	c := &clock{}
	reporter := report.NewReporter(report.ReporterOptions{Clock: c,
		Groups: report.GroupOptions{MaxAge: 24 * time.Hour}})
	n := 0
	for half := range 8 {
		for _, k := range kinds {
			for range k.each[half] {
				n++
				c.now = start.Add(time.Duration(half)*30*time.Minute + time.Duration(n%29)*time.Minute)
				o := report.New(k.err, report.Options{Table: errs.Table, At: c.now,
					ID: func() string { return fmt.Sprint("error-", n) },
					Facts: report.Facts{Source: &report.Source{Type: k.source, Component: "call"},
						Metadata: map[string]any{"run": fmt.Sprint("run-", half%2)}}})
				o.Severity = k.severity
				if o.Message += text; n%3 == 0 {
					helped := n%2 == 0
					o = o.With(&report.Recovery{Attempts: 1, MaxAttempts: 3, Strategy: "wait", Successful: &helped})
				}
				reporter.Report(o)
			}
		}
	}
	c.now = start.Add(4 * time.Hour)
	reporter.Retried(report.Retry{Reaction: "wait", Action: "retry", Attempts: 3, Succeeded: true})
	s := reporter.Snapshot()
	s.Title = "Morning of 4 March" + text
	for i := range 2 {
		began := start.Add(time.Duration(i) * 90 * time.Minute)
		s.Runs = append(s.Runs, report.Run{ID: fmt.Sprint("run-", i), Task: "add retries" + text, Began: began,
			Ended: began.Add(time.Hour), End: []string{"completed", "blocked"}[i], Cost: 1.25, Tokens: 81_000,
			Spans: []report.Span{
				{Kind: report.SpanCall, Began: began, Took: 20 * time.Minute, Label: "anthropic-api", Tier: "small",
					Code: "PROVIDER_RATE_LIMIT", Failed: true, Cost: .25},
				{
					Kind:  report.SpanWait,
					Began: began.Add(20 * time.Minute),
					Took:  15 * time.Minute,
					Label: "rate_limit",
				},
				{Kind: report.SpanTier, Began: began.Add(35 * time.Minute), Label: "large"},
				{Kind: report.SpanCall, Began: began.Add(35 * time.Minute), Took: 20 * time.Minute,
					Label: "anthropic-api", Tier: "large", Cost: 1},
				{Kind: report.SpanCheck, Began: began.Add(55 * time.Minute), Took: 5 * time.Minute, Label: "tests"},
			}})
	}
	return s, htmlreport.Options{Table: errs.Table, Forecasts: htmlreport.Forecasts("anthropic-api",
		[]predict.Forecast{{Code: "PROVIDER_RATE_LIMIT", Probability: .41, Low: .33, High: .5}})}
}

// view is how a page is looked at. The zero view is a wide screen in the light theme.
type view struct {
	width                 int64
	dark, print, noScript bool
}

// opened is a page in a tab.
type opened struct {
	context.Context
	t        *testing.T
	mu       sync.Mutex
	messages []string
	requests []string
	loaded   chan struct{} // a page was loaded
}

func write(t *testing.T, s report.Snapshot, o htmlreport.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, htmlreport.Write(&b, s, o))
	return b.Bytes()
}

// openPage serves a page and opens it.
func openPage(t *testing.T, page []byte, v view) *opened {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page)
	}))
	t.Cleanup(server.Close)
	return openURL(t, server.URL+"/", v)
}

// openURL opens an address in a tab.
func openURL(t *testing.T, url string, v view) *opened {
	t.Helper()
	p := &opened{Context: tab(t), t: t, loaded: make(chan struct{}, 1)}
	require.NoError(t, chromedp.Listen(p, p.listen))
	_, err := chromedp.Call(p, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	_, err = chromedp.Call(p, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: v.noScript})
	require.NoError(t, err)
	p.media(v)
	if v.width == 0 {
		v.width = 1280
	}
	require.NoError(t, chromedp.Do(p, chromedp.EmulateViewport(v.width, 1000), chromedp.Navigate(url)))
	return p
}

func openSample(t *testing.T, v view) *opened {
	t.Helper()
	s, o := sample("")
	return openPage(t, write(t, s, o), v)
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
	case *page.EventLoadEventFired:
		select {
		case p.loaded <- struct{}{}:
		default:
		}
	}
}

// media sets the theme of the system, and whether the page is printed.
func (p *opened) media(v view) {
	p.t.Helper()
	params := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme",
		Value: map[bool]string{true: "dark", false: "light"}[v.dark]}}}
	if v.print {
		params.Media = "print"
	}
	_, err := chromedp.Call(p, emulation.SetEmulatedMedia, params)
	require.NoError(p.t, err)
}

// eval returns the value of an expression in the page.
func eval[T any](p *opened, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(p.t, err, expression)
	return v
}

func (p *opened) keys(keys string) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p, chromedp.KeyEvent(keys)))
}

// press reaches an element by Tab and presses Enter.
func (p *opened) press(selector string) {
	p.t.Helper()
	for range 150 {
		if eval[bool](p, fmt.Sprintf("document.activeElement.matches(%q)", selector)) {
			p.keys(kb.Enter)
			return
		}
		p.keys("\t")
	}
	p.t.Fatalf("%s is not reached by Tab", selector)
}

// wait waits for an element that the page adds.
func (p *opened) wait(selector string) {
	p.t.Helper()
	eval[any](p, fmt.Sprintf(`new Promise(done => {
		const look = () => document.querySelector(%q) ? done() : requestAnimationFrame(look);
		look();
	})`, selector))
}

// follow does something that leads to another page, and waits until that is loaded.
func (p *opened) follow(do func()) {
	p.t.Helper()
	eval[any](p, `window.here = true`)
	do()
	for {
		select {
		case <-p.loaded:
		case <-p.Done():
			p.t.Fatal("no page was loaded")
		}
		// While the page changes, this fails or is not complete, and another event follows.
		const arrived = `window.here !== true && document.readyState === 'complete'`
		if ok, err := chromedp.Run(p, chromedp.Evaluate[bool](arrived)); err == nil && ok {
			return
		}
	}
}

// texts returns the visible texts of elements.
func (p *opened) texts(selector string) []string {
	p.t.Helper()
	return eval[[]string](p, fmt.Sprintf(`[...document.querySelectorAll(%q)].filter(e => e.checkVisibility())
		.map(e => e.innerText.replace(/\s+/g, ' ').trim())`, selector))
}

const (
	codes  = "#codes tbody th"
	groups = "#groups tbody th"
)

// count is the number in "3 of 7 groups".
func (p *opened) count(section string) string {
	p.t.Helper()
	return strings.Fields(p.texts("#" + section + " [role=status]")[0])[0]
}

func TestQuiet(t *testing.T) {
	p := openSample(t, view{})
	assert.Len(t, p.texts(codes), 4)
	assert.Len(t, p.requests, 1)
	assert.Empty(t, p.messages)
}

// TestFilters: bar → codes → groups → errors, by keyboard alone.
func TestFilters(t *testing.T) {
	p := openSample(t, view{})
	require.Len(t, p.texts(groups), 4)
	all := p.count("errors")
	p.press(".bars button")
	assert.Equal(t, "1", fmt.Sprint(len(p.texts(".chips button"))))
	assert.Less(t, len(p.texts(codes)), 4, "the codes of one bar")
	p.keys(kb.ArrowRight)
	assert.Equal(t, "1", eval[string](p, `document.activeElement.dataset.value`), "arrows move between bars")
	p.press("#codes tbody button")
	assert.Len(t, p.texts(codes), 1)
	p.press("#groups tbody button")
	assert.Equal(t, []string{"3"}, []string{fmt.Sprint(len(p.texts(".chips button")))})
	assert.NotEqual(t, all, p.count("errors"))
	p.press("#errors summary")
	p.wait("#errors .detail")
	assert.Contains(t, strings.Join(p.texts("#errors .detail"), ""), "ID")
	for range 3 {
		eval[any](p, `document.querySelector('.chips button').click()`)
	}
	assert.Equal(t, all, p.count("errors"))
	assert.Empty(t, p.texts(".chips button"))
}

func TestSearchAndSeverities(t *testing.T) {
	p := openSample(t, view{})
	eval[any](p, `document.getElementById('search').focus()`)
	p.keys("push hung")
	assert.Equal(t, "1", p.count("groups"))
	p.keys(" nowhere")
	assert.Equal(t, "0", p.count("groups"))
	assert.True(t, eval[bool](p, `document.activeElement.id === 'search'`), "the focus stays")
	eval[any](
		p,
		`(() => { const s = document.getElementById('search'); s.value = ''; s.dispatchEvent(new Event('input')); })()`,
	)
	assert.Equal(t, "4", p.count("groups"))
	p.press(`[data-value="critical"]`)
	assert.Equal(t, "3", p.count("groups"))
	assert.Equal(
		t,
		"false",
		eval[string](p, `document.querySelector('[data-value="critical"]').getAttribute('aria-pressed')`),
	)
}

func TestAdviceRunsAndForecast(t *testing.T) {
	p := openSample(t, view{})
	advice := strings.Join(p.texts("#advice li"), "\n")
	require.NotEmpty(t, advice)
	assert.Contains(t, advice, "CONFIG_ENV_VAR_MISSING")
	require.Len(t, p.texts(".run"), 2)
	assert.Contains(t, p.texts(".run")[1], "blocked")
	assert.Contains(t, p.texts(".run")[0], "2 calls · 81,000 tokens · $1.25")
	assert.Equal(t, 5, eval[int](p, `document.querySelectorAll('.run')[0].querySelectorAll('.track span').length`))
	before := p.count("errors")
	p.press(`#runs [data-value="run-1"]`)
	assert.Len(t, p.texts(".run"), 1)
	assert.NotEqual(t, before, p.count("errors"), "the errors of the run")
	assert.Contains(t, p.texts("#forecast tbody tr")[0], "41.0% 33.0% – 50.0%")
}

// TestCompare reads an earlier page and an earlier JSON report, and the one of the options.
func TestCompare(t *testing.T) {
	s, o := sample("")
	earlier := s
	earlier.Codes = []report.CodeCount{{Code: "PROVIDER_RATE_LIMIT", Count: 60}, {Code: "GONE", Count: 2}}
	o.Earlier = &report.Metrics{ErrorsByCode: map[string]int{"PROVIDER_RATE_LIMIT": 60, "GONE": 2}}
	want := map[string]string{"PROVIDER_RATE_LIMIT": "+3", "PROVIDER_API_ERROR": "new", "GONE": "gone"}
	changes := func(p *opened) map[string]string {
		return eval[map[string]string](p, `Object.fromEntries([...document.querySelectorAll('#codes tbody tr')].map(r =>
			[r.cells[1].innerText.trim(), r.cells[4].innerText]).filter(([code]) => /RATE|API_ERROR|GONE/.test(code)))`)
	}
	assert.Equal(t, want, changes(openPage(t, write(t, s, o), view{})))
	page := write(t, earlier, htmlreport.Options{})
	for name, content := range map[string]string{"earlier.html": string(page),
		"report.json": `{"metrics":{"errorsByCode":{"PROVIDER_RATE_LIMIT":60,"GONE":2}},"errors":[]}`} {
		p := openSample(t, view{})
		eval[any](p, fmt.Sprintf(`(async () => {
			const input = document.getElementById('earlier'), files = new DataTransfer();
			files.items.add(new File([%q], %q));
			input.files = files.files;
			input.dispatchEvent(new Event('change'));
		})()`, content, name))
		p.wait("#codes thead th:nth-child(6)")
		assert.Equal(t, want, changes(p), name)
	}
}

func TestLocalTime(t *testing.T) {
	p := openSample(t, view{})
	first := func() string { return p.texts("#groups tbody time")[0] }
	assert.Contains(t, first(), "01:0", "the browser is in New York")
	p.press("#zone")
	assert.Contains(t, first(), "06:0")
	assert.Contains(t, p.texts("#made")[0], "UTC")
}

func TestTheme(t *testing.T) {
	p := openSample(t, view{})
	ground := func() string { return eval[string](p, `getComputedStyle(document.body).backgroundColor`) }
	light := ground()
	p.press("#theme")
	dark := ground()
	assert.NotEqual(t, light, dark)
	p.keys(kb.Enter)
	assert.Equal(t, light, ground())
}

// TestLook checks WCAG's contrast, targets of at least 24 pixels, and no horizontal overflow.
func TestLook(t *testing.T) {
	for _, dark := range []bool{false, true} {
		for _, width := range []int64{1280, 360} {
			t.Run(fmt.Sprintf("dark=%v/%d", dark, width), func(t *testing.T) {
				p := openSample(t, view{dark: dark, width: width})
				eval[any](p, `document.querySelectorAll('details').forEach(d => { d.open = true })`)
				assert.Greater(t, eval[int](p, contrast+`.texts`), 150)
				assert.Empty(t, eval[[]string](p, contrast+`.low`))
				assert.LessOrEqual(t, eval[int64](p, `document.documentElement.scrollWidth`), width)
				assert.Empty(t, eval[[]string](p, `[...document.querySelectorAll('button:not(.bar), input, summary')]
					.filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 24).map(e => e.outerHTML.slice(0, 90))`))
			})
		}
	}
}

// widths are the widths of a phone, a laptop and a wide screen.
var widths = []int64{380, 1280, 1920}

// TestLayout fails if a text of the report overlaps another one, is cut, or breaks inside a word.
func TestLayout(t *testing.T) {
	plain, o := sample("")
	long, _ := sample(" of https://example.org/a/path/that/has/no/end?and=a&query=of-many-words" +
		strings.Repeat(" and of many more words", 20))
	long.Title = plain.Title
	names := strings.NewReplacer(
		"CONFIG_ENV_VAR_MISSING", "CONFIGURATION_OF_THE_ENVIRONMENT_MISSING_OR_EMPTY",
		`"config"`, `"dependency_management"`)
	pages := map[string][]byte{
		"sample":     write(t, plain, o),
		"long names": []byte(names.Replace(string(write(t, long, o)))),
	}
	for name, page := range pages {
		for _, dark := range []bool{false, true} {
			for _, width := range widths {
				t.Run(fmt.Sprintf("%s/dark=%v/%d", name, dark, width), func(t *testing.T) {
					p := openPage(t, page, view{dark: dark, width: width})
					assert.Empty(t, eval[[]string](p, layout))
					eval[any](p, `document.querySelectorAll('details').forEach(d => { d.open = true })`)
					assert.Empty(t, eval[[]string](p, layout))
				})
			}
		}
	}
}

func TestPrint(t *testing.T) {
	p := openSample(t, view{dark: true, print: true, width: 800})
	assert.Equal(t, "rgb(255, 255, 255)", eval[string](p, `getComputedStyle(document.body).backgroundColor`))
	assert.Empty(t, p.texts("#filters, #theme, #zone"))
	assert.Len(t, p.texts(codes), 4)
}

func TestWithoutScript(t *testing.T) {
	p := openSample(t, view{noScript: true})
	assert.Contains(t, strings.Join(p.texts("noscript tr"), "\n"), "CONFIG_ENV_VAR_MISSING 1 ")
	assert.Empty(t, p.texts("#theme"))
}

func TestNoErrors(t *testing.T) {
	p := openPage(t, write(t, report.Snapshot{}, htmlreport.Options{}), view{width: 360})
	assert.Equal(t, []string{"No errors were reported."}, p.texts("main .empty"))
	assert.Empty(t, p.messages)
	running := report.Snapshot{Runs: []report.Run{{ID: "r", Began: start}}}
	p = openPage(t, write(t, running, htmlreport.Options{}), view{})
	assert.Contains(t, p.texts(".run")[0], "r running")
	assert.Empty(t, p.messages)
}

// TestHostileTexts: markup stays text, and the policy forbids what markup would try.
func TestHostileTexts(t *testing.T) {
	const evil = `</script><img src=x onerror="window.reached=1"><script>window.reached=1</script>{{.}}<!--`
	s, o := sample(evil)
	p := openPage(t, write(t, s, o), view{})
	eval[any](p, `document.querySelectorAll('details').forEach(d => { d.open = true })`)
	assert.Equal(t, 0, eval[int](p, `document.querySelectorAll('img').length`))
	assert.True(t, eval[bool](p, `window.reached === undefined`))
	assert.Contains(t, p.texts(groups)[0], `</script><img`)
	assert.Len(t, p.requests, 1)
	assert.Equal(t, "refused", eval[string](p, `fetch('/stolen').then(() => 'reached', () => 'refused')`))
	assert.Equal(t, "refused", eval[string](p,
		`(() => { try { document.body.innerHTML = '<b>x</b>'; } catch { return 'refused'; } return 'reached'; })()`))
}

// TestPictures takes the pictures of the documentation with -update. Other versions of a browser
// draw a little differently, so otherwise it checks only their size.
func TestPictures(t *testing.T) {
	for name, dark := range map[string]bool{"report-light.png": false, "report-dark.png": true} {
		if *update {
			p := openSample(t, view{dark: dark})
			if dark {
				eval[any](p, `document.querySelector("#runs").scrollIntoView()`)
			}
			takePicture(t, p, name)
		}
		checkPicture(t, name, 1280, 200_000)
	}
}

func takePicture(t *testing.T, p *opened, name string) {
	t.Helper()
	shot, err := chromedp.Run(p, chromedp.CaptureScreenshot())
	require.NoError(t, err)
	img, err := png.Decode(bytes.NewReader(shot))
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, img))
	require.NoError(t, os.WriteFile(filepath.Join("..", "docs", "images", name), b.Bytes(), 0o644))
}

func checkPicture(t *testing.T, name string, width, size int) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "docs", "images", name))
	require.NoError(t, err)
	config, err := png.DecodeConfig(bytes.NewReader(b))
	require.NoError(t, err)
	assert.Equal(t, width, config.Width)
	assert.Less(t, len(b), size)
}
