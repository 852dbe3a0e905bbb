package planfile

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/errgen/errgen/runtime/escalate/plan"
)

// stepTitle is the heading of a step: "Step 2.3: Describe the shop".
var stepTitle = regexp.MustCompile(`^(?i:step)\s+([^\s:]+)\s*(?::\s*(.*))?$`)

// step reads a step's heading and its instructions.
func (r *reader) step(s section) {
	found := stepTitle.FindStringSubmatch(s.title)
	if found == nil {
		r.wrong(
			s.at, "%s is no section of a plan; there are ## Prerequisites, ## Gate and steps such as ## Step 2.3: "+
				"Describe the shop", quoted(s.title))
		found = make([]string, 3)
	}
	at := r.trimmed(s.body)
	r.inStep = true
	line, _ := r.place(s.at)
	r.doc.texts[found[1]] = at
	r.doc.Plan.Steps = append(r.doc.Plan.Steps, plan.Step{
		ID: found[1], Title: found[2], Line: line,
		Instructions: strings.ReplaceAll(string(r.doc.source[at.from:at.to]), "\r\n", "\n"),
	})
}

// trimmed returns a part without empty lines before it and white space after it. How its first line
// is indented stays.
func (r *reader) trimmed(s span) span {
	text := r.doc.source[s.from:s.to]
	text = bytes.TrimRight(text, " \t\r\n")
	to := s.from + len(text)
	for from := s.from; from < to; {
		end := min(r.lineEnd(from), to)
		if len(bytes.TrimSpace(r.doc.source[from:end])) > 0 {
			return span{from, to}
		}
		from = end
	}
	return span{to, to}
}
