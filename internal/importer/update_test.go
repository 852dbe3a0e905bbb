package importer_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/importer"
)

// edit replaces text of a file, which must have it: old, new.
func edit(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		require.Contains(t, text, pairs[i])
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

// csvTable returns a CSV table with the rows.
func csvTable(rows ...string) []byte {
	return []byte("code,number,category,message,http\n" + strings.Join(rows, "\n") + "\n")
}

func read(t *testing.T, src []byte) *importer.Table {
	t.Helper()
	table, err := importer.Read("csv", src, importer.Options{})
	require.NoError(t, err)
	return table
}

// withoutRecord cuts the record of the import off.
func withoutRecord(text []byte) string {
	before, _, _ := strings.Cut(string(text), "# Digests")
	return before
}

var released = csvTable(
	"GONE,1,user,no user {id},404",
	"LOCKED,2,user,user %s is locked,423",
	"FULL,3,disk,disk full,507",
	"SLOW,4,disk,disk slow,500",
)

// TestWarningsOfTheTable imports versions of a table that cause warnings: none, one, two.
func TestWarningsOfTheTable(t *testing.T) {
	versions := []string{"code,number,message,doc\nA,1,a,An a.\n", "B,2,b,\n", "C,0,c,\n"}
	const comment = "categories: # errgen:ignore W-no-doc"
	for _, tt := range []struct {
		name      string
		edit      []string // of the second taxonomy
		wantThird string
	}{
		{name: "ignored", wantThird: comment + ", W-unsorted -- as in the table\n"},
		{name: "the comment was removed", edit: []string{comment + " -- as in the table", "categories:"},
			wantThird: "categories:\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first := read(t, []byte(versions[0])).New()
			assert.Contains(t, string(first), "categories:\n")
			second, _, err := read(t, []byte(versions[0]+versions[1])).Update("taxonomy.yaml", first)
			require.NoError(t, err)
			assert.Contains(t, string(second), comment+" -- as in the table\n")
			edited := edit(t, string(second), tt.edit...)
			third, _, err := read(t, []byte(strings.Join(versions, ""))).Update("taxonomy.yaml", []byte(edited))
			require.NoError(t, err)
			assert.Contains(t, string(third), tt.wantThird)
		})
	}
}

