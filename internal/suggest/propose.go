package suggest

import (
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Proposal is a code with one rule, for evidence that no rule matched.
type Proposal struct {
	Name  string `json:"name"`  // of the code
	Count int    `json:"count"` // entries that it is for
	// First and Last are when such evidence was recorded; zero if no entry says.
	First    time.Time `json:"first,omitzero"`
	Last     time.Time `json:"last,omitzero"`
	Source   string    `json:"source,omitempty"`
	Facts    []string  `json:"facts,omitempty"`    // that the rule asks for: "status 529"
	Contains string    `json:"contains,omitempty"` // what the rule searches the text for; "" is nothing
	// Texts are what was said, normalised, the most frequent first and not all of them.
	Texts []string `json:"texts,omitempty"`
	// Rule and Examples are YAML: flow mappings for `detect` and `examples`.
	Rule     string   `json:"rule"`
	Examples []string `json:"examples"`

	facts    facts
	rules    *detect.Rules       // the rule
	evidence []taxonomy.Evidence // of the examples
}

const (
	maxExamples = 3
	// maxExample bounds the text of an example, in bytes.
	maxExample = 300
)

// propose returns the proposal for a group; ok is false when a rule would have nothing to ask for.
func propose(g *group, names names) (p *Proposal, ok bool) {
	f := g.key.facts
	literal := ""
	if !f.telling() {
		if len(g.literals) > 0 {
			literal = g.literals[0]
		}
		if literal == "" && !f.hasExit && f.op == "" {
			return nil, false
		}
	}
	p = &Proposal{
		Count: g.count, First: g.seen.first, Last: g.seen.last, Source: f.source, Facts: f.words(), Contains: literal,
		Name: names.take(proposals(f, literal)), facts: f, rules: matcher(f, literal),
	}
	pairs := f.pairs()
	if literal != "" {
		pairs = append(pairs, pair{"contains", scalar(literal)})
	}
	if p.priority() != 0 {
		pairs = append(pairs, pair{"priority", strconv.Itoa(p.priority())})
	}
	p.Rule = flow(pairs)
	for i, v := range g.sorted() {
		if v.normal != "" {
			p.Texts = append(p.Texts, v.normal)
		}
		if i < maxExamples {
			example := exampleOf(&v.example, literal)
			p.evidence = append(p.evidence, example)
			p.Examples = append(p.Examples, flow(examplePairs(&example)))
		}
	}
	return p, true
}

func (f facts) pairs() []pair {
	var out []pair
	text := func(key, value string) {
		if value != "" {
			out = append(out, pair{key, scalar(value)})
		}
	}
	text("source", f.source)
	text("op", f.op)
	if f.status != 0 {
		out = append(out, pair{"status", strconv.Itoa(f.status)})
	}
	text("type", f.kind)
	text("code", f.code)
	if f.hasExit {
		out = append(out, pair{"exit_code", strconv.Itoa(f.exit)})
	}
	text("signal", f.signal)
	text("errno", f.errno)
	return out
}

// priority returns the rule's: one that asks for next to nothing yields to all others.
func (p *Proposal) priority() int {
	if p.Contains == "" && !p.facts.telling() {
		return -10
	}
	return 0
}

// exampleOf returns what an example holds of evidence.
func exampleOf(ev *taxonomy.Evidence, literal string) taxonomy.Evidence {
	f := factsOf(ev)
	out := taxonomy.Evidence{
		Source: f.source, Op: f.op, Status: f.status, Type: f.kind, Code: f.code, Signal: f.signal, Errno: f.errno,
		Text: excerpt(ev.Text, literal),
	}
	if f.hasExit {
		out.ExitCode = taxonomy.Some(f.exit)
	}
	return out
}

// examplePairs writes evidence as an example.
func examplePairs(ev *taxonomy.Evidence) []pair {
	out := factsOf(ev).pairs()
	if ev.Text != "" {
		out = append(out, pair{"text", quote(ev.Text)})
	}
	return out
}

// excerpt returns the part of a text that holds literal.
func excerpt(text, literal string) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if len(text) <= maxExample {
		return text
	}
	from := 0
	if at := strings.Index(text, literal); at > maxExample-len(literal) {
		from = strings.LastIndexByte(text[:at], '\n') + 1
		if at-from > maxExample/2 {
			from = at
		}
	}
	return strings.ToValidUTF8(text[from:min(len(text), from+maxExample)], "")
}
