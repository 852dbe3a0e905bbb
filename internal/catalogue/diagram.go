package catalogue

import (
	"cmp"
	"fmt"
	"html/template"
	"strings"

	"github.com/errgen/errgen/internal/explain"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The measures of a diagram, in units of its viewBox.
const (
	boxWidth  = 300
	loopWidth = 124 // to the right of the boxes
	lineSize  = 18
	boxGap    = 44
	boxInset  = 14
	lineChars = 38
)

// diagram returns a chain of reactions as SVG: a box for each reaction, an arrow to the next one,
// and a loop beside each reaction that repeats calls. If the diagram had neither, it is empty.
func diagram(head *taxonomy.Reaction, words *explain.Reaction) template.HTML {
	if words.Then == nil && !repeats(head) {
		return ""
	}
	var b strings.Builder
	y := 1
	r := head
	for _, w := range chain(words) {
		lines := wrap(explain.Action(r), lineChars)
		height := 2*boxInset + lineSize*(len(lines)+1) - 6
		fmt.Fprintf(&b, `<rect class="%s" x="1" y="%d" width="%d" height="%d" rx="8"/>`,
			boxClass(r), y, boxWidth, height)
		text := func(class string, line int, s string) {
			fmt.Fprintf(&b, `<text class="%s" x="%d" y="%d">%s</text>`, class, boxInset+2,
				y+boxInset+12+line*lineSize, template.HTMLEscapeString(s))
		}
		text("name", 0, cmp.Or(w.Name, w.Action))
		for i, line := range lines {
			text("what", i+1, line)
		}
		middle := y + height/2
		if repeats(r) {
			fmt.Fprintf(&b, `<path class="arrow" d="M%d %d h18 a10 10 0 0 0 10 -10 v-4 a10 10 0 0 0 -10 -10 h-14"/>`+
				`<path class="tip" d="M%[3]d %[4]d l9 -5 v10 z"/>`, boxWidth+1, middle+12, boxWidth+2, middle-12)
			calls := "no limit"
			if r.Policy != nil && r.Policy.MaxAttempts > 0 {
				calls = explain.Count(r.Policy.MaxAttempts, "call", "calls")
			}
			fmt.Fprintf(&b, `<text class="label" x="%d" y="%d">%s</text>`, boxWidth+34, middle+4, calls)
		}
		y += height
		if w.Then != nil {
			fmt.Fprintf(&b, `<path class="arrow" d="M40 %d v%d"/><path class="tip" d="M40 %d l-5 -9 h10 z"/>`+
				`<text class="label" x="54" y="%d">if exhausted</text>`, y, boxGap-8, y+boxGap-1, y+boxGap/2+4)
			y += boxGap
			r = r.Then
		}
	}
	return template.HTML(fmt.Sprintf(`<svg class="chain" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" role="img" `+
		`aria-label="%s">%s</svg>`, boxWidth+loopWidth, y+1, template.HTMLEscapeString(chainText(words)), b.String()))
}

func repeats(r *taxonomy.Reaction) bool { return r.Retries() || r.Action == taxonomy.Recover }

// boxClass returns the CSS class of a reaction's box.
func boxClass(r *taxonomy.Reaction) string {
	switch r.Action {
	case taxonomy.Abort:
		return "stop"
	case taxonomy.Block, taxonomy.Escalate:
		return "ask"
	case taxonomy.Continue:
		return "go"
	}
	return "again"
}

// wrap breaks a text into lines of at most limit characters, at spaces where it can.
func wrap(text string, limit int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) <= limit:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
		for r := []rune(line); len(r) > limit; r = []rune(line) {
			lines, line = append(lines, string(r[:limit])), string(r[limit:])
		}
	}
	return append(lines, line)
}

// mermaid returns a chain of reactions as a Mermaid flowchart.
func mermaid(r *taxonomy.Reaction, words *explain.Reaction) string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for i, w := range chain(words) {
		if i > 0 {
			fmt.Fprintf(&b, "  r%d -->|if exhausted| r%d\n", i-1, i)
			r = r.Then
		}
		label := strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;", "`", "'").
			Replace(cmp.Or(w.Name, w.Action) + ": " + explain.Action(r))
		fmt.Fprintf(&b, "  r%d[\"%s\"]\n", i, label)
	}
	return b.String()
}
