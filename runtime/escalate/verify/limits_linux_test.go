package verify_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/escalate/verify"
)

// A file that says that it is empty, as those of /proc do and as one that grows was, is not read
// beyond the bound either.
func TestFilesThatAreLargerThanTheySay(t *testing.T) {
	v := verifier(t, verify.Options{Dir: "/proc/self", MaxRead: 10})
	for _, k := range []plan.Criterion{
		{Kind: plan.Content, Path: "status", Text: "nobody writes this"},
		{Kind: plan.Format, Path: "status", Text: "utf-8"},
		{Kind: plan.Sections, Path: "status", Texts: []string{"A"}},
	} {
		got := v.Criteria(t.Context(), []plan.Criterion{k})
		require.Len(t, got, 1)
		assert.Equal(t, "a file of more than 10 bytes, which is not read", got[0].Attribute("actual"), k.Kind)
	}
	assert.Empty(
		t, v.Criteria(
			t.Context(), []plan.Criterion{{Kind: plan.Count, Path: "status", Text: "^Name:", Min: 1, Max: 1}}))
}
