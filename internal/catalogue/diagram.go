package catalogue

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/errgen/errgen/internal/explain"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// step is a box of the diagram of a chain of reactions.
type step struct {
	Name  string
	Does  string
	Class string // in CSS, by what the reaction leads to
	Calls string // the limit of the calls that it repeats; "" if it repeats none
}

// steps returns the diagram of a chain of reactions. It is empty if it would have neither an arrow
// nor a repetition.
func steps(head *taxonomy.Reaction, words *explain.Reaction) []step {
	var out []step
	r := head
	for _, w := range chain(words) {
		s := step{Name: cmp.Or(w.Name, w.Action), Does: explain.Action(r)}
		switch r.Action {
		case taxonomy.Abort:
			s.Class = "stop"
		case taxonomy.Block, taxonomy.Escalate:
			s.Class = "ask"
		case taxonomy.Continue:
			s.Class = "go"
		default:
			s.Class, s.Calls = "again", "no limit"
			if r.Policy != nil && r.Policy.MaxAttempts > 0 {
				s.Calls = explain.Count(r.Policy.MaxAttempts, "call", "calls")
			}
		}
		out, r = append(out, s), r.Then
	}
	if len(out) == 1 && out[0].Calls == "" {
		return nil
	}
	return out
}

// mermaid returns a chain of reactions as a Mermaid flowchart.
func mermaid(steps []step) string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for i, s := range steps {
		if i > 0 {
			fmt.Fprintf(&b, "  r%d -->|if exhausted| r%d\n", i-1, i)
		}
		label := strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;", "`", "'").Replace(s.Name + ": " + s.Does)
		fmt.Fprintf(&b, "  r%d[\"%s\"]\n", i, label)
	}
	return b.String()
}
