package importer_test

import (
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
			for _, absent := range tt.absent {
				assert.NotContains(t, withoutRecord(after), absent)
			}
			assert.ElementsMatch(t, tt.changes, changes)
			if tt.want == nil {
				assert.Equal(t, before, string(after))
			}
			_, findings := check.Load("taxonomy.yaml", after)
			assert.Empty(t, findings)
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
}