// TestUpdate imports a table, edits the taxonomy, and imports the next version of the table.
func TestUpdate(t *testing.T) {
	for _, tt := range []struct {
		name    string
		edits   []string // old, new, …
		next    []byte
		want    []string // in the taxonomy
		absent  []string
		changes importer.Notes
		notes   importer.Notes // of the table, if they are in view
		warns   bool           // of declarations that no code uses
		inFile  []string       // with the record
	}{
		{
			name: "nothing changed: edits are kept",
			edits: []string{
				"      GONE:\n", "      # Written by hand.\n      GONE: # why\n        x-owner: me\n",
				"message: disk full", "message: 'the disk is full'   # better",
				"  disk:\n", "\n  storage:\n",
			},
			next: released,
		}, {
			name: "a message that the table changed",
			next: csvTable(
				"GONE,1,user,user {id} is gone,410", "LOCKED,2,user,user %s is locked,423", "FULL,3,disk,disk full,507",
				"SLOW,4,disk,disk slow,500"),
			edits: []string{
				"        message: no user", "        doc: My doc.\n        message: no user",
				"http: 404", "http: 404 # as in RFC",
			},
			want:    []string{"doc: My doc.", "message: user {id} is gone", "http: 410 # as in RFC"},
			changes: importer.Notes{{What: "changed", Codes: []string{"GONE: message, http"}}},
		}, {
			name: "a message that both changed",
			next: csvTable(
				"GONE,1,user,user {id} of {org} is gone,404", "LOCKED,2,user,user %s is locked,423",
				"FULL,3,disk,disk full,507", "SLOW,4,disk,disk slow,500"),
			edits:   []string{"no user {id}", "user {id} left"},
			want:    []string{"message: user {id} left"},
			absent:  []string{"org: {"},
			changes: importer.Notes{{What: "changed by the table and by hand, kept", Codes: []string{"GONE: message"}}},
		}, {
			name: "an argument that was renamed by hand",
			next: csvTable(
				"GONE,1,user,no user {id},404", "LOCKED,2,user,user %s is locked,409", "FULL,3,disk,disk full,507",
				"SLOW,4,disk,disk slow,500"),
			edits:   []string{"arg1", "login"},
			want:    []string{"user {login} is locked", "login: {", "http: 409"},
			absent:  []string{"arg1"},
			changes: importer.Notes{{What: "changed", Codes: []string{"LOCKED: http"}}},
		}, {
			name: "a rename that keeps the number",
			next: csvTable(
				"MISSING,1,user,no user {id},404", "LOCKED,2,user,user %s is locked,423", "FULL,3,disk,disk full,507",
				"SLOW,4,disk,disk slow,500"),
			edits:   []string{"      GONE:\n", "      GONE:\n        doc: My doc.\n"},
			want:    []string{"      MISSING:\n        doc: My doc.\n", "aliases: [GONE]"},
			absent:  []string{"reserved"},
			changes: importer.Notes{{What: "renamed", Codes: []string{"GONE to MISSING"}}},
		}, {
			name: "a code and a category that the table no longer has",
			next: csvTable("GONE,1,user,no user {id},404", "LOCKED,2,user,user %s is locked,423"),
			want: []string{"reserved:\n  numbers: [3, 4]\n  codes: [FULL, SLOW]\n"}, absent: []string{"disk:"},
			changes: importer.Notes{{What: "removed, now reserved", Codes: []string{"FULL", "SLOW"}}},
		}, {
			name: "codes of one's own, and codes that were removed by hand",
			next: released,
			edits: []string{
				"      FULL:\n", "      MINE:\n        message: mine\n      FULL:\n",
				"      SLOW:\n        number: 4\n        message: disk slow\n        http: 500\n", "",
			},
		}, {
			name: "new codes and categories, in the order of the table",
			next: csvTable(
				"FIRST,10,user,first,", "GONE,1,user,no user {id},404", "LOCKED,2,user,user %s is locked,423",
				"NEXT,5,net,net,", "FULL,3,disk,disk full,507", "MIDDLE,6,disk,middle,", "SLOW,4,disk,disk slow,500"),
			want: []string{
				"    codes:\n      FIRST:\n        number: 10\n        message: first\n      GONE:",
				"  net:\n    doc: Errors of the category net.\n    codes:\n" +
					"      NEXT:\n        number: 5\n        message: net\n  disk:",
				"http: 507\n      MIDDLE:\n        number: 6\n        message: middle\n      SLOW:",
			},
			changes: importer.Notes{{What: "added", Codes: []string{"FIRST", "NEXT", "MIDDLE"}}},
		}, {
			name: "a code of another category",
			next: csvTable(
				"GONE,1,user,no user {id},404", "LOCKED,2,user,user %s is locked,423", "FULL,3,user,disk full,507",
				"SLOW,4,disk,disk slow,500"),
			edits:   []string{"      FULL:\n", "      FULL:\n        doc: My doc. # mine\n"},
			want:    []string{"http: 423\n      FULL:\n        doc: My doc. # mine\n        number: 3\n"},
			changes: importer.Notes{{What: "changed", Codes: []string{"FULL: now in user"}}},
		}, {
			name: "renumbered: the former number is reserved",
			next: csvTable(
				"GONE,9,user,no user {id},404", "LOCKED,2,user,user %s is locked,423", "FULL,3,disk,disk full,507",
				"SLOW,4,disk,disk slow,500"),
			want:    []string{"number: 9", "reserved:\n  numbers: [1]\n"},
			changes: importer.Notes{{What: "changed", Codes: []string{"GONE: number"}}},
		}, {
			name: "a code that returns",
			next: released,
			edits: []string{
				"\n# Digests", "reserved:\n  numbers: [17, 4]\n  codes: [OLD, SLOW] # both\n\n# Digests",
				"      SLOW:\n        number: 4\n        message: disk slow\n        http: 500\n", "",
				"  SLOW: category", "  OTHER: category",
			},
			want:    []string{"numbers: [17]", "codes: [OLD] # both", "      SLOW:\n        number: 4\n"},
			changes: importer.Notes{{What: "added", Codes: []string{"SLOW"}}},
		}, {
			name: "a number that a removed code had",
			next: csvTable(
				"GONE,1,user,no user {id},404", "LOCKED,2,user,user %s is locked,423", "FULL,3,disk,disk full,507",
				"SLOW,4,disk,disk slow,500", "NEW,17,disk,new,"),
			edits:   []string{"\n# Digests", "reserved:\n  numbers: [17]\n\n# Digests"},
			want:    []string{"      NEW:\n        message: new\n"},
			changes: importer.Notes{{What: "added", Codes: []string{"NEW"}}},
		}, {
			name: "a new code with the name of an alias",
			next: csvTable(
				"GONE,1,user,no user {id},404", "LOCKED,2,user,user %s is locked,423", "FULL,3,disk,disk full,507",
				"SLOW,4,disk,disk slow,500", "OLD,5,disk,old,", "LAST,6,disk,last,"),
			edits: []string{
				"        message: disk full\n", "        message: disk full\n        aliases: [LAST]\n",
				"        message: disk slow\n", "        message: disk slow\n        aliases: [OLD, OLDER]\n",
			},
			want:    []string{"message: disk full\n        http", "aliases: [OLDER]", "      OLD:", "      LAST:"},
			changes: importer.Notes{{What: "added", Codes: []string{"OLD", "LAST"}}},
		}, {
			name: "a field that was edited by hand, and that the table no longer has",
			next: csvTable(
				"GONE,1,user,no user,404", "LOCKED,2,user,user %s is locked,423", "FULL,3,disk,disk full,507",
				"SLOW,4,disk,disk slow,500"),
			edits: []string{"id: {type: string", "id: {type: int64"},
			want:  []string{"message: no user\n", "id: {type: int64"},
			changes: importer.Notes{
				{What: "changed", Codes: []string{"GONE: message"}},
				{What: "changed by the table and by hand, kept", Codes: []string{"GONE: fields"}},
			},
		}, {
			name:    "a new code whose key is in use",
			next:    append(slices.Clone(released), "NEW,5,disk,new,\n"...),
			edits:   []string{"      FULL:\n", "      NEW:\n        value: OWN\n        message: own\n      FULL:\n"},
			want:    []string{"      NEW_2:\n        number: 5\n        value: NEW\n        message: new\n"},
			changes: importer.Notes{{What: "added", Codes: []string{"NEW_2"}}},
		}, {
			name: "the last reserved code returns",
			next: released,
			edits: []string{
				"\n# Digests", "reserved:\n  numbers: [4]\n  codes: [SLOW]\n\n# Digests",
				"      SLOW:\n        number: 4\n        message: disk slow\n        http: 500\n", "",
				"  SLOW: category", "  OTHER: category",
			},
			want:    []string{"      SLOW:\n        number: 4\n"},
			absent:  []string{"reserved"},
			changes: importer.Notes{{What: "added", Codes: []string{"SLOW"}}},
		}, {
			name: "a code that returns, but is reserved with a reason",
			next: released,
			edits: []string{
				"\n# Digests", "reserved:\n  codes:\n    - {name: SLOW, reason: Never again.}\n\n# Digests",
				"      SLOW:\n        number: 4\n        message: disk slow\n        http: 500\n", "",
				"  SLOW: category", "  OTHER: category",
			},
			want:   []string{"reserved:\n  codes:\n    - {name: SLOW, reason: Never again.}\n"},
			absent: []string{"SLOW:"},
			notes:  importer.Notes{{What: "codes that are reserved with a reason: left out", Codes: []string{"SLOW"}}},
		}, {
			name: "a code that was removed and reserved by hand stays in the record",
			next: csvTable(
				"GONE,1,user,no user,404", "LOCKED,2,user,user %s is locked,423", "FULL,3,disk,disk full,507",
				"SLOW,4,disk,disk slow,500"),
			edits: []string{
				"\n# Digests", "reserved:\n  codes:\n    - {name: SLOW, reason: Never again.}\n\n# Digests",
				"      SLOW:\n        number: 4\n        message: disk slow\n        http: 500\n", "",
			},
			want:    []string{"      GONE:\n        number: 1\n        message: no user\n"},
			changes: importer.Notes{{What: "changed", Codes: []string{"GONE: message, fields"}}},
			inFile:  []string{"\n  SLOW: category="},
		}, {
			name: "declarations that an included file can use",
			next: csvTable("GONE,1,user,no user,404"),
			edits: []string{
				"\ncategories:",
				"include: [more.yaml]\ngroups: {g: G.}\nreactions: {retry: {action: retry}}\ncategories:",
				"        number: 2\n", "        number: 2\n        groups: [g]\n        retryable: true\n" +
					"        reaction: retry\n",
			},
			want: []string{"groups: {g: G.}\nreactions: {retry: {action: retry}}\n"},
			changes: importer.Notes{
				{What: "changed", Codes: []string{"GONE: message, fields"}},
				{What: "removed, now reserved", Codes: []string{"LOCKED", "FULL", "SLOW"}},
			},
			warns: true,
		}, {
			name: "a code that returns, with a number that is reserved with a reason",
			next: released,
			edits: []string{
				"\n# Digests",
				"reserved:\n  numbers:\n    - {from: 4, to: 9, reason: Old.}\n  codes: [SLOW]\n\n# Digests",
				"      SLOW:\n        number: 4\n        message: disk slow\n        http: 500\n", "",
				"  SLOW: category", "  OTHER: category",
			},
			want:    []string{"{from: 4, to: 9, reason: Old.}\n\n", "      SLOW:\n        message: disk slow\n"},
			absent:  []string{"codes: ["},
			changes: importer.Notes{{What: "added", Codes: []string{"SLOW"}}},
		}, {
			name: "traits that the category has",
			next: csvTable(
				"GONE,1,user,no user {id},", "LOCKED,2,user,user %s is locked,404", "FULL,3,disk,disk full,508",
				"SLOW,4,disk,disk slow,503", "NEW,5,user,new,404", "NEWER,6,user,newer,410"),
			edits: []string{
				"  user:\n", "  user:\n    http: 404\n", "        http: 404\n", "",
				"  disk:\n", "  disk:\n    http: 500\n", "        http: 500\n", "", "        http: 507\n", "",
			},
			want: []string{
				"      LOCKED:\n        number: 2\n        message: user {arg1} is locked\n        fields:\n" +
					"          arg1: {type: string, required: true}\n      NEW:\n        number: 5\n" +
					"        message: new\n" +
					"      NEWER:\n        number: 6\n        message: newer\n        http: 410\n",
				"        message: disk slow\n        http: 503\n",
			},
			absent: []string{"        http: 404"},
			changes: importer.Notes{
				{What: "changed", Codes: []string{"LOCKED: http", "SLOW: http"}},
				{What: "changed by the table and by hand, kept", Codes: []string{"GONE: http", "FULL: http"}},
				{What: "added", Codes: []string{"NEW", "NEWER"}},
			},
		}, {
			name: "declarations by hand that lost their last code",
			next: csvTable(
				"GONE,1,user,no user {id},404", "LOCKED,2,user,user %s is locked,423", "FULL,3,disk,disk full,507"),
			edits: []string{
				"categories:", "constants: {owner: {type: string}}\n" +
					"reactions: {again: {action: retry}, retry: {action: retry, then: again}}\ncategories:",
				"        number: 4\n", "        number: 4\n        retryable: true\n        reaction: retry\n" +
					"        constants: {owner: me}\n",
			},
			want: []string{"constants: {owner: {type: string}}\n" +
				"reactions: {again: {action: retry}, retry: {action: retry, then: again}}\n"},
			absent:  []string{"number: 4\n"},
			changes: importer.Notes{{What: "removed, now reserved", Codes: []string{"SLOW"}}},
			warns:   true,
		}, {
			name: "flow style is kept",
			next: csvTable(
				"GONE,1,user,no user {id},410", "LOCKED,2,user,user %s is locked,423", "FULL,3,disk,disk full,507",
				"SLOW,4,disk,disk fast,500"),
			edits: []string{
				"      SLOW:\n        number: 4\n        message: disk slow\n        http: 500\n",
				"      SLOW: {number: 4, message: 'disk slow', http: 500} # short\n",
			},
			want:    []string{"      SLOW: {number: 4, message: disk fast, http: 500} # short\n"},
			changes: importer.Notes{{What: "changed", Codes: []string{"GONE: http", "SLOW: message"}}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := edit(t, string(read(t, released).New()), tt.edits...)
			table := read(t, tt.next)
			after, changes, err := table.Update("taxonomy.yaml", []byte(before))
			require.NoError(t, err)
			for _, want := range tt.want {
				assert.Contains(t, withoutRecord(after), want)
			}
			for _, want := range tt.inFile {
				assert.Contains(t, string(after), want)
			}
			for _, absent := range tt.absent {
				assert.NotContains(t, withoutRecord(after), absent)
			}
			assert.ElementsMatch(t, tt.changes, changes)
			if tt.notes != nil {
				assert.Equal(t, tt.notes, table.Notes)
			}
			if tt.want == nil {
				assert.Equal(t, before, string(after))
			}
			_, findings := check.Load("taxonomy.yaml", after)
			assert.Equal(t, tt.warns, len(findings) > 0, findings)
			again, changes, err := read(t, tt.next).Update("taxonomy.yaml", after)
			require.NoError(t, err)
			assert.Equal(t, string(after), string(again), "a second import")
			assert.Empty(t, changes)
		})
	}
}

