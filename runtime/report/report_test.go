package report_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "ghp_abcdefghijABCDEFGHIJ0123456789abcdef"

var moment = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// clock is a clock that tests advance.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: moment} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.pass(d)
	return ctx.Err()
}

func occurrence(category, severity, message string) *report.Occurrence {
	return &report.Occurrence{ID: report.NewID(), At: moment, Category: category, Severity: severity, Message: message}
}

func tried(attempts int, successful ...bool) *report.Recovery {
	r := &report.Recovery{Attempts: attempts, MaxAttempts: 3, Strategy: "fix"}
	if len(successful) > 0 {
		r.Successful = &successful[0]
	}
	return r
}

// full is an occurrence with every field.
func full() *report.Occurrence {
	return &report.Occurrence{
		ID: "id", At: time.UnixMilli(1_700_000_000_123).UTC(), Domain: "domain", Category: "network",
		Code: "NETWORK_DOWN", Severity: "high", Recoverability: "retryable", Retryable: true,
		Message: "no route <to> host", SourceCode: "E1", Stack: "main.go:1", Fingerprint: "0123",
		Cause:      &report.Occurrence{ID: "cause", Message: "cause"},
		Source:     &report.Source{Type: "llm", Component: "api", Endpoint: "https://example.org/v1", Method: "POST"},
		Execution:  &report.Execution{Mode: "agent", Skill: "s", Tool: "t", Step: "p", TaskID: "k", SessionID: "n"},
		Repository: &report.Repository{Owner: "o", Repo: "r", EntityNumber: 7, EntityType: "pr"},
		Recovery:   tried(1, true), Finding: &report.Finding{Code: "TS2322", File: "a.ts", Line: 3, Column: 5},
		Reaction: "retry", Action: "retry_operation", Context: json.RawMessage(`{"host":"a"}`),
		Metadata: map[string]any{"a": 1.0, "list": []any{"x", map[string]any{"y": true}}},
	}
}

// D45 to D66, D132.
func TestOccurrenceJSON(t *testing.T) {
	const want = `{"errorId":"id","timestamp":1700000000123,"domain":"domain","category":"network",` +
		`"errorCode":"NETWORK_DOWN","severity":"high","recoverability":"retryable","retryable":true,` +
		`"message":"no route \u003cto\u003e host","code":"E1","stack":"main.go:1","fingerprint":"0123",` +
		`"cause":{"errorId":"cause","timestamp":0,"category":"","severity":"","recoverability":"","retryable":false,` +
		`"message":"cause"},"source":{"type":"llm","component":"api","endpoint":"https://example.org/v1",` +
		`"method":"POST"},"execution":{"mode":"agent","skill":"s","tool":"t","step":"p","taskId":"k",` +
		`"sessionId":"n"},"github":{"owner":"o","repo":"r","entityNumber":7,"entityType":"pr"},` +
		`"recovery":{"attempts":1,"maxAttempts":3,"strategy":"fix","successful":true},` +
		`"finding":{"code":"TS2322","file":"a.ts","line":3,"column":5},"reaction":"retry",` +
		`"action":"retry_operation","context":{"host":"a"},"metadata":{"a":1,"list":["x",{"y":true}]}}`
	b, err := json.Marshal(full())
	require.NoError(t, err)
	assert.Equal(t, want, string(b))
	var read report.Occurrence
	require.NoError(t, json.Unmarshal(b, &read))
	again, err := json.Marshal(read)
	require.NoError(t, err)
	assert.Equal(t, want, string(again))
	for _, in := range []string{`[]`, `{"timestamp":"now"}`, `{"errorId":1}`, `{"metadata":[]}`} {
		assert.ErrorContains(t, json.Unmarshal([]byte(in), &read), "occurrence: ", in)
	}
}

