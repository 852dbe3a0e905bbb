package taxonomy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/internal/sample"
)

// requestOf returns the request of the first error of the sample in err's tree.
func requestOf(err error) string {
	c, _ := taxonomy.First(err, sample.Table.Taxonomy)
	switch e := c.(type) {
	case *sample.ProviderError:
		return e.RequestID.Or("")
	case *sample.WorkError:
		return e.RequestID.Or("")
	case *sample.ServerError:
		return e.RequestID.Or("")
	}
	return ""
}

func TestAttach(t *testing.T) {
	crash := sample.NewProviderCrash("p").WithRequestID("old")
	for _, tt := range []struct {
		name string
		err  error
	}{
		{"error", crash},
		{"another category", sample.NewGitCommit()},
		{"wrapped error", fmt.Errorf("wrapped: %w", crash)},
		{"joined errors", errors.Join(errors.New("first"), crash)},
		{"error with a stack", taxonomy.WithStack(crash)},
		{"code", sample.CodeInternal},
		{"wrapped code", fmt.Errorf("wrapped: %w", sample.CodeInternal)},
		{"code without its message", fmt.Errorf("wrapped: %w", sample.CodeProviderCrash)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := requestOf(tt.err)
			changed := sample.Attach(tt.err, sample.RequestID("first"), sample.RequestID("r"))
			assert.Equal(t, "r", requestOf(changed))
			assert.Equal(t, before, requestOf(tt.err), "the error is copied")
			assert.Equal(t, tt.err.Error(), changed.Error())
			assert.Equal(t, taxonomy.CodeOf(tt.err), taxonomy.CodeOf(changed))
			assert.Equal(t, "s", requestOf(sample.Attach(changed, sample.RequestID("s"))), "a second time")
			_, traced := errors.AsType[*taxonomy.Traced](tt.err)
			_, still := errors.AsType[*taxonomy.Traced](changed)
			assert.Equal(t, traced, still)
		})
	}
}

func TestAttachKeepsTheTree(t *testing.T) {
	outer := &fs.PathError{Op: "open", Path: "p", Err: sample.NewGitCommit().WithCause(io.EOF)}
	err := sample.Attach(fmt.Errorf("wrapped: %w", outer), sample.RequestID("r"))
	for _, target := range []error{outer, sample.CodeGitCommit, io.EOF} {
		require.ErrorIs(t, err, target)
	}
	found, ok := errors.AsType[*fs.PathError](err)
	assert.True(t, ok)
	assert.Same(t, outer, found)
	typed, ok := errors.AsType[*sample.WorkError](err)
	assert.True(t, ok)
	assert.Equal(t, "r", typed.RequestID.Or(""))
}

func TestAttachKeepsAnotherTaxonomy(t *testing.T) {
	outer := orders.NewStoreDown().WithCause(sample.NewGitCommit())
	err := sample.Attach(outer, sample.RequestID("r"))
	assert.Equal(t, "r", requestOf(err))
	require.ErrorIs(t, err, orders.CodeStoreDown)
	assert.EqualError(t, err, outer.Error())
}

func TestAttachUnchanged(t *testing.T) {
	var none *sample.ProviderError
	for _, err := range []error{
		nil, errors.New("plain"), none, sample.ProviderCode(0),
		taxonomy.NewUnknown(sample.Table.Taxonomy, taxonomy.Wire{Code: "NEW"}),
	} {
		assert.Equal(t, err, sample.Attach(err, sample.RequestID("r")))
	}
	crash := sample.NewProviderCrash("p")
	assert.Same(t, crash, sample.Attach(crash))
	other := taxonomy.NewAttribute(&taxonomy.Taxonomy{}, 0, taxonomy.Some("r"))
	assert.Same(t, crash, sample.Attach(crash, other))
}

// TestClassifyWithAttributes holds that classifying sets the attributes of a context, whatever it
// classifies.
func TestClassifyWithAttributes(t *testing.T) {
	ctx := taxonomy.ContextWith(context.Background(), sample.RequestID("outer"))
	ctx = taxonomy.ContextWith(ctx, sample.RequestID("r"))
	for _, tt := range []struct {
		name string
		raw  any
	}{
		{"plain error", errors.New("x")},
		{"evidence", taxonomy.Evidence{Source: "p", ExitCode: taxonomy.Some(1)}},
		{"error of the taxonomy", fmt.Errorf("wrapped: %w", sample.NewGitCommit())},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := sample.Classify(tt.raw, detect.WithAttributes(ctx))
			assert.Equal(t, "r", requestOf(err))
			assert.Empty(t, requestOf(sample.Classify(tt.raw, detect.WithAttributes(context.Background()))))
		})
	}
	typed := &taxonomy.Evidence{Err: sample.NewGitCommit()}
	assert.Equal(t, "r", requestOf(sample.ClassifyEvidence(typed, detect.WithAttributes(ctx))))
	canceled := sample.Classify(context.Canceled, detect.WithAttributes(ctx))
	require.ErrorIs(t, canceled, context.Canceled)
}
