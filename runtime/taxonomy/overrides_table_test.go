package taxonomy_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/diag"
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
	return taxonomy.Table{Taxonomy: resolve.Build(tree).Taxonomy}
}

// decoded reads overrides as a configuration holds them.
func decoded(t testing.TB, text string) taxonomy.Overrides {
	t.Helper()
	var o taxonomy.Overrides
	require.NoError(t, yaml.Unmarshal([]byte(text), &o))
	return o
}

// said returns everything in a table: every row, and the reaction to foreign errors.
func said(table taxonomy.Table) (rows []taxonomy.Traits, uncategorized taxonomy.Reaction) {
	for row := range table.Taxonomy.Rows() {
		rows = append(rows, table.Row(row))
	}
	return rows, table.Reaction(errPlain)
}