// TestMasked: an occurrence that is filled in by hand is masked and bounded wherever it is shown.
func TestMasked(t *testing.T) {
	huge := strings.Repeat("x y ", 1<<20)
	round := map[string]any{}
	round["self"] = round
	cause := &report.Occurrence{Message: "end"}
	for range 100 {
		cause = &report.Occurrence{Message: huge, Cause: cause}
	}
	for name, o := range map[string]*report.Occurrence{
		"secrets": {
			ID: secret, Category: secret, Severity: secret, Code: secret, Message: "a " + secret, Stack: secret,
			Source:    &report.Source{Type: secret, Component: secret, Endpoint: secret},
			Execution: &report.Execution{Mode: secret, TaskID: secret}, Finding: &report.Finding{File: secret},
			Repository: &report.Repository{Owner: secret}, Recovery: &report.Recovery{Strategy: secret},
			Reaction: secret, Cause: &report.Occurrence{Message: secret},
			Context: json.RawMessage(`{"a":"` + secret + `","b":"\u0067` + secret[1:] + `"}`),
			Metadata: map[string]any{secret: secret, "password": "abcdefghij", "n": []any{map[string]any{"x": secret}},
				"struct": struct{ A string }{secret}},
		},
		"long":     {ID: huge, Category: huge, Message: huge, Stack: huge, Metadata: map[string]any{"a": huge}},
		"circular": {Message: "m", Metadata: round},
		"causes":   {Message: "m", Cause: cause},
		"values": {Message: "m", Context: json.RawMessage(`{`),
			Metadata: map[string]any{"func": func() {}, "panics": panicking{}}},
		"UTF-8": {ID: "\xff", Message: "a\xff\xfe", Metadata: map[string]any{"\xff": "\xff"}},
	} {
		t.Run(name, func(t *testing.T) {
			reporter, groups := report.NewReporter(report.ReporterOptions{}), report.NewGroups(report.GroupOptions{})
			report.Sinks{reporter, groups}.Report(o)
			b, err := json.Marshal(o)
			require.NoError(t, err)
			assert.Less(t, len(b), 128<<10)
			var out strings.Builder
			require.NoError(t, reporter.WriteCSV(&out))
			require.NoError(t, reporter.WriteJSON(&out))
			require.NoError(t, json.NewEncoder(&out).Encode(report.NewSnapshot(reporter, groups)))
			for _, s := range []string{string(b), out.String()} {
				assert.NotContains(t, s, "abcdefghij")
				assert.True(t, utf8.ValidString(s))
			}
		})
	}
}

type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("broken") }
func (panicking) Error() string                { panic("broken") }
func (panicking) Unwrap() error                { panic("broken") }

func overloaded() *taxonomy.Evidence {
	return &taxonomy.Evidence{
		Source: "anthropic-api", Op: "call", Status: 529, Type: "overloaded_error", Text: "overloaded, token=" + secret,
		Attributes: map[string]string{
			"url": "https://api.example.org/v1/messages?key=abc#x", "host": "other", "method": "POST", "mode": "agent",
			"skill": "review", "tool": "bash", "step": "3", "task_id": "t-1", "session_id": "s-1", "owner": "o",
			"repo": "r", "entity_number": "17", "entity_type": "pr",
		},
	}
}

// D155, D157: what an occurrence has from its error and the evidence in its tree.
func TestNew(t *testing.T) {
	for name, tt := range map[string]struct {
		err   error
		given *taxonomy.Evidence
	}{
		"in the tree": {fmt.Errorf("review: %w", errs.Classify(fmt.Errorf("call: %w", overloaded()))), nil},
		"given":       {fmt.Errorf("review: %w", errs.Classify(overloaded())), overloaded()},
	} {
		t.Run(name, func(t *testing.T) {
			o := report.New(tt.err, report.Options{Evidence: tt.given, Table: errs.Table, At: moment,
				ID: func() string { return "1" }, Facts: report.Facts{Metadata: map[string]any{"run": "r"}}})
			assert.Equal(t, []string{"1", "aidf", "provider", "PROVIDER_API_ERROR", "", "retryable", "529", "backoff",
				"retry"}, []string{o.ID, o.Domain, o.Category, o.Code, o.Severity, o.Recoverability, o.SourceCode,
				o.Reaction, o.Action})
			assert.Equal(t, moment, o.At)
			assert.True(t, o.Retryable)
			assert.Contains(t, o.Message, "review: ")
			assert.Equal(t, &report.Source{Type: "anthropic-api", Component: "call",
				Endpoint: "https://api.example.org/v1/messages", Method: "POST"}, o.Source)
			assert.Equal(t, &report.Execution{Mode: "agent", Skill: "review", Tool: "bash", Step: "3", TaskID: "t-1",
				SessionID: "s-1"}, o.Execution)
			assert.Equal(t, &report.Repository{Owner: "o", Repo: "r", EntityNumber: 17, EntityType: "pr"}, o.Repository)
			assert.Equal(t, overloaded().Fingerprint(), o.Fingerprint)
			assert.Equal(t, map[string]any{"run": "r"}, o.Metadata)
			assert.Nil(t, o.Context, "no profile reports contexts")
		})
	}
	assert.Nil(t, report.New(nil, report.Options{}))
}

