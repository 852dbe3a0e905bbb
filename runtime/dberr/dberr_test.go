package dberr_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/dberr"
	"github.com/errgen/errgen/runtime/internal/booking"
)

func TestCancellationIsUnchanged(t *testing.T) {
	cancelled := fmt.Errorf("query: %w", context.Canceled)
	for _, lost := range []bool{false, true} {
		assert.Same(t, cancelled, dberr.Classify(booking.Table, booking.SourcePostgres, cancelled, lost))
	}
}
