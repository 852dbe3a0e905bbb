package breaking_test

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/breaking"
	"github.com/errgen/errgen/internal/diag"
)

func TestParseLevels(t *testing.T) {
	for _, tt := range []struct {
		list string
		want breaking.Level
	}{
		{"wire", breaking.Wire},
		{"wire,source", breaking.Wire | breaking.Source},
		{"behaviour, wire, wire", breaking.Wire | breaking.Behaviour},
	} {
		got, err := breaking.ParseLevels(tt.list)
		require.NoError(t, err)
		assert.Equal(t, tt.want, got, tt.list)
	}
	for _, list := range []string{"", "wire,", "all", "Wire"} {
		_, err := breaking.ParseLevels(list)
		assert.ErrorContains(t, err, "use wire, source, behaviour", list)
	}
}

// TestRules checks that each rule has a level.
func TestRules(t *testing.T) {
	for _, id := range breaking.IDs() {
		assert.NotZero(t, breaking.Levels(id), id)
	}
	assert.Zero(t, breaking.Levels("E-unknown-key"))
}

// TestLevels checks changes whose levels differ from those of others with the same id.
func TestLevels(t *testing.T) {
	for _, tt := range []struct {
		name     string
		old, new string
		want     breaking.Level
	}{
		{"another type", fields("n: {type: int}"), fields("n: {type: string}"), breaking.Wire | breaking.Source},
		{"gone", fields("n: {type: int}"), fields("b: {type: bool}"), breaking.Wire | breaking.Source},
		{"in messages only, and gone", fields("n: {type: int, message_only: true}"), fields("b: {type: bool}"),
			breaking.Source},
		{"moved from the code to its category", codes("A: {message: a, fields: {n: {type: int}, m: {type: bool}}}"),
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, fields: {m: {type: bool}}}}}}",
			breaking.Source},
		{"in messages only now", fields("n: {type: int}"), fields("n: {type: int, message_only: true}"), breaking.Wire},
		{"on the wire now", fields("n: {type: int, message_only: true}"), fields("n: {type: int}"), breaking.Wire},
		{"in clear", fields("n: {type: string, scrub: true}"), fields("n: {type: string}"), breaking.Wire},
		{"a secret in clear", fields("n: {type: string, sensitive: true}"), fields("n: {type: string}"),
			breaking.Wire | breaking.Source},
		{"another name in Go", fields("n: {type: int}"), fields("n: {type: int, name: Count}"), breaking.Source},
		{"a type that the wire names", codes("A: {message: a}"),
			"categories: {io: {type: InOutError, codes: {A: {message: a}}}}", breaking.Wire | breaking.Source},
		{"another key", fields("n: {type: int}"), fields("m: {type: int}"), breaking.Wire | breaking.Source},
		{"another key, in messages only", fields("n: {type: int, message_only: true}"),
			fields("m: {type: int, message_only: true}"), breaking.Source},
		{"another key, with the same name in Go", fields("n: {type: int}"), fields("m: {type: int, name: N}"),
			breaking.Wire},
		{"another key, in messages only, with the same name in Go", fields("n: {type: int, message_only: true}"),
			fields("m: {type: int, message_only: true, name: N}"), 0},
		{"another key in an object, in messages only",
			fields("o: {type: object, message_only: true, fields: {n: {type: int}}}"),
			fields("o: {type: object, message_only: true, fields: {m: {type: int}}}"), breaking.Source},
		{"gone from an object, in messages only",
			fields("o: {type: object, message_only: true, fields: {n: {type: int}, b: {type: bool}}}"),
			fields("o: {type: object, message_only: true, fields: {n: {type: int}}}"), breaking.Source},
		{"another type, in messages only", fields("n: {type: int, message_only: true}"),
			fields("n: {type: string, message_only: true}"), breaking.Source},
		{"another type, in messages only now", fields("n: {type: int}"),
			fields("n: {type: string, message_only: true}"), breaking.Wire | breaking.Source},
		{"new and required, in messages only", fields("a: {type: int}"),
			fields("a: {type: int}, n: {type: int, message_only: true, required: true}"), breaking.Source},
		{"in clear, in messages only", fields("n: {type: string, scrub: true, message_only: true}"),
			fields("n: {type: string, message_only: true}"), breaking.Wire},
		{"retired", codes("A: {message: a}, B: {message: b}"), "reserved: {codes: [A]}\n" + codes("B: {message: b}"),
			breaking.Source},
		{"removed", codes("A: {message: a}, B: {message: b}"), codes("B: {message: b}"),
			breaking.Wire | breaking.Source},
		{"deprecated and removed", codes("A: {message: a, deprecated: no}, B: {message: b}"), codes("B: {message: b}"),
			breaking.Wire},
		{"renamed, with the number kept", codes("A: {message: a, number: 1}"), codes("B: {message: a, number: 1}"),
			breaking.Wire | breaking.Source},
		{"renamed, with the number and the name in Go kept", codes("A: {message: a, number: 1}"),
			codes("B: {message: a, number: 1, name: A}"), breaking.Wire},
		{"deprecated and renamed", codes("A: {message: a, number: 1, deprecated: no}"),
			codes("B: {message: a, number: 1}"), breaking.Wire},
		{"abstract, and gone", codes("A: {abstract: true, codes: {B: {message: b}}}"),
			codes("B: {message: b}"), breaking.Wire | breaking.Source | breaking.Behaviour},
		{"moved out of its parent", codes("A: {message: a, codes: {B: {message: b}}}"),
			codes("A: {message: a}, B: {message: b}"), breaking.Wire | breaking.Behaviour},
		{"moved below a code between", codes("A: {abstract: true, codes: {B: {message: b}}}"),
			codes("A: {abstract: true, codes: {P: {abstract: true, codes: {B: {message: b}}}}}"), breaking.Behaviour},
		{"abstract now", codes("A: {message: a, codes: {B: {message: b}}}"),
			codes("A: {abstract: true, codes: {B: {message: b}}}"), breaking.Wire | breaking.Source},
		{"merged into an abstract code",
			codes("A: {message: a, deprecated: no}, P: {abstract: true, codes: {B: {message: b}}}"),
			codes("P: {abstract: true, aliases: [A], codes: {B: {message: b}}}"), breaking.Wire},
		{"abstract, with another name in Go", codes("A: {abstract: true, codes: {B: {message: b}}}"),
			codes("A: {abstract: true, name: Alpha, codes: {B: {message: b}}}"), breaking.Source},
	} {
		var got breaking.Level
		for _, c := range compare(t, tt.old, tt.new) {
			got |= c.Levels
		}
		assert.Equal(t, tt.want.String(), got.String(), tt.name)
	}
}

