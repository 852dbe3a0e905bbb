package report

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var moment = time.Date(2026, 1, 2, 3, 4, 5, 678_900_000, time.UTC)

func some[T any](v T) taxonomy.Opt[T] { return taxonomy.Some(v) }

func fixed(id string) func() string { return func() string { return id } }

func overloaded() *taxonomy.Evidence {
	return &taxonomy.Evidence{
		Source: "anthropic-api", Op: "call", Status: 529, Type: "overloaded_error", Text: "overloaded, token=" + secret,
		Attributes: map[string]string{
			"url": "https://api.example.org/v1/messages?key=abc#x", "host": "other", "method": "POST", "mode": "agent",
			"skill": "review", "tool": "bash", "step": "3", "task_id": "t-1", "session_id": "s-1", "owner": "o",
			"repo":          "r",
			"entity_number": "17", "entity_type": "pr",
		},
	}
}

func TestNewOfATypedError(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		given *taxonomy.Evidence
	}{
		"evidence in the tree": {fmt.Errorf("review: %w", errs.Classify(fmt.Errorf("call: %w", overloaded()))), nil},
		"evidence beside it":   {fmt.Errorf("review: %w", errs.Classify(overloaded())), overloaded()},
	} {
		t.Run(name, func(t *testing.T) { testNewOfATypedError(t, c.err, c.given) })
	}
}

func testNewOfATypedError(t *testing.T, err error, given *taxonomy.Evidence) {
	table := errs.Table
	o := New(
		err, Options{Evidence: given, Table: table, At: moment, ID: fixed("1"),
			Facts: Facts{Metadata: map[string]any{"run": "r"}}})
	assert.Equal(t, "1", o.ID)
	assert.Equal(t, moment.Truncate(time.Millisecond), o.At)
	assert.Equal(t, "aidf", o.Domain)
	assert.Equal(t, "PROVIDER_API_ERROR", o.Code)
	assert.Equal(t, "provider", o.Category)
	assert.Equal(t, "retryable", o.Recoverability)
	assert.True(t, o.Retryable)
	assert.Equal(t, []string{"backoff", "retry"}, []string{o.Reaction, o.Action})
	assert.Empty(t, o.Severity, "the taxonomy states none")
	assert.Contains(t, o.Message, "review: ")
	assert.Equal(t, "529", o.SourceCode)
	assert.Equal(
		t, &Source{Type: "anthropic-api", Component: "call", Endpoint: "https://api.example.org/v1/messages",
			Method: "POST"}, o.Source)
	assert.Equal(
		t, &Execution{Mode: "agent", Skill: "review", Tool: "bash", Step: "3", TaskID: "t-1", SessionID: "s-1"},
		o.Execution)
	assert.Equal(t, &Repository{Owner: "o", Repo: "r", EntityNumber: 17, EntityType: "pr"}, o.Repository)
	assert.Equal(t, overloaded().Fingerprint(), o.Fingerprint)
	assert.Equal(t, map[string]any{"run": "r"}, o.Metadata)
	assert.Nil(t, o.Context, "no profile reports contexts")
	assert.Empty(t, o.Stack)
	assert.Equal(t, given == nil, o.Cause != nil, "the evidence says more than the message")
	assert.True(t, o.isClean())
}

// What is given wins over what the error says.
func TestNewWithFacts(t *testing.T) {
	o := New(overloaded(), Options{StatusSources: []string{"mine"}, Facts: Facts{
		Source: &Source{Type: "mine", Endpoint: "https://u:hunter22pass@h/p?q"}, Execution: &Execution{Skill: "other"},
		Repository: &Repository{Owner: "a", Repo: "b", EntityType: "hack"},
	}})
	assert.Equal(t, &Source{Type: "mine", Component: "call", Endpoint: "https://[REDACTED]@h/p", Method: "POST"},
		o.Source)
	assert.Equal(t, &Execution{Mode: "agent", Skill: "other", Tool: "bash", Step: "3", TaskID: "t-1", SessionID: "s-1"},
		o.Execution)
	assert.Equal(t, &Repository{Owner: "a", Repo: "b"}, o.Repository)
	o = New(
		errors.New("GET /: HTTP 404"),
		Options{StatusSources: []string{"mine"},
			Facts: Facts{Source: &Source{Type: "mine"}, Execution: &Execution{Tool: "t"}}})
	assert.Equal(t, "404", o.SourceCode)
	assert.Equal(t, &Source{Type: "mine", Component: "unknown"}, o.Source)
	assert.Equal(t, &Execution{Mode: "unknown", Tool: "t"}, o.Execution)
}

// profiled is the table with a profile that reports as it is said.
func profiled(r taxonomy.Reporting, d taxonomy.Detection) taxonomy.Table {
	return taxonomy.Table{Taxonomy: errs.Table.Taxonomy, Overlay: &taxonomy.Profile{Reporting: r, Detection: d}}
}

