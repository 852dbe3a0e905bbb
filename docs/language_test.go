package docs

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/rules"
	"github.com/errgen/errgen/internal/spec"
)

// Every block that says it is complete must load without a finding, and every other block of YAML
// must say that it is not one.
func TestExamplesLoad(t *testing.T) {
	for _, name := range []string{"language.md", "classification.md", "../README.md"} {
		complete := 0
		for _, b := range blocks(read(t, name)) {
			if b.info != "yaml complete" &&
				!(strings.HasPrefix(b.info, "yaml") && strings.HasPrefix(b.text, "errgen:")) {
				continue
			}
			complete++
			m, findings := check.Load("taxonomy.yaml", []byte(b.text))
			assert.Empty(t, findings, "%s:%d", name, b.line)
			assert.NotNil(t, m, "%s:%d", name, b.line)
		}
		assert.NotZero(t, complete, "%s has no complete taxonomy", name)
	}
}

// documented says which tables of the page describe which mapping of the language, where the names
// differ or more than one table does.
var documented = map[string][]string{
	"category":          {"category", "traits"},
	"code":              {"code", "traits"},
	"when branch":       {"when branch", "traits"},
	"code overlay":      {"traits"},
	"reaction overlay":  {"reaction"},
	"retry":             {"retry", "policy"},
	"example":           {"detect rule", "example"},
	"counter-example":   {"detect rule", "example"},
	"text matcher":      {"matcher"},
	"number matcher":    {"matcher"},
	"range of attempts": {"bounds"},
	"range of delays":   {"bounds"},
}

// notThere are keys that a mapping does not take though a table that it shares has them.
var notThere = map[string][]string{
	"retry":           {"doc"},
	"example":         {"contains", "priority", "set"},
	"counter-example": {"contains", "priority", "set", "want"},
	"text matcher":    {"min", "max"},
	"number matcher":  {"prefix"},
}

func TestKeyTables(t *testing.T) {
	tables := tables(read(t, "language.md"))
	used := map[string]bool{}
	for _, m := range spec.TheLanguage().Mappings {
		names := documented[m.Name]
		if names == nil {
			names = []string{m.Name}
		}
		var keys []string
		for _, name := range names {
			used[name] = true
			for _, row := range tables[name] {
				keys = append(keys, row.keys...)
			}
		}
		keys = slices.DeleteFunc(keys, func(k string) bool { return slices.Contains(notThere[m.Name], k) })
		slices.Sort(keys)
		want := slices.Sorted(slices.Values(m.Names()))
		assert.Equal(t, want, slices.Compact(keys), "keys of %s", m.Name)
	}
	for name := range tables {
		assert.True(t, used[name], "the table %q describes nothing", name)
	}
}

// A row names the words that its key takes, and its default.
func TestKeyTablesAreComplete(t *testing.T) {
	tables := tables(read(t, "language.md"))
	for _, m := range spec.TheLanguage().Mappings {
		for _, row := range tables[m.Name] {
			for _, key := range row.keys {
				k := m.Key(key)
				if k == nil || len(row.keys) > 1 {
					continue
				}
				for _, word := range closedWords(k.Type) {
					assert.Contains(t, row.text, "`"+word+"`", "%s.%s", m.Name, key)
				}
				if k.Default != "" && !strings.Contains(k.Default, " ") && !strings.Contains(row.text, k.Default) {
					t.Errorf("%s.%s: the default is %s, the page says %s", m.Name, key, k.Default, row.text)
				}
				if k.Required && !strings.Contains(row.text, "required") && strings.Count(row.text, "|") > 4 {
					t.Errorf("%s.%s is required, the page says %s", m.Name, key, row.text)
				}
			}
		}
	}
}

// closedWords returns the words that a value can be, but for the long list of gRPC's and those that
// have a table of their own.
func closedWords(t spec.Type) []string {
	words := t.Words
	for _, alt := range t.Alts {
		words = append(words, closedWords(alt)...)
	}
	if len(words) > 5 {
		return nil
	}
	return words
}

func TestReservedKeysAreNamed(t *testing.T) {
	page := read(t, "language.md")
	for _, m := range spec.TheLanguage().Mappings {
		for _, k := range m.Keys {
			if k.Reserved {
				assert.Contains(t, page, "`"+k.Name+"`", "reserved key of %s", m.Name)
			}
		}
	}
}

// Every finding that errgen can make is in the list, in the section of what it is about, and
// nothing else.
func TestFindingsAreListed(t *testing.T) {
	page := read(t, "language.md")
	_, section, found := strings.Cut(page, "\n## Findings\n")
	require.True(t, found)
	var listed []string
	for line := range strings.SplitSeq(section, "\n") {
		if id, ok := strings.CutPrefix(line, "| `"); ok {
			id, _, _ = strings.Cut(id, "`")
			listed = append(listed, id)
		}
	}
	var want []string
	for _, id := range slices.Concat(spec.IDs(), check.IDs()) {
		if now, replaced := rules.Replaced(id); replaced {
			id = now
		}
		want = append(want, id)
	}
	slices.Sort(want)
	slices.Sort(listed)
	assert.Equal(t, slices.Compact(want), listed)
}

// TestActionTable tries every key with every action.
func TestActionTable(t *testing.T) {
	values := map[string]string{
		"policy": "{max_attempts: 2}", "honor_retry_after": "false", "shared": "run", "then": "block",
		"session":   "fresh",
		"feed_back": "true", "strategy": "mend", "resume": "iteration", "to": "low", "purpose": "analysis",
		"extent": "run",
	}
	head, rows := actionTable(t, read(t, "language.md"))
	require.Len(t, rows, len(values))
	for _, cells := range rows {
		key := strings.Trim(cells[0], "`")
		require.Contains(t, values, key)
		for i, action := range head {
			assert.Equal(t, cells[i+1] == "yes", takes(t, action, key, values[key]), "%s with %s", key, action)
			if other, needed := strings.CutPrefix(cells[i+1], "with "); needed {
				other = strings.Trim(other, "`")
				assert.True(t, takes(t, action, key, values[key]+", "+other+": "+values[other]), "%s and %s with %s",
					key, other, action)
			}
		}
	}
}

// actionTable returns the actions in the head of the table, and its rows.
func actionTable(t *testing.T, page string) (head []string, rows [][]string) {
	t.Helper()
	_, table, found := strings.Cut(page, "<!-- actions -->\n\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	for i, line := range strings.Split(table, "\n") {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for j := range cells {
			cells[j] = strings.TrimSpace(cells[j])
		}
		switch i {
		case 0:
			for _, c := range cells[1:] {
				head = append(head, strings.Trim(c, "`"))
			}
		case 1:
		default:
			rows = append(rows, cells)
		}
	}
	return head, rows
}

func takes(t *testing.T, action, key, value string) bool {
	t.Helper()
	src := "errgen: 1\npackage: p\nstrategies: {mend: Mends.}\ntiers: {low: {}, high: {}}\nreactions:\n  r: {action: " +
		action + ", " +
		key + ": " + value + "}\ncategories: {c: {doc: C., codes: {X: {doc: X., message: x, reaction: r}}}}\n"
	_, findings := check.Load("taxonomy.yaml", []byte(src))
	for _, f := range findings {
		require.NotEqual(t, "E-unknown-key", f.ID, src)
		require.NotEqual(t, "E-value", f.ID, src)
		if f.ID == "E-action" && strings.Contains(f.Message, "does not take") {
			return false
		}
	}
	return true
}
