package breaking_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/breaking"
	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

// ruleTest is the released and the current taxonomy, and all changes. The keys that every taxonomy
// needs are added after the lines, so that line numbers are those of the findings.
type ruleTest struct {
	name     string
	old, new string
	want     string // as show writes it; empty for no change
}

func runRuleTests(t *testing.T, tests []ruleTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, show(compare(t, tt.old, tt.new)))
		})
	}
}

// compare compares two taxonomies that are free of errors.
func compare(t *testing.T, old, new string) []breaking.Change {
	t.Helper()
	return breaking.Compare(valid(t, "old.yaml", whole(old)), valid(t, "new.yaml", whole(new)))
}

func valid(t *testing.T, name string, src []byte) *breaking.Taxonomy {
	t.Helper()
	_, findings := check.Load(name, src)
	for _, f := range findings {
		require.NotEqual(t, diag.Error, f.Severity, "%s: %s %s", name, f.ID, f.Message)
	}
	return parse(name, src)
}

// parse reads one side of a comparison, which can have errors.
func parse(name string, src []byte) *breaking.Taxonomy {
	tree, _ := spec.Parse(name, src)
	return breaking.New(tree)
}

// whole adds the required keys that the lines do not have.
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

// codes is a taxonomy of one category with these codes, written in flow style without the outer
// braces.
func codes(flow string) string { return "categories: {io: {codes: {" + flow + "}}}" }

// fields is a taxonomy of one code with these fields.
func fields(flow string) string {
	return "categories: {io: {fields: {" + flow + "}, codes: {EOF: {message: end}}}}"
}

// show returns the position and the id of each change.
func show(changes []breaking.Change) string {
	var out []string
	for _, c := range changes {
		out = append(out, fmt.Sprintf("%d:%d %s", c.Span.Line, c.Span.Col, c.ID))
	}
	return strings.Join(out, ", ")
}
