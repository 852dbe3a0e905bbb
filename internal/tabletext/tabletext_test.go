package tabletext_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/tabletext"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestText(t *testing.T) {
	policy := &taxonomy.Policy{
		Name: "slow", MaxAttempts: 3, InitialDelay: time.Second, Jitter: 0.1, Backoff: taxonomy.Linear,
		Budget: &taxonomy.Budget{Breaker: &taxonomy.Breaker{Failures: 5, Of: 10}},
	}
	block := &taxonomy.Reaction{Name: "block", Action: taxonomy.Block}
	for _, tt := range []struct {
		name  string
		value any
		want  string
	}{
		{"zero", taxonomy.Reaction{}, "action=abort"},
		{"flags and words",
			taxonomy.Reaction{Name: "again", Action: taxonomy.Retry,
				Agent: taxonomy.AgentReaction{FeedBack: true}, LogLevel: taxonomy.LogWarn},
			"again action=retry log_level=warn agent=(feed_back)"},
		{"labels", taxonomy.Reaction{Name: "a", Policy: policy, Then: block}, "a policy=slow then=block action=abort"},
		{"without a label", taxonomy.Reaction{Name: "a", Then: &taxonomy.Reaction{Name: "b"}},
			"a then=(b action=abort) action=abort"},
		{"quotes", taxonomy.Reaction{Name: "a", LogMessage: "no luck"}, `a log_message="no luck" action=abort`},
		{"structs", *policy, "slow max_attempts=3 initial_delay=1s jitter=0.1 " +
			"budget=(breaker=(failures=5 of=10)) backoff=linear"},
		{"lists", taxonomy.Recovery{Allowed: []string{"a", "b c"}}, `allowed=[a "b c"]`},
		{"an empty list", taxonomy.Recovery{Allowed: []string{}}, "allowed=[]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := tabletext.NewPrinter()
			p.Label("slow", p.Text(*policy))
			p.Label("block", p.Text(*block))
			assert.Equal(t, tt.want, p.Text(tt.value))
		})
	}
}

func TestRow(t *testing.T) {
	again := &taxonomy.Reaction{Name: "again", Action: taxonomy.Retry}
	block := &taxonomy.Reaction{Name: "block", Action: taxonomy.Block}
	base := taxonomy.Traits{Reaction: again, Retryable: true, Recoverability: taxonomy.Retryable, HTTP: 502}
	change := func(f func(*taxonomy.Traits)) taxonomy.Traits {
		traits := base
		f(&traits)
		return traits
	}
	for _, tt := range []struct {
		name           string
		table, profile taxonomy.Traits
		want           string
	}{
		{"unchanged", base, base, "again retryable http=502"},
		{"another reaction", base, change(func(t *taxonomy.Traits) { t.Reaction = block }),
			"again retryable http=502; p: block"},
		{"added and removed", base, change(func(t *taxonomy.Traits) { t.HTTP, t.GRPC = 0, 14 }),
			"again retryable http=502; p: grpc=14 -http=502"},
		{"another recoverability", change(func(t *taxonomy.Traits) { t.Recoverability = taxonomy.Recoverable }), base,
			"again retryable recoverability=recoverable http=502; p: -recoverability=recoverable"},
		{"no reaction of the table is repeated", taxonomy.Traits{Reaction: block, Severity: taxonomy.SeverityLow},
			taxonomy.Traits{Reaction: block}, "block severity=low; p: -severity=low"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := tabletext.NewPrinter()
			p.Label("again", p.Text(*again))
			p.Label("block", p.Text(*block))
			got := p.Row(tt.table, []string{"p"}, func(int) taxonomy.Traits { return tt.profile })
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestCode(t *testing.T) {
	p := tabletext.NewPrinter()
	assert.Equal(t, "A", p.Code(&taxonomy.Code{Value: "A", Doc: "A doc.", Message: "m"}, nil))
	assert.Equal(t, `A 7 deprecated="no use" replaced_by=B prevent=(throttle=2s) group=[x y]`,
		p.Code(&taxonomy.Code{
			Value: "A", Number: 7, Extra: &taxonomy.Extras{Deprecated: "no use", ReplacedBy: "B",
				Prevent: &taxonomy.Prevention{Throttle: 2 * time.Second}},
		}, []string{"x", "y"}))
}

// TestEveryProperty changes each property of a code, because the generated tests compare only what
// the text contains.
func TestEveryProperty(t *testing.T) {
	printed := func(c taxonomy.Code) string {
		p := tabletext.NewPrinter()
		return p.Code(&c, nil) + ": " + p.Row(c.Traits, nil, nil)
	}
	zero := func() (c taxonomy.Code) {
		c.Reaction, c.Extra = &taxonomy.Reaction{}, &taxonomy.Extras{}
		return c
	}
	elsewhere := map[string]string{ // the test of each field that is not printed, or why it has none
		"Code.Key":        "not tested: only tools read it",
		"Code.Parent":     "gentest.Code.Parent",
		"Code.Groups":     "the argument groups",
		"Code.Message":    "gentest.NewCase, with the error's text",
		"Code.Doc":        "not tested: only people read it",
		"Code.Resolution": "gentest.Case.Feedback, if the reaction feeds back",
		"Code.Set":        "gentest.NewCase, with the error's context",
		"Code.Takes":      "not tested: only detect.Explain reads it",
		"Code.Extra":      "its fields, below",
		"Code.Own":        "gentest.Code.Fields",
		"Code.Traits":     "its fields, below",
		"Code.When":       "gentest.Code.When",
		"Code.Profiles":   "Row, with the traits of each profile",
		"Extras.Aliases":  "gentest.Code.Aliases",
	}
	for _, part := range []func(*taxonomy.Code) any{
		func(c *taxonomy.Code) any { return c },
		func(c *taxonomy.Code) any { return c.Extra },
		func(c *taxonomy.Code) any { return &c.Traits },
	} {
		typ := reflect.TypeOf(part(&taxonomy.Code{})).Elem()
		for field := range typ.Fields() {
			c, name := zero(), typ.Name()+"."+field.Name
			reflect.ValueOf(part(&c)).Elem().FieldByIndex(field.Index).Set(nonZero(field.Type))
			if elsewhere[name] == "" {
				assert.NotEqual(t, printed(zero()), printed(c), "print %s, or name its test in elsewhere", name)
			}
			delete(elsewhere, name)
		}
	}
	assert.Empty(t, elsewhere, "remove names that are not fields")
}

// nonZero returns a value of a type that is not its zero value. The first field of a struct is set.
func nonZero(typ reflect.Type) reflect.Value {
	v := reflect.New(typ).Elem()
	switch typ.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(typ.Elem()))
		v.Elem().Set(nonZero(typ.Elem()))
	case reflect.Struct:
		v.Field(0).Set(nonZero(typ.Field(0).Type))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(typ, 1, 1))
	case reflect.String:
		v.SetString("a")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint64:
		v.SetUint(1)
	default:
		panic("add a value of type " + typ.String())
	}
	return v
}

