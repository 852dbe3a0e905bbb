package plan_test

import (
	"fmt"

	"github.com/errgen/errgen/runtime/executor/plan"
)

const document = `# Describe the shop

## 1: Describe the prices

Write to reports/prices.md what the code says about prices.

` + "```yaml step" + `
criteria:
  - {path: reports/prices.md, matches: cents}
` + "```" + `

## 2: Describe the tests

Write to reports/tests.md how to run the tests.
`

// The faults of a plan are known before the first step is carried out.
func Example() {
	p, problems := plan.Read([]byte(document))
	fmt.Println(p.Title, len(p.Steps), problems)
	for _, problem := range plan.Check(p) {
		fmt.Println(problem)
	}
	// Output:
	// Describe the shop 2 []
	// line 12: step 2 has no criteria
}
