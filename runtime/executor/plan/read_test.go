package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy"
)

const described = `# Describe the shop

Why this is done.

` + "```yaml plan" + `
needs:
  - {file: go.mod}
  - {program: go, for: the gate}
gate:
  - {run: [go, test, ./...], within: 5m}
review: true
` + "```" + `

## 2.2: List

Write out.

` + "```yaml step" + `
criteria:
  - {path: out}
` + "```" + `

## 2.3: Describe how agents work here

Read CLAUDE.md, and write to r.md what it says.

### Notes

` + "```yaml" + `
an: example
` + "```" + `

` + "```yaml step" + `
needs: [{file: out, made_by: "2.2"}]
files: [r.md]
criteria:
  - {path: r.md, sections: [Tests, Prices], matches: cents, lines: {matching: ^-, min: 2}, bytes: {max: 2048}}
  - {files: "**/*.md", min: 1, max: 3}
  - {run: [grep, -q, cents, r.md]}
` + "```" + `

Write clearly.
`

func TestRead(t *testing.T) {
	p, problems := Read([]byte(described))
	assert.Empty(t, problems)
	assert.Empty(t, Check(p))
	assert.Equal(t, &Plan{
		Title: "Describe the shop", Review: true,
		Needs: []Need{{File: "go.mod"}, {Program: "go", For: "the gate"}},
		Gate:  []Command{{Run: []string{"go", "test", "./..."}, Within: taxonomy.Duration(5 * time.Minute)}},
		Steps: []Step{
			{ID: "2.2", Title: "List", Instructions: "Write out.", Criteria: []Criterion{{Path: "out"}}, Line: 14},
			{ID: "2.3", Title: "Describe how agents work here", Line: 23,
				Instructions: "Read CLAUDE.md, and write to r.md what it says.\n\n### Notes\n\n" +
					"```yaml\nan: example\n```\n\n\nWrite clearly.",
				Needs: []Need{{File: "out", MadeBy: "2.2"}}, Files: []string{"r.md"},
				Criteria: []Criterion{
					{Path: "r.md", Sections: []string{"Tests", "Prices"}, Matches: "cents",
						Lines: &Count{Matching: "^-", Min: 2}, Bytes: &Count{Max: 2048}},
					{Files: "**/*.md", Min: 1, Max: 3},
					{Command: Command{Run: []string{"grep", "-q", "cents", "r.md"}}},
				}},
		},
	}, p)
	assert.Equal(t, "r.md exists; it has the headings Tests, Prices; it matches /cents/; "+
		"it has at least 2 lines matching /^-/; it has at most 2048 bytes", p.Steps[1].Criteria[0].String())
	assert.Equal(t, "1 to 3 files match **/*.md", p.Steps[1].Criteria[1].String())
	assert.Equal(t, "`grep -q cents r.md` exits with 0", p.Steps[1].Criteria[2].String())
	assert.Equal(t, "out exists; it has 2 lines", (&Criterion{Path: "out", Lines: &Count{Min: 2, Max: 2}}).String())
	assert.Equal(t, `sh -c "test -d src" ""`, Command{Run: []string{"sh", "-c", "test -d src", ""}}.String())
}

