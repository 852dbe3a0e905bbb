package htmlreport_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/htmlreport"
)

var update = flag.Bool("update", false, "write the golden file")

var noon = time.Date(2026, time.March, 4, 12, 0, 0, 0, time.UTC)

// page is what Write writes, as text.
func page(t testing.TB, s report.Snapshot, o htmlreport.Options) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, htmlreport.Write(&b, s, o))
	return b.String()
}

// snapshot has one of everything, with the text wherever a text can be.
func snapshot(text string) report.Snapshot {
	yes := true
	first := report.Occurrence{
		ID: "id " + text, At: noon, Domain: text, Category: "net " + text, Code: "CODE " + text, Severity: "high",
		Recoverability: text,
		Message:        "refused " + text, SourceCode: text, Stack: "main.go:1\n" + text, Fingerprint: text,
		Cause:  &report.Occurrence{Code: text, Message: "cause " + text},
		Source: &report.Source{Type: text, Component: text, Endpoint: text, Method: text},
		Execution: &report.Execution{
			Mode: text, Skill: text, Tool: text, Step: text, TaskID: text, SessionID: text,
		},
		Repository: &report.Repository{Owner: text, Repo: text, EntityNumber: 7, EntityType: text},
		Recovery:   &report.Recovery{Attempts: 1, MaxAttempts: 3, Strategy: text, Successful: &yes},
		Reaction:   "reaction " + text, Action: text,
		Context:  json.RawMessage(`{"key":` + quoted(text) + `}`),
		Metadata: map[string]any{"key " + text: text, "b": 1.0, "a": nil},
	}
	return report.Snapshot{
		Title: "title " + text, At: noon.Add(time.Hour),
		Metrics: report.Metrics{
			TotalErrors: 12, ErrorsByCategory: map[string]int{"net " + text: 9, "b": 3},
			ErrorsBySeverity:       map[string]int{"high": 9, "critical": 2, "low": 1},
			ErrorsBySource:         map[string]int{"source " + text: 12},
			ErrorsByRecoverability: map[string]int{"permanent": 4, "retryable": 8},
			RecoveryAttempts:       8, SuccessfulRecoveries: 5, FailedRecoveries: 2, RetryAttempts: 9,
			SuccessfulRetries: 4,
			FailedRetries:     2,
			ErrorsByCode:      map[string]int{"CODE " + text: 9, "unknown": 3},
		},
		Codes: []report.CodeCount{
			{Code: "CODE " + text, Category: "net " + text, Count: 9, Severity: "critical",
				Latest: noon.Add(4 * time.Minute)},
			{Code: "unknown", Count: 3, Severity: text, Latest: noon},
		},
		Groups: []report.Group{
			{ID: "1", Category: "b", Pattern: "small", Severity: "low", Count: 3, FirstSeen: noon,
				LastSeen: noon.Add(time.Minute), Sample: report.Occurrence{Message: "small", Severity: "low"}},
			{ID: "2", Category: "net " + text, Pattern: "large " + text, Severity: "high", Count: 9, FirstSeen: noon,
				LastSeen: noon.Add(26 * time.Hour), Sample: first},
		},
		GroupAge: time.Hour, Expired: report.Gone{Groups: 1, Errors: 2, Severity: text},
		Evicted: report.Gone{Groups: 1, Errors: 1, Severity: "low"},
		Timeline: report.Timeline{Step: time.Minute, Buckets: []report.Bucket{
			{Start: noon, ByCategory: map[string]int{"net " + text: 8},
				BySeverity: map[string]int{"high": 6, "critical": 2}},
			{Start: noon.Add(4 * time.Minute), ByCategory: map[string]int{"net " + text: 1, "b": 3},
				BySeverity: map[string]int{"high": 3, "low": 1}},
		}},
		Outcomes: []report.ReactionOutcome{
			{Reaction: "reaction " + text, Action: "recover", Count: 8, Recovered: 5, Failed: 2, Pending: 1,
				SuccessfulRetries: 4, FailedRetries: 2},
			{Reaction: "fail", Action: "abort", Count: 4},
		},
		Last: []report.Occurrence{first,
			{At: noon.Add(time.Minute), Severity: text, Message: text,
				Recovery: &report.Recovery{Attempts: 1, MaxAttempts: 2}}},
	}
}

func options(text string) htmlreport.Options {
	return htmlreport.Options{Forecasts: []htmlreport.Forecast{{Provider: "provider " + text, Code: "CODE " + text,
		Probability: .4, Low: .25, High: .75}}}
}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