// D51, D55, D56, D60, D61: evidence with several attributes for one field, or half of one.
func TestEvidence(t *testing.T) {
	of := func(attributes map[string]string) *report.Occurrence {
		return report.New(&taxonomy.Evidence{Source: "github", Op: "call", Code: "rate_limited", Status: 429,
			Attributes: attributes}, report.Options{})
	}
	assert.Equal(t, "rate_limited", of(nil).SourceCode, "the source's own code wins over the status")
	assert.Equal(t, "octokit", of(map[string]string{"component": "octokit"}).Source.Component)
	assert.Equal(t, "https://a.example/b",
		of(map[string]string{"host": "h", "url": "https://a.example/b?token=x#y"}).Source.Endpoint)
	assert.Nil(t, of(map[string]string{"owner": "o", "entity_number": "7"}).Repository, "owner and name, or none")
	for _, number := range []string{"-5", "0", "7.5", "seven", "99999999999999999999"} {
		assert.Zero(
			t,
			of(map[string]string{"owner": "o", "repo": "r", "entity_number": number}).Repository.EntityNumber,
		)
	}
}

// TestFinding: the finding of a compiler or linter is kept, from attributes or a failed command.
// A classified error has no evidence in its tree, but fields that evidence filled.
func TestSourceInField(t *testing.T) {
	classified := orders.Classify(taxonomy.Evidence{Source: "gateway", Status: 503})
	options := report.Options{Evidence: &taxonomy.Evidence{Source: "bank"}}
	assert.Equal(t, &report.Source{Type: "gateway", Component: "unknown"},
		report.New(fmt.Errorf("pay: %w", classified), report.Options{}).Source)
	assert.Equal(t, "bank", report.New(classified, options).Source.Type, "the evidence comes first")
	assert.Nil(t, report.New(orders.NewStoreDown(), report.Options{}).Source)
}

func TestFinding(t *testing.T) {
	want := &report.Finding{Code: "TS2322", File: "src/a.ts", Line: 12, Column: 5}
	const output = "src/a.ts(12,5): error TS2322: Type 'string' is not assignable"
	for name, e := range map[string]*taxonomy.Evidence{
		"attributes": {Attributes: map[string]string{"finding": "TS2322", "file": "src/a.ts", "line": "12",
			"column": "5"}},
		"output": {ExitCode: taxonomy.Some(2), Output: output},
		"text":   {ExitCode: taxonomy.Some(2), Text: output},
	} {
		assert.Equal(t, want, report.New(e, report.Options{}).Finding, name)
	}
	assert.Nil(t, report.New(&taxonomy.Evidence{Output: output}, report.Options{}).Finding, "not of a command")
}

// TestOtherErrors: errors without a code, and errors that misbehave.
func TestOtherErrors(t *testing.T) {
	deep := error(io.EOF)
	for range 10_000 {
		deep = fmt.Errorf("deep: %w", deep)
	}
	for name, tt := range map[string]struct {
		err     error
		message string
	}{
		"plain":  {io.EOF, "EOF"},
		"panics": {panicking{}, "(report_test.panicking panics when asked for its text)"},
		"nil":    {(*taxonomy.Evidence)(nil), "failure without evidence"},
		"deep":   {deep, ""},
		"long":   {errors.New(strings.Repeat("a b ", 1<<20) + secret), ""},
		"secret": {errors.New("x " + secret), "x [REDACTED]"},
		"UTF-8":  {errors.New("a\xff"), "a\uFFFD"},
	} {
		o := report.New(tt.err, report.Options{Table: errs.Table, At: moment})
		if tt.message != "" {
			assert.Equal(t, tt.message, o.Message, name)
		}
		assert.Empty(t, o.Code, name)
		assert.Len(t, o.Fingerprint, 16, name)
		assert.LessOrEqual(t, len(o.Message), 4096, name)
	}
}

func TestCauses(t *testing.T) {
	o := report.New(errs.NewProviderNotAvailable("outer").WithCause(
		fmt.Errorf("wrapped: %w", errs.NewProviderRateLimit("inner"))), report.Options{Table: errs.Table})
	require.NotNil(t, o.Cause)
	assert.Equal(t, "PROVIDER_RATE_LIMIT", o.Cause.Code)
	assert.Nil(t, o.Cause.Cause)
	assert.Nil(t, report.New(fmt.Errorf("a: %w", io.EOF), report.Options{}).Cause, "the message has it all")
}

