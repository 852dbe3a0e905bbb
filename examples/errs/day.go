package main

import (
	"fmt"
	"io"

	"github.com/errgen/errgen/gen/errs"
)

// day is what fails in the story, wrapped the way that a program wraps its errors.
type day struct {
	overloaded error
	forbidden  error
	push       error
}

func badDay() day {
	return day{
		overloaded: fmt.Errorf("task 42, iteration 1: %w",
			errs.NewProviderAPIError("anthropic-api", "overloaded_error: try again later\nrequest id 7f3a").
				WithStatusCode(529).
				WithCause(io.ErrUnexpectedEOF)),
		forbidden: fmt.Errorf("task 42, iteration 2: %w",
			errs.NewScopeForbidden([]string{".env", "go.sum", "docs/a.md"}, "strict").
				WithOutsideFiles([]string{"docs/a.md"})),
		push: fmt.Errorf("task 42: %w",
			errs.NewGitPushFailed(
				"remote: permission denied\nremote: Authorization: Bearer 0a1b2c3d4e5f60718293a4b5c6d7e8f9")),
	}
}
