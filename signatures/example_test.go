package signatures_test

import (
	"fmt"

	"github.com/errgen/errgen/signatures"
)

func Example() {
	s := signatures.Named("rate_limit")
	fmt.Println(s.Family, s.Name)
	fmt.Println(s.Examples[0].Text)
	// Output:
	// ai rate_limit
	// ThrottlingException: Too many tokens, please wait a moment.
}