// TestUpdateWithoutRecord updates a taxonomy that no import wrote: nothing in it is changed or
// removed, and what it lacks is added.
func TestUpdateWithoutRecord(t *testing.T) {
	const own = `errgen: 1
package: own
categories:
  user:
    codes:
      USER_GONE: {number: 1, message: gone}
      MINE: {message: mine}
      LOCKED:
        message: locked
`
	table := read(t, csvTable("GONE,1,user,no user,404", "LOCKED,2,user,is locked,423"))
	after, changes, err := table.Update("t", []byte(own))
	require.NoError(t, err)
	assert.Equal(t, edit(t, own, "message: gone}", "message: gone, http: 404}",
		"        message: locked\n", "        number: 2\n        message: locked\n        http: 423\n"),
		withoutRecord(after))
	assert.ElementsMatch(t, importer.Notes{
		{What: "changed", Codes: []string{"USER_GONE: http", "LOCKED: number, http"}},
		{What: "changed by the table and by hand, kept", Codes: []string{"USER_GONE: message", "LOCKED: message"}},
	}, changes)

	const documented = "errgen: 1\npackage: own\n" +
		"categories:\n  user: {doc: U., codes: {MINE: {message: mine, doc: M.}}}\n"
	after, _, err = table.Update("t", []byte(documented))
	require.NoError(t, err)
	assert.NotContains(t, string(after), "errgen:ignore", "warnings about the codes of its author")
}

