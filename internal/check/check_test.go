package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

// TestFindings loads the taxonomies under testdata, in which ⟦ and ⟧ mark the places of the
// findings.
func TestFindings(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		for _, file := range archive.Files {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar")+"/"+file.Name, func(t *testing.T) {
				head, _, _ := strings.Cut(string(file.Data), "\n")
				ids := strings.Fields(head)[1:]
				src, places := unmark(string(file.Data))
				if len(ids) == 1 {
					ids = slices.Repeat(ids, len(places))
				}
				var want []string
				for i, at := range places {
					want = append(want, fmt.Sprint(ids[i], " ", at))
				}
				m, findings := check.Load("taxonomy.yaml", whole(src))
				assert.Equal(t, diag.HasErrors(findings), m == nil)
				var got []string
				for _, f := range findings {
					incidental := f.ID == "W-unused" || f.ID == "W-untested-rule"
					if incidental && !slices.Contains(ids, f.ID) {
						continue
					}
					got = append(got,
						fmt.Sprint(f.ID, " ", diag.Span{Line: f.Span.Line, Col: f.Span.Col, Len: max(f.Span.Len, 1)}))
					assert.NotEmpty(t, f.Message)
					assert.Equal(t, f.ID[0] == 'W', f.Severity == diag.Warning, f.ID)
					if !slices.Contains(spec.IDs(), f.ID) {
						assert.NotEmpty(t, f.Hint, "%s: %s", f.ID, f.Message)
						assert.Contains(t, check.IDs(), f.ID)
					}
				}
				assert.Equal(t, want, got)
			})
		}
	}
}

