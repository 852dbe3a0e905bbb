package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/errgen/errgen/runtime/executor/plan"
)

// checkNeeds prints all prerequisites of a plan and whether they are there, and returns the exit
// code.
func checkNeeds(ctx context.Context, out io.Writer, facts plan.Verifier, p *plan.Plan) int {
	code := exitCompleted
	print := func(of string, needs []plan.Need) {
		for _, need := range needs {
			kind, name := need.Kind()
			mark, comment := "[x]", need.For
			if need.MadeBy != "" {
				mark, comment = "[ ]", "made by "+need.MadeBy
			} else if missing := facts.Needs(ctx, "prepare", []plan.Need{need}); len(missing) > 0 {
				code, mark, comment = exitFailed, "[!]", missing[0].Text
			}
			line := fmt.Sprintf("%s %-9s %-10s %-24s %s", mark, of, kind, name, oneLine(comment, 100))
			fmt.Fprintln(out, strings.TrimRight(line, " "))
		}
	}
	print("plan", p.Needs)
	for _, s := range p.Steps {
		print("step "+s.ID, s.Needs)
	}
	return code
}