// TestUpdateRandom imports four random tables one after another. The taxonomy has no finding, and a
// second import of a table changes nothing.
func TestUpdateRandom(t *testing.T) {
	pick := func(r *rand.Rand, texts ...string) string { return texts[r.Intn(len(texts))] }
	for seed := range 30 {
		r := rand.New(rand.NewSource(int64(seed)))
		var text []byte
		for i := range 4 {
			src := []byte("code,number,category,message,http,retryable,groups,names\n")
			numbers := r.Perm(12)
			for j, c := range r.Perm(8)[:1+r.Intn(7)] {
				src = fmt.Appendf(src, "%c%s,%s,%s,%s,%s,%s,%s,%s\n", 'A'+c, []string{"", "-x", " y", "_z"}[c%4],
					pick(r, "", strconv.Itoa(numbers[j]), strconv.Itoa(c), strconv.Itoa(c)),
					pick(r, "io", "net", "disk"), pick(r, "text {a}", "text %s", "", "other {b} {a}"),
					pick(r, "", "404", "500"), pick(r, "", "true"), pick(r, "", "g", "h g"),
					pick(r, "", "N1", "N2", "N3"))
			}
			if i == 0 {
				text = read(t, src).New()
				continue
			}
			var err error
			text, _, err = read(t, src).Update("taxonomy.yaml", text)
			require.NoError(t, err)
			_, findings := check.Load("taxonomy.yaml", text)
			require.Empty(t, findings, "seed %d\n%s\n%s", seed, src, text)
			again, changes, err := read(t, src).Update("taxonomy.yaml", text)
			require.NoError(t, err)
			require.Equal(t, string(text), string(again), "seed %d", seed)
			require.Empty(t, changes, "seed %d", seed)
		}
	}
}

