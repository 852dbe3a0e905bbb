package taxonomy_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// overridden is a taxonomy that has everything an override can meet.
const overridden = `
errgen: 1
package: errs
groups: {auth: A., net: N.}
strategies: {reduce: R., rest: R.}
tiers: {low: {}, high: {purpose: analysis}, boss: {person: true}}
policies: {slow: {initial_delay: 2s}, fast: {initial_delay: 0s, max_delay: 1s, jitter: 0.1, max_retry_after: 1m, adapt: {attempts: {max: 6}}, budget: {breaker: {failures: 3}}}}
reactions:
  again:   {action: retry, policy: slow, then: up}
  up:      {action: escalate, purpose: diagnosis, then: once}
  ask:     {action: retry, to: low, purpose: verification, policy: slow}
  once:    {action: retry_operation, policy: {max_attempts: 2}, then: stop}
  stop:    {action: abort, log: {level: warn, message: Stopping.}}
  shorter: {action: recover, strategy: reduce, policy: slow, session: reduced, then: again}
  calm:    {action: recover, strategy: rest, then: stop}
  wait:    {action: retry, policy: fast, count_failure: false, honor_retry_after: true, shared: credential, revert: iteration, accept_completion: true, feed_back: true}
fallback: {code: R}
uncategorized: again
categories:
  net:
    severity: low
    http: 502
    grpc: UNAVAILABLE
    fields: {n: {type: int}, after: {type: duration, from: retry_after}, files: {type: strings, from: files}}
    codes:
      R: {message: r, retryable: true, reaction: again, groups: [net, auth], when: [{if: {n: 1}, retryable: false, reaction: stop}]}
      S: {message: s, reaction: stop, groups: [auth]}
      W: {message: w, aliases: [net.wait], retryable: true, recoverability: recoverable, reaction: wait}
  job:
    kind: fault
    fields: {after: {type: duration, from: retry_after}, files: {type: strings, from: files}}
    codes:
      C: {message: c, retryable: true, reaction: shorter}
      D: {message: d, reaction: calm}
      Q: {message: q, retryable: true, reaction: ask}
      I: {message: i, retryable: true, reaction: {action: retry, then: {action: retry_operation, policy: slow, then: stop}}}
`

// tableOf returns the table of a taxonomy, as generating and compiling it would.
func tableOf(t testing.TB, src string) taxonomy.Table {
	t.Helper()
	tree, findings := spec.Parse("taxonomy.yaml", []byte(src))
	require.False(t, diag.HasErrors(findings), findings)
	return modelTable(resolve.Build(tree))
}

func modelTable(m *model.Package) taxonomy.Table {
	b := &tableBuilder{reactions: map[*model.Reaction]*taxonomy.Reaction{},
		policies: map[*model.Policy]*taxonomy.Policy{}}
	def := &taxonomy.Taxonomy{Package: m.Name, Uncategorized: b.reaction(m.Uncategorized)}
	if m.Fallback != nil {
		def.Fallback = m.Fallback.Value
	}
	for _, g := range m.Groups {
		def.Groups = append(def.Groups, taxonomy.Named{Name: g.Name})
	}
	for _, s := range m.Strategies {
		def.Strategies = append(def.Strategies, taxonomy.Named{Name: s.Name})
	}
	for _, tier := range m.Tiers {
		def.Tiers = append(def.Tiers, taxonomy.Tier{Name: tier.Name, Person: tier.Person, Purpose: tier.Purpose})
	}
	for _, c := range m.Categories {
		category := &taxonomy.Category{Name: c.Name, Codes: make([]taxonomy.Code, 1)}
		def.Categories = append(def.Categories, category)
		for _, code := range c.Codes {
			category.Codes = append(category.Codes, b.code(code))
		}
	}
	def.None, def.Permanent = b.traits(m.Rows[0].Traits), b.traits(m.Rows[1].Traits)
	for _, r := range m.Reactions {
		if r.Declared && r.Profile == "" {
			def.Reactions = append(def.Reactions, b.reaction(r))
		}
	}
	for _, p := range m.Policies {
		if p.Declared && p.Profile == "" {
			def.Policies = append(def.Policies, b.policy(p))
		}
	}
	for _, p := range m.Profiles {
		def.Profiles = append(def.Profiles, b.profile(p))
	}
	return taxonomy.Table{Taxonomy: def}
}

