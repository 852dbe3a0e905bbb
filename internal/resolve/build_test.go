package resolve_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// build resolves a taxonomy that must be well formed.
func build(t *testing.T, src string) *model.Package {
	t.Helper()
	tree, findings := spec.Parse("dir/taxonomy.yaml", []byte(src))
	require.Empty(t, findings)
	return resolve.Build(tree)
}

// codes wraps entries of one category's codes.
func codes(entries string) string {
	return "errgen: 1\npackage: errs\ncategories:\n  work:\n    fields: {n: {type: int}, s: {type: string}}\n    " +
		"codes:\n" + indent(entries, 6)
}

func indent(text string, n int) string {
	pad := strings.Repeat(" ", n)
	return pad + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+pad) + "\n"
}

func everything(t *testing.T) *model.Package {
	t.Helper()
	src, err := os.ReadFile("testdata/everything.yaml")
	require.NoError(t, err)
	return build(t, string(src))
}

func names[T any](list []T, name func(T) string) []string {
	return collect(list, name)
}

func TestBuildMinimal(t *testing.T) {
	p := build(t, `
errgen: 1
package: usererr
categories:
  user:
    fields: {id: {type: string, required: true}}
    codes:
      USER_NOT_FOUND: {message: 'no user {id}'}
      USER_LOCKED:    {message: 'user {id} is locked', retryable: true, reaction: {action: retry}}
`)
	assert.Equal(t, "usererr", p.Name)
	assert.Equal(t, "taxonomy.yaml", p.File)
	require.Len(t, p.Categories, 1)
	c := p.Categories[0]
	assert.Equal(t, []string{"UserError", "UserCode", "CategoryUser", "IsUser", "user_error"},
		[]string{c.Type, c.CodeType, c.Const, c.Predicate, c.File})
	locked := p.CodeByKey("USER_LOCKED")
	assert.Equal(t, []string{"CodeUserLocked", "NewUserLocked", "USER_LOCKED"},
		[]string{locked.Const, locked.Factory, locked.Value})
	assert.Equal(t, 2, locked.Ordinal)
	assert.Equal(t, []*model.Field{c.Field("id")}, locked.Args)

	assert.Equal(t, []int{0, 1, 2, 3}, collect(p.Rows, func(r *model.Row) int { return r.Index }))
	assert.Equal(t, "abort", p.Rows[0].Reaction.Name)
	assert.Equal(t, "abort", p.Rows[1].Reaction.Name)
	assert.Equal(t, "abort", p.CodeByKey("USER_NOT_FOUND").Row.Reaction.Name)
	assert.Equal(t, "abort", p.Taxonomy.Uncategorized.Name)

	r := locked.Row.Reaction
	assert.Equal(t, "USER_LOCKED", r.Name)
	assert.Equal(t, "reactionUserLocked", variable(p, r))
	assert.Equal(t, taxonomy.Retry, r.Action)
	assert.True(t, r.CountFailure)
	assert.Nil(t, r.Policy)
	assert.Equal(t, "block", r.Then.Name)
	assert.Equal(t, taxonomy.Retryable, locked.Row.Recoverability)
}

// variable returns the variable of a reaction or a policy.
func variable(p *model.Package, of any) string {
	for _, r := range p.Reactions {
		if any(r.Value) == of {
			return r.Var
		}
	}
	for _, q := range p.Policies {
		if any(q.Value) == of {
			return q.Var
		}
	}
	return "none"
}

func collect[T, U any](list []T, f func(T) U) []U {
	var out []U
	for _, v := range list {
		out = append(out, f(v))
	}
	return out
}

