package resolve_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// sound fails the test where a model would trip up a reader: a row without a reaction, a chain
// without an end, a condition without a field, an identifier that is taken.
func sound(t *testing.T, tree *spec.Taxonomy, p *model.Package) {
	t.Helper()
	require.Len(t, p.Categories, len(tree.Categories))
	for i, c := range p.Categories {
		require.Len(t, c.Codes, len(tree.Categories[i].Codes))
		require.Len(t, c.Fields, len(tree.Fields)+len(tree.Categories[i].Fields))
		for j, code := range c.Codes {
			decl := &tree.Categories[i].Codes[j]
			require.Len(t, code.Branches, len(decl.When))
			require.Len(t, code.Rules, len(decl.Detect))
			require.Len(t, code.Examples, len(decl.Examples)+len(decl.NotExamples))
			soundCode(t, code)
		}
	}
	require.GreaterOrEqual(t, len(p.Rows), 2)
	listed := map[*taxonomy.Reaction]bool{}
	taken := map[string]bool{}
	for _, r := range p.Reactions {
		require.True(t, r.Value.Then == nil || listed[r.Value.Then], "%s comes before what follows it", r.Value.Name)
		require.False(t, taken[r.Var], r.Var)
		listed[r.Value], taken[r.Var] = true, true
	}
	for i, row := range p.Rows {
		require.Equal(t, i, row.Index)
		require.True(t, listed[row.Reaction])
	}
	require.True(t, listed[p.Taxonomy.Uncategorized])
	for _, profile := range p.Profiles {
		for _, o := range profile.Rows {
			require.True(t, listed[o.Traits.Reaction])
		}
	}
}

func soundCode(t *testing.T, code *model.Code) {
	t.Helper()
	require.NotNil(t, code.Row)
	for _, b := range code.Branches {
		require.NotNil(t, b.Row)
		for _, c := range b.Conds {
			require.NotNil(t, c.Field)
		}
	}
	for _, f := range code.Args {
		require.NotNil(t, f)
	}
	for _, r := range code.Rules {
		require.Same(t, code, r.Code)
		require.NotContains(t, r.Doc, "\n")
	}
	for _, part := range code.Template.Parts {
		require.False(t, part.Field != nil && part.Cause)
	}
}

func TestBuildOfFaults(t *testing.T) {
	for _, tt := range []struct{ name, src string }{
		{"empty", ""},
		{"no taxonomy", "- a\n"},
		{"no codes", "errgen: 1\npackage: p\ncategories: {a: {}}"},
		{"names that are none",
			"errgen: 1\npackage: 'p p'\nfields: {'$': {type: string}, '': {type: int}}\ngroups: {'%': " +
				"x}\nstrategies: {'1': x}\ntiers: {'!': {}}\ncategories: {'*/': {codes: {'\"': {message: m}, '`': " +
				"{message: m}}}}\nprofiles: {'?': {retry: {max_attempts: 2}, reactions: {abort: {extent: run}}, " +
				"codes: {'*': {reaction: abort}}}}"},
		{"names twice", codes("A: {message: a}\nA: {message: b}\na: {message: c}")},
		{"unknown names",
			codes("A: {message: '{x} {n:y}', reaction: nope, groups: [g], args: [x, n, n], set: {x: 1}, " +
				"replaced_by: B, when: [{if: {x: 1, n: q}, reaction: nope}]}")},
		{"wrong types",
			codes("A: {message: 1, retryable: maybe, http: many, set: {n: text}, when: [{if: {n: {min: a, max: " +
				"[]}}}]}")},
		{"unknown fallback", "errgen: 1\npackage: p\nfallback: {code: X, set: {a: 1}}\ncategories: {}"},
		{"unknown references",
			"errgen: 1\npackage: p\nuncategorized: x\nreactions: {a: {action: jump}, b: {action: retry, policy: x, " +
				"then: x}, c: {action: recover, strategy: x}, d: {action: escalate, to: x}}\ncategories: {}"},
		{"abort declared anew",
			"errgen: 1\npackage: p\nreactions: {abort: {action: retry, then: abort}, block: {action: retry, then: " +
				"abort}}\ncategories: {a: {codes: {A: {message: a}}}}\nprofiles: {q: {retry: {enabled: false}}}"},
		{"cycles under a profile",
			"errgen: 1\npackage: p\nreactions: {a: {action: retry, then: b}, b: {action: escalate, then: " +
				"block}}\ncategories: {c: {codes: {A: {message: a, reaction: a, retryable: true}}}}\nprofiles: {q: " +
				"{retry: {enabled: false}, reactions: {b: {then: a}}}}"},
		{"unknown names in a profile",
			"errgen: 1\npackage: p\ncategories: {c: {codes: {A: {message: a}}}}\nprofiles: {q: {reactions: {x: " +
				"{action: block, then: y}}, policies: {z: {max_attempts: 1}}, codes: {A: {reaction: x}, '@g': " +
				"{reaction: x}, nope: {severity: low}, c: {reaction: nope}}}}"},
		{"faulty rules",
			codes("A: {message: a, detect: [{status: {min: a, not: [x]}, errno: {prefix: [1]}, attributes: {a: " +
				"{min: x}, b: [[]]}, set: {x: 1, n: q}}, {}, 7, {text: [1], is: [a, {}]}]}")},
		{"faulty examples",
			codes("A: {message: a, examples: [{status: x, exit_code: 99999999999999999999, retry_after: 1, " +
				"reset_at: x, files: a, attributes: {a: [1], b: {c: d}}, want: {context: {n: x, y: 1}, severity: " +
				"x}}, 7, {}], not_examples: [{is: 1}]}")},
		{"flags outside overlays", codes("A: {message: a, reaction: {retryable: block, permanent: abort}}")},
		{"wrong forms",
			"errgen: 1\npackage: p\nfields: {a: 1}\nsources: {s: [a]}\ntiers: {t: 1}\n" +
				"signatures: {x: 1, y: {any: [1]}}\npolicies: {a: 5}\nreactions: {b: 5, c: {then: 1}}\n" +
				"profiles: {p: 1, q: {codes: 1, reactions: {b: 1}}}\n" +
				"categories: {a: 1, b: {codes: {A: 1, B: {message: 1, detect: [{like: x}]}}}}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree, _ := spec.Parse("t.yaml", []byte(tt.src))
			sound(t, tree, resolve.Build(tree))
		})
	}
	assert.NotNil(t, resolve.Build(nil))
}

