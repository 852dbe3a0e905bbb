package executor_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// itself wraps itself.
type itself struct{}

func (itself) Error() string   { return "it wraps itself" }
func (i itself) Unwrap() error { return i }

// forking wraps ever more of itself.
type forking struct{}

func (forking) Error() string   { return "it wraps more and more" }
func (forking) Unwrap() []error { return []error{forking{}, forking{}} }

// broken is a provider whose calls fail.
type broken struct{ err error }

func (broken) Name() string                      { return "fake" }
func (b broken) Available(context.Context) error { return nil }
func (b broken) Call(context.Context, executor.Request) (executor.Answer, error) {
	return executor.Answer{}, b.err
}

// The errors of others may have trees that do not end; a run does, and so does whoever looks at
// what it came to.
func TestErrorsWithoutAnEnd(t *testing.T) {
	limit := &taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: 401, Err: itself{}}
	for _, c := range []struct {
		name string
		err  error
		code string
	}{
		{"it unwraps to itself", itself{}, ""},
		{"it unwraps to more and more", forking{}, ""},
		{"below another", fmt.Errorf("no: %w", itself{}), ""},
		{"joined", errors.Join(forking{}, itself{}), ""},
		{"in evidence", limit, "PERMISSION_API_AUTH"},
		{"around evidence", errors.Join(itself{}, limit), "PERMISSION_API_AUTH"},
		{"beside an error of the taxonomy", errors.Join(itself{}, errs.NewProviderNotAvailable("fake")),
			"PROVIDER_NOT_AVAILABLE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := errs.Table
			e, err := executor.New(executor.Config{
				Table: table, Provider: broken{c.err}, Limits: executor.Limits{Iterations: 1, Failures: 1},
				//lint:ignore ST1008 it is a Classifier
				Classify: func(err error, source, op string) (error, string) {
					return errs.Classify(err, detect.WithSource(taxonomy.SourceName(source)),
						detect.WithOp(taxonomy.OpName(op))), ""
				},
			})
			if !assert.NoError(t, err) {
				return
			}
			r := e.Run(t.Context(), executor.Task{ID: "t", Prompt: "do"})
			assert.NotEqual(t, executor.EndCompleted, r.EndReason)
			assert.False(t, errors.Is(r.Err, io.EOF))
			if c.code != "" {
				assert.Equal(t, c.code, r.ErrorCode)
			}
		})
	}
}
