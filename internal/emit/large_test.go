package emit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/emit"
)

// largeTable returns the first codes of a taxonomy like the largest public tables: one category of
// 2,000 codes with 1,000 parameters. 700 are of one code, 300 of three codes each; 400 codes have
// none.
func largeTable(codes int) []byte {
	var b strings.Builder
	b.WriteString("errgen: 1\npackage: large\ncategories:\n  table:\n    doc: A large table.\n    codes:\n")
	for i := range codes {
		fmt.Fprintf(&b, "      CODE_%04d:\n        doc: Condition %d of the table.\n        http: 400\n", i, i)
		param := i
		switch {
		case i >= 1600:
			fmt.Fprintf(&b, "        message: condition %d\n", i)
			continue
		case i >= 700:
			param = 700 + i%300
		}
		fmt.Fprintf(
			&b, "        message: 'condition %d of {param%d}'\n        fields: {param%d: {type: string, required: "+
				"true}}\n",
			i, param, param)
	}
	return []byte(b.String())
}

// TestLargeTable bounds the generated lines of a large table, and the size of its errors. The size
// does not depend on the number of codes, so a small table is compiled.
func TestLargeTable(t *testing.T) {
	m, findings := check.Load("taxonomy.yaml", largeTable(2000))
	require.NotNil(t, m, findings)
	lines := 0
	for _, f := range emit.Files(m, emit.Options{Tests: true}) {
		lines += strings.Count(string(f.Content), "\n")
	}
	t.Logf("%d generated lines", lines)
	assert.Less(t, lines, 80_000)

	m, findings = check.Load("taxonomy.yaml", largeTable(20))
	require.NotNil(t, m, findings)
	module := newConsumer(t)
	module.generate(t, m)
	module.file(t, "large/size_test.go", `package large

import (
	"testing"
	"unsafe"
)

func TestSize(t *testing.T) {
	const limit, text = 250, unsafe.Sizeof("")
	plain, own := unsafe.Sizeof(TableError{}), unsafe.Sizeof(Code0000Error{})
	t.Log("bytes of an error of a code without fields, and of a code with a text:", plain, own)
	if plain > limit || own > limit+text {
		t.Error("too large")
	}
}
`)
	t.Log(module.run(t, "test", "-v", "-run=TestSize", "./large"))
	if !testing.Short() {
		module.run(t, "test", "./large")
	}
}