// D144: the profile decides whether stack and context are reported.
func TestProfiles(t *testing.T) {
	profiled := func(r taxonomy.Reporting) taxonomy.Table {
		return taxonomy.Table{Taxonomy: errs.Table.Taxonomy, Overlay: &taxonomy.Profile{Reporting: r,
			Detection: taxonomy.Detection{Severity: true, Recoverability: true}}}
	}
	err := taxonomy.WithStack(errs.NewProviderRateLimit("p"))
	for _, tt := range []struct {
		name           string
		options        report.Options
		stack, context bool
	}{
		{"no profile", report.Options{Table: errs.Table}, true, false},
		{"all", report.Options{Table: profiled(taxonomy.Reporting{Stack: true, Context: true})}, true, true},
		{"neither", report.Options{Table: profiled(taxonomy.Reporting{})}, false, false},
		{"options", report.Options{Table: profiled(taxonomy.Reporting{}), Stack: taxonomy.Some(true),
			Context: taxonomy.Some(true)}, true, true},
	} {
		o := report.New(err, tt.options)
		assert.Equal(t, tt.stack, strings.Contains(o.Stack, "TestProfiles"), tt.name)
		assert.Equal(t, tt.context, strings.Contains(string(o.Context), `"provider":"p"`), tt.name)
	}
}

// D158.
func TestEnrich(t *testing.T) {
	o := full()
	e := o.Enrich(report.Facts{
		Source: &report.Source{Method: "GET"}, Execution: &report.Execution{Mode: "cli", Skill: "given"},
		Repository: &report.Repository{Owner: "owner", Repo: "repo", EntityType: "hack"},
		Metadata:   map[string]any{"a": "given", "n": 7, "password": "hunter22"},
	}, report.EnrichOptions{At: time.UnixMilli(1_800_000_000_001)})
	assert.Equal(t, full(), o, "the occurrence is not changed")
	assert.Equal(t, &report.Source{Type: "llm", Component: "api", Endpoint: "https://example.org/v1", Method: "GET"},
		e.Source)
	assert.Equal(t, &report.Execution{Mode: "cli", Skill: "given", Tool: "t", Step: "p", TaskID: "k", SessionID: "n"},
		e.Execution)
	assert.Equal(t, &report.Repository{Owner: "owner", Repo: "repo"}, e.Repository, "replaced, not merged")
	assert.Equal(t, map[string]any{
		"a": "given", "n": 7.0, "password": "[REDACTED]", "list": []any{"x", map[string]any{"y": true}},
		"enrichedAt": 1_800_000_000_001.0, "enrichmentSource": "error-context-enricher",
	}, e.Metadata)
	assert.Equal(
		t,
		&report.Execution{Mode: "unknown", Tool: "t"},
		(&report.Occurrence{}).Enrich(
			report.Facts{Execution: &report.Execution{Tool: "t"}},
			report.EnrichOptions{},
		).Execution,
	)
	assert.Nil(t, (*report.Occurrence)(nil).Enrich(report.Facts{}, report.EnrichOptions{}))
}

// D158, D159, B-D23.
func TestStatusInMessage(t *testing.T) {
	options := report.EnrichOptions{StatusSources: []string{"github", "llm"}}
	for _, tt := range []struct{ message, code, source, want string }{
		{"404 Not Found", "", "github", "404"},
		{"404 Not Found", "", "tool", ""},
		{"404 Not Found", "E1", "github", "E1"},
		{"line 120: request failed with 404", "", "llm", "404"},
		{"ran 429 tests", "", "llm", ""},
	} {
		o := report.Occurrence{Message: tt.message, SourceCode: tt.code, Source: &report.Source{Type: tt.source}}
		assert.Equal(t, tt.want, o.Enrich(report.Facts{}, options).SourceCode, tt.message)
	}
}

