package redact_test

import (
	"fmt"

	"github.com/errgen/errgen/runtime/internal/redact"
)

func ExampleScrub() {
	fmt.Println(redact.Scrub("GET https://ann:pw@example.org/?token=abc123: invalid password: hunter2!"))
	fmt.Println(redact.Scrub("syntax error: unexpected token: '}', password: too short"))
	// Output:
	// GET https://[REDACTED]@example.org/?token=[REDACTED] invalid password: [REDACTED]
	// syntax error: unexpected token: '}', password: too short
}
