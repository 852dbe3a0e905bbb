package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
)

// ruleTest is a taxonomy and all that is found in it. What every taxonomy needs is added behind the
// lines of yaml, so that their numbers are those of the findings.
type ruleTest struct {
	name string
	yaml string
	want string // as show writes it; empty for no finding
}

// untestedID is the warning that tests of other rules leave out, so that they need no examples.
const untestedID = "W-untested-rule"

func runRuleTests(t *testing.T, tests []ruleTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			model, findings := check.Load("taxonomy.yaml", whole(tt.yaml))
			if !strings.Contains(tt.want, untestedID) {
				findings = slices.DeleteFunc(findings, func(f diag.Finding) bool { return f.ID == untestedID })
			}
			assert.Equal(t, strings.Trim(tt.want, "\n"), show(findings))
			assert.Equal(t, diag.HasErrors(findings), model == nil)
		})
	}
}

// whole adds what the lines lack of a taxonomy.
func whole(yaml string) []byte {
	yaml = strings.Trim(yaml, "\n") + "\n"
	for _, needed := range []string{"errgen: 1", "package: errs", "categories: {io: {codes: {EOF: {message: end}}}}"} {
		key, _, _ := strings.Cut(needed, ":")
		if !strings.HasPrefix(yaml, key+":") && !strings.Contains(yaml, "\n"+key+":") {
			yaml += needed + "\n"
		}
	}
	return []byte(yaml)
}

// show writes findings one a line, with their hints and related places below.
func show(findings []diag.Finding) string {
	var lines []string
	for _, f := range findings {
		lines = append(lines, fmt.Sprintf("%s %s %s", place(f.Span), f.ID, f.Message))
		if f.Hint != "" {
			lines = append(lines, "  hint: "+f.Hint)
		}
		for _, r := range f.Related {
			lines = append(lines, fmt.Sprintf("  %s %s", place(r.Span), r.Message))
		}
	}
	return strings.Join(lines, "\n")
}

// place is line:column, and the length where it is more than one.
func place(s diag.Span) string {
	if s.Len > 1 {
		return fmt.Sprintf("%d:%d+%d", s.Line, s.Col, s.Len)
	}
	return fmt.Sprintf("%d:%d", s.Line, s.Col)
}