type tableBuilder struct {
	reactions map[*model.Reaction]*taxonomy.Reaction
	policies  map[*model.Policy]*taxonomy.Policy
}

func (b *tableBuilder) code(code *model.Code) taxonomy.Code {
	out := taxonomy.Code{Value: code.Value, Aliases: code.Aliases, Traits: b.traits(code.Row.Traits)}
	for _, g := range code.Groups {
		out.Groups |= 1 << g.Bit
	}
	for _, row := range branches(code) {
		out.When = append(out.When, b.traits(row.Traits))
	}
	return out
}

// branches are the rows of a code's branches that are not its own.
func branches(code *model.Code) []*model.Row {
	var rows []*model.Row
	for _, branch := range code.When {
		if branch.Row != code.Row && !slices.Contains(rows, branch.Row) {
			rows = append(rows, branch.Row)
		}
	}
	return rows
}

// address returns the address of a row.
func address(row *model.Row) taxonomy.Row {
	if row.Code == nil {
		return taxonomy.Row(row.Index)
	}
	at := taxonomy.At(row.Code.Category.Index, uint16(row.Code.Ordinal))
	return at.When(uint8(slices.Index(branches(row.Code), row) + 1))
}

func (b *tableBuilder) traits(t model.Traits) taxonomy.Traits {
	return taxonomy.Traits{
		Reaction: b.reaction(t.Reaction), HTTP: uint16(t.HTTP), GRPC: uint8(t.GRPC), Retryable: t.Retryable,
		Recoverability: t.Recoverability, Severity: t.Severity, Kind: t.Kind,
	}
}

func (b *tableBuilder) profile(p *model.Profile) taxonomy.Profile {
	out := taxonomy.Profile{
		Name: p.Name, Detection: p.Detection, Recovery: p.Recovery, Reporting: p.Reporting,
		Retry:         taxonomy.RetryDefaults{Enabled: p.RetryEnabled, Policy: b.policy(p.RetryPolicy)},
		Uncategorized: b.reaction(p.Uncategorized),
	}
	for _, o := range p.Rows {
		out.Rows = append(out.Rows, taxonomy.RowOverride{Row: address(o.Row), Traits: b.traits(o.Traits)})
	}
	slices.SortFunc(out.Rows, func(x, y taxonomy.RowOverride) int { return cmp.Compare(x.Row, y.Row) })
	return out
}

func (b *tableBuilder) reaction(r *model.Reaction) *taxonomy.Reaction {
	if r == nil {
		return nil
	}
	if out := b.reactions[r]; out != nil {
		return out
	}
	out := &taxonomy.Reaction{
		Name: r.Name, Policy: b.policy(r.Policy), Then: b.reaction(r.Then), Strategy: r.Strategy, To: r.To,
		LogMessage: r.LogMessage,
		Action:     r.Action, Extent: r.Extent, Revert: r.Revert, Session: r.Session, Purpose: r.Purpose,
		Resume: r.Resume,
		Shared: r.Shared, LogLevel: r.LogLevel,
		CountFailure: r.CountFailure, HonorRetryAfter: r.HonorRetryAfter, AcceptCompletion: r.AcceptCompletion,
		FeedBack: r.FeedBack,
	}
	b.reactions[r] = out
	return out
}

func (b *tableBuilder) policy(p *model.Policy) *taxonomy.Policy {
	if p == nil {
		return nil
	}
	if b.policies[p] == nil {
		b.policies[p] = new(p.Policy)
	}
	return b.policies[p]
}

// decoded reads overrides as a configuration holds them.
func decoded(t testing.TB, text string) taxonomy.Overrides {
	t.Helper()
	var o taxonomy.Overrides
	require.NoError(t, yaml.Unmarshal([]byte(text), &o))
	return o
}

// said is all that a table says: every row, and the reaction to what is not of the taxonomy.
func said(table taxonomy.Table) (rows []taxonomy.Traits, uncategorized taxonomy.Reaction) {
	for row := range table.Taxonomy.Rows() {
		rows = append(rows, table.Row(row))
	}
	return rows, table.Reaction(errPlain)
}