// TestUpdateBelow imports a table whose codes gain, lose and regain codes below them.
func TestUpdateBelow(t *testing.T) {
	first := []byte(`{
		"PLAIN": {"message": ["Plain <a>."]},
		"PARENT": {"message": ["Parent."], "subClass": {"ONE": {"message": ["One <b>."]}, "TWO": {"message": ["Two."]}}},
		"BOTH": {"message": ["Both."], "subClass": {"X": {"message": ["x"]}}}}`)
	second := []byte(`{
		"PLAIN": {"message": ["Plain <a>."], "subClass": {"NEW": {"message": ["New <c>."]}}},
		"PARENT": {"message": ["Parent."]}}`)
	var text []byte
	for i, step := range []struct {
		table   []byte
		changes importer.Notes
	}{
		{table: first},
		{second, importer.Notes{
			{What: "changed", Codes: []string{
				"PLAIN: doc, abstract, fields, message",
				"PARENT: message, abstract, doc",
			}},
			{What: "added", Codes: []string{"PLAIN_NEW"}},
			{What: "removed, now reserved", Codes: []string{"PARENT_ONE", "PARENT_TWO", "BOTH", "BOTH_X"}},
		}},
		{first, importer.Notes{
			{What: "changed", Codes: []string{
				"PLAIN: message, fields, abstract, doc",
				"PARENT: doc, abstract, message",
			}},
			{What: "added", Codes: []string{"PARENT_ONE", "PARENT_TWO", "BOTH", "BOTH_X"}},
			{What: "removed, now reserved", Codes: []string{"PLAIN_NEW"}},
		}},
	} {
		table, err := importer.Read("spark", step.table, importer.Options{})
		require.NoError(t, err)
		if i == 0 {
			text = table.New()
			continue
		}
		fresh := withoutRecord(table.New())
		var changes importer.Notes
		text, changes, err = table.Update("taxonomy.yaml", text)
		require.NoError(t, err)
		assert.ElementsMatch(t, step.changes, changes, i)
		updated, _, _ := strings.Cut(withoutRecord(text), "reserved:")
		assert.Equal(t, strings.TrimSpace(fresh), strings.TrimSpace(updated), i)
		_, findings := check.Load("taxonomy.yaml", text)
		assert.Empty(t, findings, i)
	}
}

