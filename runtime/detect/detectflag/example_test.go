package detectflag_test

import (
	"flag"
	"fmt"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect/detectflag"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// A command classifies the failure that its flags describe.
func Example() {
	ev := taxonomy.Evidence{Source: "anthropic-api", Op: "call"}
	flags := flag.NewFlagSet("classify", flag.ContinueOnError)
	flags.Func("status", "the HTTP status", detectflag.Status(&ev))
	flags.Func("retry-after", "the wait that the source asks for", detectflag.RetryAfter(&ev))
	if err := flags.Parse([]string{"-status", "429", "-retry-after", "30s"}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(errs.ClassifyEvidence(&ev))
	// Output: provider anthropic-api limits the rate, retry after 30s
}
