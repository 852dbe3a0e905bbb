package suggest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// indent is the indent of a code below `categories`, its category and `codes`.
const indent = "      "

// YAML returns the proposals as text to paste under the `codes` of a category. Everything else in
// it is a comment.
func (r *Result) YAML() []byte {
	var b bytes.Buffer
	r.heading(&b)
	for _, p := range r.Proposals {
		b.WriteByte('\n')
		p.comments(&b)
		p.code(&b)
	}
	if len(r.Left) > 0 {
		b.WriteString("\n# Without a proposal:\n")
	}
	for _, l := range r.Left {
		fmt.Fprintf(
			&b, "# %s: %s\n", strings.Join(append([]string{entries(l.Count)}, visible(l.Facts, l.Text)...), ", "),
			l.Why)
	}
	return b.Bytes()
}

func (r *Result) heading(b *bytes.Buffer) {
	if len(r.Proposals) == 0 {
		fmt.Fprintf(b, "# Nothing to propose for %s.\n", entries(r.Entries))
	} else {
		for _, line := range []string{
			"Proposals for evidence that no rule matched. Paste codes under the codes of a category, or move a " +
				"rule and its",
			"examples to an existing code. Names are guesses; add doc, retryable and reaction.",
		} {
			b.WriteString("# " + line + "\n")
		}
	}
	if r.Matched > 0 {
		fmt.Fprintf(b, "# %s left out, because rules of the taxonomy match now.\n", entries(r.Matched))
	}
	if len(r.UndeclaredSources)+len(r.UndeclaredOps) > 0 {
		b.WriteString("# To declare:\n")
	}
	declare(b, "#   ", "sources", r.UndeclaredSources)
	declare(b, "#   ", "ops", r.UndeclaredOps)
}

// declare writes a section that declares names.
func declare(b *bytes.Buffer, prefix, section string, names []string) {
	if len(names) == 0 {
		return
	}
	fmt.Fprintf(b, "%s%s:\n", prefix, section)
	for _, name := range names {
		fmt.Fprintf(b, "%s  %s: \"\"\n", prefix, scalar(name))
	}
}

func (p *Proposal) comments(b *bytes.Buffer) {
	fmt.Fprintf(b, "%s# %s%s\n", indent, entries(p.Count), p.when())
	for i, text := range p.Texts {
		if i == maxExamples {
			break
		}
		fmt.Fprintf(b, "%s#   %s\n", indent, quote(text))
	}
	if p.Source == "" {
		fmt.Fprintf(b, "%s# The source has no usable name, so the rule is for every source.\n", indent)
	}
	if 0 < len(p.Contains) && len(p.Contains) < enough {
		fmt.Fprintf(b, "%s# The text is short: extend it, or add a condition.\n", indent)
	}
}

func (p *Proposal) when() string {
	first, last := p.First.UTC().Format(time.RFC3339), p.Last.UTC().Format(time.RFC3339)
	switch {
	case p.First.IsZero():
		return ""
	case first == last:
		return " at " + first
	}
	return " from " + first + " to " + last
}

// code writes the code as YAML.
func (p *Proposal) code(b *bytes.Buffer) {
	fmt.Fprintf(b, "%s%s:\n", indent, p.Name)
	fmt.Fprintf(b, "%s  message: %s\n", indent, scalar(strings.ToLower(strings.ReplaceAll(p.Name, "_", " "))))
	fmt.Fprintf(b, "%s  detect:\n%s    - %s\n", indent, indent, p.Rule)
	fmt.Fprintf(b, "%s  examples:\n", indent)
	for _, example := range p.Examples {
		fmt.Fprintf(b, "%s    - %s\n", indent, example)
	}
}

// visible returns facts and a text for a comment.
func visible(facts []string, text string) []string {
	var out []string
	for _, fact := range facts {
		quoted := quote(fact)
		out = append(out, quoted[1:len(quoted)-1])
	}
	if text != "" {
		out = append(out, quote(text))
	}
	return out
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return strconv.Itoa(n) + " entries"
}