// TestUpdateOfTables imports two versions of a table into one file.
func TestUpdateOfTables(t *testing.T) {
	const mapped = "code=id,message=text,number=no,http=status"
	for _, tt := range []struct {
		name, format  string
		columns       string
		first, second string
		edits         []string // of the first taxonomy
		want          []string
		absent        []string
		changes       importer.Notes
		notes         importer.Notes
	}{
		{
			name: "names of categories that differ in case", format: "tidb",
			first: tidb("kv:1062", "duplicate entry"),
			second: tidb("KV:1062", "other entry") + tidb("kv:1062", "duplicate entry") +
				tidb("KV:NotLeader", "not a leader"),
			want: []string{
				"  kv:\n    doc: Errors of the category kv.\n    codes:\n" +
					"      kv_1062:\n        number: 1062\n",
				"  KV:\n    type: Kv2\n    doc: Errors of the category KV.\n    codes:\n" +
					"      KV_1062_2:\n        number: 1062\n        value: KV:1062\n        message: other entry\n" +
					"      KV_NotLeader:\n",
			},
			changes: importer.Notes{{What: "added", Codes: []string{"KV_1062_2", "KV_NotLeader"}}},
		}, {
			name: "removed numbers that are unique in a category", format: "tidb",
			first:  tidb("a:1", "one of a") + tidb("b:1", "one of b") + tidb("a:2", "two of a"),
			second: tidb("b:1", "one of b") + tidb("a:2", "two of a"),
			want: []string{"reserved:\n  numbers:\n    - {from: 1, category: a}\n  codes: ['a:1', a_1]\n",
				"        value: b:1\n"},
			changes: importer.Notes{{What: "removed, now reserved", Codes: []string{"a_1"}}},
		}, {
			name: "a new name for a number of a category", format: "tidb",
			first:  tidb("a:1", "one of a") + tidb("a:2", "two of a"),
			second: "[\"DM-a-1\"]\nmessage='one of a'\n" + tidb("a:2", "two of a"),
			want:   []string{"      DM-a-1:\n        number: 1\n", "aliases: ['a:1']"},
			absent: []string{"reserved"},
			changes: importer.Notes{
				{What: "renamed", Codes: []string{"a:1 to DM-a-1"}},
			},
		}, {
			name: "a number that was edited by hand", format: "csv", columns: mapped,
			first:  "id,text,no,status\nA,a,1,\nB,b,2,\n",
			second: "id,text,no,status\nA,a,7,\nB,b,2,\n",
			edits:  []string{"number: 1", "number: 9"},
			want:   []string{"number: 9", "reserved:\n  numbers: [1]\n"}, absent: []string{"number: 7"},
			changes: importer.Notes{{What: "changed by the table and by hand, kept", Codes: []string{"A: number"}}},
		}, {
			name: "a new code with a number that was given by hand", format: "csv", columns: mapped,
			first:   "id,text,no,status\nA,a,1,\nB,b,2,\n",
			second:  "id,text,no,status\nA,a,1,\nB,b,2,\nC,c,9,\n",
			edits:   []string{"number: 1", "number: 9"},
			want:    []string{"A:\n        number: 9\n", "C:\n        message: c\n"},
			changes: importer.Notes{{What: "added", Codes: []string{"C"}}},
			notes: importer.Notes{{
				What:  "numbers that codes got by hand: left out; change them in the file, and import again",
				Codes: []string{"9 of A, not of C"},
			}},
		}, {
			name: "a rename of a code whose number was edited by hand", format: "csv", columns: mapped,
			first:   "id,text,no,status\nLOST,lost it,1,\nB,b,2,\n",
			second:  "id,text,no,status\nLOSTX,lost it,1,\nB,b,2,\n",
			edits:   []string{"number: 1", "doc: My doc.\n        number: 9"},
			want:    []string{"LOSTX:\n        doc: My doc.\n        number: 9\n", "aliases: [LOST]"},
			absent:  []string{"codes: [LOST]"},
			changes: importer.Notes{{What: "renamed", Codes: []string{"LOST to LOSTX"}}},
		}, {
			name: "a number that table and hand changed alike", format: "csv", columns: mapped,
			first:  "id,text,no,status\nA,a,1,\nB,b,2,\n",
			second: "id,text,no,status\nA,a,7,\nB,b,2,\n",
			edits:  []string{"number: 1", "number: 7"},
			want:   []string{"number: 7", "reserved:\n  numbers: [1]\n"},
		}, {
			name: "a removed code whose number was edited by hand", format: "csv", columns: mapped,
			first:   "id,text,no,status\nA,a,1,\nB,b,2,\n",
			second:  "id,text,no,status\nB,b,2,\n",
			edits:   []string{"number: 1", "number: 9"},
			want:    []string{"reserved:\n  numbers: [9, 1]\n  codes: [A]\n"},
			changes: importer.Notes{{What: "removed, now reserved", Codes: []string{"A"}}},
		}, {
			name: "a number whose record is a digest", format: "csv", columns: mapped,
			first:   "id,text,no,status\nA,a,1347,\nB,b,2,\n",
			second:  "id,text,no,status\nA,a,7,\nB,b,2,\n",
			edits:   []string{"number=1347", "number=55494322"},
			want:    []string{"number: 7", "reserved:\n  numbers: [1347]\n"},
			changes: importer.Notes{{What: "changed", Codes: []string{"A: number"}}},
		}, {
			name: "an edited number whose record is a digest", format: "csv", columns: mapped,
			first:   "id,text,no,status\nA,a,1347,\nB,b,2,\n",
			second:  "id,text,no,status\nA,a,7,\nB,b,2,\n",
			edits:   []string{"number=1347", "number=55494322", "number: 1347", "number: 9"},
			want:    []string{"number: 9"},
			absent:  []string{"reserved"},
			changes: importer.Notes{{What: "changed by the table and by hand, kept", Codes: []string{"A: number"}}},
		}, {
			name: "a status that gains a second value", format: "csv", columns: mapped,
			first:  "id,text,no,status\nA,a,1,400\nB,b,2,404\n",
			second: "id,text,no,status\nA,a,1,400 406\nB,b,2,404\n",
			want:   []string{"http: 400"},
			notes:  importer.Notes{{What: "further HTTP statuses: left out", Codes: []string{"A"}}},
		}, {
			name: "values that become unreadable", format: "csv", columns: mapped,
			first:  "id,text,no,status\nA,a,1,400\nB,b,2,404\n",
			second: "id,text,no,status\nA,a,-,4xx\nB,b,2,404\n",
			want:   []string{"number: 1", "http: 400"}, absent: []string{"reserved"},
			notes: importer.Notes{
				{What: "values of number that cannot be read: left out", Codes: []string{"A"}},
				{What: "values of http that cannot be read: left out", Codes: []string{"A"}},
			},
		}, {
			name: "renames of codes without numbers", format: "csv", columns: "code=id,message=text",
			first:  "id,text\nA,the disk is full\nB,same text\nC,same text\nWORD,word\n",
			second: "id,text\nDISK_FULL,the disk is full\nD,same text\nE,same text\nVERB,word\n",
			want: []string{"      DISK_FULL:\n        message: the disk is full\n        aliases: [A]\n",
				"codes: [B, C, WORD]"},
			changes: importer.Notes{
				{What: "renamed", Codes: []string{"A to DISK_FULL"}},
				{What: "added", Codes: []string{"D", "E", "VERB"}},
				{What: "removed, now reserved", Codes: []string{"B", "C", "WORD"}},
			},
		}, {
			name: "a number with another meaning", format: "csv", columns: mapped,
			first:  "id,text,no,status\nDISK_FULL,disk full,1,\nB,b,2,\n",
			second: "id,text,no,status\nUSER_GONE,no user,1,\nB,b,2,\n",
			want:   []string{"aliases: [DISK_FULL]"},
			changes: importer.Notes{
				{What: "renamed", Codes: []string{"DISK_FULL to USER_GONE"}},
			},
			notes: importer.Notes{{
				What: "renamed, because the number is the same, but with another message: if the meaning is another, " +
					"remove the alias",
				Codes: []string{"DISK_FULL to USER_GONE"},
			}},
		}, {
			name: "a number that goes to another code", format: "csv", columns: mapped,
			first:  "id,text,no,status\nA,a,50,\n",
			second: "id,text,no,status\nA,a,262,\nB,b,50,\n",
			want:   []string{"number: 262", "number: 50"}, absent: []string{"reserved"},
			changes: importer.Notes{
				{What: "changed", Codes: []string{"A: number"}}, {What: "added", Codes: []string{"B"}},
			},
			notes: importer.Notes{{
				What:  "numbers that another code had: old logs contain them with the former meaning",
				Codes: []string{"50 of A, now of B"},
			}},
		}, {
			name: "a new code whose key differs in case from another", format: "csv", columns: "code=id,message=text",
			first:   "id,text\nfoo,first text\n",
			second:  "id,text\nFOO,second text\nfoo,first text\n",
			want:    []string{"      FOO_2:\n        value: FOO\n        message: second text\n"},
			changes: importer.Notes{{What: "added", Codes: []string{"FOO_2"}}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var o importer.Options
			if tt.columns != "" {
				columns, err := importer.ParseColumns(tt.columns)
				require.NoError(t, err)
				o.Columns = columns
			}
			first, err := importer.Read(tt.format, []byte(tt.first), o)
			require.NoError(t, err)
			before := edit(t, string(first.New()), tt.edits...)
			second, err := importer.Read(tt.format, []byte(tt.second), o)
			require.NoError(t, err)
			after, changes, err := second.Update("taxonomy.yaml", []byte(before))
			require.NoError(t, err)
			for _, want := range tt.want {
				assert.Contains(t, withoutRecord(after), want)
			}
			for _, absent := range tt.absent {
				assert.NotContains(t, withoutRecord(after), absent)
			}
			assert.ElementsMatch(t, tt.changes, changes)
			assert.Equal(t, tt.notes, second.Notes)
			_, findings := check.Load("taxonomy.yaml", after)
			assert.Empty(t, findings)
			second, err = importer.Read(tt.format, []byte(tt.second), o)
			require.NoError(t, err)
			again, changes, err := second.Update("taxonomy.yaml", after)
			require.NoError(t, err)
			assert.Equal(t, string(after), string(again), "a second import")
			assert.Empty(t, changes)
			third, err := importer.Read(tt.format, []byte(tt.first), o)
			require.NoError(t, err)
			_, _, err = third.Update("taxonomy.yaml", after)
			require.NoError(t, err, "back to the first table")
		})
	}
}

// tidb returns a row of TiDB's table.
func tidb(code, message string) string { return fmt.Sprintf("[%q]\nerror = %q\n", code, message) }