func TestGolden(t *testing.T) {
	got := page(t, snapshot("plain"), options("plain"))
	for range 20 {
		require.Equal(t, got, page(t, snapshot("plain"), options("plain")), "maps have no order, the page has")
	}
	path := filepath.Join("testdata", "report.html")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func TestSaysWhatIsInTheSnapshot(t *testing.T) {
	text := words(page(t, snapshot("x"), options("x")))
	for _, want := range []string{
		"title x", "Made 4 Mar 2026, 13:00:00 UTC",
		"Errors 12 2 critical, 9 high",
		"Groups 2 the largest has 9 errors; no longer kept: 2 groups, with 3 errors up to low",
		"Recovery rate 62.5%", "5 of 8 recoveries", "Retry rate 66.7%", "4 of 6 retried operations, 9 more calls",
		"Time span 4 min 4 Mar 2026 12:00:00 – 12:04:00 UTC",
		"12 errors. The most frequent is net x (75.0%). The peak is 8 in the 1 min from 4 Mar 12:00 UTC.",
		"4 Mar 12:04 UTC: 4 errors (high 3, low 1)",
		"5 of 8 recoveries, 1 open",
		"critical CODE x net x 9 share 75.0% 4 Mar 2026 12:04:00",
		"other unknown several 3 share 25.0% 4 Mar 2026 12:00:00",
		"reaction x recover errors 8 recoveries 62.5% 5 of 8, 1 open retries 66.7% 4 of 6",
		"fail abort errors 4 recoveries none retries none",
		"provider x CODE x 40.0% 25.0% – 75.0%",
		"recovered, 1 of 3", "tried 1 of 2",
		"Caused by x: cause x",
	} {
		assert.Contains(t, text, want)
	}
	assert.Less(t, strings.Index(text, "large x"), strings.Index(text, "small"),
		"the group with the most errors is first")
}

func TestEmptySnapshot(t *testing.T) {
	text := words(page(t, report.Snapshot{}, htmlreport.Options{}))
	assert.Contains(t, text, "No errors were reported.")
	assert.NotContains(t, text, "Groups")
	assert.NotContains(t, text, "Made")
}

// TestParts has snapshots of which only a part is there.
func TestParts(t *testing.T) {
	whole := snapshot("x")
	for name, c := range map[string]struct {
		snapshot report.Snapshot
		options  htmlreport.Options
		want     []string
	}{
		"groups only": {report.Snapshot{Groups: whole.Groups}, htmlreport.Options{},
			[]string{"Errors 12 the highest severity is high", "large x", "no recoveries",
				"Time span 1 d 2 h 4 Mar 2026 12:00:00 – 5 Mar 2026 14:00:00 UTC"}},
		"metrics only": {report.Snapshot{Metrics: whole.Metrics}, htmlreport.Options{}, []string{
			"Errors 12", "By category", "none seen lately", "not stated CODE x unknown 9 share 75.0% not known",
		}},
		"last only": {report.Snapshot{Last: whole.Last}, htmlreport.Options{}, []string{"Latest errors", "refused x"}},
		"forecast":  {report.Snapshot{}, options("x"), []string{"No errors were reported.", "provider x CODE x"}},
	} {
		t.Run(name, func(t *testing.T) {
			text := words(page(t, c.snapshot, c.options))
			for _, want := range c.want {
				assert.Contains(t, text, want)
			}
		})
	}
}

// hostile are texts that try to be more than text.
var hostile = map[string]string{
	"script":     `<script>alert(1)</script><img src=x onerror=alert(1)>`,
	"end style":  `</style></script></title></textarea>--><svg onload=alert(1)>`,
	"attribute":  `" onmouseover="alert(1)" x='` + "`" + `'`,
	"template":   `{{.}} {{template "x"}} ${alert(1)} {{"{{"}}`,
	"direction":  "ok \u202egpj.exe\u202c \u2066\u200f \u061c",
	"invisible":  "a\u200b\ufeff\u2060\U000e0041b",
	"control":    "\x00\x01\x1b[31m\x7f\u0085\u2028\r\n\t",
	"invalid":    "\xff\xfe\xc3\x28\xed\xa0\x80",
	"entities":   `&lt;script&gt; &#x202e; &amp;quot;`,
	"marks":      "z" + strings.Repeat("\u0301\u0489", 5000),
	"url":        `javascript:alert(1) https://example.com/?q=<b>`,
	"long":       strings.Repeat("A<", 5<<20),
	"long line":  strings.Repeat("\u202e", 1<<20),
	"only space": " \t\n ",
}

// TestHostileTextStaysText compares the page with that of a harmless text: it has the same markup.
func TestHostileTextStaysText(t *testing.T) {
	want := markup(page(t, snapshot("plain"), options("plain")))
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			got := page(t, snapshot(text), options(text))
			if name != "only space" {
				assert.Equal(t, want, markup(got))
			}
			assertHarmless(t, got)
			assert.Less(t, len(got), 200_000)
		})
	}
}