// TestMessages checks the messages of values that are absent or zero in one taxonomy.
func TestMessages(t *testing.T) {
	for _, tt := range []struct {
		old, new string
		want     string
	}{
		{codes("A: {message: a}"), codes("A: {message: a, reaction: block}"),
			"code A: reaction action was abort, is block"},
		{fields("a: {type: int}"), fields("a: {type: int}, n: {type: int, required: true}"),
			"field io.n is new and required; the factory of EOF changes"},
		{codes("A: {message: a}") + "\nprofiles: {ci: {codes: {A: {http: 500}}}}",
			codes("A: {message: a}") + "\nprofiles: {ci: {codes: {A: {http: 503}}}}",
			"profile ci: setting codes A http was 500, is 503"},
		{"reserved: {codes: [X]}\n" + codes("A: {message: a}"), codes("A: {message: a, aliases: [X]}"),
			"X was reserved, and now belongs to code A"},
		{codes("EOF: {message: end, fields: {n: {type: int}}}"), fields("n: {type: int}"),
			"field EOF.n is now field io.n: the wire is unchanged, but not its Go type; the factory of EOF changes"},
		{codes("EOF: {message: end, fields: {n: {type: int, required: true}}}"),
			fields("n: {type: int, required: true}"),
			"field EOF.n is now field io.n: the wire is unchanged, but not its Go type; the factory of EOF changes"},
		{"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, severity: low, when: [{if: {n: 1}, " +
			"severity: high}]}}}}",
			"categories: {io: {fields: {n: {type: int}}, codes: {A: {message: a, severity: low, when: [{if: {n: 1}, " +
				"http: 500}]}}}}", "code A: severity when n is 1 was high, is low"},
		{codes("A: {message: a}"), codes("A: {message: a, retryable: true}"),
			"code A: retryable was false, is true"},
		{codes("A: {message: a}"), codes("A: {message: a, retryable: false, recoverability: unknown}"),
			"code A: recoverability was permanent, is unknown"},
		{fields("s: {type: string, sensitive: true}"), fields("s: {type: string}"),
			"field io.s: sensitive was true, is false"},
		{"policies: {p: {max_delay: 1m}}", "policies: {p: {max_delay: 2m}}", "policy p: max_delay was 1m0s, is 2m0s"},
		{"policies: {p: {max_delay: 1m}}", "policies: {p: {max_delay: 2m, max_retry_after: 1h}}",
			"policy p: max_delay was 1m0s, is 2m0s; max_retry_after was 1m0s, is 1h0m0s"},
		{codes("A: {message: a}"), codes("A: {message: a, prevent: {throttle: 1s}}"),
			"code A: prevent throttle was none, is 1s"},
		{codes("A: {message: a}"), codes("A: {abstract: true, codes: {B: {message: b}}}"),
			"code A (io): NewA is removed, and A decodes to no error, because code A is abstract"},
		{codes("A: {message: a}, P: {abstract: true, codes: {B: {message: b}}}"),
			codes("P: {abstract: true, aliases: [A], codes: {B: {message: b}}}"),
			"code A (io): CodeA and NewA are removed, and A decodes to no error, because code P is abstract"},
		{codes("A: {message: a}"), codes("A: {message: a, fields: {n: {type: int}}}"),
			"code A: factory was NewA() *IOError, is NewA() *AError"},
	} {
		changes := compare(t, tt.old, tt.new)
		require.Len(t, changes, 1, tt.want)
		assert.Equal(t, tt.want, changes[0].Message)
	}
}

