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
	var ev taxonomy.Evidence
	flags := flag.NewFlagSet("classify", flag.ContinueOnError)
	flags.StringVar(&ev.Source, "source", "", "who reports the failure")
	flags.Func("status", "HTTP status", detectflag.Status(&ev))
	flags.Func("retry-after", "requested wait", detectflag.RetryAfter(&ev))
	if err := flags.Parse([]string{"-source", "anthropic-api", "-status", "429", "-retry-after", "30s"}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(errs.ClassifyEvidence(&ev))
	// Output: provider anthropic-api limits the rate, retry after 30s
}
