package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/rules"
)

// isRuleID reports whether a name is written as the ids of findings are.
func isRuleID(name string) bool {
	return len(name) > 2 && strings.ContainsRune("EeWw", rune(name[0])) && name[1] == '-'
}

// ruleDoc is a finding's page as -format json prints it.
type ruleDoc struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Page     string `json:"page"` // Markdown
}

func (s *session) explainRule(name string, f diag.Format) error {
	text, ok := rules.Page(name)
	if !ok {
		if hint := diag.DidYouMean(name, rules.IDs()); hint != "" {
			return fmt.Errorf("explain: unknown finding %q; %s", name, hint)
		}
		return fmt.Errorf("explain: unknown finding %q", name)
	}
	title, _, _ := strings.Cut(text, "\n")
	doc := ruleDoc{ID: strings.TrimPrefix(title, "# "), Severity: diag.Error.String(), Page: text}
	if strings.HasPrefix(doc.ID, "W-") {
		doc.Severity = diag.Warning.String()
	}
	if f == diag.FormatJSON {
		return s.json(doc)
	}
	return s.write(doc.text())
}

// fences are the lines that stand in place of the fences around the examples of a page.
var fences = map[string]string{"```yaml before": "released:", "```yaml bad": "wrong:", "```yaml good": "right:"}

// text returns the page for a terminal: examples are indented, the rest is as it was written.
func (d *ruleDoc) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s (%s)\n", d.ID, d.Severity)
	indent := ""
	_, body, _ := strings.Cut(d.Page, "\n")
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		switch head, opens := fences[line]; {
		case opens:
			indent = "    "
			b.WriteString(head + "\n\n")
		case strings.HasPrefix(line, "```"):
			indent = ""
		case line == "":
			b.WriteString("\n")
		default:
			b.WriteString(indent + line + "\n")
		}
	}
	return b.Bytes()
}