// TestGoNameHints checks that the hint contains the former name in Go.
func TestGoNameHints(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{codes("CONN_LOST: {message: a}"), codes("CONN_LOST: {message: a, name: Lost}"), `"name: ConnLost"`},
		{codes("OLD_ONE: {message: a}"), codes("NEW_ONE: {message: a, value: OLD_ONE}"), `"name: OldOne"`},
		{codes("A: {message: a}"), "categories: {io: {type: InOutError, codes: {A: {message: a}}}}",
			`"type: IOError"`},
		{fields("n: {type: int}"), fields("n: {type: int, name: Count}"), `"name: N"`},
		{fields("e: {enum: [A, B]}"), fields("e: {enum: [A, B], name: Word}"), `"name: E"`},
		{fields("e: {enum: [A, B]}"), "fields: {e: {enum: [A, B]}}\n" + codes("EOF: {message: end}"), "type was IOE"},
	} {
		changes := compare(t, tt.old, tt.new)
		require.Len(t, changes, 1, tt.new)
		assert.Equal(t, "E-break-go-name", changes[0].ID, tt.new)
		assert.Contains(t, changes[0].Hint, tt.want, tt.new)
	}
}

// TestValues checks the key and the values of changes with one difference and with several.
func TestValues(t *testing.T) {
	for _, tt := range []struct{ old, new, key, was, is string }{
		{codes("A: {message: a}"), codes("A: {message: a, feedback: do not}"), "feedback", "", "do not"},
		{codes("A: {message: a}"), codes("A: {message: b, feedback: do not}"), "message", "message: a",
			"message: b, feedback: do not"},
		{codes("A: {message: a, prevent: {throttle: 1s}}"), codes("A: {message: a, prevent: {throttle: 2s}}"),
			"prevent throttle", "1s", "2s"},
		{fields("e: {enum: [A, B]}"), fields("e: {enum: [A, B, C]}"), "enum", "", "C"},
	} {
		changes := compare(t, tt.old, tt.new)
		require.Len(t, changes, 1, tt.key)
		assert.Equal(t, [3]string{tt.key, tt.was, tt.is}, [3]string{changes[0].Key, changes[0].Old, changes[0].New})
	}
}

const released = `
domain: shop.example.com
groups: {g: G.}
tiers: {low: {}, high: {}}
strategies: {mend: Mends.}
policies: {p: {max_attempts: 4}}
reactions: {again: {action: retry, policy: p}, mended: {action: recover, strategy: mend}}
reserved: {codes: [GONE], numbers: [9]}
fields: {host: {type: string}}
categories:
  io:
    http: 500
    retryable: true
    reaction: again
    fields: {n: {type: int, required: true, from: exit_code}, e: {enum: [X, Y]}, o: {type: object, fields: {a: {type: int}}}}
    codes:
      A: {number: 1, message: 'a {n}', when: [{if: {e: X}, severity: high}]}
      B: {number: 2, message: b, groups: [g], reaction: mended}
profiles: {ci: {codes: {A: {reaction: block}}}}
`

