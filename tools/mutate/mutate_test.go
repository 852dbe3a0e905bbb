package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMutate(t *testing.T) {
	for _, tt := range []struct {
		name string
		body string
		want []string
	}{
		{"literals", "const a, b, c, d = 7, \"x\", 1.5, 'r'", []string{
			"literal: 7 -> 8", `literal: "x" -> "xX"`, "literal: 1.5 -> (1.5 + 1)", "literal: 'r' -> ('r' + 1)",
		}},
		{"numbers in other bases", "const a = 0b11", []string{"literal: 0b11 -> 4"}},
		{"raw strings", "const a = `x`", []string{"literal: `x` -> `xX`"}},
		{"struct tags", "type t struct {\n\ta int `json:\"a\"`\n}", []string{"literal: `json:\"a\"` -> `json:\"Xa\"`"}},
		{"booleans", "var a, b = true, false", []string{"boolean: true -> false", "boolean: false -> true"}},
		{"imports stay", "", nil},
		{"assertions to the compiler stay", "const _ = uint(a - 1)", nil},
		{"neighbours in a list", "var a = []int{b, c, c}", []string{"swap: b, c -> c, b"}},
		{"keyed fields have no order", "var a = t{b: c, d: e}", nil},
		{"operators", "var a = b < c && d == e",
			[]string{"operator: < -> <=", "operator: && -> ||", "operator: == -> !="}},
		{"conditions", "func f() {\n\tfor a {\n\t}\n}", []string{
			"statement: for a { } -> nothing", "condition: a -> !(a)",
		}},
		{"a switch without a tag", "func f() {\n\tswitch {\n\tcase a:\n\t}\n}", []string{
			"statement: switch { case a: } -> nothing", "statement: case a: -> nothing", "condition: a -> !(a)",
		}},
		{"statements", "func f() int {\n\ta := b\n\ta = c\n\td(a)\n\treturn a\n}", []string{
			"statement: a = c -> nothing", "statement: d(a) -> nothing",
		}},
		{"an early return", "func f() {\n\tif a {\n\t\treturn\n\t}\n}", []string{
			"statement: if a { return } -> nothing", "condition: a -> !(a)", "statement: return -> nothing",
		}},
		{"statements of a function literal", "var f = func() int {\n\td()\n\treturn a\n}", []string{
			"statement: d() -> nothing",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := "package p\n\nimport \"fmt\"\n\n" + tt.body + "\n"
			mutants, err := mutate("p.go", []byte(src))
			require.NoError(t, err)
			var got []string
			for _, m := range mutants {
				_, change, _ := strings.Cut(m.String(), ": ")
				got = append(got, change)
				_, err := parser.ParseFile(token.NewFileSet(), "p.go", m.apply(), 0)
				assert.NoError(t, err, change)
				assert.NotEqual(t, src, string(m.apply()), change)
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestMutantKnowsItsPlace(t *testing.T) {
	mutants, err := mutate("/somewhere/p.go", []byte("package p\n\nvar a = true\n"))
	require.NoError(t, err)
	require.Len(t, mutants, 1)
	assert.Equal(t, "p.go:3:9: boolean: true -> false", mutants[0].String())
	assert.Equal(t, "package p\n\nvar a = false\n", string(mutants[0].apply()))
}

func TestChooseIsDeterministic(t *testing.T) {
	mutants, err := mutate("p.go", []byte("package p\n\nvar a = []int{1, 2, 3, 4, 5, 6, 7, 8}\n"))
	require.NoError(t, err)
	assert.Equal(t, choose(mutants, 4, 1), choose(mutants, 4, 1))
	assert.NotEqual(t, choose(mutants, 4, 1), choose(mutants, 4, 2))
	assert.Len(t, choose(mutants, 4, 1), 4)
	assert.Len(t, choose(mutants, 0, 1), len(mutants))
	assert.Len(t, choose(mutants, 100, 1), len(mutants))
}

func TestReport(t *testing.T) {
	for _, tt := range []struct {
		name    string
		results []result
		want    string
		status  int
	}{
		{"what does not compile does not count", []result{killed, broken},
			"2 of 9 mutants: 1 killed, 0 survived, 1 do not compile; score 100.0 %\n", 0},
		{"too low", []result{killed, survived},
			"2 of 9 mutants: 1 killed, 1 survived, 0 do not compile; score 50.0 %\nthe score is below 95.0 %\n", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			assert.Equal(t, tt.status, report(&out, tt.results, 9, 95))
			assert.Equal(t, tt.want, out.String())
		})
	}
}

func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary for each mutant")
	}
	t.Setenv("GOWORK", "off") // testdata/tested is a module outside the workspace
	var out, errOut bytes.Buffer
	status := run(t.Context(), []string{"-min", "80", "testdata/tested"}, &out, &errOut)
	assert.Empty(t, errOut.String())
	assert.Equal(t, 1, status)
	assert.Equal(t, "survived: small.go:5:15: literal: 10 -> 11\n"+
		"3 of 3 mutants: 2 killed, 1 survived, 0 do not compile; score 66.7 %\n"+
		"the score is below 80.0 %\n", out.String())
}

func TestRunRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"two directories", []string{"a", "b"}, "one package directory at most"},
		{"a directory without Go files", []string{t.TempDir()}, "nothing to mutate"},
		{"an unknown flag", []string{"-no-such-flag"}, "no-such-flag"},
		{"a bad pattern", []string{"-only", "[", "testdata/tested"}, "pattern"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, errOut bytes.Buffer
			assert.Equal(t, 2, run(t.Context(), tt.args, &out, &errOut))
			assert.Contains(t, errOut.String(), tt.want)
		})
	}
}

func TestForeignFault(t *testing.T) {
	tester := tester{path: "tested"}
	require.NoError(t, tester.foreignFault([]byte("# tested [tested.test]\n./small.go:1:1: bad\n")))
	assert.ErrorContains(t, tester.foreignFault([]byte("# other\n../other.go:1:1: bad\n")), "../other.go")
	assert.ErrorContains(t, tester.foreignFault([]byte("no space left on device\n")), "no space left")
}

func TestTimeoutKills(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary")
	}
	t.Setenv("GOWORK", "off") // testdata/tested is a module outside the workspace
	tester, err := newTester(t.Context(), "testdata/tested", time.Nanosecond)
	require.NoError(t, err)
	defer tester.close()
	assert.Error(t, tester.baseline(t.Context()))
}