func TestNewReportsAsTheProfileDoes(t *testing.T) {
	all := taxonomy.Detection{Severity: true, Recoverability: true}
	err := taxonomy.WithStack(errs.NewProviderRateLimit("p"))
	for _, c := range []struct {
		name           string
		options        Options
		stack, context bool
	}{
		{"no profile", Options{Table: errs.Table}, true, false},
		{"all", Options{Table: profiled(taxonomy.Reporting{Stack: true, Context: true}, all)}, true, true},
		{"nothing", Options{Table: profiled(taxonomy.Reporting{}, all)}, false, false},
		{"options", Options{Table: profiled(taxonomy.Reporting{}, all), Stack: some(true), Context: some(true)}, true,
			true},
		{"options that say no",
			Options{Table: profiled(taxonomy.Reporting{Stack: true, Context: true}, all), Stack: some(false),
				Context: some(false)}, false, false},
	} {
		o := New(err, c.options)
		assert.Equal(t, c.stack, strings.Contains(o.Stack, "TestNewReports"), c.name)
		assert.Equal(t, c.context, strings.Contains(string(o.Context), `"provider":"p"`), c.name)
	}
	o := New(err, Options{Table: profiled(taxonomy.Reporting{}, taxonomy.Detection{})})
	assert.Empty(t, o.Severity, "a profile that rates none")
	assert.Equal(t, "unknown", o.Recoverability)
}

func TestNewOfOtherErrors(t *testing.T) {
	assert.Nil(t, New(nil, Options{}))
	var typedNil *taxonomy.Evidence
	deep := error(io.EOF)
	for range 10_000 {
		deep = fmt.Errorf("deep: %w", deep)
	}
	for name, c := range map[string]struct {
		err     error
		message string
	}{
		"plain":     {io.EOF, "EOF"},
		"joined":    {errors.Join(io.EOF, io.ErrNoProgress), "EOF\nmultiple Read calls return no data or error"},
		"panics":    {panicking{}, "(report.panicking panics when asked for its text)"},
		"typed nil": {typedNil, "failure without evidence"},
		"circle":    {itself{}, "itself"},
		"deep":      {deep, ""},
		"long":      {errors.New(strings.Repeat("a b ", 3<<20) + secret), ""},
		"secret":    {errors.New("x " + secret), "x [REDACTED]"},
		"UTF-8":     {errors.New("a\xff"), "a\uFFFD"},
		"lies":      {lying{}, "lying"},
	} {
		o := New(c.err, Options{Table: errs.Table, At: moment})
		if c.message != "" {
			assert.Equal(t, c.message, o.Message, name)
		}
		assert.Empty(t, o.Code, name)
		assert.NotEmpty(t, o.ID, name)
		assert.Len(t, o.Fingerprint, 16, name)
		assert.LessOrEqual(t, len(o.Message), maxMessage, name)
		assert.True(t, o.isClean(), name)
	}
}

// itself is an error whose chain never ends.
type itself struct{}

func (itself) Error() string { return "itself" }

func (itself) Unwrap() error { return itself{} }

// lying is an error that says that it has a row, and of which taxonomy it does not say.
type lying struct{}

func (lying) Error() string { return "lying" }

func (lying) Taxonomy() *taxonomy.Taxonomy { return nil }

func (lying) Row() taxonomy.Row { return 99 }

func TestCauses(t *testing.T) {
	inner := errs.NewProviderRateLimit("inner")
	o := New(errs.NewProviderNotAvailable("outer").WithCause(fmt.Errorf("wrapped: %w", inner)),
		Options{Table: errs.Table, At: moment})
	require.NotNil(t, o.Cause)
	assert.Equal(t, taxonomy.CodeOf(inner), o.Cause.Code)
	assert.Equal(t, o.At, o.Cause.At)
	assert.NotEqual(t, o.ID, o.Cause.ID)
	assert.Nil(t, o.Cause.Cause)
	o = New(fmt.Errorf("a: %w", fmt.Errorf("b: %w", io.EOF)), Options{})
	assert.Nil(t, o.Cause, "the message says it all")
	n := 0
	for c := New(growing{}, Options{}).Cause; c != nil; c = c.Cause {
		n++
	}
	assert.Equal(t, maxCauses, n)
}

// growing is an error each of whose causes says something else.
type growing struct{ n int }

func (g growing) Error() string { return strings.Repeat("more ", g.n) }

func (g growing) Unwrap() error { return growing{g.n + 1} }

// B-D10.
func TestIDs(t *testing.T) {
	const each = 20_000
	ids := make([][]string, 8)
	var wait sync.WaitGroup
	for i := range ids {
		wait.Go(func() {
			for range each {
				ids[i] = append(ids[i], NewID())
			}
		})
	}
	wait.Wait()
	seen := map[string]bool{}
	for _, some := range ids {
		for _, id := range some {
			seen[id] = true
		}
	}
	assert.Len(t, seen, each*len(ids))
	assert.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, NewID())
	a, b := New(io.EOF, Options{At: moment}), New(io.EOF, Options{At: moment})
	assert.NotEqual(t, a.ID, b.ID)
	assert.Equal(t, a.Fingerprint, b.Fingerprint)
}