// D133, D135, D136, B-D22: an update corrects the counts.
func TestUpdate(t *testing.T) {
	r := report.NewReporter(report.ReporterOptions{})
	o := occurrence("c", "low", "m")
	o.Reaction, o.Action = "fix", "recover"
	r.Report(o)
	for _, tt := range []struct {
		o                        *report.Occurrence
		tried, succeeded, failed int
	}{
		{o, 0, 0, 0}, {o.With(tried(1)), 1, 0, 0}, {o.With(tried(1, false)), 1, 0, 1}, {o.With(tried(2, true)), 1, 1,
			0},
		{o.With(tried(2, true)), 1, 1, 0}, {occurrence("c", "low", "not reported").With(tried(1, true)), 1, 1, 0},
		{nil, 1, 1, 0},
	} {
		r.Update(tt.o)
		m := r.Metrics()
		assert.Equal(t, []int{tt.tried, tt.succeeded, tt.failed, 1},
			[]int{m.RecoveryAttempts, m.SuccessfulRecoveries, m.FailedRecoveries, m.TotalErrors})
	}
	r.Report(o.With(tried(3, false)))
	assert.Equal(t, 1, r.Metrics().TotalErrors, "a second report is an update")
	other := o.With(tried(3, false))
	other.Reaction, other.Action = "stop", "abort"
	r.Update(other)
	assert.Equal(t, []report.ReactionOutcome{{Reaction: "stop", Action: "abort", Count: 1, Failed: 1}}, r.Outcomes())
	r.Report(&report.Occurrence{})
	r.Report(&report.Occurrence{})
	assert.Equal(t, 3, r.Metrics().TotalErrors, "without an ID each is new")
	r.Clear()
	assert.Zero(t, r.Metrics().TotalErrors)
	assert.Empty(t, r.All())
	assert.Empty(t, r.Outcomes())
}

// D137, D138, D139.
func TestQueries(t *testing.T) {
	r := report.NewReporter(report.ReporterOptions{MaxErrors: 4})
	for i, c := range []struct{ category, severity string }{{"a", "low"}, {"a", "high"}, {"", "high"}, {"a", "high"},
		{"b", "info"}} {
		o := occurrence(c.category, c.severity, fmt.Sprint(i))
		o.At, o.Code = moment.Add(time.Duration(i)*time.Millisecond), strings.ToUpper(c.category)
		r.Report(o)
	}
	at := func(ms int) time.Time { return moment.Add(time.Duration(ms) * time.Millisecond) }
	for name, tt := range map[string]struct {
		got  []report.Occurrence
		want string
	}{
		"all": {r.All(), "1234"}, "last 2": {r.Last(2), "34"}, "last 0": {r.Last(0), ""}, "last 9": {r.Last(9), "1234"},
		"category": {r.ByCategory("a"), "13"}, "no category": {r.ByCategory("unknown"), "2"},
		"severity":    {r.BySeverity("high"), "123"},
		"no severity": {r.BySeverity("unknown"), "4"}, "both ends": {r.Between(at(2), at(3)), "23"},
		"backwards": {r.Between(at(3), at(2)), ""},
	} {
		got := ""
		for _, o := range tt.got {
			got += o.Message
		}
		assert.Equal(t, tt.want, got, name)
	}
	assert.Equal(t, 5, r.Metrics().TotalErrors)
}

// D141.
func TestSummary(t *testing.T) {
	r := report.NewReporter(report.ReporterOptions{})
	o := occurrence("c", "high", "m")
	o.Recoverability = "retryable"
	r.Report(o.With(tried(1, true)))
	r.Report(occurrence("c", "low", "m").With(tried(1, false)))
	r.Report(occurrence("c", "", "m").With(tried(1)))
	assert.Equal(t, "Error Summary:\n-------------\nTotal Errors: 3\nRecovery Rate: 33.3% (1/3)\n"+
		"Retry Rate: 0% (0/0)\n\nBy Severity:\n- Low: 1\n- Medium: 0\n- High: 1\n- Critical: 0\n- Unknown: 1\n\n"+
		"By Recoverability:\n- Retryable: 1\n- Recoverable: 0\n- Permanent: 0\n- Unknown: 2", r.Summary())
}

