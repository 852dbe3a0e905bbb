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
reactions: {late: {action: retry}, slowly: {action: retry, policy: twice, then: late}}
categories:
  io:
    retryable: true
    codes:
      late: {message: late, reaction: {action: retry, policy: twice}}
      EOF: {message: end, reaction: slowly}
      HUNG: {message: hung, reaction: late}
profiles:
  night: {policies: {often: {max_attempts: 5}}, reactions: {slowly: {policy: often}}}
`))
	got := make(map[string][]string)
	for _, n := range explain.Names(resolve.Build(tree)) {
		got[n.Kind+" "+n.Name] = n.Codes
	}
	for name, want := range map[string][]string{
		"reaction late": {"EOF", "HUNG"}, "reaction slowly": {"EOF"}, "reaction abort": {},
		"policy twice": {"late", "EOF"}, "policy often": {"EOF"}, "action retry": {"late", "EOF", "HUNG"},
		"profile night": {"EOF"},
	} {
		assert.Equal(t, want, got[name], name)
	}
	for _, n := range explain.Names(nil) {
		assert.Nil(t, n.Codes, n.Name)
	}
}
