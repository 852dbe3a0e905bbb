package faults_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/faults"
	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/problem"
)

func TestHandler(t *testing.T) {
	var reported []error
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	h := faults.Handler(next, booking.Table,
		problem.OnError(func(_ *http.Request, err error) { reported = append(reported, err) }))
	send := func(code string) *http.Response {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/rooms/r-1", nil)
		if code != "" {
			r.Header.Set(faults.Header, code)
		}
		h.ServeHTTP(w, r)
		return w.Result()
	}
	assert.Equal(t, http.StatusNoContent, send("").StatusCode)
	if !faults.Enabled {
		for _, code := range []string{"ROOM_TAKEN", "STORE_DOWN", "NO_SUCH"} {
			assert.Equal(t, http.StatusBadRequest, send(code).StatusCode)
		}
		assert.Empty(t, reported)
		return
	}
	assert.Equal(t, http.StatusBadRequest, send("NO_SUCH").StatusCode)
	assert.Empty(t, reported)
	require.ErrorIs(t, problem.Read(send("ROOM_TAKEN"), booking.Table), booking.CodeRoomTaken)
	require.ErrorIs(t, problem.Read(send("STORE_DOWN"), booking.Table), booking.CodeInternal, "the public view")
	require.Len(t, reported, 2)
	assert.ErrorIs(t, reported[1], booking.CodeStoreDown)
	for _, err := range reported {
		assert.True(t, errors.Is(err, faults.ErrInjected))
	}
}

// The tests pass in the build with the tag, too.
func TestEnabled(t *testing.T) {
	if faults.Enabled {
		return
	}
	out, err := exec.Command("go", "test", "-tags=errgen_faults", "-run=TestHandler", "-v", ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "--- PASS: TestHandler")
}
