package explain_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/explain"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
)

// TestNamesCodes checks which codes a name concerns. The code late has a reaction in place, whose
// name is that of a declared reaction.
func TestNamesCodes(t *testing.T) {
	tree, _ := spec.Parse("taxonomy.yaml", []byte(`errgen: 1
package: errs
policies: {twice: {max_attempts: 2}, often: {max_attempts: 9}}
groups: {g: G.}
strategies: {fix: Fix.}
reactions:
  late: {action: retry}
  slowly: {action: retry, policy: twice, then: late}
  fixed: {action: retry, policy: twice, then: {action: recover, strategy: fix, policy: twice}}
categories:
  io:
    retryable: true
    codes:
      late: {message: late, reaction: {action: retry, policy: twice}}
      ANY: {abstract: true, reaction: late, groups: [g], codes: {BELOW: {message: below, reaction: fixed}}}
      EOF: {message: end, reaction: slowly}
      HUNG: {message: hung, reaction: late}
profiles:
  night: {policies: {often: {max_attempts: 5}}, reactions: {slowly: {policy: often}}}
  longer: {retry: {max_attempts: 7}}
  fewer: {recovery: {max_attempts: 1}}
  off: {recovery: {enabled: false}}
  quiet: {reporting: {context: false}}
`))
	m := resolve.Build(tree)
	got := make(map[string][]string)
	for _, n := range explain.Names(m) {
		got[n.Kind+" "+n.Name] = n.Codes
	}
	for name, want := range map[string][]string{
		"reaction late": {"EOF", "HUNG"}, "reaction slowly": {"EOF"}, "reaction fixed": {"BELOW"},
		"policy twice": {"late", "BELOW", "EOF"}, "policy often": {"EOF"}, "group g": {},
		"action retry": {"late", "BELOW", "EOF", "HUNG"}, "profile night": {"EOF"},
		"profile longer": {"EOF", "HUNG"}, // their reactions have no policy
		"profile fewer":  {"BELOW"}, "profile off": {"BELOW"}, "profile quiet": {},
	} {
		assert.Equal(t, want, got[name], name)
	}
	calls := make(map[string]string)
	for _, c := range m.Codes {
		for _, p := range explain.CodeOf(m, c).Profiles {
			if p.Name != "night" && !c.Abstract {
				calls[p.Name+" "+c.Value] = p.Traits.MostCalls
			}
		}
	}
	assert.Equal(t, map[string]string{
		"longer EOF": "8, retries and recoveries together", "longer HUNG": "7, retries and recoveries together",
		"fewer BELOW": "3, retries and recoveries together", "off BELOW": "2, retries and recoveries together",
	}, calls)
	for _, n := range explain.Names(nil) {
		assert.Nil(t, n.Codes, n.Name)
	}
}
