package planfile

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestProblems(t *testing.T) {
	const step = "# T\n## Step 1: a\ndo it\n### Success criteria\n"
	const before = "# T\n## Prerequisites\n"
	tests := []struct{ name, text, want string }{
		{"nothing", "", "plan.md: the plan has no steps"},
		{"text first", "Describe it\n# T\n## Step 1\nx\n",
			"plan.md:1:1: a plan begins with its title: write # and the title here"},
		{"two titles", "# T\n# U\n## Step 1\nx\n", "plan.md:2:1: a plan has one title"},
		{"no UTF-8", "# T\n## Step 1\nä\xff\n", "plan.md:3:2: the file is no UTF-8 from here on"},
		{"NUL", "# T\n\x00", "plan.md:2:1: there is a NUL character here; remove it"},
		{"deep", "# T\n\n" + strings.Repeat("1) > * ", 30), "plan.md:3:1: this is nested more than 50 times"},
		{"another heading", "# T\n## Notes\nx\n",
			`plan.md:2:1: "Notes" is no section of a plan; there are ## Prerequisites, ## Gate and steps such as ## ` +
				`Step 2.3: `},
		{"a step without an ID", "# T\n## Step : x\nx\n", `plan.md:2:1: "Step : x" is no section of a plan`},
		{"a bad ID", "# T\n## Step -1: x\ndo it\n", "plan.md:2: the ID "},
		{"the same ID", "# T\n## Step 1\na\n## Step 1\nb\n", "plan.md:4: another step has the ID "},
		{"another section of a step", "# T\n## Step 1\nx\n### Sucess criteria\n- exists: a\n",
			`plan.md:4:1: "Sucess criteria" is no section of a step; there are ### Prerequisites and ### Success ` +
				`criteria. In instructions write ####`},
		{"a section of no step", "# T\n## Gate\n- true\n### Prerequisites\n- env: A\n",
			"plan.md:4:1: this heading belongs to no step"},
		{"a section twice", "# T\n## Gate\n- true\n## Gate\n- false\n", "plan.md:4:1: there is such a section already"},
		{"a section of a step twice", step + "- exists: a\n### Success criteria\n- exists: b\n",
			"plan.md:6:1: there is such a section already"},
		{"an accidental heading", "# T\n## Step 1\none\n---\n",
			"plan.md:3:1: the line below makes a heading of this one: write ## in front of a heading, or leave a " +
				"line empty above ---"},

		{"a text in place of a list", before + "go must be there\n",
			"plan.md:3:1: here is a list only: write each item on a line of its own, such as - file: docs/a.md"},
		{"an empty item", before + "-\n", "plan.md:3:1: the item is empty"},
		{"a list in an item", before + "- env: A\n  - env: B\n",
			"plan.md:4:3: an item is one text, with nothing below it"},
		{"a heading in an item", before + "- # env: A\n", "plan.md:3:1: this is no item of plain text"},

		{"no kind", before + "- go.mod\n",
			"plan.md:3:3: what is it? Write the kind in front of it, such as file: docs/a.md; there are file, " +
				"directory, command, env or address"},
		{"another kind", before + "- fil: go.mod\n", `plan.md:3:3: "fil" is no kind of prerequisite`},
		{"no name", before + "- file:\n", "plan.md:3:8: the name is missing"},
		{"a quote", before + "- file: `a\n", "plan.md:3:9: the name is missing, or its quote is not closed"},
		{"more", before + "- file: ä a b\n", "plan.md:3:11: only (made by 1.2) may follow"},
		{"outside", before + "- file: ../a\n## Step 1\nx\n", "plan.md:3: "},

		{"no kind of criterion", step + "- reports/a.md\n", "plan.md:5:3: how is it checked?"},
		{"another kind of criterion", step + "- exist: a\n",
			`plan.md:5:3: "exist" is no kind of criterion; there are exists, format, sections, count, size, content ` +
				`or command`},
		{"exists and more", step + "- exists: a b\n",
			"plan.md:5:13: this is not understood from here on; write such as exists: reports/2.3.md"},
		{"a format", step + "- format: a.json json\n",
			"plan.md:5:18: this is not understood from here on; write such as format: report.json is json"},
		{"sections", step + "- sections: a.md has Purpose\n",
			"plan.md:5:22: this is not understood from here on; write such as sections: "},
		{"bounds", step + "- count: a.md has five lines\n",
			"plan.md:5:19: this is not understood from here on; write such as count: "},
		{"bounds of nothing", step + "- count: *.go at least 0\n", "plan.md:5:15: 0 says nothing"},
		{"bounds the other way round", step + "- size: a.md 9 to 1 bytes\n", "plan.md:5:14: nothing is in between"},
		{"a great number", step + "- size: a.md 99999999999 GiB\n", "plan.md:5:14: this is not understood"},
		{"a pattern", step + "- content: a.md matches AGENTS\n",
			"plan.md:5:25: this is not understood from here on; write such as content: "},
		{"a regular expression", step + "- content: a.md matches /(/\n",
			"plan.md:5:26: the regular expression cannot be used: missing closing )"},
		{"a line that goes on", step + "- content: a.md\n  matches /(/\n",
			"plan.md:6:12: the regular expression cannot be used"},
		{"no command", step + "- command:\n", "plan.md:5:11: the command is missing"},
		{"a quote of a command", step + "- command: go 'test\n", "plan.md:5:15: a quote is opened here and not closed"},
		{"a shell", step + "- command: go test | tee log\n",
			`plan.md:5:20: no shell reads the command: put what needs "|" into a script`},
		{"a time", "# T\n## Gate\n- go test (within soon)\n",
			`plan.md:3:11: "soon" is no time; write such as (within 90s)`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("plan.md", []byte(tt.text))
			require.Error(t, err)
			assert.True(t, strings.HasPrefix(err.Error(), tt.want), "%s\ndoes not begin with\n%s", err, tt.want)
		})
	}
}

// Everything is said at once, in the order of the file.
func TestAllProblems(t *testing.T) {
	_, err := Parse(
		"p.md", []byte(
			"# T\n## Gate\n- true | x\n## Step 1\nx\n### Success criteria\n- exist: a\n### Prerequisites\n- a\n"))
	var e *Error
	require.True(t, errors.As(err, &e))
	require.Len(t, e.Problems, 3)
	assert.Equal(t, []int{3, 7, 9}, []int{e.Problems[0].Line, e.Problems[1].Line, e.Problems[2].Line})
	var many strings.Builder
	many.WriteString("# T\n## Gate\n")
	for i := range 80 {
		fmt.Fprintf(&many, "- x%d | y\n", i)
	}
	_, err = Parse("p.md", []byte(many.String()))
	assert.Equal(t, 51, strings.Count(err.Error(), "\n")+1)
	assert.True(t, strings.HasSuffix(err.Error(), "\np.md: and more"))
}
