package detection_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
)

// build resolves a taxonomy that must be well formed; what each has is added to it.
func build(t testing.TB, yaml string) *model.Package {
	t.Helper()
	tree, findings := spec.Parse("taxonomy.yaml", []byte("errgen: 1\npackage: errs\n"+strings.TrimPrefix(yaml, "\n")))
	require.Empty(t, findings)
	return resolve.Build(tree)
}

// withRules resolves a taxonomy of codes A, B, … with one rule each.
func withRules(t testing.TB, rules ...string) *model.Package {
	t.Helper()
	var b strings.Builder
	b.WriteString("categories:\n  io:\n    codes:\n")
	for i, r := range rules {
		b.WriteString("      " + codeName(i) + ": {message: m, detect: [" + r + "]}\n")
	}
	return build(t, b.String())
}

// codeName is A, B, …, Z, AA, …
func codeName(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return codeName(i/26-1) + codeName(i%26)
}