func assertHarmless(t *testing.T, page string) {
	t.Helper()
	assert.Equal(t, 1, strings.Count(page, "<script"))
	assert.NotContains(t, page, "<img")
	assert.Equal(t, strings.ToValidUTF8(page, ""), page)
	for _, r := range page {
		if r != '\n' && r != '\t' && (r < ' ' || r >= 0x7f && r < 0xa0) ||
			strings.ContainsRune(
				"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c\u200b\ufeff\u2028\u2029", r) {
			t.Fatalf("the page has %U", r)
		}
	}
}

// TestSecretsAreMasked holds for snapshots that were not made by package report, too.
func TestSecretsAreMasked(t *testing.T) {
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	assert.NotContains(t, page(t, snapshot("token "+secret), options("token "+secret)), secret)
}

// TestBounded has more than a page shows, of texts that grow most when they are shown.
func TestBounded(t *testing.T) {
	text := strings.Repeat(`"&'<+`, 40_000)
	one := snapshot(text)
	s := one
	s.Metrics.ErrorsBySource, s.Metrics.ErrorsByCode = map[string]int{}, map[string]int{}
	for i := range 10_000 {
		g := one.Groups[1]
		g.ID, g.Count = fmt.Sprint(i), i
		s.Groups = append(s.Groups, g)
		s.Metrics.ErrorsBySource[fmt.Sprintf("%d %s", i, text[:100])] = i
		s.Metrics.ErrorsByCode[fmt.Sprintf("%d %s", i, text[:100])] = i
		s.Codes = append(
			s.Codes, report.CodeCount{Code: fmt.Sprintf("%d %s", i, text[:100]), Category: text, Severity: text})
	}
	for range 1000 {
		s.Last = append(s.Last, one.Last[0])
		s.Outcomes = append(s.Outcomes, one.Outcomes[0])
	}
	for i := range 1000 {
		s.Timeline.Buckets = append(s.Timeline.Buckets, report.Bucket{
			Start:      noon.Add(time.Duration(i) * time.Minute),
			ByCategory: map[string]int{fmt.Sprintf("%d %s", i%300, text[:100]): math.MaxInt, "x": -5},
			BySeverity: map[string]int{text[:10]: math.MaxInt},
		})
	}
	o := htmlreport.Options{}
	for range 1000 {
		o.Forecasts = append(
			o.Forecasts,
			htmlreport.Forecast{Provider: text[:100], Code: text[:100], Probability: math.NaN(), Low: math.Inf(1),
				High: math.Inf(-1)})
	}
	got := page(t, s, o)
	assert.Less(t, len(got), 6_000_000)
	assert.Contains(t, got, "Shown are the 500 largest of 10,002 groups.")
	assert.Contains(t, got, "The latest 50 of 1,002 that are kept.")
	assert.Contains(t, got, "9,950 more codes")
	assert.NotContains(t, got, "NaN")
	assert.NotContains(t, got, "Inf%")
}

// TestWithoutRoom has more details than the page: of each error the main facts are shown, and it is
// said once that these are not all.
func TestWithoutRoom(t *testing.T) {
	var s report.Snapshot
	for i := range 600 {
		o := report.Occurrence{
			ID: fmt.Sprint("id-", i), At: noon, Category: "net", Code: "C",
			Message: fmt.Sprint("message ", i, strings.Repeat(" long", 400)),
			Stack:   strings.Repeat("at f\n", 2000), Metadata: map[string]any{"k": "v"},
		}
		s.Groups = append(s.Groups, report.Group{ID: o.ID, Category: "net", Pattern: "p", Count: 1000 - i, Sample: o})
		s.Last = append(s.Last, o)
	}
	got := page(t, s, htmlreport.Options{MaxGroups: 1000, MaxLatest: 300})
	text := words(got)
	assert.NotContains(t, text, "left out")
	short := regexp.MustCompile(`Of (\d+) groups only message, time, ID and category of the first error are shown`).
		FindAllStringSubmatch(text, -1)
	require.Len(t, short, 1)
	stacks := strings.Count(text, "Stack at f")
	assert.Equal(t, fmt.Sprint(900-stacks), short[0][1], "all latest errors have room")
	assert.Contains(t, text, "message 599 long")
	assert.Equal(t, 900, strings.Count(text, "Time 2026-03-04 12:00:00.000 UTC"))
	assert.Equal(t, 900, strings.Count(text, "Category net"))
	assert.Contains(t, text, "ID id-599")

	s.Last = append(s.Last, s.Last...)
	assert.Contains(t, words(page(t, s, htmlreport.Options{MaxGroups: 1, MaxLatest: 2000})),
		"errors only message, time, ID and category are shown")
	assert.NotContains(t, words(page(t, snapshot("x"), options("x"))), "are shown")
}