// Each change makes one fault in a plan without faults.
func TestFaults(t *testing.T) {
	const good = "# T\n\n## 1: A\n\nDo.\n\n```yaml step\ncriteria:\n  - {path: a}\n```\n"
	change := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	criterion := func(k string) string { return change("{path: a}", k) }
	need := func(n string) string { return change("criteria:", "needs: ["+n+"]\ncriteria:") }
	fence := func(kind, body string) string { return "```yaml " + kind + "\n" + body + "\n```\n" }
	for _, tt := range []struct {
		name, source string
		kind         string
		line         int
	}{
		{"none", good, "", 0},
		{"a fence without an end", good + "```\n## 2: B\n", invalid, 12},
		{"a comment without an end", good + "<!-- open\n\n## 2: B\n\nDo.\n", invalid, 13},
		{"a step in a quote", good + "> ## 2: B\n", "", 0}, // its marker is visible
		{"a heading without an ID", good + "## B\n", invalid, 11},
		{"two titles", good + "# B\n", invalid, 11},
		{"two blocks", good + fence("step", "review: true"), invalid, 11},
		{"a block before the first step", fence("step", "review: true") + good, invalid, 1},
		{"a plan's block in a step", good + fence("plan", "review: true"), invalid, 11},
		{"an unknown key", change("path:", "pfad:"), invalid, 9},
		{"a duplicate key", change("criteria:", "review: true\nreview: true\ncriteria:"), invalid, 9},
		{"a wrong value", criterion("{path: a, min: many}"), invalid, 9},
		{"not YAML", change("criteria:", "criteria: ["), invalid, 7},
		{"two documents", change("{path: a}", "{path: a}\n---\nreview: true"), invalid, 7},
		{"no step", "", silent, 0},
		{"no instructions", change("Do.", ""), silent, 3},
		{"a placeholder", change("Do.", "Do TODO."), silent, 3},
		{"no criteria", change("criteria:\n  - {path: a}", "review: true"), unclear, 3},
		{"a duplicate ID", good + strings.TrimPrefix(good, "# T\n"), invalid, 12},
		{"an ID that is too long", change("1:", strings.Repeat("1", 41)+":"), invalid, 3},
		{"an ID with a slash", change("1:", "../1:"), invalid, 3},
		{"a path outside the tree", criterion("{path: ../a}"), invalid, 3},
		{"an absolute path", criterion("{path: /etc/passwd}"), invalid, 3},
		{"a path of git", criterion("{path: sub/.GIT/config}"), invalid, 3},
		{"a regular expression", criterion("{path: a, matches: '('}"), unclear, 3},
		{"a pattern", criterion("{files: '[', min: 1}"), invalid, 3},
		{"a format", criterion("{path: a, format: toml}"), unclear, 3},
		{"a range upside down", criterion("{path: a, bytes: {min: 9, max: 2}}"), unclear, 3},
		{"an empty range", criterion("{files: a}"), unclear, 3},
		{"a range without files", criterion("{path: a, min: 3}"), unclear, 3},
		{"two subjects", criterion("{path: a, run: [b]}"), unclear, 3},
		{"no subject", criterion("{matches: a}"), unclear, 3},
		{"a file's condition of a command", criterion("{run: [b], matches: a}"), unclear, 3},
		{"a program that is an option", criterion("{run: [--exec]}"), invalid, 3},
		{"a program outside the tree", criterion("{run: [../b]}"), invalid, 3},
		{"sizes that exclude each other", criterion("{path: a, bytes: {min: 9}}\n  - {path: a, bytes: {max: 3}}"),
			conflicting, 3},
		{"a need of two kinds", need("{file: a, env: B}"), invalid, 3},
		{"a need of no kind", need("{for: a}"), invalid, 3},
		{"an address without a port", need("{address: db}"), invalid, 3},
		{"a variable", need("{env: A-B}"), invalid, 3},
		{"made by no earlier step", need("{file: a, made_by: '1'}"), conflicting, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, found := Read([]byte(tt.source))
			if len(found) == 0 {
				found = Check(p)
			}
			if tt.kind == "" {
				assert.Empty(t, found)
				return
			}
			if assert.Len(t, found, 1) {
				assert.Equal(t, [2]any{tt.kind, tt.line}, [2]any{found[0].Kind, found[0].Line}, found[0])
				assert.NotContains(t, found[0].Text, "plan.", "Go types are for programmers")
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(described))
	f.Fuzz(func(t *testing.T, source []byte) {
		p, found := Read(source)
		found = append(found, Check(p)...)
		for _, s := range p.Steps {
			if len(found) == 0 && (s.ID == "" || s.Instructions == "" || len(s.Criteria) == 0) {
				t.Errorf("a step without an ID, instructions or criteria has no fault: %+v", s)
			}
		}
	})
}
