package check_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

// Fifty errors in each message, and fields to look for names among: only a thousand are kept, and
// the last says so.
func TestTooManyErrors(t *testing.T) {
	var codes strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&codes, "A%d: {message: '%s'}, ", i, strings.Repeat("{x}", 50))
	}
	_, findings := check.Load(
		"t.yaml", []byte("errgen: 1\npackage: e\ncategories: {io: {doc: d, codes: {"+codes.String()+"}}}\n"))
	errs := slices.DeleteFunc(findings, func(f diag.Finding) bool { return f.Severity != diag.Error })
	assert.Len(t, errs, 1001)
	assert.Equal(t, spec.IDTooMany, errs[1000].ID)
}

func TestLimitsRules(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "a category without codes",
			yaml: `
categories:
  io: {codes: {}}`,
			want: `
2:3+2 E-no-codes category "io" has no codes`,
		},
	})
}

// What is read of an enum with far too many words must not be paid for each word anew.
func TestTooManyWordsAreCheap(t *testing.T) {
	words := func(n int) []byte {
		var b strings.Builder
		b.WriteString("errgen: 1\npackage: e\ncategories: {io: {doc: d, fields: {f: {enum: [")
		for i := range n {
			fmt.Fprintf(&b, "w%d, ", i)
		}
		b.WriteString("]}}, codes: {A: {message: m, doc: d, when: [")
		for i := range n {
			fmt.Fprintf(&b, "{if: {f: x%d}, severity: low}, ", i)
		}
		b.WriteString("]}}}}\n")
		return []byte(b.String())
	}
	allocated := func(n int) uint64 {
		src := words(n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, findings := check.Load("t.yaml", src)
		runtime.ReadMemStats(&after)
		assert.True(t, slices.ContainsFunc(findings, func(f diag.Finding) bool { return f.ID == "E-limit" }))
		return after.TotalAlloc - before.TotalAlloc
	}
	assert.Less(t, allocated(8000), 6*allocated(2000))
}
