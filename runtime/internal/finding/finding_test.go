package finding

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFirst(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Finding
	}{
		{"src/a.ts(12,5): error TS2322: Type 'string' is not assignable to type 'number'.",
			Finding{"TS2322", "src/a.ts", 12, 5}},
		{"src/a.ts:12:5 - error TS2322: Type 'x'", Finding{"TS2322", "src/a.ts", 12, 5}},
		{"a.ts(12:5): error", Finding{"", "a.ts", 12, 5}},
		{"./main.go:7:2: undefined: x", Finding{"", "./main.go", 7, 2}},
		{"main.go:7: missing return", Finding{"", "main.go", 7, 0}},
		{"main.go:7:2: Error return value is not checked (errcheck)", Finding{"errcheck", "main.go", 7, 2}},
		{"app.py:3:1: F401 'os' imported but unused", Finding{"F401", "app.py", 3, 1}},
		{"error[E0308]: mismatched types\n --> src/main.rs:4:18", Finding{"", "src/main.rs", 4, 18}},
		{"/a/b.js:1:2: 'x' is unused  no-unused-vars", Finding{"no-unused-vars", "/a/b.js", 1, 2}},
		{`C:\src\a.cs(3,4): error CS0103: The name`, Finding{"CS0103", `C:\src\a.cs`, 3, 4}},
		{"nothing here\nsee 'x.go:3'", Finding{"", "x.go", 3, 0}},
	} {
		got, ok := First(tt.text)
		assert.True(t, ok, tt.text)
		assert.Equal(t, tt.want, got, tt.text)
	}
	for _, text := range []string{"", "no place", "10.0.0.1", "a.go:0:3: x", "ratio 3:4x", strings.Repeat("a", 1<<20)} {
		_, ok := First(text)
		assert.False(t, ok, text[:min(len(text), 40)])
	}
	assert.Len(t, slices.Collect(In("a.go:1:1: x\nb.go:2:2: y\n")), 2)
}

func TestAttributes(t *testing.T) {
	attributes := map[string]string{AttributeFile: "given.ts"}
	Add(attributes, Finding{"TS2322", "src/a.ts", 12, 0})
	assert.Equal(t, map[string]string{"file": "given.ts", "finding": "TS2322", "line": "12"}, attributes)
	got, ok := Of(attributes)
	assert.True(t, ok)
	assert.Equal(t, Finding{"TS2322", "given.ts", 12, 0}, got)
	_, ok = Of(nil)
	assert.False(t, ok)
}