// TestRetriesAlone are shown, also where no error was reported.
func TestRetriesAlone(t *testing.T) {
	r := report.NewReporter(report.ReporterOptions{})
	r.Retried(report.Retry{Reaction: "wait", Action: "retry", Attempts: math.MaxInt, Succeeded: true})
	r.Retried(report.Retry{Reaction: "wait", Action: "retry", Attempts: math.MaxInt, Succeeded: true})
	text := words(page(t, report.NewSnapshot(r, nil), htmlreport.Options{}))
	assert.Contains(t, text, "Errors 0 none reported")
	assert.Contains(t, text, "100.0% 2 of 2 retried operations")
	assert.NotContains(t, text, "−")
	assert.Contains(t, text, "wait retry errors 0 recoveries none retries 100.0% 2 of 2")
}

func TestOptions(t *testing.T) {
	got := page(t, snapshot("x"), htmlreport.Options{MaxGroups: 1, MaxLatest: 1})
	assert.Contains(t, got, "Shown are the 1 largest of 2 groups.")
	assert.Contains(t, got, "The latest 1 of 2 that are kept.")
	assert.NotContains(t, got, `id="forecast"`)
}

// TestPolicyAllowsOnlyWhatIsInThePage checks the hashes against what a browser would hash.
func TestPolicyAllowsOnlyWhatIsInThePage(t *testing.T) {
	got := page(t, snapshot("x"), options("x"))
	policy := html.UnescapeString(regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).
		FindStringSubmatch(got)[1])
	assert.True(t, strings.HasPrefix(policy, "default-src 'none'; "), policy)
	assert.NotContains(t, policy, "unsafe")
	for _, element := range []string{"style", "script"} {
		in := regexp.MustCompile(`(?s)<` + element + `>(.*?)</` + element + `>`).FindStringSubmatch(got)[1]
		sum := sha256.Sum256([]byte(in))
		assert.Contains(
			t, policy, fmt.Sprintf("%s-src 'sha256-%s'", element, base64.StdEncoding.EncodeToString(sum[:])))
	}
	assert.NotRegexp(t, `(?i)\s(on[a-z]+|style|src|srcset|action)=`, got,
		"no handlers, no style attributes, nothing to load")
	for _, link := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(got, -1) {
		assert.True(t, strings.HasPrefix(link[1], "#"), link[1])
	}
	assert.NotRegexp(t, `url\([^#]|@import|https?:`, got)
}

// TestReferences has every id once, and every reference to one that there is.
func TestReferences(t *testing.T) {
	got := page(t, snapshot("x"), options("x"))
	ids := map[string]int{}
	for _, m := range regexp.MustCompile(`\sid="([^"]*)"`).FindAllStringSubmatch(got, -1) {
		ids[m[1]]++
	}
	for id, n := range ids {
		assert.Equal(t, 1, n, id)
	}
	for _, m := range regexp.MustCompile(`(?:href="#|url\(#|for="|aria-controls="|aria-labelledby=")([^")]*)`).
		FindAllStringSubmatch(got, -1) {
		for _, id := range strings.Fields(m[1]) {
			assert.Contains(t, ids, id)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteTellsOfAnErrorOfTheWriter(t *testing.T) {
	require.EqualError(t, htmlreport.Write(broken{}, report.Snapshot{}, htmlreport.Options{}),
		"write the page: disk full")
}

func FuzzWrite(f *testing.F) {
	for _, text := range hostile {
		f.Add(text[:min(len(text), 1000)], int64(time.Minute), int64(0), 3)
	}
	f.Add("x", int64(-1), int64(math.MinInt64), math.MaxInt)
	f.Fuzz(func(t *testing.T, text string, step, at int64, count int) {
		s := snapshot("a" + text)
		s.Timeline.Step = time.Duration(step)
		s.Timeline.Buckets[0].Start = time.Unix(at, 0)
		s.Timeline.Buckets[0].ByCategory[text] = count
		s.Groups[0].Count, s.Groups[0].FirstSeen = count, time.Unix(at, 0)
		s.Outcomes[0].Count, s.Outcomes[0].Failed = count, count
		got := page(t, s, options("a"+text))
		assertHarmless(t, got)
		assert.Less(t, len(got), 400_000)
	})
}

// markup is a page without its texts and numbers: tags and the names of their attributes.
func markup(page string) []string {
	tags := regexp.MustCompile(`<[^>]*>`).FindAllString(page, -1)
	for i, tag := range tags {
		tags[i] = regexp.MustCompile(`"[^"]*"`).ReplaceAllString(tag, `""`)
	}
	return tags
}

// words are a page's texts.
func words(page string) string {
	body := page[strings.Index(page, "<body>"):strings.LastIndex(page, "<script>")]
	body = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(body, " ")
	return strings.NewReplacer(" ,", ",").Replace(strings.Join(strings.Fields(html.UnescapeString(body)), " "))
}