func TestBuildEverything(t *testing.T) {
	p := everything(t)
	assert.Equal(
		t, []string{"block", "again", "backoff", "wait", "guardedly", "steadily", "revert", "revert_stop",
			"again_asked", "go_on", "once", "fatal", "ask_up", "shorter",
			"abort", "continue"},
		names(p.Reactions, func(r model.Variable[taxonomy.Reaction]) string { return r.Value.Name })[:16])
	assert.Equal(t, []string{"Run", ""}, []string{p.Objects[0].Type, p.Enums[0].Doc})
	assert.Equal(t, []string{"AgentFinding", "WorkDecision"},
		names(p.Enums, func(e *model.Enum) string { return e.Type }))
	assert.Equal(t, []string{"WorkDecisionBlock", "WorkDecisionAskUser"},
		names(p.Enums[1].Values, func(v model.EnumValue) string { return v.Const }))
	assert.Equal(t, "PROVIDER_CRASH", p.Fallback.Name)
	assert.Equal(t, "unmatched", p.FallbackSet[0].Field.Wire)
	assert.Equal(t, "again", p.Taxonomy.Uncategorized.Name)

	crash := p.CodeByKey("PROVIDER_CRASH")
	assert.Equal(t, taxonomy.SeverityHigh, crash.Row.Severity)
	assert.Equal(t, crash.Branches[0].Row.Traits, p.Rows[0].Traits, "the fallback's branch on unmatched")
	assert.Equal(t, taxonomy.SeverityMedium, p.Rows[0].Severity)
	assert.Equal(t, taxonomy.Traits{
		Recoverability: taxonomy.Permanent, Severity: taxonomy.SeverityMedium, HTTP: 502,
		GRPC:     14,
		Reaction: p.ReactionByName("abort"),
	}, p.Rows[1].Traits)

	api := p.CodeByKey("PROVIDER_API_ERROR")
	assert.Equal(t, []string{"provider", "rawError"}, names(api.Args, func(f *model.Field) string { return f.Wire }))
	assert.Same(t, api.Row, api.Branches[0].Row, "a branch that changes nothing")
	assert.Equal(t, 1, api.Branches[1].Row.At.Branch(), "the first branch with a row")
	assert.EqualValues(t, 3, api.Branches[1].Row.GRPC)
	assert.Equal(t, taxonomy.Permanent, api.Branches[1].Row.Recoverability)

	limit := p.CodeByKey("PROVIDER_RATE_LIMIT")
	assert.Equal(t, "provider.rate_limit", limit.Value)
	assert.Equal(t, []string{"PROVIDER_THROTTLED"}, limit.Extras().Aliases)
	wait := limit.Row.Reaction
	assert.Equal(t, "policyRateLimit", variable(p, wait.Policy))
	assert.Equal(t, &taxonomy.Policy{
		Name: "rate_limit", MaxAttempts: 21, InitialDelay: 5 * time.Second, MaxDelay: 30 * time.Second, Multiplier: 2,
		MaxElapsed: 6 * time.Hour, MaxRetryAfter: 6 * time.Hour, Backoff: taxonomy.Constant,
	}, wait.Policy)
	assert.False(t, wait.CountFailure)
	assert.True(t, wait.HonorRetryAfter)
	assert.Equal(t, taxonomy.SharedCredential, wait.Shared)
	assert.Equal(t, []any{taxonomy.LogInfo, "Rate limited, waiting..."}, []any{wait.LogLevel, wait.LogMessage})

	work := p.CategoryByName("work")
	forbidden := p.CodeByKey("SCOPE_FORBIDDEN")
	decision, fixed := forbidden.Fixed(work.Field("decision"))
	assert.True(t, fixed)
	assert.Equal(t, model.Value{Type: model.EnumType, Str: "BLOCK", Index: 1}, decision)
	assert.Same(t, forbidden, p.CodeByKey("SCOPE_BLOCKED").ReplacedBy)
	assert.Equal(t, "CodeGitCommit", p.CodeByKey("COMMIT_FAILED").Const)
	assert.Equal(t, "policyOnce", variable(p, p.CodeByKey("COMMIT_FAILED").Row.Reaction.Policy))

	assert.Equal(
		t, []taxonomy.Purpose{taxonomy.PurposeNone, taxonomy.PurposeDiagnosis, taxonomy.PurposeNone,
			taxonomy.PurposeNone},
		collect(p.Tiers, func(t *model.Tier) taxonomy.Purpose { return t.Purpose }))
	asked := p.ReactionByName("again_asked")
	assert.Equal(t, []any{"sonnet", taxonomy.PurposeAnalysis}, []any{asked.Agent.To, asked.Agent.Purpose})
	assert.Equal(t, taxonomy.PurposeVerification, p.ReactionByName("ask_up").Agent.Purpose)

	retryAfter := p.Fields[1]
	assert.Equal(t, model.RoleRetryAfter, retryAfter.Role)
	assert.Same(t, retryAfter, work.WithRole(model.RoleRetryAfter))
	raw := p.CategoryByName("provider").Field("rawError")
	assert.Equal(t, []any{"providerRawError", 2000, true, true},
		[]any{raw.Const, raw.MaxLength, raw.KeepTail, raw.Scrub})
	assert.Equal(t, &model.Value{Type: model.String, Str: "unknown"},
		p.CategoryByName("provider").Field("provider").Default)
}

