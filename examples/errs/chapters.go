package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func (s *story) morning(err error) {
	s.title("The provider is overloaded")
	s.line("%v", err)
	s.line("is it CodeProviderAPIError?   %t", errors.Is(err, errs.CodeProviderAPIError))
	s.line("is it io.ErrUnexpectedEOF?    %t, which is its cause", errors.Is(err, io.ErrUnexpectedEOF))
	if pe, ok := errors.AsType[*errs.ProviderError](err); ok {
		s.line("it is a ProviderError:        provider %s, status %d", pe.Provider, pe.StatusCode.Or(0))
	}
	s.line("code, category:               %s, %s", taxonomy.CodeOf(err), errs.CategoryOf(err))
	s.line("may the same call succeed?    %t", taxonomy.IsRetryable(err))
	s.line("does it need the network?     %t", errs.InNetwork(err))
	s.line("what to do:                   %s", describe(errs.Table.Reaction(err)))
}

func (s *story) statuses() {
	s.title("One code, and the status decides")
	for _, status := range []int{529, 429, 404} {
		err := errs.NewProviderAPIError("anthropic-api", "").WithStatusCode(status)
		s.line("status %d: retryable %-5t  %s", status, taxonomy.IsRetryable(err), describe(errs.Table.Reaction(err)))
	}
}

func (s *story) scope(err error) {
	s.title("The agent touches what it must not")
	s.line("%v", err)
	r := errs.Table.Reaction(err)
	s.line("what to do:     %s", describe(r))
	s.line("to be reverted: %q", taxonomy.HintsOf(err).Files)
	s.line("the agent hears: %s", taxonomy.FeedbackOf(err))
}

func (s *story) log(err error) {
	s.title("In the log, what looks like a secret is masked")
	logger := slog.New(slog.NewJSONHandler(s.w, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	// unwrapped, because a text around it is all that slog would see
	if e, ok := errors.AsType[*errs.GitError](err); ok {
		logger.Warn("push", "err", e)
	}
}

func (s *story) wire(err error) {
	s.title("Over the wire and back")
	pe, ok := errors.AsType[*errs.ProviderError](err)
	if !ok {
		s.check(errors.New("the story lacks its provider error"))
		return
	}
	sent, marshalErr := json.MarshalIndent(pe, "", "  ")
	if !s.check(marshalErr) {
		return
	}
	s.line("%s", sent)
	back, decodeErr := errs.UnmarshalError(sent)
	if !s.check(decodeErr) {
		return
	}
	s.line("decoded as %T, code kept: %t, cause kept: %v", back, errors.Is(back, errs.CodeProviderAPIError),
		back.Unwrap())
}

func (s *story) stranger() {
	s.title("A newer program sends a code that is not known here")
	err, decodeErr := errs.UnmarshalError([]byte(`{"domain":"aidf","name":"ProviderError","category":"provider",` +
		`"code":"PROVIDER_ASLEEP","message":"provider sleeps","retryable":true,"context":{"provider":"night-api"}}`))
	if !s.check(decodeErr) {
		return
	}
	s.line("%T: %v", err, err)
	s.line("code kept: %s, retryable %t, %s", taxonomy.CodeOf(err), taxonomy.IsRetryable(err),
		describe(errs.Table.Reaction(err)))
}

func (s *story) verbose(err error) {
	s.title("All there is to know, with %+v")
	if e, ok := errors.AsType[*errs.ProviderError](err); ok {
		s.line("%+v", e)
	}
}

func (s *story) advise(err error) {
	s.title("A switch over all codes of a category")
	if e, ok := errors.AsType[*errs.GitError](err); ok {
		s.line("%s: %s", taxonomy.CodeOf(e), advice(e.Code()))
	}
}

// advice is an exhaustive switch: the exhaustive linter says so when a code is added and not named
// here.
func advice(code errs.GitCode) string {
	switch code {
	case errs.CodeGitCommitFailed:
		return "commit by hand"
	case errs.CodeGitPushFailed:
		return "push by hand; nothing is lost"
	case errs.CodeGitRevertFailed:
		return "look at the working tree before doing anything else"
	case errs.CodeGitStatusFailed:
		return "run git status"
	}
	return "no advice"
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

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