func TestSourceName(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"taxonomy.yaml", "taxonomy.yaml"},
		{"/home/a/errors.yaml", "errors.yaml"},
		{`C:\x\errors.yaml`, "errors.yaml"},
		{"-", "standard input"},
		{"a\nb\u2028.yaml", "a_b_.yaml"},
	} {
		tree, _ := spec.Parse(tt.name, nil)
		assert.Equal(t, tt.want, resolve.Build(tree).File)
	}
}

func FuzzBuild(f *testing.F) {
	everything, err := os.ReadFile("testdata/everything.yaml")
	require.NoError(f, err)
	f.Add(string(everything))
	f.Add(profileBase + "{retry: {enabled: false}, reactions: {stop: {then: again, action: retry}}}\n")
	f.Add(codes("A: {message: '{x} {n:y}', when: [{if: {n: {not: [1]}}}]}"))
	f.Add(codes(
		"A: {message: a, detect: [{text: \"a\\nb\", attributes: {x: {min: 1}}}], examples: [{reset_at: x, want: " +
			"{context: {n: 1}}}]}"))
	f.Fuzz(func(t *testing.T, src string) {
		tree, _ := spec.Parse("t.yaml", []byte(src))
		sound(t, tree, resolve.Build(tree))
	})
}

// many is a taxonomy of n codes in n/20 categories that uses what costs: fields, branches, groups,
// reactions that follow one another, and profiles that change every row.
func many(n int) string {
	var b strings.Builder
	b.WriteString("errgen: 1\npackage: p\ngroups: {g: G., h: H.}\nreactions:\n")
	for i := range n / 10 {
		fmt.Fprintf(&b, "  r%d: {action: retry, then: r%d}\n", i, i+1)
	}
	fmt.Fprintf(&b, "  r%d: {action: block}\ncategories:\n", n/10)
	for i := range n {
		if i%20 == 0 {
			fmt.Fprintf(
				&b, "  c%d:\n    retryable: true\n    fields: {a: {type: string, required: true}, n: {type: int}, "+
					"e: {enum: [x, y]}}\n    codes:\n", i)
		}
		fmt.Fprintf(
			&b, "      CODE_%d: {message: 'm {a}[ {n}]', groups: [g, h], reaction: r%d, when: [{if: {n: {min: 4}}, "+
				"severity: high}]}\n", i, i/10)
	}
	fmt.Fprintf(
		&b, "profiles:\n  strict: {retry: {enabled: false}, codes: {'*': {severity: low}, '@g': {http: 500}}}\n  "+
			"other: {reactions: {r%d: {action: abort}}}\n", n/10)
	return b.String()
}

// A quadratic step would allocate a hundred times as much.
func TestBuildAllocatesInProportion(t *testing.T) {
	allocs := func(n int) float64 {
		tree, findings := spec.Parse("t.yaml", []byte(many(n)))
		require.Empty(t, findings)
		return testing.AllocsPerRun(1, func() { resolve.Build(tree) })
	}
	assert.Less(t, allocs(5000), 11*allocs(500))
}

func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		tree, _ := spec.Parse("t.yaml", []byte(many(n)))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				resolve.Build(tree)
			}
		})
	}
}
