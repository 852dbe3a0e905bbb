package retry_test

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/retry"
)

func TestSystemClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		begun := retry.System.Now()
		assert.NoError(t, retry.System.Sleep(ctx, -s))
		assert.NoError(t, retry.System.Sleep(ctx, 0))
		assert.NoError(t, retry.System.Sleep(ctx, s))
		assert.Equal(t, s, time.Since(begun))
		time.AfterFunc(s, func() { cancel(io.EOF) })
		assert.Equal(t, io.EOF, retry.System.Sleep(ctx, m))
		assert.Equal(t, 2*s, time.Since(begun))
		assert.Equal(t, io.EOF, retry.System.Sleep(ctx, 0), "ended, though there is nothing to wait for")
	})
}