// D142, D143, B-D21.
func TestFiles(t *testing.T) {
	r := report.NewReporter(report.ReporterOptions{})
	o := full()
	o.Message = "a \"b\", </script>\r\nd;=1"
	r.Report(o)
	r.Report(&report.Occurrence{ID: "2", At: time.UnixMilli(-5), Message: "=1+1", Recovery: &report.Recovery{}})
	r.Report(
		&report.Occurrence{
			ID:       "3",
			Category: "+c",
			Severity: "-s",
			Source:   &report.Source{Type: "\t@t", Component: " =c"},
		},
	)
	var b strings.Builder
	require.NoError(t, r.WriteCSV(&b))
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	require.NoError(t, err)
	assert.Equal(t, [][]string{
		{"errorId", "timestamp", "category", "severity", "message", "sourceType", "sourceComponent", "recoveryAttempts",
			"recoverySuccessful"},
		{"id", "1700000000123", "network", "high", "a \"b\", </script>\nd;'=1", "llm", "api", "1", "true"},
		{"2", "-5", "", "", "'=1+1", "", "", "0", ""},
		{"3", "", "'+c", "'-s", "", "'\t'@t", "' =c", "", ""},
	}, rows)
	b.Reset()
	require.NoError(t, r.WriteJSON(&b))
	assert.NotContains(t, b.String(), "<")
	var read struct {
		Metrics report.Metrics
		Errors  []report.Occurrence
	}
	require.NoError(t, json.Unmarshal([]byte(b.String()), &read))
	assert.Equal(t, r.Metrics(), read.Metrics)
	assert.Len(t, read.Errors, 3)
	assert.ErrorContains(t, r.WriteJSON(fullDisk{}), "write report as JSON: disk full")
	assert.ErrorContains(t, r.WriteCSV(fullDisk{}), "write report as CSV: disk full")
}

// fullDisk is a writer to a full disk.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// TestTimes: a time that is missing, ahead of the clock, or far in the past.
func TestTimes(t *testing.T) {
	for _, tt := range []struct {
		name    string
		at      time.Time
		want    time.Time
		outside int
	}{
		{"missing", time.Time{}, moment, 0},
		{"an hour ahead", moment.Add(time.Hour), moment.Add(time.Hour), 0},
		{"more than an hour ahead", moment.Add(time.Hour + time.Second), moment, 0},
	} {
		c := newClock()
		r := report.NewReporter(report.ReporterOptions{Clock: c})
		r.Report(&report.Occurrence{At: tt.at})
		got := r.Timeline()
		require.Len(t, got.Buckets, 1, tt.name)
		assert.Equal(t, tt.want, got.Buckets[0].Start, tt.name)
	}
	r := report.NewReporter(report.ReporterOptions{Clock: newClock()})
	r.Report(&report.Occurrence{At: time.Unix(1, 0)})
	for range 100 {
		r.Report(&report.Occurrence{At: moment})
	}
	assert.Equal(t, time.Second, r.Timeline().Step, "one wrong time does not change the step")
	assert.Equal(t, 1, r.Timeline().Outside)
}

// A timeline has at most 120 buckets of a round length.
func TestTimelineStep(t *testing.T) {
	const day = 24 * time.Hour
	for after, step := range map[time.Duration]time.Duration{
		time.Second: time.Second, 119 * time.Second: time.Second, 2 * time.Minute: 5 * time.Second,
		15 * time.Minute: 15 * time.Second, time.Hour: time.Minute, 8 * time.Hour: 5 * time.Minute,
		day: 15 * time.Minute, 4 * day: time.Hour, 14 * day: 6 * time.Hour, 90 * day: day,
		800 * day: 7 * day, 1600 * day: 14 * day, 3000 * day: 28 * day,
	} {
		c := newClock()
		r := report.NewReporter(report.ReporterOptions{Clock: c})
		r.Report(&report.Occurrence{At: moment})
		c.pass(after)
		r.Report(&report.Occurrence{At: moment.Add(after)})
		got := r.Timeline()
		assert.Equal(t, step, got.Step, after)
		assert.Zero(t, got.Outside, after)
		assert.LessOrEqual(t, len(got.Buckets), 121, after)
	}
}

func TestRuns(t *testing.T) {
	var runs report.Runs
	for i := range 101 {
		runs.Begin(fmt.Sprint("run-", i), "task", moment)
	}
	runs.Add("run-100", report.Span{Kind: report.SpanCall, Took: time.Second, Cost: .5, Tokens: 7, Label: secret})
	runs.Fail("run-100", "DOWN")
	for range 500 {
		runs.Add("run-100", report.Span{Kind: report.SpanWait})
	}
	runs.End("run-100", "blocked", moment)
	all := runs.All()
	require.Len(t, all, 100)
	assert.Equal(t, "run-1", all[0].ID)
	last := all[99]
	assert.Equal(t, report.Span{Kind: report.SpanCall, Took: time.Second, Cost: .5, Tokens: 7, Label: "[REDACTED]",
		Code: "DOWN", Failed: true}, last.Spans[0])
	assert.Equal(t, []any{500, 1, .5, int64(7), "blocked"}, []any{len(last.Spans), last.Dropped, last.Cost, last.Tokens,
		last.End})
}
