package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// D158: of two values of a field the given one stays, whatever field it is; what is not given stays
// as it was.
func TestGivenFactsWin(t *testing.T) {
	given := Facts{
		Source: &Source{Type: "a type", Component: "a component", Endpoint: "https://given.example", Method: "PUT"},
		Execution: &Execution{Mode: "a mode", Skill: "a skill", Tool: "a tool", Step: "a step", TaskID: "a task",
			SessionID: "a session"},
		Repository: &Repository{Owner: "an owner", Repo: "a repo", EntityNumber: 17, EntityType: "issue"},
	}
	for name, o := range map[string]*Occurrence{
		"enriched": full().Enrich(given, EnrichOptions{}),
		"made":     New(overloaded(), Options{Facts: given}),
		"bare":     (&Occurrence{}).Enrich(given, EnrichOptions{}),
	} {
		assert.Equal(t, given.Source, o.Source, name)
		assert.Equal(t, given.Execution, o.Execution, name)
		assert.Equal(t, given.Repository, o.Repository, name)
	}
	same := full().Enrich(Facts{Source: &Source{}, Execution: &Execution{}}, EnrichOptions{})
	assert.Equal(t, full().Source, same.Source)
	assert.Equal(t, full().Execution, same.Execution)
	assert.Equal(t, full().Repository, same.Repository)
}

// D61, D62: what an entity can be.
func TestEntities(t *testing.T) {
	for word, want := range map[string]string{"issue": "issue", "pr": "pr", "comment": "comment", "discussion": "",
		"Issue": "", "": ""} {
		r := &Repository{Owner: "o", Repo: "r", EntityNumber: 7, EntityType: word}
		wanted := &Repository{Owner: "o", Repo: "r", EntityNumber: 7, EntityType: want}
		assert.Equal(t, wanted, (&Occurrence{}).Enrich(Facts{Repository: r}, EnrichOptions{}).Repository, "given as %q",
			word)
		said := &taxonomy.Evidence{Attributes: map[string]string{"owner": "o", "repo": "r", "entity_number": "7",
			"entity_type": word}}
		assert.Equal(t, wanted, New(said, Options{}).Repository, "said as %q", word)
	}
}

// D46: an occurrence that nobody gives a time happens now.
func TestNewWithoutATime(t *testing.T) {
	before := time.Now().Truncate(time.Millisecond)
	at := New(errors.New("e"), Options{}).At
	assert.False(t, at.Before(before), "%s is before %s", at, before)
	assert.False(t, at.After(time.Now()), "%s is to come", at)
}

// D45, B-D10: the ID of an occurrence is the whole of what it is given, or a UUID.
func TestIDOfAnOccurrence(t *testing.T) {
	assert.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`,
		New(errors.New("e"), Options{}).ID)
	long := strings.Repeat("0123456789abcdef", 16)
	assert.Equal(t, long, New(errors.New("e"), Options{ID: fixed(long)}).ID)
}

// rating is a taxonomy that states severities, one a row.
func rating(severities ...taxonomy.Severity) *taxonomy.Taxonomy {
	category := &taxonomy.Category{Name: "all", Codes: make([]taxonomy.Code, 1)}
	for i, s := range severities {
		category.Codes = append(category.Codes, taxonomy.Code{
			Value: fmt.Sprint("code", i), Traits: taxonomy.Traits{Severity: s},
		})
	}
	return &taxonomy.Taxonomy{
		Domain: "test", Categories: []*taxonomy.Category{category}, Uncategorized: &taxonomy.Reaction{},
	}
}

// rated is an error with a row of a taxonomy.
type rated struct {
	of  *taxonomy.Taxonomy
	row taxonomy.Row
}

func (rated) Error() string { return "rated" }

func (r rated) Taxonomy() *taxonomy.Taxonomy { return r.of }

func (r rated) Row() taxonomy.Row { return r.row }

// D48: the severity is the code's.
func TestSeverities(t *testing.T) {
	words := []string{"", "low", "medium", "high", "critical"}
	own := rating(taxonomy.SeverityNone, taxonomy.SeverityLow, taxonomy.SeverityMedium, taxonomy.SeverityHigh,
		taxonomy.SeverityCritical)
	for i, want := range words {
		o := New(rated{own, taxonomy.At(0, uint16(i+1))}, Options{})
		assert.Equal(t, want, o.Severity)
		assert.Equal(t, fmt.Sprint("code", i), o.Code)
		assert.Equal(t, "all", o.Category)
	}
}

// D53: a cause is told of as an error of its own would be, but for what is done about it: that is
// decided for the whole.
func TestWhatACauseSays(t *testing.T) {
	inner := fmt.Errorf("call: %w", errs.NewProviderRateLimit("inner"))
	alone := New(inner, Options{Table: errs.Table, At: moment})
	o := New(errs.NewProviderNotAvailable("outer").WithCause(inner), Options{Table: errs.Table, At: moment})
	require.NotNil(t, o.Cause)
	assert.Empty(t, o.Cause.Reaction)
	assert.Empty(t, o.Cause.Action)
	assert.NotEmpty(t, o.Reaction)
	assert.NotEmpty(t, o.Action)
	assert.NotEqual(t, o.Fingerprint, o.Cause.Fingerprint)
	assert.Equal(t, alone.Fingerprint, o.Cause.Fingerprint)
	n := 0
	for c := New(growing{}, Options{}).Cause; c != nil; c = c.Cause {
		assert.Len(t, c.Fingerprint, 16)
		n++
	}
	assert.Equal(t, 8, n)
}

// D59, D159, B-D23: an observer tells of the session, and looks for the status where its options
// say.
func TestObserverHandsOnWhatItKnows(t *testing.T) {
	for _, c := range []struct {
		sources []string
		given   *Execution
		status  string
		session string
	}{
		{[]string{"other", "github"}, nil, "503", "s-1"},
		{[]string{"other"}, nil, "", "s-1"},
		{nil, &Execution{SessionID: "s-2"}, "", "s-2"},
	} {
		sink := &notebook{}
		watch := Observer(
			ObserverOptions{Table: errs.Table, Sink: sink, StatusSources: c.sources, Facts: func(executor.Event) Facts {
				return Facts{Execution: c.given}
			}})
		watch.Observe(executor.Event{
			Kind: executor.ReactionTaken, Err: errors.New("GET /: HTTP 503"), Source: "github", Op: "read",
			Session: "s-1", Task: "t-1",
			Evidence: &taxonomy.Evidence{Text: "GET /: HTTP 503"},
		})
		require.Len(t, sink.reported, 1)
		o := sink.reported[0]
		assert.Equal(t, c.status, o.SourceCode)
		assert.Equal(t, &Execution{Mode: "unknown", TaskID: "t-1", Step: "read", SessionID: c.session}, o.Execution)
	}
}