// Emitters write variables in this order; Go does not mind, people reading do.
func TestReactionsComeAfterThen(t *testing.T) {
	p := everything(t)
	seen := map[*taxonomy.Reaction]bool{}
	vars := map[string]bool{}
	for _, r := range p.Reactions {
		assert.True(t, r.Value.Then == nil || seen[r.Value.Then], r.Var)
		assert.False(t, vars[r.Var], r.Var)
		seen[r.Value], vars[r.Var] = true, true
	}
	for _, q := range p.Policies {
		assert.NotEmpty(t, q.Var)
		assert.False(t, vars[q.Var], q.Var)
		vars[q.Var] = true
	}
	for _, profile := range p.Profiles {
		for i, o := range profile.Rows {
			assert.True(t, seen[o.Traits.Reaction], "%s row %d", profile.Name, o.Row)
			assert.NotEqual(t, p.Taxonomy.Traits(o.Row), &o.Traits)
			assert.True(t, i == 0 || profile.Rows[i-1].Row < o.Row)
		}
	}
}

func TestBuildIsDeterministic(t *testing.T) {
	assert.Equal(t, dump(everything(t)), dump(everything(t)))
}

// dump prints what emitters read first: the identifiers.
func dump(p *model.Package) string {
	var b strings.Builder
	for _, r := range p.Reactions {
		fmt.Fprintln(&b, r.Var, r.Value.Name, r.Profile)
	}
	for _, q := range p.Policies {
		fmt.Fprintln(&b, q.Var, q.Value.Name, q.Profile)
	}
	for _, c := range p.Categories {
		fmt.Fprintln(&b, c.Type, names(c.Fields, func(f *model.Field) string { return f.Go + f.Param + f.Const }))
	}
	for _, profile := range p.Profiles {
		fmt.Fprintln(&b, profile.Name, len(profile.Rows))
	}
	return b.String()
}

