package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// forking is an error that wraps ever more of itself.
type forking struct{}

func (forking) Error() string { return "forking" }

func (forking) Unwrap() []error { return []error{forking{}, forking{}} }

func TestErrorsWithoutAnEnd(t *testing.T) {
	for name, err := range map[string]error{
		"itself": itself{}, "forking": forking{}, "below": fmt.Errorf("no: %w", forking{}),
		"joined":   errors.Join(forking{}, itself{}),
		"cause":    errs.NewProviderNotAvailable("p").WithCause(forking{}),
		"evidence": &taxonomy.Evidence{Source: "s", Err: errors.Join(itself{}, forking{})},
	} {
		o := New(err, Options{Table: errs.Table})
		assert.NotEmpty(t, o.Message, name)
		b, err := json.Marshal(o)
		require.NoError(t, err, name)
		assert.NotEmpty(t, b)
	}
}
