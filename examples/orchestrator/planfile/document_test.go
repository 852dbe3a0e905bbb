package planfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate/plan"
)

const whole = `# Describe the shop

Who reads this may like to know why.

<!-- and this is for authors -->

## Prerequisites

- file: go.mod
- command: ` + "`go`" + `, to run the tests
- env: HOME
- address: http://localhost:5432/ready
- directory: "two words", with what is in it

## Gate

1. go vet ./...
2. sh -c 'test -s "a b"' "say \"hi\"" (within 90s)

## Step 1.2: Collect the orders

Write what is there to docs/orders.md:

` + "```sh" + `
## Step 9: this is no heading
### Success criteria
- exists: nothing
` + "```" + `

#### A heading of the instructions

    # indented code

### Success criteria

- exists: docs/orders.md

## Step 2.3: Describe how agents work here

  * CLAUDE.md says how.

### Prerequisites

- file: docs/orders.md (made by step 1.2), which it quotes

### Success criteria

- exists: reports/2.3.md
- format: ` + "`report.json`" + ` is JSON
- sections: reports/2.3.md has "Purpose", "Rules",
  "And more"
- count: reports/2.3.md has 5 lines matching /^- *a*/b/
- count: reports/2.3.md has at least 2 lines
- count: src/**/*_test.go at least 3
- count: docs/*.md 1 to 4 files
- size: reports/2.3.md 1 to 10240 bytes
- size: reports/2.3.md at most 2 KiB
- size: reports/2.3.md 1 to 2 MiB
- content: reports/2.3.md matches ` + "`/(?m)^AGENTS\\.md/`" + `
- command: ` + "`go test ./... -run 'Test A'`" + ` (within 2m)
`

func TestParse(t *testing.T) {
	d, err := Parse("plan.md", []byte(whole))
	require.NoError(t, err)
	code := "Write what is there to docs/orders.md:\n\n```sh\n## Step 9: this is no heading\n### Success " +
		"criteria\n- exists: nothing\n```\n\n" +
		"#### A heading of the instructions\n\n    # indented code"
	assert.Equal(t, plan.Plan{
		Title: "Describe the shop",
		Prerequisites: []plan.Prerequisite{
			{Kind: plan.File, Name: "go.mod", Line: 9},
			{Kind: plan.Program, Name: "go", Doc: "to run the tests", Line: 10},
			{Kind: plan.Variable, Name: "HOME", Line: 11},
			{Kind: plan.Address, Name: "http://localhost:5432/ready", Line: 12},
			{Kind: plan.Directory, Name: "two words", Doc: "with what is in it", Line: 13},
		},
		Gate: []plan.Command{
			{Args: []string{"go", "vet", "./..."}},
			{Args: []string{"sh", "-c", `test -s "a b"`, `say "hi"`}, Limit: 90 * time.Second},
		},
		Steps: []plan.Step{
			{
				ID: "1.2", Title: "Collect the orders", Line: 20, Instructions: code,
				Criteria: []plan.Criterion{{Kind: plan.Exists, Path: "docs/orders.md", Line: 36}},
			},
			{
				ID: "2.3", Title: "Describe how agents work here", Line: 38, Instructions: "  * CLAUDE.md says how.",
				Prerequisites: []plan.Prerequisite{{Kind: plan.File, Name: "docs/orders.md", MadeBy: "1.2",
					Doc: "which it quotes", Line: 44}},
				Criteria: []plan.Criterion{
					{Kind: plan.Exists, Path: "reports/2.3.md", Line: 48},
					{Kind: plan.Format, Path: "report.json", Text: "json", Line: 49},
					{Kind: plan.Sections, Path: "reports/2.3.md", Texts: []string{"Purpose", "Rules", "And more"},
						Line: 50},
					{Kind: plan.Count, Path: "reports/2.3.md", Text: "^- *a*/b", Min: 5, Max: 5, Line: 52},
					{Kind: plan.Count, Path: "reports/2.3.md", Text: "^", Min: 2, Line: 53},
					{Kind: plan.Count, Path: "src/**/*_test.go", Min: 3, Line: 54},
					{Kind: plan.Count, Path: "docs/*.md", Min: 1, Max: 4, Line: 55},
					{Kind: plan.Size, Path: "reports/2.3.md", Min: 1, Max: 10240, Line: 56},
					{Kind: plan.Size, Path: "reports/2.3.md", Max: 2048, Line: 57},
					{Kind: plan.Size, Path: "reports/2.3.md", Min: 1 << 20, Max: 2 << 20, Line: 58},
					{Kind: plan.Content, Path: "reports/2.3.md", Text: `(?m)^AGENTS\.md`, Line: 59},
					{Kind: plan.Passes,
						Command: &plan.Command{Args: []string{"go", "test", "./...", "-run", "Test A"},
							Limit: 2 * time.Minute}, Line: 60},
				},
			},
		},
	}, d.Plan)
}

// How lines end, and a mark that some editors put first, are of no matter.
func TestParseAsOthersWrite(t *testing.T) {
	want, err := Parse("plan.md", []byte(whole))
	require.NoError(t, err)
	for name, text := range map[string]string{
		"CRLF":               strings.ReplaceAll(whole, "\n", "\r\n"),
		"a byte order mark":  "\uFEFF" + whole,
		"no line end at all": strings.TrimRight(whole, "\n"),
		"stars":              strings.ReplaceAll(whole, "\n- ", "\n* "),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse("plan.md", []byte(text))
			require.NoError(t, err)
			got.Plan.Steps[0].Instructions = strings.ReplaceAll(got.Plan.Steps[0].Instructions, "\n* ", "\n- ")
			assert.Equal(t, want.Plan, got.Plan)
		})
	}
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.md")
	require.NoError(t, os.WriteFile(path, []byte(whole), 0o600))
	d, err := Read(path)
	require.NoError(t, err)
	assert.Len(t, d.Plan.Steps, 2)
	_, err = Read(path + ".no")
	assert.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(path, make([]byte, MaxBytes+1), 0o600))
	_, err = Read(path)
	assert.ErrorContains(t, err, "longer than 1048576 bytes")
}