func TestFieldNames(t *testing.T) {
	p := build(t, `
errgen: 1
package: errs
fields:
  trace: {type: string, scrub: true}
  run:   {type: object, fields: {mode: {enum: [fast, slow]}, at: {type: object, fields: {step: {type: string, max_length: 9}}}}}
categories:
  shared:
    fields:
      trace_id: {type: string, scrub: true}
      type:     {type: string}
      typeValue: {type: string, scrub: true}
      raw-error: {type: string, name: Raw, scrub: true}
    codes: {A: {message: a}}
  row:
    type: LineFailure
    fields: {id: {type: string, scrub: true}}
    codes: {B: {message: b}}
  llm_calls:
    type: LLMError
    codes: {C: {message: c}}
`)
	type row struct{ Go, Param, Const string }
	show := func(fs []*model.Field) []row {
		return collect(fs, func(f *model.Field) row { return row{f.Go, f.Param, f.Const} })
	}
	assert.Equal(t, []row{{"Trace", "trace", "sharedTrace"}, {"Run", "run", ""}}, show(p.Fields))
	shared := p.Categories[0]
	assert.Equal(t, []row{
		{"TraceID", "traceID", "sharedFieldTraceID"}, {"Type", "typeValue", ""},
		{"TypeValue", "typeValue2", "sharedFieldTypeValue"}, {"Raw", "raw", "sharedFieldRaw"},
	}, show(shared.Fields[2:]))
	line := p.Categories[1]
	assert.Equal(
		t, []string{"LineFailure", "LineFailureCode", "CategoryLineFailure", "IsLineFailure", "line_failure_error"},
		[]string{line.Type, line.CodeType, line.Const, line.Predicate, line.File})
	llm := p.Categories[2]
	assert.Equal(t, []string{"LLMError", "LLMCode", "CategoryLLM", "IsLLM", "llm_error"},
		[]string{llm.Type, llm.CodeType, llm.Const, llm.Predicate, llm.File})
	assert.Equal(t, []string{"RunAt", "Run"}, names(p.Objects, func(o *model.Object) string { return o.Type }))
	assert.Equal(t, "RunMode", p.Fields[1].Object.Field("mode").Enum.Type)
	assert.Equal(t, "runAtStep", p.Objects[0].Fields[0].Const)
}

func TestCodeNames(t *testing.T) {
	p := build(t, codes(`
"08006": {message: a}
provider.rate_limit: {message: a}
X: {name: OK2, message: a}
lower: {name: lower, message: a}
`))
	assert.Equal(t, []string{"Code08006", "CodeProviderRateLimit", "CodeOK2", "Codelower"},
		names(p.Codes, func(c *model.Code) string { return c.Const }))
}

func TestArgs(t *testing.T) {
	p := build(t, `
errgen: 1
package: errs
fields: {g: {type: string, required: true}}
categories:
  work:
    fields: {a: {type: string, required: true}, b: {type: string}, c: {type: int, required: true}}
    codes:
      DEFAULT: {message: m}
      FIXED:   {message: m, set: {c: 1}}
      ORDERED: {message: m, args: [c, b]}
      NONE:    {message: m, args: []}
`)
	got := map[string][]string{}
	for _, c := range p.Codes {
		got[c.Name] = names(c.Args, func(f *model.Field) string { return f.Wire })
	}
	assert.Equal(
		t, map[string][]string{"DEFAULT": {"g", "a", "c"}, "FIXED": {"g", "a"}, "ORDERED": {"c", "b"}, "NONE": nil},
		got)
}

func TestFieldAudience(t *testing.T) {
	p := build(t, `
errgen: 1
package: errs
categories:
  plain:
    codes:
      SEEN: {message: a, audience: public, fields: {a: {type: int}, b: {type: int, audience: internal}}}
      UNSEEN: {message: b, fields: {a: {type: int}, b: {type: int, audience: public}}}
  open:
    audience: public
    codes:
      SHOWN: {message: c, fields: {a: {type: object, fields: {x: {type: int}}}}}
      HIDDEN: {message: d, audience: internal, fields: {a: {type: violations}}}
`)
	want := map[string][]bool{"SEEN": {true, false}, "UNSEEN": {false, true}, "SHOWN": {true}, "HIDDEN": {false}}
	for _, c := range p.Codes {
		var public []bool
		for _, f := range c.OwnFields() {
			public = append(public, f.Public)
			if f.Object != nil {
				assert.Equal(t, f.Public, f.Object.Fields[0].Public, "%s.%s", c.Name, f.Wire)
			}
		}
		assert.Equal(t, want[c.Name], public, c.Name)
	}
}