func TestField(t *testing.T) {
	assert.Equal(t, "o object fields=(e enum enum=[A B], s string max_length=5 scrub, "+
		"t string sensitive message_only) required",
		tabletext.Field(taxonomy.Field{Name: "o", Type: "object", Required: true, Fields: []taxonomy.Field{
			{Name: "e", Type: "enum", Enum: []string{"A", "B"}},
			{Name: "s", Type: "string", MaxLength: 5, Scrub: true},
			{Name: "t", Type: "string", Sensitive: true, MessageOnly: true},
		}}))
}

// TestRule prints rules that differ in one part each.
func TestRule(t *testing.T) {
	rules := &detect.Rules{Patterns: []detect.Pattern{{Expr: `a\b`}, {Plain: "some text"}}}
	texts := make(map[string]bool)
	for _, r := range []detect.Rule{
		{}, {Priority: -5}, {Priority: -4},
		{Conditions: []detect.Condition{{Key: detect.Source, Any: []string{"a"}}}},
		{Conditions: []detect.Condition{{Key: detect.Type, Any: []string{"a"}}}},
		{Conditions: []detect.Condition{{Key: detect.Type, Presence: detect.Absent}}},
		{Text: []uint16{0}}, {Contains: []uint16{1}}, {Contains: []uint16{0}}, {Set: []string{"g", "f"}},
		{Like: &detect.Signature{Name: "timeout"}}, {LikeText: []uint16{0}},
	} {
		r.Name, r.Doc = "A/1", "the rule"
		rules.Rules = []detect.Rule{r}
		text := tabletext.Rule(rules, "A/1")
		assert.Regexp(t, `^the rule \([0-9a-f]+\)$`, text)
		texts[text] = true
	}
	assert.Len(t, texts, 12)
}

func TestHints(t *testing.T) {
	assert.Empty(t, tabletext.Hints(taxonomy.Hints{}))
	assert.Equal(t, "retry_after=1.5s reset_at=2026-01-02T03:04:05.6Z files=[a b] credential=c output=\"two words\"",
		tabletext.Hints(taxonomy.Hints{
			RetryAfter: taxonomy.Some(1500 * time.Millisecond),
			ResetAt:    taxonomy.Some(time.Date(2026, 1, 2, 3, 4, 5, 600_000_000, time.UTC)),
			Files:      []string{"a", "b"}, Credential: "c", Output: "two words",
		}))
}

func TestTaxonomy(t *testing.T) {
	p := tabletext.NewPrinter()
	policy := &taxonomy.Policy{Name: "slow"}
	p.Label("slow", p.Text(*policy))
	assert.Equal(t, []string{
		"package: p", "fallback: X", "categories: a b", "groups: g", "tier: human person",
		"profile: strict detection=(text) retry=(policy=slow) reporting=(stack)",
	}, p.Taxonomy(&taxonomy.Taxonomy{
		Package: "p", Fallback: "X",
		Groups: []taxonomy.Named{{Name: "g"}}, Tiers: []taxonomy.Tier{{Name: "human", Person: true}},
		Profiles: []taxonomy.Profile{{
			Name: "strict", Detection: taxonomy.Detection{Text: true}, Retry: taxonomy.RetryDefaults{Policy: policy},
			Reporting: taxonomy.Reporting{Stack: true},
		}},
	}, []string{"a", "b"}))
}
