package script_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/errtest/script"
	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The errors of a database without a server: a conflict, a cut connection, then success.
func Example() {
	s := script.New(booking.Examples())
	s.Fail(booking.CodeStoreConflict)
	s.Cut()
	s.Then(200, "")
	for range 3 {
		err := s.Err(context.Background())
		fmt.Println(taxonomy.CodeOf(booking.Classify(err, detect.WithSource(booking.SourcePostgres))))
	}
	// Output:
	// STORE_CONFLICT
	// STORE_DOWN
	//
}

func TestAnswersInOrder(t *testing.T) {
	ctx := t.Context()
	s := script.New(booking.Examples())
	require.NoError(t, s.Err(ctx), "without an answer, calls succeed")
	s.Then(500, "")
	require.Error(t, s.Err(ctx))
	require.Error(t, s.Err(ctx), "the last answer repeats")
	s.Then(200, "")
	s.Fail(booking.CodeRoomTaken) // which has no example
	require.NoError(t, s.Err(ctx), "a new answer replaces the last one")
	require.ErrorIs(t, s.Err(ctx), booking.CodeRoomTaken)
	require.ErrorIs(t, s.Err(ctx), booking.CodeRoomTaken)
	assert.Len(t, s.Calls(), 6)
}

// The error of a failure shows the failure as rules see it.
func TestErr(t *testing.T) {
	for _, tt := range []struct {
		failure taxonomy.Evidence
		want    taxonomy.Evidence
	}{
		{taxonomy.Evidence{Type: "network"}, taxonomy.Evidence{Type: "network", Errno: "ECONNRESET"}},
		{taxonomy.Evidence{Type: "network", Errno: "EPIPE"}, taxonomy.Evidence{Type: "network", Errno: "EPIPE"}},
		{taxonomy.Evidence{Type: "network", Errno: "EHOSTUNREACH"},
			taxonomy.Evidence{Type: "network", Errno: "EHOSTUNREACH", Effect: taxonomy.EffectNone}},
		{taxonomy.Evidence{Type: "network", Errno: "ETIMEDOUT"},
			taxonomy.Evidence{Type: "timeout", Errno: "ETIMEDOUT"}},
		{taxonomy.Evidence{Code: "QUOTA", Type: "quota"}, taxonomy.Evidence{Code: "QUOTA", Type: "quota"}},
		{taxonomy.Evidence{Code: "0A000", Type: "quota"}, taxonomy.Evidence{Code: "0A000"}},
	} {
		err := script.Answer{Failure: &tt.failure}.Err(t.Context())
		got := detect.Of(err)
		assert.Equal(t, tt.want.Code, got.Code)
		assert.Equal(t, tt.want.Type, got.Type, "%v", tt.failure)
		assert.Equal(t, tt.want.Errno, got.Errno)
		assert.Equal(t, tt.want.Effect == taxonomy.EffectNone, got.Effect == taxonomy.EffectNone, "%v", tt.failure)
		assert.NotEmpty(t, err.Error())
	}
	assert.EqualError(t, script.Answer{Status: 503}.Err(t.Context()), "status 503 Service Unavailable")
	assert.Contains(t, script.Answer{Status: 520}.Err(t.Context()).Error(), "status 520")
}

func TestHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script.New(nil)
		s.Hang()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.ErrorIs(t, s.Err(ctx), context.DeadlineExceeded)
		c := s.Calls()[0]
		assert.Equal(t, time.Minute, c.Ended.Sub(c.Began))
	})
}
