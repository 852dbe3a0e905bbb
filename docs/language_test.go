package docs

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/schema"
	"github.com/errgen/errgen/internal/spec"
)

// Every block that says it is complete must load without a finding, and every other block of YAML
// must say that it is not one.
func TestExamplesLoad(t *testing.T) {
	for _, name := range append(languagePages, "classification.md", "../README.md") {
		complete := 0
		all := blocks(read(t, name))
		open := func(file string) ([]byte, error) {
			i := slices.IndexFunc(all, func(b block) bool { return b.info == "yaml "+file })
			require.GreaterOrEqual(t, i, 0, file)
			return []byte(all[i].text), nil
		}
		for _, b := range all {
			if b.info != "yaml complete" &&
				!(strings.HasPrefix(b.info, "yaml") && strings.HasPrefix(b.text, "errgen:")) {
				continue
			}
			complete++
			src, err := spec.Include("taxonomy.yaml", []byte(b.text), open)
			require.NoError(t, err)
			m, findings := check.Load("taxonomy.yaml", src)
			assert.Empty(t, findings, "%s:%d", name, b.line)
			assert.NotNil(t, m, "%s:%d", name, b.line)
		}
		assert.NotZero(t, complete, "%s has no complete taxonomy", name)
	}
}

// languagePages are the pages of the reference. Each key is on one of them.
var languagePages = []string{"language.md", "language-codes.md", "language-fields.md", "language-reactions.md",
	"language-detection.md", "language-agents.md", "operations.md"}

var update = flag.Bool("update", false, "write the generated tables anew")

// variants are mappings whose keys are in the table of another mapping.
var variants = []string{"reaction overlay", "code overlay", "counter-example", "example of a signature", "text matcher",
	"number matcher"}

// partTables are the tables of keys that several mappings share, by the mapping that shows them.
var partTables = map[string]string{"traits": "category"}

// TestKeyTables compares each table of keys with the structs of the language. With -update it
// writes them.
func TestKeyTables(t *testing.T) {
	table := regexp.MustCompile("(?m)^<!-- keys: ([a-z -]+) -->\n\n((?:\\|.*\n)*)")
	shown := map[string]bool{}
	for _, name := range languagePages {
		page := read(t, name)
		assert.Empty(t, regexp.MustCompile("(?m)^\\|.*\n[^|\n].*").FindString(page),
			"a table needs an empty line after it")
		want := table.ReplaceAllStringFunc(page, func(old string) string {
			mapping := table.FindStringSubmatch(old)[1]
			shown[mapping] = true
			keys := "<!-- keys: " + mapping + " -->\n\n" + schema.Table(mappingNamed(t, mapping))
			if !*update {
				assert.Equal(t, keys, old, "run go test ./docs -run TestKeyTables -update")
			}
			return keys
		})
		if *update {
			require.NoError(t, os.WriteFile(name, []byte(want), 0o644))
		}
	}
	for _, m := range spec.TheLanguage().Mappings {
		assert.True(t, shown[m.Name] || slices.Contains(variants, m.Name), "no table of the keys of a %s", m.Name)
	}
	for part := range partTables {
		assert.True(t, shown[part], part)
	}
}

// mappingNamed returns a mapping, or the part of several mappings, as a mapping of its own.
func mappingNamed(t *testing.T, name string) *spec.Mapping {
	t.Helper()
	part := &spec.Mapping{Name: name}
	for _, m := range spec.TheLanguage().Mappings {
		if m.Name == name {
			return m
		}
		for _, k := range m.Keys {
			if k.Part == name && partTables[name] == m.Name {
				part.Keys = append(part.Keys, k)
			}
		}
	}
	require.NotEmpty(t, part.Keys, "no mapping is called %q", name)
	return part
}

// Every finding that errgen can make is in the list, in the section of what it is about, and
// nothing else.
func TestFindingsAreListed(t *testing.T) {
	var listed []string
	for line := range strings.SplitSeq(read(t, "findings.md"), "\n") {
		if id, ok := strings.CutPrefix(line, "| `"); ok {
			id, _, _ = strings.Cut(id, "`")
			listed = append(listed, id)
		}
	}
	want := slices.Concat(spec.IDs(), check.IDs(), check.MessageIDs(), []string{check.IDUnusedCode})
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
	head, rows := actionTable(t, read(t, "language-reactions.md"))
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
