package verify_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/escalate/verify"
)

func TestHeadings(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"atx", "# One\n## Two ##\n###### Six\n####### Seven\n#hash\n#\n   # Inset\n\t# code\n",
			"1 One|2 Two|6 Six|1 |1 Inset"},
		{"closing marks", "## C# \n# a #b\n### ###\n# a \\#\n", "2 C#|1 a #b|3 |1 a \\#"},
		{"underlined", "One\n===\n\nTwo\nlines\n  ---  \n", "1 One|2 Two lines"},
		{"rules", "---\n\na\n\n---\n* * *\n***\n===\n", ""},
		{"code", "```sh\n# no\n```\n# yes\n~~~\n# no\n```\n# no\n~~~~\n# also\n", "1 yes|1 also"},
		{"code that is not closed", "```\n# no\n", ""},
		{"code with marks inside", "````\n```\n# no\n```\n````\n# yes\n", "1 yes"},
		{"marks in a line", "``` a ``` b\n# yes\n", "1 yes"},
		{"code in a list", "- ```sh\n  # no\n  ```\n# yes\n", "1 yes"},
		{"code in a list that ends", "- ```sh\n  # no\n\n# yes\n", "1 yes"},
		{"code in a numbered list", "10. ```\n    # no\n    ```\n# yes\n", "1 yes"},
		{"indented code closes nothing", "```\n    ```\n# no\n```\n# yes\n", "1 yes"},
		{"lists and quotes", "- a\n---\n> b\n---\n1. c\n===\n> # quoted\n", ""},
		{"lazy lines", "- a\nb\n---\n", ""},
		{"a number in a paragraph", "In the year\n1986. A great year\n---\n", "2 In the year 1986. A great year"},
		{"comments", "<!--\n# no\n-->\n# yes\n<!-- # no -->\n# also\n", "1 yes|1 also"},
		{"preformatted", "<pre>\n# no\n</pre>\n<script>\n# no\n</SCRIPT>\n<prefix>\n# yes\n", "1 yes"},
		{"emphasis", "# **Risks** \n## `code`\n", "1 Risks|2 code"},
		{"ends of lines", "# One\r\nTwo\r\n---\r\n", "1 One|2 Two"},
		{"not UTF-8", "# a\xff\n", "1 a\uFFFD"},
	} {
		assert.Equal(t, c.want, strings.Join(verify.Headings([]byte(c.text)), "|"), c.name)
	}
}

func TestSections(t *testing.T) {
	dir := tree(
		t, map[string]string{"report.md": "# Report\n\n## Open  questions\n\nRisks\n-----\n\n```\n# " +
			"Rollback\n```\n\n<!--\n# Hidden\n-->\n"})
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"Report", "open questions", "Risks"}, "met"},
		{[]string{"# Report", "## Risks"}, "met"},
		{[]string{"**Risks**"}, "met"},
		{[]string{"## Report"}, `missing_sections: the sections "## Report" | none of "## Report"`},
		{[]string{"Risks", "Rollback", "Hidden"},
			"missing_sections: the sections Risks, Rollback, Hidden | none of Rollback, Hidden"},
	} {
		assert.Equal(t, c.want, look(t, dir, plan.Criterion{Kind: plan.Sections, Path: "report.md", Texts: c.texts}),
			"%q", c.texts)
	}
	assert.Equal(t, "missing_sections: the sections A | nothing: it is not there",
		look(t, dir, plan.Criterion{Kind: plan.Sections, Path: "none.md", Texts: []string{"A"}}))
}