// unmark returns a text without its marks, and the places that they were around.
func unmark(text string) (string, []diag.Span) {
	var lines []string
	var places []diag.Span
	for n, line := range strings.Split(text, "\n") {
		for {
			before, rest, marked := strings.Cut(line, "⟦")
			if !marked {
				break
			}
			inside, after, _ := strings.Cut(rest, "⟧")
			line = before + inside + after
			places = append(places, diag.Span{
				Line: n + 1, Col: utf8.RuneCountInString(before) + 1, Len: utf8.RuneCountInString(inside),
			})
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), places
}

// whole adds what a text lacks of a taxonomy.
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

// TestHints tries the hints that suggest a name, and the related places.
func TestHints(t *testing.T) {
	for _, tt := range []struct{ yaml, hint, related string }{
		{yaml: "uncategorized: abrt\n", hint: `did you mean "abort"?`},
		{yaml: "audience: external\n", hint: "write one of internal, public"},
		{yaml: "audience: publc\n", hint: `did you mean "public"?`},
		{yaml: "uncategorized: retried\n", hint: "declare it under reactions"},
		{yaml: "uncategorized: retry\n",
			hint: "it is an action: declare a reaction with {action: retry} under reactions, and name that"},
		{yaml: "policies: {p: {initial_delay: 1m}}\n", hint: "raise max_delay to 1m0s or more, or lower initial_delay"},
		{yaml: "policies: {p: {initial_delay: 0s, max_delay: 0s, adapt: {delay: {min: 0s}}}}\n",
			hint: "raise max_delay above 0s, or remove delay"},
		{yaml: "policies: {p: {initial_delay: 0s, adapt: {delay: {min: 0s}}}}\n",
			hint: "set max to a delay above 0s, at most 30s"},
		{yaml: "policies: {p: {adapt: {delay: {min: 2s}}}}\n",
			hint: "lower min to at most 1s, or raise initial_delay"},
		{yaml: "policies: {p: {adapt: {delay: {max: 1ms}}}}\n",
			hint: "raise max to at least 1s, or lower initial_delay"},
		{yaml: "policies: {p: {adapt: {delay: {max: 31s}}}}\n",
			hint: "lower max to at most 30s, or raise max_delay"},
		{yaml: "policies: {p: {budget: {breaker: {probe: 1s}}}}\n", hint: "add failures, as in failures: 5"},
		{yaml: "tiers: {low: {}, boss: {person: true}}\nreactions: {r: {action: retry, to: boss, purpose: analysis}}\n",
			hint: "set to to a tier that is not a person (low), or remove purpose"},
		{yaml: "reactions: {a: {action: retry, then: b}, b: {action: retry}}\n" +
			"profiles: {p: {reactions: {b: {then: a}}}}\n",
			hint: "end the chain with abort, block or continue"},
		{yaml: "categories: {io: {codes: {A: {message: a, recoverability: retryable}}}}\n",
			hint: "set retryable: true, or remove recoverability: retryable"},
		{yaml: "fields: {a: {type: string, from: attribute.a}}\n", hint: `did you mean "attributes.a"?`},
		{yaml: "fields: {f: {enum: [block, ask], default: blok}}\n", hint: `did you mean "block"?`},
		{yaml: "categories: {io: {codes: {A: {message: a, detect: [{signal: KILL}]}}}}\n",
			hint: `did you mean "SIGKILL"?`},
		{yaml: "categories: {io: {codes: {A: {message: a, detect: [{errno: pipe}]}}}}\n",
			hint: `did you mean "EPIPE"?`},
		{yaml: "categories: {io: {codes: {A: {message: a, detect: [{is: syscall.EPIPE}]}}}}\n",
			hint: "use errno for errors of the system: errno: EPIPE"},
		{yaml: "categories: {io: {codes: {A: {message: a, detect: [{is: pgx.ErrNoRows}]}}}}\n",
			hint: "write the full import path, as in os/exec.ErrNotFound or github.com/jackc/pgx/v5.ErrNoRows"},
		{yaml: "categories: {io: {codes: {A: {message: a, detect: [{text: \"\\bgone\\b\"}]}}}}\n",
			hint: `write the expression in single quotes, where \b is the boundary of a word`},
		{yaml: "fields: {n: {type: int}}\ncategories: {io: {codes: {A: {message: 'a[ {n:duration}]'}}}}\n",
			hint: "declare n as int64 (milliseconds), or as duration, which needs no format"},
		{yaml: "categories: {io: {codes: {A: {message: a, detect: [{status: 404}], examples: [{status: 404}]}, " +
			"B: {message: b, detect: [{status: 404}], examples: [{status: 404}]}}}}\n",
			hint:    "add a rule for it to B, or raise the priority of the one that it has",
			related: "1:52 this rule"},
		{yaml: "categories: {io: {codes: {A: {message: a, number: 1}, B: {message: b, number: 1}}}}\n",
			hint: "use a number that no code has", related: "1:51 first used here"},
		{yaml: "fields: {n: {type: int}}\ncategories: {io: {codes: {A: {message: '{n}'}}}}\n",
			hint: "put it in brackets, as in [ {n}], or list it in args", related: "1:10 declared optional here"},
	} {
		_, findings := check.Load("taxonomy.yaml", whole(tt.yaml))
		findings = slices.DeleteFunc(findings, func(f diag.Finding) bool { return f.ID == "W-unused" })
		require.NotEmpty(t, findings, tt.yaml)
		assert.Equal(t, tt.hint, findings[0].Hint, tt.yaml)
		var related []string
		for _, r := range findings[0].Related {
			related = append(related, fmt.Sprintf("%d:%d %s", r.Span.Line, r.Span.Col, r.Message))
		}
		assert.Equal(t, tt.related, strings.Join(related, ", "), tt.yaml)
	}
}

// TestStages holds that an error of one stage hides the findings of the next ones.
func TestStages(t *testing.T) {
	broken := []string{
		"reactions: {stop: {action: abort, then: block}}\n",                                    // meaning
		"fields: {n: {type: int, default: none}}\n",                                            // values
		"uncategorized: agian\n",                                                               // references
		"categories: {io: {codes: {A: {message: a, nmber: 1}, B: {message: b, number: 1}}}}\n", // form
	}
	want := []string{"E-action", "E-value", "E-unknown-name", "E-unknown-key"}
	for i := range broken {
		_, findings := check.Load("taxonomy.yaml", whole(strings.Join(broken[:i+1], "")))
		findings = slices.DeleteFunc(findings, func(f diag.Finding) bool { return f.ID == "W-unused" })
		require.Len(t, findings, 1)
		assert.Equal(t, want[i], findings[0].ID)
	}
}

// TestRecordedSources holds that a source which no rule names is used if a field records it.
func TestRecordedSources(t *testing.T) {
	const source = "sources: {cli: The CLI.}\n"
	_, findings := check.Load("taxonomy.yaml", whole(source))
	require.Len(t, findings, 1)
	assert.Equal(t, "W-unused", findings[0].ID)
	_, findings = check.Load("taxonomy.yaml", whole(source+"fields: {by: {type: string, from: source}}\n"))
	assert.Empty(t, findings)
}

func TestEverythingLoads(t *testing.T) {
	src, err := os.ReadFile("../spec/testdata/everything.yaml")
	require.NoError(t, err)
	m, findings := check.Load("everything.yaml", src)
	assert.Empty(t, findings)
	require.NotNil(t, m)
}

func TestLoadIsDeterministic(t *testing.T) {
	src := whole(`
groups: {a: A., b: B.}
reactions: {again: {action: retry}}
profiles: {p: {codes: {'*': {reaction: again}, '@a': {reaction: again}, io: {retryable: true}}}}
categories:
  io: {codes: {EOF: {message: end, groups: [a]}, LATE: {message: late, groups: [a, b]}}}
`)
	_, first := check.Load("taxonomy.yaml", src)
	require.NotEmpty(t, first)
	for range 20 {
		_, again := check.Load("taxonomy.yaml", src)
		require.Equal(t, first, again)
	}
}

// TestManyOfAKind has more groups and words than the generated code can number.
func TestManyOfAKind(t *testing.T) {
	names := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for _, tt := range []struct{ yaml, want string }{
		{"groups: {" + names(64, "g%d: G., ") + "}\n", ""},
		{"groups: {" + names(65, "g%d: G., ") + "}\n", "E-value"},
		{"fields: {f: {enum: [" + names(254, "w%d, ") + "]}}\n", ""},
		{"fields: {f: {enum: [" + names(255, "w%d, ") + "]}}\n", "E-field-option"},
	} {
		_, findings := check.Load("taxonomy.yaml", whole(tt.yaml))
		findings = slices.DeleteFunc(findings, func(f diag.Finding) bool { return f.Severity == diag.Warning })
		if tt.want == "" {
			assert.Empty(t, findings)
			continue
		}
		require.Len(t, findings, 1)
		assert.Equal(t, tt.want, findings[0].ID)
	}
}

// TestManyBranches has a condition on each word of a large enum, which must not take long.
func TestManyBranches(t *testing.T) {
	var words, branches strings.Builder
	for i := range 250 {
		fmt.Fprintf(&words, "w%d, ", i)
		fmt.Fprintf(&branches, "{if: {f: w%d, g: w%d}, severity: low}, ", i, 249-i)
	}
	_, findings := check.Load("taxonomy.yaml",
		whole("fields: {f: {enum: ["+words.String()+"]}, g: {enum: ["+words.String()+
			"]}}\ncategories: {io: {codes: {A: {message: a, when: ["+branches.String()+"]}}}}\n"))
	assert.Empty(t, findings)
}

// manyRules is a taxonomy of n rules with an example each.
func manyRules(n int) []byte {
	var b strings.Builder
	b.WriteString("sources: {api: An API.}\ncategories:\n  io:\n    codes:\n")
	for i := range n {
		fmt.Fprintf(&b,
			"      CODE_%d: {message: m, detect: [{source: api, text: '(?i)\\bcause number %d\\b'}], examples: "+
				"[{source: api, text: 'it is Cause number %d, again'}]}\n", i, i, i)
	}
	return whole(b.String())
}

func BenchmarkLoadRules(b *testing.B) {
	src := manyRules(1000)
	b.ReportAllocs()
	for b.Loop() {
		if _, findings := check.Load("taxonomy.yaml", src); len(findings) > 0 {
			b.Fatal(findings)
		}
	}
}