// TestHarmless applies edits that are allowed at any time to the released taxonomy, one a row.
func TestHarmless(t *testing.T) {
	for _, tt := range []struct {
		name  string
		edits []string // pairs of an old and a new text
	}{
		{"nothing", nil},
		{"a code", []string{"      B: {", "      C: {message: c}\n      B: {"}},
		{"a category",
			[]string{"profiles:",
				"  net: {fields: {m: {type: int, required: true}}, codes: {N: {message: n}}}\nprofiles:"}},
		{"an optional field", []string{"fields: {n: {", "fields: {m: {type: int}, n: {"}},
		{"an optional field of an object", []string{"{a: {type: int}}", "{b: {type: int}, a: {type: int}}"}},
		{"a field of every category",
			[]string{"fields: {host: {type: string}}", "fields: {port: {type: int}, host: {type: string}}"}},
		{"a number", []string{"B: {number: 2", "C: {number: 3, message: c}\n      B: {number: 2"}},
		{"an alias", []string{"A: {number: 1", "A: {aliases: [ALPHA], number: 1"}},
		{"documentation", []string{"A: {number: 1", "A: {doc: All., resolution: Try., since: v2, number: 1"}},
		{"deprecation", []string{"A: {number: 1", "A: {deprecated: no longer made, replaced_by: B, number: 1"}},
		{"a reservation", []string{"codes: [GONE]", "codes: [GONE, LOST]"}},
		{"a group", []string{"groups: {g: G.}", "groups: {h: H., g: G.}"}},
		{"a policy and a reaction", []string{"policies: {", "policies: {q: {max_attempts: 2}, "}},
		{"a profile", []string{"profiles: {", "profiles: {night: {retry: {enabled: false}}, "}},
		{"a comment", []string{"categories:", "# These are all.\ncategories:"}},
		{"a default that is written out",
			[]string{"again: {action: retry,", "again: {action: retry, then: block, count_failure: true,"}},
		{"a trait that moves to the codes",
			[]string{"    http: 500\n", "", "A: {number", "A: {http: 500, number", "B: {number",
				"B: {http: 500, number"}},
		{"words in another order", []string{"[X, Y]", "[Y, X]"}},
		{"fields in another order",
			[]string{"e: {enum: [X, Y]}, o: {type: object, fields: {a: {type: int}}}",
				"o: {type: object, fields: {a: {type: int}}}, e: {enum: [X, Y]}"}},
		{"codes in another order",
			[]string{"      A: {number: 1, message: 'a {n}', when: [{if: {e: X}, severity: high}]}\n      B: " +
				"{number: 2, message: b, groups: [g], reaction: mended}\n",
				"      B: {number: 2, message: b, groups: [g], reaction: mended}\n      A: {number: 1, message: 'a " +
					"{n}', when: [{if: {e: X}, severity: high}]}\n"}},
		{"masking", []string{"host: {type: string}", "host: {type: string, scrub: true}"}},
		{"a rule", []string{"A: {number: 1", "A: {detect: [{exit_code: 1}], examples: [{exit_code: 1}], number: 1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now := released
			for pair := range slices.Chunk(tt.edits, 2) {
				require.Contains(t, now, pair[0])
				now = strings.Replace(now, pair[0], pair[1], 1)
			}
			assert.Empty(t, show(compare(t, released, now)))
		})
	}
}

// TestSelf compares each taxonomy of the repository with itself.
func TestSelf(t *testing.T) {
	files := taxonomies(t)
	require.Greater(t, len(files), 4)
	for _, file := range files {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Empty(t, show(breaking.Compare(parse(file, src), parse(file, src))), file)
	}
}

func taxonomies(t *testing.T) []string {
	var files []string
	for _, pattern := range []string{
		"../../taxonomy.yaml", "../../examples/*/taxonomy.yaml", "../spec/testdata/*.yaml",
		"../resolve/testdata/*.yaml", "../check/testdata/*.yaml", "../emit/testdata/*.yaml",
		"../emit/testdata/*/*.yaml",
	} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	return files
}

// TestOrder checks that changes are sorted by position, and that each is a complete finding.
func TestOrder(t *testing.T) {
	changes := compare(t, released, codes("A: {message: other}"))
	require.Greater(t, len(changes), 8)
	assert.True(t, slices.IsSortedFunc(changes, func(a, b breaking.Change) int { return a.Span.Line - b.Span.Line }))
	for _, c := range changes {
		assert.True(t, c.Span.Valid(), "%s %s", c.ID, c.Message)
		assert.NotEmpty(t, c.Subject.String(), "%s %s", c.ID, c.Message)
		assert.NotZero(t, c.Levels, c.ID)
		assert.Zero(t, c.Levels&^breaking.Levels(c.ID)&^breaking.Wire, c.ID)
		assert.Equal(t, c.ID[0] == 'E', c.Severity == diag.Error, c.ID)
	}
}

// FuzzCompare compares a text with itself, which must have no changes, and with another text.
func FuzzCompare(f *testing.F) {
	f.Add(released, codes("A: {message: a, aliases: [A, B]}, A: {message: b}"))
	f.Add("reserved: {codes: [A], numbers: [1]}\n"+codes("A: {message: a, number: 1}"),
		"categories: {a: {codes: {A: {}}}, a: {codes: {A: {}}}}")
	f.Fuzz(func(t *testing.T, a, b string) {
		old, new := parse("a.yaml", []byte(a)), parse("b.yaml", []byte(b))
		require.Empty(t, show(breaking.Compare(old, parse("a.yaml", []byte(a)))))
		for _, c := range breaking.Compare(old, new) {
			require.NotZero(t, breaking.Levels(c.ID), c.ID)
		}
		report := breaking.Report{Source: diag.NewSource("a.yaml", []byte(a)), Changes: breaking.Compare(new, old)}
		require.NoError(t, report.Text(io.Discard))
		require.NoError(t, breaking.PrintNotes(io.Discard, "markdown", breaking.Differences(new, old)))
	})
}
