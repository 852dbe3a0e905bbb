package verify_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/errgen/errgen/runtime/executor/plan"
	"github.com/errgen/errgen/runtime/executor/plan/verify"
)

// The criteria of a step are checked, whatever the agent that carried it out claims.
func Example() {
	dir, err := os.MkdirTemp("", "plan")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	page := []byte("# Prices\n\nTea is 3 cents.\n")
	if err := os.WriteFile(filepath.Join(dir, "prices.md"), page, 0o600); err != nil {
		fmt.Println(err)
	}
	facts := verify.New(dir)
	findings := facts.Criteria(context.Background(), []plan.Criterion{
		{Path: "prices.md", Sections: []string{"Prices", "Tests"}, Matches: "cents"},
	})
	for _, ev := range findings {
		fmt.Println(ev.Source, ev.Op, ev.Type)
		fmt.Println(ev.Text)
	}
	// Output:
	// check criteria missing_sections
	// prices.md: expected the headings Prices, Tests, found no Tests
}
