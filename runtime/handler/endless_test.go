package handler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
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

// The errors of others may have trees that do not end. An operation does, and so does whoever looks
// at what it came to.
func TestErrorsWithoutAnEnd(t *testing.T) {
	for name, err := range map[string]error{
		"itself": itself{}, "forking": forking{}, "below": fmt.Errorf("no: %w", itself{}),
		"joined": errors.Join(forking{}, itself{}),
	} {
		h := made(t, func(c *Config) {
			//lint:ignore ST1008 it is a Classifier
			c.Classify = func(err error, source, op string) (error, string) {
				_ = errs.Classify(err, detect.WithSource(taxonomy.SourceName(source)),
					detect.WithOp(taxonomy.OpName(op)))
				return err, ""
			}
		})
		out := h.Handle(t.Context(), Op{Name: "op", Source: "fake", Do: func(context.Context) error { return err }})
		assert.False(t, out.Success(), name)
		assert.False(t, errors.Is(out.Err, io.EOF), name)
		_, err := json.Marshal(out)
		require.NoError(t, err, name)
	}
}
